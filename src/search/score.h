/* SPDX-License-Identifier: MIT
 *
 * score.h -- the numbers that the search compares, in one place.
 *
 * A score is seen by the side to move; larger is better.  What is known for certain lies
 * outside the range of what is only estimated:
 *
 *      31000 - n        wins in n plies from the root: a way to the end of the game was seen
 *      20000 - n + e    won by the tables, which were reached n plies from the root; how far
 *                       from the end is not known, e is an estimate that shows the way
 *     -10000 .. 10000   an estimate; a man is worth 100
 *          0            a draw (and an estimate, if it so happens)
 *
 * and the same below zero.
 *
 * (S1) the four ranges do not overlap.
 * (S2) score_to_table and score_from_table are inverse for equal ply: a table keeps
 *      distances from its own position, the search counts from the root.
 *
 * Pure functions; any thread. */
#ifndef KELSO_SEARCH_SCORE_H
#define KELSO_SEARCH_SCORE_H

#include <stdbool.h>

enum {
    SCORE_INFINITE = 32000,
    SCORE_WIN = 31000,     /* the opponent has no move, here and now */
    SCORE_WIN_MIN = 30000, /* the least score of a win seen to its end */
    SCORE_DB_WIN = 20000,
    SCORE_DB_SPREAD = 2000, /* how far e may lead from it */
    SCORE_DB_WIN_MIN = 17000,
    SCORE_EVAL_MAX = 10000,
    SCORE_DRAW = 0,
    SCORE_MAN = 100,
};

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

/* A win or loss with a known distance; score_plies tells it. */
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

/* Won by the tables `ply` plies from the root; `eval` as the winner sees it. */
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
