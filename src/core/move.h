/* SPDX-License-Identifier: MIT
 *
 * move.h -- one move, as a path.
 *
 * A quiet move is a step from `from` to `to`.  A capture is a path: from,
 * via[0], ..., via[jumps - 2], to.  Two captures with the same ends and the same
 * victims but different paths are two moves (perft counts both).
 *
 * (M1) jumps == number of captured pieces; 0 for a quiet move.
 * (M2) captured is a set of the opponent's pieces; no piece is jumped twice.
 * (M3) crowns is set when a man ends on its last row (and so becomes a king).
 * (M4) to == from only for a capture by a king that comes back to its start.
 *
 * Values without ownership; any thread. */
#ifndef KELSO_CORE_MOVE_H
#define KELSO_CORE_MOVE_H

#include "core/board.h"

enum {
    MOVE_JUMPS_MAX = 9, /* both derived in tests/core/test_movegen.c: the squares a jumping */
    MOVES_MAX = 68      /* piece can reach form a graph of 8 squares and 9 jumps */
};

struct move {
    squares captured;
    uint8_t from, to; /* square */
    uint8_t jumps;
    bool crowns;
    uint8_t via[MOVE_JUMPS_MAX - 1]; /* the first jumps - 1 are used, the rest are 0 */
};

struct move_list {
    int count;
    struct move move[MOVES_MAX];
};

static inline bool move_is_capture(const struct move *m)
{
    return m->jumps != 0;
}

/* A conversion changes the material, so earlier positions can never recur. */
static inline bool move_is_conversion(const struct move *m)
{
    return m->jumps != 0 || m->crowns;
}

bool move_equal(const struct move *a, const struct move *b);

/* The position after a move that moves_generate listed for it. */
static inline struct board board_after(const struct board *b, const struct move *m)
{
    enum side us = b->turn, them = side_other(us);
    squares from = squares_of(m->from), to = squares_of(m->to);
    squares king = ((b->kings & from) != 0 || m->crowns) ? to : 0;
    struct board next;

    /* Each side by its own name: stores at [us] and [them] go to memory one by one, and the copy
     * that follows reads them back as one word, which waits for both. */
    next.side[BLACK] = us == BLACK ? (b->side[BLACK] & ~from) | to : b->side[BLACK] & ~m->captured;
    next.side[WHITE] = us == WHITE ? (b->side[WHITE] & ~from) | to : b->side[WHITE] & ~m->captured;
    next.kings = (b->kings & ~from & ~m->captured) | king;
    next.turn = them;
    return next;
}

#endif
