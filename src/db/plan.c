/* SPDX-License-Identifier: MIT
 *
 * plan.c -- which slices to build, in which order, and what each reads (build.h). */
#include "db/build.h"

#include <stdlib.h>
#include <string.h>

uint64_t slice_values(struct slice s)
{
    struct layout l;
    uint64_t n;

    if (layout_create(&l, s))
        return 0;
    n = l.positions * (slice_symmetric(s) ? 1 : 2);
    layout_free(&l);
    return n;
}

static void plan_add_up(struct build_plan *p)
{
    p->values = 0;
    for (int i = 0; i < p->count; i++)
        p->values += slice_values(p->slice[i]);
}

/* Take one split of the pieces after the other, even ones first.  A crowning stays within its
 * split, so the tables that are read again were made recently. */
static void plan_arrange(struct build_plan *p, int pieces)
{
    struct slice *to = p->slice + p->count;
    int n = 0;

    memcpy(to, p->slice, (size_t)p->count * sizeof *to);
    for (int total = 2; total <= pieces; total++)
        for (int us = (total + 1) / 2; us < total; us++)
            for (int i = 0; i < p->count; i++)
                if (slice_pieces(to[i]) == total && to[i].kings + to[i].men == us)
                    p->slice[n++] = to[i];
}

enum status build_plan_all(struct build_plan *p, int pieces, int side, struct error *e)
{
    if (pieces > BUILD_PIECES_MAX)
        return error_set(e, STATUS_MISSING, "tables of %d pieces cannot be built: %d at most",
                         pieces, BUILD_PIECES_MAX);
    p->count = slice_order(pieces, side, NULL);
    p->slice = malloc(((size_t)p->count * 2 + 1) * sizeof *p->slice); /* and a copy */
    if (!p->slice)
        return error_set(e, STATUS_NO_MEMORY, "no memory for the plan");
    slice_order(pieces, side, p->slice);
    plan_arrange(p, pieces);
    plan_add_up(p);
    return STATUS_OK;
}

/* Mark s and, recursively, what it depends on. */
static void mark_needed(struct slice s, bool *needed)
{
    struct slice list[SLICE_CODES];
    int n;

    s = slice_canonical(s);
    if (needed[slice_code(s)])
        return;
    needed[slice_code(s)] = true;
    n = slice_successors(s, list);
    for (int i = 0; i < n; i++)
        mark_needed(list[i], needed);
}

enum status build_plan_slice(struct build_plan *p, struct slice s, struct error *e)
{
    bool needed[SLICE_CODES] = {false};
    enum status rc = build_plan_all(p, slice_pieces(s), PIECES_MAX, e);
    int n = 0;

    if (rc)
        return rc;
    mark_needed(s, needed);
    for (int i = 0; i < p->count; i++)
        if (needed[slice_code(p->slice[i])])
            p->slice[n++] = p->slice[i];
    p->count = n;
    plan_add_up(p);
    return STATUS_OK;
}

void build_plan_free(struct build_plan *p)
{
    free(p->slice);
    *p = (struct build_plan){0};
}

int slice_reads_mover(struct slice s, bool crowning, struct slice *list)
{
    int n = 0;

    for (int crown = 0; crown <= (s.men > 0); crown++)
        for (int k = 0; k <= s.opp_kings; k++)
            for (int m = 0; m <= s.opp_men; m++) {
                struct slice t = {(uint8_t)(s.opp_kings - k), (uint8_t)(s.opp_men - m),
                                  (uint8_t)(s.kings + crown), (uint8_t)(s.men - crown)};

                if ((k + m || (crown && crowning)) && t.kings + t.men > 0)
                    list[n++] = t;
            }
    return n;
}

int slice_reads(struct slice s, struct slice *list)
{
    int n = slice_reads_mover(s, true, list);

    return slice_symmetric(s) ? n : n + slice_reads_mover(slice_flip(s), true, list + n);
}
