/* SPDX-License-Identifier: MIT */
#include "db/probe.h"
#include "core/movegen.h"
#include "db/paging.h"

/* A position without captures: its number in the tables. */
static inline enum status quiet_outcome(struct probe *p, const struct board *b, enum kind kind,
                                        struct outcome *o, struct error *e)
{
    struct view view = view_of(b);
    const struct paged_table *t;
    uint32_t number;
    uint64_t index;
    enum status rc = paging_table(&p->paging, view_slice(&view), kind, &t, e);

    if (rc)
        return rc;
    index = layout_index(&t->layout, &view);
    paging_count_probe(&p->paging, t->values);
    if ((rc = paging_get(&p->paging, t->values, index, &number, e)))
        return rc;
    *o = (struct outcome){(enum value)number, 0};
    if (kind == KIND_WLD || o->value == VALUE_DRAW)
        return STATUS_OK;
    if ((rc = paging_get(&p->paging, t, index, &number, e)))
        return rc;
    o->plies = kind == KIND_DTC ? (int)number : (int)(2 * number) + (o->value == VALUE_WIN);
    return STATUS_OK;
}

static bool quiet_at_hand(struct probe *p, const struct board *b, enum value *v)
{
    struct view view = view_of(b);
    const struct paged_table *t = paging_opened(&p->paging, view_slice(&view), KIND_WLD);
    uint32_t number = VALUE_LOSS;
    bool known = t && paging_at_hand(&p->paging, t, layout_index(&t->layout, &view), &number);

    if (known)
        paging_count_probe(&p->paging, t);
    *v = (enum value)number;
    return known;
}

/* The first capture that wins decides; otherwise all values are needed. */
static enum status capture_value(struct probe *p, const struct board *b, enum value *v,
                                 struct error *e)
{
    struct move_list list;
    enum status rc = STATUS_OK;
    struct error why;

    *v = VALUE_LOSS;
    moves_generate(b, &list);
    for (int i = 0; i < list.count && *v != VALUE_WIN; i++) {
        struct board next = board_after(b, &list.move[i]);
        enum value after;
        enum status one = probe_value(p, &next, &after, &why);

        if (__builtin_expect(one, STATUS_OK)) {
            if (one != STATUS_MISSING)
                return error_pass(e, &why);
            rc = one;
        } else if (value_negate(after) > *v) {
            *v = value_negate(after);
        }
    }
    return *v == VALUE_WIN || !rc ? STATUS_OK : error_pass(e, &why);
}

/* One capture that wins is enough; otherwise all must be at hand. */
static bool capture_at_hand(struct probe *p, const struct board *b, enum value *v)
{
    struct move_list list;
    bool all = true;

    *v = VALUE_LOSS;
    moves_generate(b, &list);
    for (int i = 0; i < list.count && *v != VALUE_WIN; i++) {
        struct board next = board_after(b, &list.move[i]);
        enum value after;

        if (!probe_at_hand(p, &next, &after))
            all = false;
        else if (value_negate(after) > *v)
            *v = value_negate(after);
    }
    return all || *v == VALUE_WIN;
}

static enum status capture_dtw(struct probe *p, const struct board *b, struct outcome *o,
                               struct error *e)
{
    struct move_list list;
    enum status rc = STATUS_OK;

    *o = outcome_lost;
    moves_generate(b, &list);
    for (int i = 0; i < list.count && !rc; i++) {
        struct board next = board_after(b, &list.move[i]);
        struct outcome after;

        rc = probe_outcome(p, &next, KIND_DTW, &after, e);
        if (!rc && outcome_better(outcome_before(after), *o))
            *o = outcome_before(after);
    }
    return rc;
}

/* What a position asks of the tables. */
enum look {
    LOOK_NOWHERE, /* nothing: the side to move has lost, or there is an error */
    LOOK_QUIET,   /* its own value */
    LOOK_CAPTURES /* those after its captures */
};

static inline enum look board_look(const struct board *b, enum status *rc, struct error *e)
{
    bool captures = board_must_capture(b);

    *rc = STATUS_OK;
    if (!b->side[b->turn])
        return LOOK_NOWHERE;
    if (!b->side[side_other(b->turn)])
        *rc = error_set(e, STATUS_POSITION, "the side that is not to move has no pieces");
    else if (!captures && squares_count(b->side[BLACK] | b->side[WHITE]) > PIECES_MAX)
        *rc = error_set(e, STATUS_MISSING, "no tables of more than %d pieces", PIECES_MAX);
    return *rc ? LOOK_NOWHERE : captures ? LOOK_CAPTURES : LOOK_QUIET;
}

