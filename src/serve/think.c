/* SPDX-License-Identifier: MIT
 *
 * The handlers that run the player: one answer after a time, a stream while the client listens,
 * a move at a level of strength. */
#include "core/movegen.h"
#include "core/notation.h"
#include "report/record.h"
#include "report/scores.h"
#include "serve/handlers.h"
#include "serve/parameters.h"

#include <stdlib.h>
#include <unistd.h>

enum { SEARCH_SECONDS_MAX = 30, LEVELS = 10, LEVEL_TABLES = 5 };
enum { LIVE_TRIES = 20, LIVE_TRY_US = 50000 };

/* ----------------------------------------------------------------------- searches -- */

/* A question, and the game that led to it. */
struct thought {
    struct board board;
    struct board *history; /* the positions before it; owned */
    int plies;
    struct search_limits limits;
    bool blind; /* without tables */
    search_report *report;
    void *context;
};

/* The tables, then the endings solved by the server. */
static enum status known_value(void *context, const struct board *b, enum kind kind,
                               struct outcome *o, struct error *e)
{
    const struct snapshot *s = context;

    if (s->tables && tables_has(s->tables, b)) {
        *o = (struct outcome){0};
        return tables_value(s->tables, b, &o->value, e);
    }
    return s->source.outcome(s->source.context, b, kind, o, NULL);
}

static enum status think(struct api *api, const struct thought *t, struct search_result *out,
                         struct error *e)
{
    const struct snapshot *s = sources_take(api->sources);
    struct source known = {known_value, (void *)s};
    struct search_options o = {.hash = SEARCH_BYTES, .tables = t->blind ? NULL : s->tables};
    struct search *search;
    enum status rc;

    if (s->endings && !t->blind) {
        o.values = &known;
        o.values_pieces = PIECES_MAX;
    }
    rc = search_open(&search, &o, e);

    if (!rc) {
        search_on_report(search, t->report, t->context);
        rc = search_run(search, &t->board, t->history, t->plies, &t->limits, out, e);
        search_close(&search);
    }
    sources_release(api->sources, s);
    return rc;
}

/* Keep the positions of a game that ends in the given position; ignore other games. */
static enum status history_take(void *context, const struct record *r, struct error *e)
{
    struct thought *t = context;
    struct board after;

    if (t->history || r->plies == 0 || r->wrong.line)
        return STATUS_OK;
    after = board_after(&r->ply[r->plies - 1].board, &r->ply[r->plies - 1].move);
    if (!board_equal(&after, &t->board))
        return STATUS_OK;
    t->history = malloc((size_t)r->plies * sizeof *t->history);
    if (!t->history)
        return error_no_memory(e);
    for (int i = 0; i < r->plies; i++)
        t->history[i] = r->ply[i].board;
    t->plies = r->plies;
    return STATUS_OK;
}

/* fen=, lines=, time=, and the game in the body; false after an error. */
static bool thought_read(struct thought *t, const struct http_request *r, struct http_reply *reply,
                         double most)
{
    struct text_place where;
    struct error e;
    size_t length;
    const char *body = http_body(r, &length);

    t->limits.stop = http_stop(r);
    if (!parameter_board(r, reply, &t->board) ||
        !parameter_seconds(r, reply, "time", most, &t->limits.seconds) ||
        !parameter_int(r, reply, "lines", 1, SEARCH_LINES_MAX, &t->limits.lines))
        return false;
    if (length && record_read(body, length, NULL, history_take, t, &where, &e)) {
        http_fail(reply, 400, 0, "the game, line %u, column %u: %s", (unsigned)where.line,
                  (unsigned)where.column, e.text);
        return false;
    }
    return true;
}

void post_analysis(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct thought t = {.limits = {.seconds = 1, .lines = 1, .end_when_proven = true}};
    struct search_result *result = malloc(sizeof *result);
    struct json j = json_open(reply->out);
    struct error e;

    if (!result)
        http_fail(reply, 507, 0, "not enough memory");
    else if (thought_read(&t, r, reply, SEARCH_SECONDS_MAX)) {
        if (think(context, &t, result, &e))
            api_fail(context, reply, &e);
        else
            json_search(&j, &t.board, result);
    }
    free(t.history);
    free(result);
}

/* ------------------------------------------------------------------------- streams -- */

