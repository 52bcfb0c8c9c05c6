/* SPDX-License-Identifier: MIT */
#include "proof/store_stats.h"
#include "core/movegen.h"
#include "proof/position_map.h"
#include "proof/roots.h"

#include <assert.h>
#include <stdlib.h>

struct counter {
    struct store_stats *out;
    const struct tables *tables;
    struct position_map met; /* positions with a record, and those counted without */
    bool no_memory;
};

/* Has b been counted before?  Marks it as counted. */
static bool counter_met(struct counter *c, const struct board *b)
{
    struct position p = position_of(b);

    if (position_map_get(&c->met, p) != POSITION_MAP_NONE)
        return true;
    if (!position_map_put(&c->met, p, 0))
        c->no_memory = true;
    return false;
}

static void record_count(void *context, const struct board *b, const struct store_record *r)
{
    struct counter *c = context;
    struct store_stats *s = c->out;
    bool closed = bounds_closed(r->bounds);

    counter_met(c, b);
    s->records++;
    s->proven += closed;
    s->bounded += !closed && bounds_known(r->bounds);
    s->expanded += r->expanded;
    if (!closed && !r->expanded) {
        bool likely = abs(r->score) >= s->threshold;

        s->likely += likely;
        s->open += !likely;
    }
    s->searches += r->searches;
    s->nodes += r->nodes;
    s->seconds += (double)r->microseconds / 1e6;
}

static void successors_count(void *context, const struct board *b, const struct store_record *r)
{
    struct counter *c = context;
    struct move_list list;

    if (!r->expanded || bounds_closed(r->bounds))
        return;
    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++) {
        struct board next = board_after(b, &list.move[i]);

        if (!(c->tables && tables_knows(c->tables, &next)) && !counter_met(c, &next))
            c->out->unsearched++;
    }
}

/* Count all successors. */
static void tree_count(void *context, const struct board *b, const struct store_record *r)
{
    struct counter *c = context;
    struct move_list list;

    if (!r->expanded)
        return;
    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++) {
        struct board next = board_after(b, &list.move[i]);

        c->out->tree += !counter_met(c, &next);
    }
}

static void claims_count(void *context, const struct pack_question *q,
                         const struct prover_claims *claims)
{
    struct store_stats *s = context;

    (void)q;
    s->large += claims->kept == CLAIMS_LARGE;
    s->lost += claims->kept == CLAIMS_LOST;
    if (claims->kept != CLAIMS_KEPT)
        return;
    s->kept++;
    s->kept_claims += pack_claims(claims->bytes, claims->size);
    s->kept_bytes += claims->size;
}

struct roots_count {
    int roots, proven;
};

static void root_count(void *context, const struct board *b, const struct store_record *r)
{
    struct roots_count *c = context;

    (void)b;
    c->roots++;
    c->proven += r && bounds_closed(r->bounds);
}

static enum status roots_read(struct store *s, bool *finished, struct error *e)
{
    struct roots_count c = {0};
    enum status rc = roots_each(s, root_count, &c, e);

    *finished = c.roots > 0 && c.proven == c.roots;
    return rc;
}

/* The manager saves its threshold; 0 before it has started. */
static enum status threshold_read(struct store *s, int *threshold, struct error *e)
{
    struct error why = {0};
    char *text;
    enum status rc = store_get_text(s, "threshold", &text, &why);

    *threshold = rc ? 0 : atoi(text);
    free(text);
    return rc && rc != STATUS_MISSING ? error_pass(e, &why) : STATUS_OK;
}

/* Everything that is known without following all successors. */
static enum status leaves_count(struct store *s, struct counter *c, const atomic_bool *stop,
                                struct error *e)
{
    enum status rc;

    *c->out = (struct store_stats){0};
    if ((rc = threshold_read(s, &c->out->threshold, e)) ||
        (rc = roots_read(s, &c->out->finished, e)) ||
        (rc = store_each(s, record_count, c, stop, e)))
        return rc;
    assert(c->out->proven + c->out->bounded <= c->out->records); /* (B2) */
    return store_each(s, successors_count, c, stop, e);
}

/* The outcome of a count. */
static enum status counter_end(struct counter *c, enum status rc, struct error *e)
{
    position_map_free(&c->met);
    if (!rc && c->no_memory)
        rc = error_set(e, STATUS_NO_MEMORY, "not enough memory to count positions");
    return rc;
}

enum status store_stats_leaves(struct store *s, const struct tables *tables,
                               const atomic_bool *stop, struct store_stats *out, struct error *e)
{
    struct counter c = {.out = out, .tables = tables};

    return counter_end(&c, leaves_count(s, &c, stop, e), e);
}

enum status store_stats_read(struct store *s, const struct tables *tables, const atomic_bool *stop,
                             struct store_stats *out, struct error *e)
{
    struct counter c = {.out = out, .tables = tables};
    enum status rc = leaves_count(s, &c, stop, e);

    if (!rc && !(rc = store_each(s, tree_count, &c, stop, e)))
        rc = store_each_claims(s, claims_count, out, stop, e);
    out->tree += out->records + out->unsearched;
    return counter_end(&c, rc, e);
}

double store_stats_left(const struct store_stats *s)
{
    uint64_t leaves = s->likely + s->open + s->unsearched;

    if (s->finished)
        return 0;
    return s->proven ? s->seconds / (double)s->proven * (double)leaves : -1;
}