static inline enum status outcome_of(struct probe *p, const struct board *b, enum kind kind,
                                     struct outcome *o, struct error *e)
{
    enum status rc;
    enum look look = board_look(b, &rc, e);
    enum value v;

    *o = outcome_lost;
    if (look == LOOK_NOWHERE)
        return rc;
    if (look == LOOK_QUIET)
        return quiet_outcome(p, b, kind, o, e);
    if (kind == KIND_DTW)
        return capture_dtw(p, b, o, e);
    if (!(rc = capture_value(p, b, &v, e)))
        *o = kind == KIND_DTC ? outcome_converting(value_negate(v)) : (struct outcome){v, 0};
    return rc;
}

enum status probe_outcome(struct probe *p, const struct board *b, enum kind kind, struct outcome *o,
                          struct error *e)
{
    return outcome_of(p, b, kind, o, e);
}

enum status probe_value(struct probe *p, const struct board *b, enum value *v, struct error *e)
{
    struct outcome o;
    enum status rc = outcome_of(p, b, KIND_WLD, &o, e);

    *v = o.value;
    return rc;
}

bool probe_at_hand(struct probe *p, const struct board *b, enum value *v)
{
    enum status rc;
    enum look look = board_look(b, &rc, NULL);

    *v = VALUE_LOSS;
    if (look == LOOK_NOWHERE)
        return !rc;
    return look == LOOK_QUIET ? quiet_at_hand(p, b, v) : capture_at_hand(p, b, v);
}

/* ------------------------------------------------------------- is it enough? -- */

/* What the opponent must get for us to get less than `enough`. */
static enum value enough_against(enum value enough)
{
    return enough == VALUE_WIN ? VALUE_DRAW : VALUE_WIN;
}

static bool captures_reach_at_hand(struct probe *p, const struct board *b,
                                   const struct move_list *list, enum value enough, bool *yes)
{
    bool all = true;

    *yes = false;
    for (int i = 0; i < list->count && !*yes; i++) {
        struct board next = board_after(b, &list->move[i]);
        bool held;

        if (probe_reaches_at_hand(p, &next, enough_against(enough), &held))
            *yes = !held;
        else
            all = false;
    }
    return all || *yes;
}

static enum status captures_reach(struct probe *p, const struct board *b, enum value enough,
                                  bool *yes, struct error *e)
{
    struct move_list list;
    enum status rc = STATUS_OK;
    struct error why;

    moves_generate(b, &list);
    if (captures_reach_at_hand(p, b, &list, enough, yes))
        return STATUS_OK;
    for (int i = 0; i < list.count && !*yes; i++) {
        struct board next = board_after(b, &list.move[i]);
        bool held;
        enum status one = probe_reaches(p, &next, enough_against(enough), &held, &why);

        if (one && one != STATUS_MISSING)
            return error_pass(e, &why);
        if (one)
            rc = one;
        else
            *yes = !held;
    }
    return *yes || !rc ? STATUS_OK : error_pass(e, &why);
}

enum status probe_reaches(struct probe *p, const struct board *b, enum value enough, bool *yes,
                          struct error *e)
{
    enum status rc;
    enum look look = board_look(b, &rc, e);
    struct outcome o;

    *yes = false;
    if (look == LOOK_CAPTURES)
        return captures_reach(p, b, enough, yes, e);
    if (look == LOOK_QUIET && !(rc = quiet_outcome(p, b, KIND_WLD, &o, e)))
        *yes = o.value >= enough;
    return rc;
}

bool probe_reaches_at_hand(struct probe *p, const struct board *b, enum value enough, bool *yes)
{
    enum status rc;
    enum look look = board_look(b, &rc, NULL);
    struct move_list list;
    enum value v;
    bool known;

    *yes = false;
    if (look == LOOK_NOWHERE)
        return !rc;
    if (look == LOOK_CAPTURES) {
        moves_generate(b, &list);
        return captures_reach_at_hand(p, b, &list, enough, yes);
    }
    known = quiet_at_hand(p, b, &v);
    *yes = known && v >= enough;
    return known;
}

void probe_prefetch(const struct probe *p, const struct board *b)
{
    const struct paged_table *t;
    struct view view;

    if (!b->side[BLACK] || !b->side[WHITE] || board_must_capture(b) ||
        squares_count(b->side[BLACK] | b->side[WHITE]) > PIECES_MAX)
        return;
    view = view_of(b);
    if ((t = paging_opened(&p->paging, view_slice(&view), KIND_WLD)))
        paging_prefetch(&p->paging, t, layout_index(&t->layout, &view));
}