struct listener {
    const struct http_request *request;
    struct http_reply *reply;
    const struct board *board;
};

/* Send an event with the result of an iteration; json_search ends the line. */
static void tell(void *context, const struct search_result *result)
{
    struct listener *l = context;
    struct json j = json_open(l->reply->out);

    fprintf(l->reply->out, "data: ");
    json_search(&j, l->board, result);
    fputc('\n', l->reply->out);
    http_flush(l->request, l->reply);
}

/* Send why it ended: everything is proven, or the time was over. */
static void tell_end(struct listener *l, const struct search_result *result)
{
    struct json j = json_open(l->reply->out);
    bool proven = result->lines == 0 || result->line[0].proven;

    if (result->depth == 0 && result->lines) /* answered without a search */
        tell(l, result);
    fprintf(l->reply->out, "event: done\ndata: ");
    json_object(&j, NULL);
    json_text(&j, "reason", proven ? "proven" : "time");
    json_end(&j);
    fputc('\n', l->reply->out);
}

static void live_run(struct api *api, struct thought *t, struct listener *l)
{
    struct search_result *result = malloc(sizeof *result);
    struct error e = {STATUS_NO_MEMORY, "not enough memory"};

    t->report = tell;
    t->context = l;
    if (!result || think(api, t, result, &e)) {
        api_fail(api, l->reply, &e);
    } else {
        l->reply->type = "text/event-stream";
        tell_end(l, result);
    }
    free(result);
}

/* A page that moves on to the next position releases its place a moment later: wait for it. */
bool live_enter(struct api *api, const struct http_request *r, struct http_reply *reply)
{
    const atomic_bool *stop = http_stop(r);

    for (int i = 0; i < LIVE_TRIES && !atomic_load(stop); i++) {
        if (atomic_fetch_add(&api->live, 1) < LIVE_MAX)
            return true;
        atomic_fetch_sub(&api->live, 1);
        usleep(LIVE_TRY_US);
    }
    http_fail(reply, 503, 0, "too many analyses are running: try again");
    reply->retry_after = 2;
    return false;
}

void live_leave(struct api *api)
{
    atomic_fetch_sub(&api->live, 1);
}

void post_live(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct api *api = context;
    struct thought t = {.limits = {.seconds = 60, .lines = 1, .end_when_proven = true}};
    struct listener l = {r, reply, &t.board};

    if (!live_enter(api, r, reply))
        return;
    if (thought_read(&t, r, reply, LIVE_SECONDS_MAX)) {
        reply->type = "text/event-stream";
        live_run(api, &t, &l);
    }
    live_leave(api);
    free(t.history);
}

/* -------------------------------------------------------------------------- levels -- */

/* Weaker levels search less deep, and the weakest use no tables. */
static void level_set(struct thought *t, int level)
{
    static const int depths[LEVELS] = {1, 2, 3, 4, 6, 8, 10, 13, 17, 0};

    t->limits.depth = depths[level - 1];
    t->blind = level < LEVEL_TABLES;
}

static void put_choice(struct json *j, const struct thought *t, int level,
                       const struct search_result *result)
{
    struct move_list legal;
    char text[MOVE_TEXT_MAX];

    moves_generate(&t->board, &legal);
    move_format(&result->line[0].pv[0], &legal, MOVE_NUMBERS, text);
    json_object(j, NULL);
    json_text(j, "move", text);
    json_int(j, "level", level);
    json_int(j, "depth", result->depth);
    json_line(j, &t->board, &result->line[0]);
    json_end(j);
}

void post_play(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct thought t = {.limits = {.seconds = 1, .lines = 1, .end_when_proven = true}};
    struct search_result *result = malloc(sizeof *result);
    struct json j = json_open(reply->out);
    struct error e;
    int level = LEVELS;

    if (!result) {
        http_fail(reply, 507, 0, "not enough memory");
    } else if (thought_read(&t, r, reply, SEARCH_SECONDS_MAX) &&
               parameter_int(r, reply, "level", 1, LEVELS, &level)) {
        level_set(&t, level);
        if (think(context, &t, result, &e))
            api_fail(context, reply, &e);
        else if (result->lines == 0)
            http_fail(reply, 400, 0, "there is no move: the game is over");
        else
            put_choice(&j, &t, level, result);
    }
    free(t.history);
    free(result);
}
