/* SPDX-License-Identifier: MIT */
#include "serve/handlers.h"
#include "base/parse.h"
#include "report/objects.h"
#include "report/scores.h"
#include "play/openings.h"
#include "report/assets.h"
#include "serve/parameters.h"
#include "serve/site.h"

#include <stdlib.h>
#include <string.h>

enum { GAME_BYTES_MAX = 256 << 10 };

/* Do not reveal where the tables are. */
static const char *told(const struct api *api, struct error *e)
{
    sources_hide(api->sources, e->text);
    return e->text;
}

/* Answer with the HTTP status for a status of the tables. */
void api_fail(const struct api *api, struct http_reply *reply, struct error *e)
{
    int status = e->status == STATUS_MISSING       ? 404
                 : e->status == STATUS_POSITION    ? 400
                 : e->status == STATUS_NO_MEMORY   ? 507
                 : e->status == STATUS_LOCKED      ? 503
                 : e->status == STATUS_INTERRUPTED ? 503
                                                   : 500;

    http_fail(reply, status, 0, "%s", told(api, e));
}

/* -------------------------------------------------------------------- positions -- */

static bool answer_is_whole(const struct answer *a)
{
    bool whole = a->verdict.known[KIND_DTW] && a->verdict.known[KIND_DTC];

    for (int i = 0; i < a->legal.count; i++)
        whole = whole && a->move[i].verdict.known[KIND_DTW] && a->move[i].verdict.known[KIND_DTC];
    return whole;
}

void get_position(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct api *api = context;
    struct json j = json_open(reply->out);
    const struct snapshot *s;
    struct answer a;
    struct board b;
    struct error e;
    enum status rc;

    if (!parameter_board(r, reply, &b))
        return;
    s = sources_take(api->sources);
    rc = answer_gaps(&s->source, &b, WANT_DTC | WANT_DTW, &a, &e);
    sources_release(api->sources, s);
    if (rc && rc != STATUS_MISSING) {
        api_fail(api, reply, &e);
        return;
    }
    if (!rc)
        answer_rank_best(&a);
    reply->cache = answer_is_whole(&a) ? HTTP_TRUTH : HTTP_NOT_KEPT;
    object_position(&j, NULL, &b, &a, rc ? told(api, &e) : NULL);
}

void get_moves(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct json j = json_open(reply->out);
    struct board b;

    (void)context;
    if (!parameter_board(r, reply, &b))
        return;
    reply->cache = HTTP_TRUTH;
    object_moves(&j, NULL, &b, MOVE_NUMBERS);
}

static const enum kind kinds[] = {KIND_DTW, KIND_DTC, KIND_WLD}; /* as in "dtw|dtc|wld" */

static void line_write(const struct api *api, const struct snapshot *s, const struct board *b,
                       enum kind kind, bool ties, struct http_reply *reply)
{
    struct line *line = malloc(sizeof *line);
    struct json j = json_open(reply->out);
    struct error e = {STATUS_NO_MEMORY, "not enough memory"};

    if (!line || line_play(&s->source, b, kind, line, &e) ||
        object_line(&j, NULL, &s->source, line, b, ties, &e))
        api_fail(api, reply, &e);
    else
        reply->cache = HTTP_TRUTH;
    free(line);
}

void get_line(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct api *api = context;
    const struct snapshot *s;
    struct board b;
    bool ties = false;
    int kind = 0;

    if (!parameter_board(r, reply, &b) ||
        !parameter_choice(r, reply, "kind", "dtw|dtc|wld", &kind) ||
        !parameter_flag(r, reply, "ties", &ties))
        return;
    s = sources_take(api->sources);
    line_write(api, s, &b, kinds[kind], ties, reply);
    sources_release(api->sources, s);
}

/* ------------------------------------------------------------------------ games -- */

struct reading {
    const struct snapshot *snapshot;
    enum kind kind;
    struct json json;
    struct review *review;
};

static enum status game_write(void *context, const struct record *record, struct error *e)
{
    struct reading *g = context;
    enum status rc;
    int at;

    if ((rc = review_record(&g->snapshot->source, record, g->kind, true, g->review, &at, e)))
        return rc;
    object_review(&g->json, NULL, record, g->review);
    return STATUS_OK;
}

/* The error of the text is part of the answer, after the games before it. */
static void put_record_error(struct json *j, const struct text_place *where, const struct error *e)
{
    if (!where->line) {
        json_null(j, "error");
        return;
    }
    json_object(j, "error");
    json_uint(j, "line", where->line);
    json_uint(j, "column", where->column);
    json_text(j, "message", e->text);
    json_end(j);
}

