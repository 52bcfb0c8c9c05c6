/* SPDX-License-Identifier: MIT */
#include "proof/audit.h"
#include "base/array.h"
#include "base/random.h"
#include "core/notation.h"
#include "proof/estimate.h"

#include <stdlib.h>

struct claimed {
    struct board board;
    struct bounds bounds;
};

struct draw {
    uint64_t state, limit; /* drawn if the next random number is below */
    bool all, no_memory;
    struct audit_report *out;
    struct claimed *item;
    size_t items, room;
};

static void record_draw(void *context, const struct board *b, const struct store_record *r)
{
    struct draw *d = context;

    if (!bounds_known(r->bounds))
        return;
    d->out->records++;
    if (!(random_next(&d->state) < d->limit || d->all))
        return;
    if (!array_room((void **)&d->item, &d->room, d->items + 1, sizeof *d->item))
        d->no_memory = true;
    else
        d->item[d->items++] = (struct claimed){*b, r->bounds};
}

static bool audit_stopped(const struct audit_options *o)
{
    return o->stop && atomic_load(o->stop);
}

static enum status record_solve(const struct audit_options *o, const struct claimed *c,
                                struct audit_report *out, struct error *e)
{
    struct solve_hint hint = {bounds_unknown, estimate_material(&c->board, c->board.turn), {0}};
    struct dfpn_limits limits = {o->seconds, 0};
    struct bounds both = c->bounds;
    char fen[FEN_TEXT_MAX];
    struct solution s;
    enum status rc;

    dfpn_clear(o->dfpn);
    if ((rc = solve_position(o->dfpn, &c->board, hint, limits, &s, e)))
        return rc;
    if (!bounds_join(&both, s.bounds)) {
        out->wrong++;
        fen_format(&c->board, fen);
        return error_set(e, STATUS_MISMATCH, "%s: the store says %s, solved again it is %s", fen,
                         bounds_name(c->bounds), bounds_name(s.bounds));
    }
    if (!bounds_narrower(c->bounds, s.bounds))
        out->agreed++;
    else if (audit_stopped(o)) /* the search was cut short, which says nothing about the record */
        return error_set(e, STATUS_INTERRUPTED, "stopped");
    else
        out->undecided++;
    return STATUS_OK;
}

static enum status items_solve(const struct draw *d, const struct audit_options *o, struct error *e)
{
    enum status rc = STATUS_OK;

    for (size_t i = 0; i < d->items && (!rc || rc == STATUS_MISMATCH); i++) {
        struct error why;
        enum status one;

        if (audit_stopped(o))
            return rc ? rc : error_set(e, STATUS_INTERRUPTED, "stopped");
        if ((one = record_solve(o, &d->item[i], d->out, &why)) && !rc)
            rc = error_pass(e, &why);
        if (o->done)
            atomic_store(o->done, i + 1);
    }
    return rc;
}

enum status audit_store(struct store *s, const struct audit_options *o, struct audit_report *out,
                        struct error *e)
{
    struct draw d = {.state = o->seed, .all = o->share >= 1, .out = out};
    enum status rc;

    *out = (struct audit_report){0};
    d.limit = d.all ? UINT64_MAX : (uint64_t)(o->share * 0x1p64);
    rc = store_each(s, record_draw, &d, NULL, e);
    if (!rc && d.no_memory)
        rc = error_set(e, STATUS_NO_MEMORY, "not enough memory for an audit");
    if (!rc)
        rc = items_solve(&d, o, e);
    free(d.item);
    return rc;
}
