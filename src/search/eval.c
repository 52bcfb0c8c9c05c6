/* SPDX-License-Identifier: MIT */
#include "search/eval.h"

#include "core/step.h"
#include "search/score.h"

#include <string.h>

/* One side's pieces and the other's, as that side sees them: its own men go up. */
struct eval_side {
    squares men, kings, opp_men, opp_kings;
};

/* What a feature is added to: a sum of weights, or a list of what there is. */
struct weighing {
    const struct eval_weights *w; /* NULL: list */
    int sign;
    int sum[EVAL_STAGES];
    int patterns; /* in letters */
    struct eval_parts *parts;
};

ALWAYS_INLINE void add(struct weighing *t, int feature, int n)
{
    n *= t->sign;
    if (t->w) {
        t->sum[EVAL_EARLY] += n * t->w->of[feature][EVAL_EARLY];
        t->sum[EVAL_LATE] += n * t->w->of[feature][EVAL_LATE];
    } else {
        t->parts->count[feature] = (int8_t)(t->parts->count[feature] + n);
    }
}

ALWAYS_INLINE void add_each(struct weighing *t, int first, squares set)
{
    for (; set; set &= set - 1)
        add(t, first + square_number(square_first(set)) - 1, 1);
}

ALWAYS_INLINE squares up(squares s)
{
    return (s << 4 | s << 5) & BOARD_SQUARES;
}

ALWAYS_INLINE squares down(squares s)
{
    return (s >> 4 | s >> 5) & BOARD_SQUARES;
}

/* Squares on which a piece of the side could be jumped if it went there: an opponent beside
 * it and an empty square behind. */
ALWAYS_INLINE squares exposed(const struct eval_side *h, squares empty)
{
    squares opp = h->opp_men | h->opp_kings;

    return ((opp >> 4 & empty << 4) | (opp >> 5 & empty << 5) | (h->opp_kings << 4 & empty >> 4) |
            (h->opp_kings << 5 & empty >> 5)) &
           BOARD_SQUARES;
}

ALWAYS_INLINE void mobility(struct weighing *t, const struct eval_side *h)
{
    squares empty = BOARD_SQUARES & ~(h->men | h->kings | h->opp_men | h->opp_kings);
    squares safe = empty & ~exposed(h, empty);
    squares kings = h->kings, from_safe = up(safe) | down(safe);

    add(t, EVAL_MOBILE_MEN, squares_count(up(h->men) & safe));
    if (kings) {
        add(t, EVAL_MOBILE_KINGS, squares_count((up(kings) | down(kings)) & safe));
        add(t, EVAL_STUCK_KING, squares_count(kings & ~from_safe));
    }
}

/* Men with no opponent anywhere in the cone of squares that they could still reach. */
ALWAYS_INLINE void runaways(struct weighing *t, const struct eval_side *h)
{
    squares seen = h->opp_men | h->opp_kings;

    for (int i = 0; i < 7; i++)
        seen |= down(seen);
    for (squares set = h->men & ~seen; set; set &= set - 1) {
        int row = (square_number(square_first(set)) - 1) / 4;

        if (row > 0)
            add(t, EVAL_RUNAWAY + 6 - row, 1);
    }
}

/* The rows of a set, 0 for the first, added up. */
ALWAYS_INLINE int rows_sum(squares set)
{
    const squares odd = UINT64_C(0x783C1E0F0);
    const squares twos = (UINT64_C(0xFF) << 9 | UINT64_C(0xFF) << 27);
    const squares fours = (UINT64_C(0xFF) << 18 | UINT64_C(0xFF) << 27);

    return squares_count(set & odd) + 2 * squares_count(set & twos) +
           4 * squares_count(set & fours);
}

ALWAYS_INLINE void material(struct weighing *t, const struct eval_side *h)
{
    add(t, EVAL_MAN, squares_count(h->men));
    add(t, EVAL_ADVANCE, rows_sum(h->men));
    add(t, EVAL_BACK_RANK + (int)(h->men & 15), 1);
    if (h->kings) {
        add(t, EVAL_KING_FIRST, 1);
        add(t, EVAL_KING, squares_count(h->kings));
        add_each(t, EVAL_KING_ON, h->kings);
    }
}

/* -------------------------------------------------------------------- patterns -- */

