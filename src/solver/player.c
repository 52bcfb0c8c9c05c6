/* SPDX-License-Identifier: MIT
 *
 * The public functions of the player's search. */
#include "solver/solver.h"

#include "api/watched.h"
#include "search/search.h"

#include <stdlib.h>

static_assert((int)KELSO_PV_MAX >= (int)SEARCH_PV_MAX, "room for any line");

struct kelso_search {
    struct search *search;
    struct board board;
    struct search_limits limits;
    struct search_result result;
};

kelso_status kelso_search_open(kelso_search **search, kelso_tables *tables,
                               const kelso_resources *r, kelso_error *error)
{
    struct search_options o = {.hash = r ? (size_t)r->memory : 0,
                               .threads = r ? r->threads : 0,
                               .tables = tables ? public_tables(tables) : NULL};
    struct error e;
    enum status rc;

    *search = NULL;
    if (!resources_good(r) || o.threads > SEARCH_THREADS_MAX)
        return public_fail(error, KELSO_BAD_INPUT, "resources: threads or reserved");
    if (!(*search = calloc(1, sizeof **search)))
        return public_fail(error, KELSO_NO_MEMORY, "not enough memory to search");
    if ((rc = search_open(&(*search)->search, &o, &e)))
        kelso_search_close(search);
    return public_report(error, rc, &e);
}

void kelso_search_close(kelso_search **search)
{
    if (!*search)
        return;
    search_close(&(*search)->search);
    free(*search);
    *search = NULL;
}

static enum status search_job(struct watched *w, struct error *e)
{
    kelso_search *s = w->arg;
    enum status rc;

    s->limits.stop = &w->stop;
    rc = search_run(s->search, &s->board, NULL, 0, &s->limits, &s->result, e);
    if (!rc && atomic_load(&w->stop))
        rc = error_set(e, STATUS_INTERRUPTED, "cancelled");
    return rc;
}

static void found_fill(const struct search_result *r, kelso_found *out)
{
    const struct search_line *l = &r->line[0];

    *out = (kelso_found){.plies = -1, .depth = r->depth, .nodes = r->nodes, .seconds = r->seconds};
    if (r->lines == 0) { /* no legal move */
        out->score = -SCORE_WIN;
        out->proven = 1;
        out->value = KELSO_LOSS;
        out->plies = 0;
        return;
    }
    out->score = l->score;
    out->proven = l->proven;
    out->value = (kelso_value)l->value;
    if (score_has_distance(l->score))
        out->plies = score_plies(l->score);
    out->length = l->plies;
    for (int i = 0; i < l->plies; i++)
        out->line[i] = public_move(&l->pv[i]);
}

kelso_status kelso_search_run(kelso_search *s, const kelso_position *position,
                              const kelso_limits *limits, kelso_progress *progress, void *context,
                              kelso_found *found, kelso_error *error)
{
    struct watched w = {.job = search_job, .arg = s};
    kelso_status rc = public_board(position, &s->board, error);

    if (rc)
        return rc;
    if (!limits_good(limits) || limits->depth > SEARCH_DEPTH_MAX)
        return public_fail(error, KELSO_BAD_INPUT, "limits: give seconds, nodes or a depth to %d",
                           SEARCH_DEPTH_MAX);
    w.seconds = limits->seconds;
    s->limits = (struct search_limits){
        .seconds = limits->seconds, .depth = limits->depth, .nodes = limits->nodes};
    s->result = (struct search_result){0};
    rc = watched_run(&w, progress, context, error);
    if (!rc || rc == KELSO_CANCELLED)
        found_fill(&s->result, found);
    return rc;
}
