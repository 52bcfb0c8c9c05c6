/* SPDX-License-Identifier: MIT
 *
 * clock.h -- how long to think about a move, given the clock.
 *
 * Pure functions; safe on any thread. */
#ifndef KELSO_PLAY_CLOCK_H
#define KELSO_PLAY_CLOCK_H

#include "search/search.h"

/* The time a side has left.  Zero: not set. */
struct clock {
    double time;      /* for the rest of the game, or for `moves` moves */
    double increment; /* before each move */
    int moves;
};

/* Fill in `seconds` and `soft`. */
static inline void clock_limits(const struct clock *c, struct search_limits *l)
{
    enum { MOVES_LEFT = 25 };
    const double margin = 0.02;
    double left = c->time + c->increment - margin;
    double share =
        left / (c->moves > 0 && c->moves < MOVES_LEFT ? c->moves : MOVES_LEFT) + 0.7 * c->increment;

    l->soft = share * 0.6;
    l->seconds = share * 3 < left * 0.5 ? share * 3 : left * 0.5;
    if (c->moves == 1)
        l->seconds = left * 0.95;
    if (l->seconds < 0.005)
        l->seconds = 0.005;
    if (l->soft <= 0 || l->soft > l->seconds)
        l->soft = l->seconds;
}

#endif
