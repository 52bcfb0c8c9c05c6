/* SPDX-License-Identifier: MIT
 *
 * score.h -- the scores that the search compares, in one place.
 *
 * A score is for the side to move; larger is better.  Certain results lie outside the range of
 * estimates:
 *
 *      31000 - n        a win n plies from the root, seen to the end of the game
 *      20000 - n + e    won by the tables, reached n plies from the root; the distance
 *                       to the end is unknown, and e is an estimate that guides the way
 *     -10000 .. 10000   an estimate; a man is worth 100
 *          0            a draw (or an estimate of 0)
 *
 * and the same below zero.
 *
 * (S1) The ranges do not overlap.
 * (S2) score_to_table and score_from_table are inverse for equal ply: a table stores distances
 *      from its own position, the search counts from the root.
 *
 * Pure functions; safe on any thread. */
#ifndef KELSO_SEARCH_SCORE_H
#define KELSO_SEARCH_SCORE_H

#include <stdbool.h>

enum {
    SCORE_INFINITE = 32000,
    SCORE_WIN = 31000,     /* the opponent has no move now */
    SCORE_WIN_MIN = 30000, /* the lowest score of a win seen to the end */
    SCORE_DB_WIN = 20000,
    SCORE_DB_SPREAD = 2000, /* the range of e */
    SCORE_DB_WIN_MIN = 17000,
    SCORE_EVAL_MAX = 10000,
    SCORE_DRAW = 0,
    SCORE_MAN = 100,
};

_Static_assert((int)SCORE_WIN < (int)SCORE_INFINITE && (int)SCORE_WIN_MIN < (int)SCORE_WIN &&
                   (int)SCORE_DB_WIN + (int)SCORE_DB_SPREAD < (int)SCORE_WIN_MIN &&
                   (int)SCORE_DB_WIN_MIN <= (int)SCORE_DB_WIN - (int)SCORE_DB_SPREAD &&
                   (int)SCORE_EVAL_MAX < (int)SCORE_DB_WIN_MIN,
               "(S1)");

static inline bool score_wins(int s)
{
    return s >= SCORE_DB_WIN_MIN;
}

static inline bool score_loses(int s)
{
    return s <= -SCORE_DB_WIN_MIN;
}

static inline bool score_is_certain(int s)
{
    return score_wins(s) || score_loses(s);
}

/* Is this a win or loss with a known distance (score_plies)? */
static inline bool score_has_distance(int s)
{
    return s >= SCORE_WIN_MIN || s <= -SCORE_WIN_MIN;
}

static inline int score_plies(int s)
{
    return SCORE_WIN - (s < 0 ? -s : s);
}

static inline int score_clamp(int s, int limit)
{
    return s > limit ? limit : s < -limit ? -limit : s;
}

static inline int score_win_in(int plies)
{
    return SCORE_WIN - plies;
}

static inline int score_loss_in(int plies)
{
    return -SCORE_WIN + plies;
}

/* Won by the tables `ply` plies from the root; `eval` is for the winner. */
static inline int score_db_win(int ply, int eval)
{
    return SCORE_DB_WIN - ply + score_clamp(eval, SCORE_DB_SPREAD);
}

static inline int score_to_table(int s, int ply)
{
    return score_wins(s) ? s + ply : score_loses(s) ? s - ply : s;
}

static inline int score_from_table(int s, int ply)
{
    return score_wins(s) ? s - ply : score_loses(s) ? s + ply : s;
}

#endif
