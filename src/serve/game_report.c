/* SPDX-License-Identifier: MIT
 *
 * The handler that reviews a game: a stream with the value of each move (play/judge.h), and a
 * summary for each side. */
#include "core/movegen.h"
#include "core/notation.h"
#include "play/judge.h"
#include "report/record.h"
#include "report/scores.h"
#include "serve/handlers.h"
#include "serve/parameters.h"

#include <stdlib.h>

enum { MOVE_SECONDS_MAX = 5 };

struct game_report {
    struct judge judge;
    struct judgement found;
    struct side_summary side[2];
    int games; /* in the body */
    int plies; /* of the first, which may be more than judge.game takes */
};

/* ------------------------------------------------------------------------ question -- */

static enum status game_take(void *context, const struct record *r, struct error *e)
{
    struct game_report *g = context;

    (void)e;
    if (g->games++)
        return STATUS_OK;
    g->plies = r->plies;
    game_begin(&g->judge.game, &r->start);
    for (int i = 0; i < r->plies && i < GAME_PLIES_MAX; i++)
        game_push(&g->judge.game, &r->ply[i].move);
    return STATUS_OK;
}

/* The game in the body; false after an error. */
static bool game_read(struct game_report *g, const struct http_request *r, struct http_reply *reply)
{
    struct text_place where;
    struct error e;
    size_t length;
    const char *body = http_body(r, &length);

    if (record_read(body, length, NULL, game_take, g, &where, &e)) {
        if (e.status == STATUS_NO_MEMORY)
            http_fail(reply, 507, 0, "not enough memory");
        else
            http_fail(reply, 400, 0, "the game, line %u, column %u: %s", (unsigned)where.line,
                      (unsigned)where.column, e.text);
    } else if (g->games > 1) {
        http_fail(reply, 400, 0, "expected one game, found %d", g->games);
    } else if (g->plies == 0) {
        http_fail(reply, 400, 0, "expected a game with moves, as in 11-15 22-18");
    } else if (g->plies > GAME_PLIES_MAX) {
        http_fail(reply, 400, 0, "the game has %d plies; at most %d are analysed", g->plies,
                  GAME_PLIES_MAX);
    } else {
        return true;
    }
    return false;
}

/* time=, for each search; their total is limited as well. */
static bool time_read(struct game_report *g, const struct http_request *r, struct http_reply *reply)
{
    struct search_limits *limits = &g->judge.limits;
    int searches = 2 * g->plies + 1;

    *limits = (struct search_limits){
        .seconds = 0.2, .lines = 1, .stop = http_stop(r), .end_when_proven = true};
    if (!parameter_seconds(r, reply, "time", MOVE_SECONDS_MAX, &limits->seconds))
        return false;
    if (limits->seconds * searches <= LIVE_SECONDS_MAX)
        return true;
    http_fail(reply, 400, 0,
              "time: a game of %d plies would take up to %.0f seconds, at most %d are given",
              g->plies, limits->seconds * searches, LIVE_SECONDS_MAX);
    return false;
}

/* -------------------------------------------------------------------------- answer -- */

static void put_move(struct json *j, const struct board *b, const struct move *m)
{
    struct move_list legal;
    char text[MOVE_TEXT_MAX];

    moves_generate(b, &legal);
    move_format(m, &legal, MOVE_NUMBERS, text);
    json_text(j, "move", text);
}

/* Send an event for a move; false if the client has gone. */
static bool tell_move(const struct game_report *g, int ply, const struct http_request *r,
                      struct http_reply *reply)
{
    const struct board *b = &g->judge.game.board[ply];
    struct json j = json_open(reply->out);
    char fen[FEN_TEXT_MAX];

    fen_format(b, fen);
    fprintf(reply->out, "data: ");
    json_object(&j, NULL);
    json_int(&j, "ply", ply + 1);
    json_text(&j, "fen", fen);
    put_move(&j, b, &g->judge.game.move[ply]);
    json_text(&j, "mark", mark_name(g->found.mark));
    json_line(&j, b, &g->found.played);
    json_object(&j, "best");
    put_move(&j, b, &g->found.better.pv[0]);
    json_line(&j, b, &g->found.better);
    json_end(&j);
    json_end(&j);
    fputc('\n', reply->out);
    return http_flush(r, reply);
}

/* Send the summary of a completely judged game, and the reason for the end of the stream. */
static void tell_end(const struct game_report *g, struct http_reply *reply)
{
    struct json j = json_open(reply->out);
    enum status status = g->judge.status;

    if (!status) {
        fprintf(reply->out, "event: summary\ndata: ");
        json_object(&j, NULL);
        summary_json(&j, g->side);
        json_end(&j);
        fputc('\n', reply->out);
    }
    j = json_open(reply->out);
    fprintf(reply->out, "event: done\ndata: ");
    json_object(&j, NULL);
    json_text(&j, "reason",
              !status                        ? "complete"
              : status == STATUS_INTERRUPTED ? "stopped"
                                             : "failed");
    json_end(&j);
    fputc('\n', reply->out);
}

static void report_run(struct api *api, struct game_report *g, const struct http_request *r,
                       struct http_reply *reply)
{
    const struct snapshot *s = sources_take(api->sources);
    struct search_options o = {.hash = SEARCH_BYTES, .tables = s->tables};
    struct error e;

    if (search_open(&g->judge.search, &o, &e)) {
        api_fail(api, reply, &e);
    } else {
        reply->type = "text/event-stream";
        judge_begin(&g->judge);
        for (int i = 0; i < g->plies && judge_move(&g->judge, i, &g->found); i++) {
            summary_add(g->side, &g->judge, i, &g->found);
            if (!tell_move(g, i, r, reply))
                g->judge.status = STATUS_INTERRUPTED;
        }
        tell_end(g, reply);
        search_close(&g->judge.search);
    }
    sources_release(api->sources, s);
}

void post_report(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct game_report *g = calloc(1, sizeof *g);

    if (!g)
        http_fail(reply, 507, 0, "not enough memory");
    else if (game_read(g, r, reply) && time_read(g, r, reply) && live_enter(context, r, reply)) {
        report_run(context, g, r, reply);
        live_leave(context);
    }
    free(g);
}
