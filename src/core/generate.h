/* SPDX-License-Identifier: MIT
 *
 * generate.h -- the inlined core of the move generator.
 *
 * Everything is written once for both colours: `us` is a constant at each call, so the compiler
 * generates two versions.  Moves are found by sets, not by pieces: the squares from which a jump in
 * one direction is possible are two shifts and two ands away from the empty squares.  movegen.c
 * makes lists from this; perft.c counts with it and makes no lists.
 *
 * (I1) Men jump forward only, so the pieces they have jumped are behind them.  The
 *      unchanged board therefore determines how a man's capture continues, for all men at
 *      once.
 *
 * Private to core.  Pure functions; any thread. */
#ifndef KELSO_CORE_GENERATE_H
#define KELSO_CORE_GENERATE_H

#include "core/movegen.h"
#include "core/step.h"

/* The two directions of a man of `us`. */
ALWAYS_INLINE enum direction forward_4(enum side us)
{
    return us == BLACK ? UP_4 : DOWN_4;
}

ALWAYS_INLINE enum direction forward_5(enum side us)
{
    return us == BLACK ? UP_5 : DOWN_5;
}

/* The squares from which something could jump in direction d over one of `prey`. */
ALWAYS_INLINE squares jump_sources(squares empty, squares prey, enum direction d)
{
    return step_back(step_back(empty, d) & prey, d);
}

/* The same for the two directions of a man. */
struct man_jumps {
    squares from_4, from_5;
};

ALWAYS_INLINE struct man_jumps man_jumps_of(const struct board *b, enum side us)
{
    squares empty = board_empty(b), prey = b->side[side_other(us)];

    return (struct man_jumps){jump_sources(empty, prey, forward_4(us)),
                              jump_sources(empty, prey, forward_5(us))};
}

/* The squares from which a king of `us` could jump, given those of a man. */
ALWAYS_INLINE squares king_jumps_of(const struct board *b, enum side us, struct man_jumps j)
{
    squares empty = board_empty(b), prey = b->side[side_other(us)];
    enum side back = side_other(us);

    return j.from_4 | j.from_5 | jump_sources(empty, prey, forward_4(back)) |
           jump_sources(empty, prey, forward_5(back));
}

/* The pieces of `us` that can capture. */
ALWAYS_INLINE squares jumpers(const struct board *b, enum side us)
{
    struct man_jumps j = man_jumps_of(b, us);
    squares found = b->side[us] & (j.from_4 | j.from_5), kings = b->side[us] & b->kings;

    return kings ? found | (kings & king_jumps_of(b, us, j)) : found;
}

/* ------------------------------------------------------------- quiet moves -- */

/* Where `set` can step in direction d. */
ALWAYS_INLINE squares quiet_to(const struct board *b, squares set, enum direction d)
{
    return step(set, d) & board_empty(b);
}

ALWAYS_INLINE int quiet_count(const struct board *b, enum side us)
{
    squares all = b->side[us], kings = all & b->kings;
    enum side back = side_other(us);
    int n = squares_count(quiet_to(b, all, forward_4(us))) +
            squares_count(quiet_to(b, all, forward_5(us)));

    if (kings)
        n += squares_count(quiet_to(b, kings, forward_4(back))) +
             squares_count(quiet_to(b, kings, forward_5(back)));
    return n;
}

/* The position after one piece has stepped from `from` to `to`. */
ALWAYS_INLINE struct board quiet_after(const struct board *b, enum side us, squares from,
                                       squares to, bool king)
{
    struct board next = *b;

    next.side[us] ^= from | to;
    next.kings ^= king ? from | to : to & squares_crown_row(us);
    next.turn = side_other(us);
    return next;
}

/* ---------------------------------------------------------------- captures -- */

/* The ways to complete the captures of men that stand on `at`, each on a square of its
 * own: those that cannot jump are done, the others jump on (I1). */
static inline int men_paths(squares at, struct man_jumps j, enum side us)
{
    squares on_4 = at & j.from_4, on_5 = at & j.from_5;
    enum direction d4 = forward_4(us), d5 = forward_5(us);
    int n = squares_count(at & ~(on_4 | on_5));

    if (on_4)
        n += men_paths(step(step(on_4, d4), d4), j, us);
    if (on_5)
        n += men_paths(step(step(on_5, d5), d5), j, us);
    return n;
}

/* The captures of all men together; men that cannot jump count nothing. */
ALWAYS_INLINE int men_captures_count(squares men, struct man_jumps j, enum side us)
{
    return men_paths(men & (j.from_4 | j.from_5), j, us);
}

/* The captures of one king on `piece`. */
int king_captures_count(const struct board *b, squares piece);

/* All legal moves: (G2). */
ALWAYS_INLINE int count_moves(const struct board *b, enum side us)
{
    struct man_jumps j = man_jumps_of(b, us);
    squares kings = b->side[us] & b->kings, men = b->side[us] & ~b->kings;
    squares men_jump = men & (j.from_4 | j.from_5), kings_jump = 0;
    int n = 0;

    if (kings)
        kings_jump = kings & king_jumps_of(b, us, j);
    if (!(men_jump | kings_jump))
        return quiet_count(b, us);
    if (men_jump)
        n = men_captures_count(men, j, us);
    for (; kings_jump; kings_jump &= kings_jump - 1)
        n += king_captures_count(b, kings_jump & -kings_jump);
    return n;
}

#endif
