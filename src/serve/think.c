/* SPDX-License-Identifier: MIT
 *
 * The handlers that let the player think. */
#include "report/scores.h"
#include "serve/handlers.h"
#include "serve/parameters.h"

#include <stdlib.h>

enum { SEARCH_BYTES = 32 << 20, SEARCH_SECONDS_MAX = 30 };

static enum status analysis_run(struct api *api, const struct http_request *r,
                                const struct board *b, struct search_limits *limits,
                                struct search_result *out, struct error *e)
{
    const struct snapshot *s = sources_take(api->sources);
    struct search *search;
    enum status rc = search_open(
        &search, &(struct search_options){.hash = SEARCH_BYTES, .tables = s->tables}, e);

    if (!rc) {
        limits->stop = http_stop(r);
        rc = search_run(search, b, NULL, 0, limits, out, e);
        search_close(&search);
    }
    sources_release(api->sources, s);
    return rc;
}

void post_analysis(void *context, const struct http_request *r, struct http_reply *reply)
{
    struct api *api = context;
    struct json j = json_open(reply->out);
    struct search_limits limits = {.seconds = 1, .lines = 1, .end_when_proven = true};
    struct search_result *result;
    struct error e;
    struct board b;

    if (!parameter_board(r, reply, &b) ||
        !parameter_seconds(r, reply, "time", SEARCH_SECONDS_MAX, &limits.seconds) ||
        !parameter_int(r, reply, "lines", 1, SEARCH_LINES_MAX, &limits.lines))
        return;
    result = malloc(sizeof *result);
    if (!result)
        http_fail(reply, 507, 0, "not enough memory");
    else if (analysis_run(api, r, &b, &limits, result, &e))
        api_fail(api, reply, &e);
    else
        json_search(&j, &b, result);
    free(result);
}
