/* SPDX-License-Identifier: MIT */
#include "core/unmove.h"

#include "core/movegen.h"
#include "core/step.h"

#include <assert.h>

/* The state of one listing. */
struct undo {
    const struct board *after;
    enum side us; /* the side that has just moved */
    unmove_visit *visit;
    void *context;
    int count;
    bool stopped;
};

/* How the piece on `to` may have come there. */
struct arrival {
    squares to;
    bool was_king; /* before the move */
    bool crowned;  /* by the move */
};

static void give(struct undo *u, const struct board *before, const struct move *m)
{
    u->count++;
    u->stopped = !u->visit(u->context, before, m);
}

/* The position before the move, without the captured pieces: our piece is back on `from`. */
static struct board put_back(const struct undo *u, const struct arrival *a, squares from)
{
    struct board b = *u->after;

    b.side[u->us] = (b.side[u->us] & ~a->to) | from;
    b.kings = (b.kings & ~a->to) | (a->was_king ? from : 0);
    b.turn = u->us;
    return b;
}

/* ------------------------------------------------------------- quiet moves -- */

/* A quiet move was legal if its side had nothing to capture. */
static void undo_quiet(struct undo *u, const struct arrival *a)
{
    squares empty = board_empty(u->after);

    for (enum direction d = first_direction(u->us, a->was_king);
         d < end_direction(u->us, a->was_king) && !u->stopped; d++) {
        squares from = step_back(a->to, d) & empty;
        struct move m = {.to = (uint8_t)square_first(a->to), .crowns = a->crowned};
        struct board before;

        if (!from)
            continue;
        m.from = (uint8_t)square_first(from);
        before = put_back(u, a, from);
        if (!board_jumpers(&before, u->us))
            give(u, &before, &m);
    }
}

/* ---------------------------------------------------------------- captures -- */

/* A capture, walked from its end back to its start. */
struct retreat {
    squares free;  /* where the piece may have been: empty now, or where it ended */
    squares taken; /* the pieces jumped so far */
    int jumps;
    uint8_t landed[MOVE_JUMPS_MAX + 1]; /* landed[0] is the end of the move */
};

static struct move retreat_move(const struct retreat *r, bool crowned)
{
    struct move m = {.captured = r->taken,
                     .from = r->landed[r->jumps],
                     .to = r->landed[0],
                     .jumps = (uint8_t)r->jumps,
                     .crowns = crowned};

    for (int i = 0; i + 1 < r->jumps; i++)
        m.via[i] = r->landed[r->jumps - 1 - i];
    return m;
}

/* The move as walked so far, once for each way in which the taken pieces are men and kings.  None
 * of them is a man on its last row: a jumped piece is never on an edge. */
static void give_capture(struct undo *u, const struct arrival *a, const struct retreat *r)
{
    struct move m = retreat_move(r, a->crowned);
    struct board before = put_back(u, a, squares_of(m.from));
    squares kings = before.kings, chosen = r->taken;

    before.side[side_other(u->us)] |= r->taken;
    do {
        before.kings = kings | chosen;
        give(u, &before, &m);
        chosen = (chosen - 1) & r->taken;
    } while (chosen != r->taken && !u->stopped);
}

static void undo_jumps(struct undo *u, const struct arrival *a, const struct retreat *r)
{
    squares at = squares_of(r->landed[r->jumps]);
    int left = 12 - squares_count(u->after->side[side_other(u->us)]);

    if (r->jumps)
        give_capture(u, a, r);
    for (enum direction d = first_direction(u->us, a->was_king);
         d < end_direction(u->us, a->was_king) && r->jumps < left && !u->stopped; d++) {
        squares over = step_back(at, d) & r->free & ~a->to & ~r->taken;
        squares from = step_back(over, d) & r->free;
        struct retreat longer = *r;

        if (!from)
            continue;
        assert(r->jumps < MOVE_JUMPS_MAX);
        longer.taken |= over;
        longer.landed[++longer.jumps] = (uint8_t)square_first(from);
        undo_jumps(u, a, &longer);
    }
}

/* A capture was complete if the piece can jump no further from where it ended: the pieces it took
 * stand on squares of the other parity, so the current board decides.  A man that was crowned had
 * to stop. */
static void undo_capture(struct undo *u, const struct arrival *a)
{
    struct retreat r = {.free = board_empty(u->after) | a->to,
                        .landed = {(uint8_t)square_first(a->to)}};

    if (a->crowned || !(board_jumpers(u->after, u->us) & a->to))
        undo_jumps(u, a, &r);
}

/* ------------------------------------------------------------------ public -- */

static void undo_arrival(struct undo *u, const struct arrival *a, enum unmove_kind kind)
{
    if ((kind & UNMOVE_QUIET) && !u->stopped)
        undo_quiet(u, a);
    if ((kind & UNMOVE_CAPTURES) && !u->stopped)
        undo_capture(u, a);
}

int unmoves_visit(const struct board *after, enum unmove_kind kind, unmove_visit *visit,
                  void *context)
{
    struct undo u = {
        .after = after, .us = side_other(after->turn), .visit = visit, .context = context};

    for (squares set = after->side[u.us]; set && !u.stopped; set &= set - 1) {
        squares to = set & -set;
        bool is_king = (after->kings & to) != 0;

        undo_arrival(&u, &(struct arrival){.to = to, .was_king = is_king}, kind);
        if (is_king && (to & squares_crown_row(u.us)))
            undo_arrival(&u, &(struct arrival){.to = to, .crowned = true}, kind);
    }
    return u.count;
}