static void post_game(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct api *api = context;
    struct reading g = {.json = json_open(reply->out)};
    struct text_place where = {0};
    struct error e;
    enum status rc;
    size_t length;
    const char *text = http_body(r, &length);
    int kind = 0;

    if (!parameter_choice(r, reply, "kind", "dtw|dtc|wld", &kind))
        return;
    g.kind = kinds[kind];
    g.review = malloc(sizeof *g.review);
    g.snapshot = sources_take(api->sources);
    json_object(&g.json, NULL);
    json_array(&g.json, "games");
    rc = g.review ? record_read(text, length, &board_start, game_write, &g, &where, &e)
                  : error_no_memory(&e);
    json_end(&g.json);
    put_record_error(&g.json, &where, &e);
    json_end(&g.json);
    if (rc && !where.line)
        api_fail(api, reply, &e);
    sources_release(api->sources, g.snapshot);
    free(g.review);
}

/* ----------------------------------------------------------------------- tables -- */

static enum status put_slice(void *context, const struct survey_slice *row)
{
    object_slice(context, NULL, row);
    return STATUS_OK;
}

void get_slices(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct api *api = context;
    struct json j = json_open(reply->out);
    const struct snapshot *s;
    int pieces = 5;

    if (!parameter_int(r, reply, "pieces", 2, PIECES_MAX, &pieces))
        return;
    reply->same_site = true;
    s = sources_take(api->sources);
    json_object(&j, NULL);
    json_text(&j, "dir", http_is_owner(r) ? sources_dir(api->sources) : NULL);
    json_array(&j, "slices");
    survey_slices(s->catalog, pieces, put_slice, &j);
    json_end(&j);
    jobs_write_all(api->jobs, "jobs", &j);
    json_end(&j);
    sources_release(api->sources, s);
}

static enum status put_count(void *context, const struct survey_count *row)
{
    object_count(context, NULL, row);
    return STATUS_OK;
}

static enum status counts_write(struct catalog *c, const struct slice *only, int pieces,
                                struct json *j, struct error *e)
{
    struct slice list[SLICE_CODES];
    int n = slice_order(pieces, PIECES_MAX, list);
    enum status rc = STATUS_OK;

    for (int i = 0; i < n && !rc; i++) {
        const struct table *table[KINDS];

        if ((only && !slice_equal(slice_canonical(*only), list[i])) ||
            (!only && !catalog_has(c, list[i], KIND_WLD)))
            continue;
        if (!(rc = survey_open(c, list[i], table, e)))
            rc = survey_counts(list[i], table, put_count, j);
    }
    return rc;
}

void get_stats(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct api *api = context;
    struct json j = json_open(reply->out);
    const struct snapshot *s;
    struct error e = {0};
    struct slice slice;
    bool given;
    int pieces = PIECES_MAX;

    if (!parameter_slice(r, reply, &slice, &given) ||
        !parameter_int(r, reply, "pieces", 2, PIECES_MAX, &pieces))
        return;
    s = sources_take(api->sources);
    json_object(&j, NULL);
    json_array(&j, "stats");
    if (s->catalog)
        counts_write(s->catalog, given ? &slice : NULL, pieces, &j, &e);
    json_end(&j);
    json_end(&j);
    if (e.status)
        api_fail(api, reply, &e);
    sources_release(api->sources, s);
}

struct longest {
    struct json *json;
    const struct snapshot *snapshot;
    struct line *line; /* NULL: without lines */
    struct error *error;
};

static enum status put_longest(void *context, const struct survey_longest *row)
{
    struct longest *l = context;
    enum status rc = STATUS_OK;

    if (l->line)
        rc = line_play(&l->snapshot->source, &row->board, row->kind, l->line, l->error);
    if (!rc)
        object_longest(l->json, NULL, row, l->line);
    return rc;
}

static void longest_write(struct longest *l, const struct slice *only, enum kind kind, bool quiet)
{
    struct catalog *c = l->snapshot->catalog;
    struct slice list[SLICE_CODES];
    int n = slice_order(PIECES_MAX, PIECES_MAX, list);
    enum status rc = STATUS_OK;

    for (int i = 0; c && i < n && !rc; i++)
        if (only ? slice_equal(slice_canonical(*only), list[i]) : catalog_has(c, list[i], kind))
            rc = survey_longest(c, list[i], kind, quiet, put_longest, l, l->error);
}