/* A byte read as digits of base 3. */
#define T2(n) (n), (n) + 1, (n) + 3, (n) + 4
#define T4(n) T2(n), T2((n) + 9), T2((n) + 27), T2((n) + 36)
#define T6(n) T4(n), T4((n) + 81), T4((n) + 243), T4((n) + 324)
static const uint16_t base_3[256] = {T6(0), T6(729), T6(2187), T6(2916)};

/* The eight squares of window k: two whole rows, or four rows of a half. */
ALWAYS_INLINE unsigned window(squares s, int k)
{
    switch (k) {
    case 0: /* rows 1, 2 */
        return s & 0xFF;
    case 1: /* rows 2, 3 */
        return (s >> 4 & 0x0F) | (s >> 5 & 0xF0);
    case 2: /* rows 3, 4 */
        return s >> 9 & 0xFF;
    case 3: /* rows 4, 5 */
        return (s >> 13 & 0x0F) | (s >> 14 & 0xF0);
    case 4: /* rows 1-4, the half of square 1 */
        return (s & 0x03) | (s >> 2 & 0x0C) | (s >> 5 & 0x30) | (s >> 7 & 0xC0);
    case 5: /* rows 1-4, the half of square 4 */
        return (s >> 2 & 0x03) | (s >> 4 & 0x0C) | (s >> 7 & 0x30) | (s >> 9 & 0xC0);
    default: /* rows 3-6, the half of square 9 */
        return (s >> 9 & 0x03) | (s >> 11 & 0x0C) | (s >> 14 & 0x30) | (s >> 16 & 0xC0);
    }
}

ALWAYS_INLINE void patterns(struct weighing *t, const struct eval_side *h)
{
    for (int k = 0; k < EVAL_WINDOWS; k++) {
        int i = base_3[window(h->men, k)] + 2 * base_3[window(h->opp_men, k)];

        if (t->w)
            t->patterns += t->sign * t->w->pattern[k][i];
        else
            t->parts->pattern[t->sign < 0][k] = (uint16_t)i;
    }
}

ALWAYS_INLINE void half_add(struct weighing *t, const struct eval_side *h)
{
    material(t, h);
    mobility(t, h);
    runaways(t, h);
    patterns(t, h);
}

/* With equal numbers on the board, the side to move has "the move" if the pieces on the
 * rows of its own system are odd in number. */
ALWAYS_INLINE bool has_the_move(const struct board *b)
{
    const squares rows =
        UINT64_C(0x0F) | UINT64_C(0x0F) << 9 | UINT64_C(0x0F) << 18 | UINT64_C(0x0F) << 27;
    squares all = b->side[BLACK] | b->side[WHITE];
    squares system = b->turn == BLACK ? rows : rows << 4;

    return squares_count(all & system) & 1;
}

ALWAYS_INLINE void board_add(struct weighing *t, const struct board *b)
{
    enum side us = b->turn, them = side_other(us);
    struct eval_side h = {board_men(b, us), board_kings(b, us), board_men(b, them),
                          board_kings(b, them)};
    struct eval_side f = {squares_flip(h.men), squares_flip(h.kings), squares_flip(h.opp_men),
                          squares_flip(h.opp_kings)};
    struct eval_side o = {f.opp_men, f.opp_kings, f.men, f.kings};

    if (us == WHITE) {
        struct eval_side swap = {h.opp_men, h.opp_kings, h.men, h.kings};
        h = f;
        o = swap;
    }
    t->sign = 1;
    half_add(t, &h);
    t->sign = -1;
    half_add(t, &o);
    t->sign = 1;
    add(t, EVAL_TURN, 1);
    if (squares_count(b->side[BLACK]) == squares_count(b->side[WHITE]))
        add(t, EVAL_MOVE, has_the_move(b) ? 1 : -1);
}

int eval_position(const struct eval_weights *w, const struct board *b)
{
    struct weighing t = {.w = w};
    int n = squares_count(b->side[BLACK] | b->side[WHITE]), late = EVAL_STAGE_PIECES - n;

    board_add(&t, b);
    return score_clamp((t.sum[EVAL_EARLY] * n + t.sum[EVAL_LATE] * late) / EVAL_STAGE_PIECES +
                           t.patterns * EVAL_PATTERN_UNIT,
                       SCORE_EVAL_MAX);
}

void eval_parts(const struct board *b, struct eval_parts *p)
{
    struct weighing t = {.parts = p};

    memset(p, 0, sizeof *p);
    board_add(&t, b);
}
