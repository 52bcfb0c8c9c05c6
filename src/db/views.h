/* SPDX-License-Identifier: MIT
 *
 * views.h -- many views (slice.h) side by side, and their captures.
 *
 * Each of the four sets of a view is a column: an array of packed sets.  What is done to all views
 * is a loop without branches over these arrays, which the compiler turns into vector instructions.
 * There is only one colour: a view shows the board from the mover's end, so the mover's men go up.
 *
 * Packed squares have four to a row and no unused bits between rows.  A jump leads to the square 7
 * or 9 further up or down, from every row; the square between depends on whether the row is even:
 *
 *     28  29  30  31
 *       24  25  26  27           up 7: over s + 4, from an odd row s + 3
 *     20  21  22  23             up 9: over s + 5, from an odd row s + 4
 *       16  17  18  19
 *     12  13  14  15           down 7: over s - 3, from an odd row s - 4
 *        8   9  10  11         down 9: over s - 4, from an odd row s - 5
 *      4   5   6   7
 *        0   1   2   3
 *
 * (J1) views_jumpers finds what board_jumpers finds on the view's board, views_capture what
 *      moves_generate finds, in any order.
 *
 * The caller owns the columns.  Pure functions on them; any thread. */
#ifndef KELSO_DB_VIEWS_H
#define KELSO_DB_VIEWS_H

#include "db/slice.h"

struct views {
    uint32_t *men, *kings, *opp_men, *opp_kings;
};

static inline struct view views_get(const struct views *v, size_t i)
{
    return (struct view){v->men[i], v->kings[i], v->opp_men[i], v->opp_kings[i]};
}

static inline void views_set(const struct views *v, size_t i, struct view one)
{
    v->men[i] = one.men;
    v->kings[i] = one.kings;
    v->opp_men[i] = one.opp_men;
    v->opp_kings[i] = one.opp_kings;
}

/* The columns from i on. */
static inline struct views views_from(const struct views *v, size_t i)
{
    return (struct views){v->men + i, v->kings + i, v->opp_men + i, v->opp_kings + i};
}

/* Turn the board round where turn[i] is all ones; where it is 0, leave it.  Whose pieces they are
 * does not change. */
void views_turn(const struct views *v, size_t count, const uint32_t *turn);

/* Views of the mover's position become the opponent's views. */
void views_pass(const struct views *v, size_t count);

/* The mover's pieces that can capture. */
void views_jumpers(const struct views *v, size_t count, uint32_t *jumpers);

/* All positions after a capture of one of `jumpers`: written to `out`, as the player who captured
 * sees them.  Their number is returned, at most MOVES_MAX. */
uint32_t views_capture(const struct view *v, uint32_t jumpers, const struct views *out);

#endif