void get_longest(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct api *api = context;
    struct json j = json_open(reply->out);
    struct error e = {0};
    struct longest l = {.json = &j, .error = &e};
    struct slice slice;
    bool given, quiet = false;
    int kind = 0;

    if (!parameter_slice(r, reply, &slice, &given) ||
        !parameter_choice(r, reply, "kind", "dtw|dtc", &kind) ||
        !parameter_flag(r, reply, "quiet", &quiet))
        return;
    l.snapshot = sources_take(api->sources);
    l.line = given ? malloc(sizeof *l.line) : NULL;
    json_object(&j, NULL);
    json_array(&j, "longest");
    longest_write(&l, given ? &slice : NULL, kinds[kind], quiet);
    json_end(&j);
    json_end(&j);
    if (e.status)
        api_fail(api, reply, &e);
    free(l.line);
    sources_release(api->sources, l.snapshot);
}

/* --------------------------------------------------------------- shortest games -- */

/* The rest of a line from `at` up to `end`, without blanks around it. */
static void json_trimmed(struct json *j, const char *key, const char *at, const char *end)
{
    while (at < end && *at == ' ')
        at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\r'))
        end--;
    json_bytes(j, key, at, (size_t)(end - at));
}

/* "001#21 | FEN | moves" */
static void put_shortest(struct json *j, const char *line, const char *end)
{
    const char *final = memchr(line, '#', (size_t)(end - line));
    const char *moves = memrchr(line, '|', (size_t)(end - line));

    if (!final || !moves)
        return;
    json_object(j, NULL);
    json_int(j, "number", atoi(line));
    json_int(j, "final", atoi(final + 1));
    json_trimmed(j, "moves", moves + 1, end);
    json_end(j);
}

/* "21 FEN" */
static void put_final(struct json *j, const char *line, const char *end)
{
    const char *fen = memchr(line, ' ', (size_t)(end - line));

    if (fen)
        json_trimmed(j, NULL, fen, end);
}

static void each_line(const char *path, struct json *j,
                      void (*put)(struct json *, const char *, const char *))
{
    const struct asset *a = asset_find(path);
    const char *at = a ? (const char *)a->bytes : "", *stop = at + (a ? a->length : 0);

    while (at < stop) {
        const char *end = memchr(at, '\n', (size_t)(stop - at));

        end = end ? end : stop;
        if (end > at && *at != '#')
            put(j, at, end);
        at = end + 1;
    }
}

static void get_openings(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct openings *o = malloc(sizeof *o);
    struct json j = json_open(reply->out);
    struct error e = {STATUS_NO_MEMORY, "not enough memory"};
    int format = 0;

    if (!parameter_choice(r, reply, "format", "json|csv", &format)) {
        ;
    } else if (!o || openings_read(o, &e)) {
        api_fail(context, reply, &e);
    } else if (format) {
        reply->cache = HTTP_TRUTH;
        reply->type = "text/csv; charset=utf-8";
        reply->bytes = openings_csv(&reply->length);
    } else {
        reply->cache = HTTP_TRUTH;
        json_object(&j, NULL);
        json_array(&j, "ballots");
        for (int i = 0; i < OPENINGS; i++)
            opening_json(&j, NULL, &o->opening[i]);
        json_end(&j);
        json_end(&j);
    }
    free(o);
}

void get_shortest(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct json j = json_open(reply->out);

    (void)context, (void)r;
    reply->cache = HTTP_TRUTH;
    json_object(&j, NULL);
    json_int(&j, "plies", 20);
    json_array(&j, "games");
    each_line("/data/shortest_games.txt", &j, put_shortest);
    json_end(&j);
    json_array(&j, "finals");
    each_line("/data/shortest_finals.txt", &j, put_final);
    json_end(&j);
    json_end(&j);
}

/* ------------------------------------------------------------------------ state -- */

static void put_tables(struct json *j, struct catalog *c)
{
    struct slice list[SLICE_CODES];
    int n = slice_order(PIECES_MAX, PIECES_MAX, list);

    json_array(j, "tables"); /* by number of pieces: how many slices have each kind */
    for (int pieces = 2; pieces <= PIECES_MAX; pieces++) {
        int slices = 0, have[KINDS] = {0};

        for (int i = 0; i < n; i++) {
            if (slice_pieces(list[i]) != pieces)
                continue;
            slices++;
            for (int k = 0; c && k < KINDS; k++)
                have[k] += catalog_has(c, list[i], (enum kind)k);
        }
        json_object(j, NULL);
        json_int(j, "pieces", pieces);
        json_int(j, "slices", slices);
        for (int k = 0; k < KINDS; k++)
            json_int(j, kind_name((enum kind)k), have[k]);
        json_end(j);
    }
    json_end(j);
}

