/* SPDX-License-Identifier: MIT
 *
 * The handlers for a whole slice or proof, and lists as CSV. */
#include "report/csv.h"
#include "report/histogram.h"
#include "report/survey.h"
#include "serve/handlers.h"
#include "serve/parameters.h"
#include "serve/sink.h"

#include <stdlib.h>
#include <string.h>

enum { HISTOGRAM_PAGES = 512 }; /* of each table: eight million positions, about a second */

/* --------------------------------------------------------------------- histograms -- */

/* The tables of a slice with either side to move; `h` has room for both. */
static enum status histograms_read(const struct snapshot *s, struct slice slice, enum kind kind,
                                   int pages, const atomic_bool *stop, struct histogram *h,
                                   int *count, struct error *e)
{
    const struct table *table[KINDS];
    enum status rc;

    *count = slice_symmetric(slice) ? 1 : 2;
    if (!s->catalog)
        return error_set(e, STATUS_MISSING, "there are no tables");
    rc = survey_open(s->catalog, slice_canonical(slice), table, e);
    for (int mirror = 0; mirror < *count && !rc; mirror++)
        rc = histogram_read(&h[mirror], table[KIND_WLD], table[kind], mirror, (uint64_t)pages, stop,
                            e);
    return rc;
}

static void histograms_write(const struct histogram *h, int count, enum kind kind, struct json *j)
{
    static const struct {
        const char *name;
        void (*put)(struct json *, const struct histogram *);
    } list[] = {{"tables", histogram_counts},
                {"distances", histogram_distances},
                {"squares", histogram_squares}};

    json_object(j, NULL);
    json_text(j, "kind", h[0].distances ? kind_name(kind) : NULL);
    for (int i = 0; i < 3; i++) {
        json_array(j, list[i].name);
        for (int mirror = 0; mirror < count; mirror++)
            list[i].put(j, &h[mirror]);
        json_end(j);
    }
    json_end(j);
}

static void get_histogram(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct api *api = context;
    struct histogram *h;
    struct json j = json_open(reply->out);
    const struct snapshot *s;
    struct slice slice;
    struct error e;
    bool given;
    int kind = 0, pages = HISTOGRAM_PAGES, count;

    if (!parameter_slice(r, reply, &slice, &given) ||
        !parameter_int(r, reply, "pages", 1, HISTOGRAM_PAGES, &pages) ||
        !parameter_choice(r, reply, "kind", "dtw|dtc", &kind))
        return;
    if (!given) {
        http_fail(reply, 400, 0, "slice is missing");
        return;
    }
    s = sources_take(api->sources);
    h = malloc(2 * sizeof *h);
    if (!h)
        http_fail(reply, 507, 0, "not enough memory");
    else if (histograms_read(s, slice, kind ? KIND_DTC : KIND_DTW, pages, http_stop(r), h, &count,
                             &e))
        api_fail(api, reply, &e);
    else
        histograms_write(h, count, kind ? KIND_DTC : KIND_DTW, &j);
    free(h);
    sources_release(api->sources, s);
}

/* ------------------------------------------------------------------------ proofs -- */

static void get_tree(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct api *api = context;
    struct json j = json_open(reply->out);
    int nodes = 300;
    struct board b;
    struct error e;

    if (parameter_board(r, reply, &b) &&
        parameter_int(r, reply, "nodes", 1, PROOF_TREE_NODES_MAX, &nodes) &&
        proofs_write_tree(api->proofs, &b, nodes, http_stop(r), &j, &e))
        api_fail(api, reply, &e);
}

static void get_store(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct api *api = context;
    struct json j = json_open(reply->out);
    const struct snapshot *s = sources_take(api->sources);
    struct error e;

    if (proofs_write_store(api->proofs, s, http_stop(r), &j, &e))
        api_fail(api, reply, &e);
    sources_release(api->sources, s);
}

static void get_queue(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct api *api = context;
    struct json j = json_open(reply->out);
    struct error e;

    reply->same_site = true;
    if (!api->queue)
        http_fail(reply, 404, 0, "there is no queue (kelso serve --queue URL)");
    else if (queue_watch_write(api->queue, http_is_owner(r), &j, &e))
        http_fail(reply, 503, 0, "%s", e.text);
}

/* --------------------------------------------------------------------------- CSV -- */

/* The routes that answer with lists, and the default list of each. */
static const struct list_route {
    const char *path, *list;
    http_handler *answer;
} list_routes[] = {
    {"/api/v1/position", "moves", get_position}, {"/api/v1/moves", "moves", get_moves},
    {"/api/v1/line", "moves", get_line},         {"/api/v1/longest", "longest", get_longest},
    {"/api/v1/stats", "stats", get_stats},       {"/api/v1/slices", "slices", get_slices},
    {"/api/v1/shortest", "games", get_shortest}, {"/api/v1/histogram", "distances", get_histogram},
    {"/api/v1/proof", "moves", get_proof},       {"/api/v1/proofs", "proofs", get_proofs},
    {"/api/v1/tree", "nodes", get_tree},         {"/api/v1/store", "roots", get_store},
    {"/api/v1/jobs", "jobs", get_jobs},          {"/api/v1/state", "tables", get_state},
    {"/api/v1/queue", "workers", get_queue},
};

static const struct list_route *route_find(const char *path)
{
    for (size_t i = 0; i < sizeof list_routes / sizeof *list_routes; i++)
        if (strcmp(list_routes[i].path, path) == 0)
            return &list_routes[i];
    return NULL;
}

/* Run the route into memory, and return one of its lists as CSV. */
static void answer_csv(const struct list_route *route, void *context, const struct http_request *r,
                       struct http_reply *reply)
{
    struct sink made;
    size_t length;
    const char *list = http_parameter(r, "list", &length);
    FILE *out = reply->out;

    if (!(reply->out = sink_open(&made))) {
        reply->out = out;
        http_fail(reply, 507, 0, "not enough memory");
        return;
    }
    route->answer(context, r, reply);
    sink_close(&made, reply->out);
    reply->out = out;
    if (made.lost)
        http_fail(reply, 507, 0, "not enough memory");
    else if (reply->status != 200)
        fwrite(made.bytes, 1, made.length, out);
    else if (csv_from_json(made.bytes, made.length, list ? list : route->list, out))
        reply->type = "text/csv; charset=utf-8";
    else
        http_fail(reply, 400, 0, "list: there is no such list in this answer");
    free(made.bytes);
}

void get_list(void *context, const struct http_request *r, struct http_reply *reply)
{
    const struct list_route *route = route_find(http_path(r));
    int format = 0;

    if (!route || !parameter_choice(r, reply, "format", "json|csv", &format))
        return;
    if (format)
        answer_csv(route, context, r, reply);
    else
        route->answer(context, r, reply);
}
