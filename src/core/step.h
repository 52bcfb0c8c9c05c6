/* SPDX-License-Identifier: MIT
 *
 * step.h -- the four diagonal directions, on sets of squares.
 *
 * In the layout of board.h a step is a shift; a step off the side lands on an unused bit, which
 * disappears when masked with pieces or empty squares.  All of this is meant to be inlined with a
 * constant direction.
 *
 * (S1) step_back(step(x, d), d) == x for every set x of squares.
 *
 * Pure functions; any thread. */
#ifndef KELSO_CORE_STEP_H
#define KELSO_CORE_STEP_H

#include "core/board.h"

/* Written once for both colours and all directions: a constant argument makes the compiler
 * specialise it. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The first two lead away from Black's side. */
enum direction { UP_4, UP_5, DOWN_4, DOWN_5, DIRECTIONS };

ALWAYS_INLINE squares step(squares set, enum direction d)
{
    switch (d) {
    case UP_4:
        return set << 4;
    case UP_5:
        return set << 5;
    case DOWN_4:
        return set >> 4;
    default:
        return set >> 5;
    }
}

ALWAYS_INLINE squares step_back(squares set, enum direction d)
{
    return step(set, (enum direction)(d ^ 2));
}

/* A man moves in two directions, a king in four: from first_ up to but not including end_. */
ALWAYS_INLINE enum direction first_direction(enum side us, bool king)
{
    return king || us == BLACK ? UP_4 : DOWN_4;
}

ALWAYS_INLINE enum direction end_direction(enum side us, bool king)
{
    return king || us == WHITE ? DIRECTIONS : DOWN_4;
}

#endif