void get_state(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct api *api = context;
    struct json j = json_open(reply->out);
    const struct snapshot *s = sources_take(api->sources);

    reply->same_site = true;
    json_object(&j, NULL);
    json_text(&j, "version", KELSO_VERSION);
    json_text(&j, "dir", http_is_owner(r) ? sources_dir(api->sources) : NULL);
    json_bool(&j, "may_build", api->may_build);
    json_bool(&j, "may_prove", api->may_build);
    json_bool(&j, "analysis", true);
    json_bool(&j, "live", true);
    json_int(&j, "searching", atomic_load(&api->live));
    json_bool(&j, "openings", true);
    json_bool(&j, "store", proofs_has_store(api->proofs));
    json_bool(&j, "queue", api->queue != NULL);
    json_bool(&j, "proof", true);
    json_int(&j, "endings", s->endings);
    put_tables(&j, s->catalog);
    jobs_write_all(api->jobs, "jobs", &j);
    json_end(&j);
    sources_release(api->sources, s);
}

static void get_health(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct json j = json_open(reply->out);

    (void)context, (void)r;
    json_object(&j, NULL);
    json_text(&j, "status", "ok");
    json_text(&j, "version", KELSO_VERSION);
    json_end(&j);
}

static void get_nothing(void *context, const struct http_request *r, struct http_reply *reply)
{
    (void)context, (void)r;
    http_fail(reply, 404, 0, "not found; docs/api.md lists the routes");
}

static void get_site(void *context, const struct http_request *r, struct http_reply *reply)
{
    site_serve(((struct api *)context)->web, r, reply);
}

/* Requests that cost or change something are POST; expensive ones are for the owner.  `seconds`
 * limits the time of a request; a search has its own limit, and this one covers the time before
 * it. */
const struct http_route api_routes[] = {
    {"/api/v1/position", {get_list}},
    {"/api/v1/moves", {get_list}},
    {"/api/v1/line", {get_list}, .pace = HTTP_SLOW},
    {"/api/v1/game", {NULL, post_game}, .pace = HTTP_SLOW, .body_max = GAME_BYTES_MAX},
    {"/api/v1/analysis",
     {NULL, post_analysis},
     .pace = HTTP_SEARCH,
     .body_max = GAME_BYTES_MAX,
     .seconds = 40},
    {"/api/v1/live",
     {NULL, post_live},
     .pace = HTTP_SEARCH,
     .body_max = GAME_BYTES_MAX,
     .seconds = LIVE_SECONDS_MAX + 10},
    {"/api/v1/report",
     {NULL, post_report},
     .pace = HTTP_SEARCH,
     .body_max = GAME_BYTES_MAX,
     .seconds = LIVE_SECONDS_MAX + 10},
    {"/api/v1/play",
     {NULL, post_play},
     .pace = HTTP_SEARCH,
     .body_max = GAME_BYTES_MAX,
     .seconds = 40},
    {"/api/v1/longest", {get_list}, .pace = HTTP_SLOW},
    {"/api/v1/stats", {get_list}, .pace = HTTP_SLOW},
    {"/api/v1/slices", {get_list}, .pace = HTTP_SLOW},
    {"/api/v1/histogram", {get_list}, .pace = HTTP_SLOW},
    {"/api/v1/tree", {get_list}, .pace = HTTP_SLOW},
    {"/api/v1/store", {get_list}, .pace = HTTP_SLOW},
    {"/api/v1/queue", {get_list}, .pace = HTTP_SLOW},
    {"/api/v1/shortest", {get_list}},
    {"/api/v1/openings", {get_openings}},
    {"/api/v1/estimate", {NULL, post_estimate}, .pace = HTTP_SLOW, .seconds = 2},
    {"/api/v1/solve", {NULL, post_solve}},
    {"/api/v1/prove", {NULL, post_prove}, .owner = true},
    {"/api/v1/proof", {get_list}, .pace = HTTP_SLOW},
    {"/api/v1/proofs", {get_list}},
    {"/api/v1/build", {NULL, post_build}, .owner = true},
    {"/api/v1/jobs", {get_list}},
    {"/api/v1/jobs/", {get_job, NULL, delete_job}},
    {"/api/v1/state", {get_list}},
    {"/healthz", {get_health}},
    {"/api/", {get_nothing}},
    {"/", {get_site}},
    {0}};
