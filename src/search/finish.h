/* SPDX-License-Identifier: MIT
 *
 * finish.h -- the way to the end where the tables know only who wins.
 *
 * A player with tables of values keeps every win, but need not come nearer to its end: two kings
 * against a king and a man can take a hundred plies.  With few pieces left, all positions that play
 * can reach are solved in memory (db/ondemand.h), once, and every later move is looked up.
 *
 * (F1) After finish_solve has returned true, the source gives exact distances to the win for that
 *      position and all that play can reach from it.
 *
 * The caller owns it.  One thread at a time. */
#ifndef KELSO_SEARCH_FINISH_H
#define KELSO_SEARCH_FINISH_H

#include "db/answer.h"
#include "db/ondemand.h"

enum {
    FINISH_PIECES = 5,
    FINISH_VALUES = 8000000, /* at most: three kings against two are 4 million */
    FINISH_MEMORY = 32 << 20,
    FINISH_RATE = 10000000, /* values a second, a cautious estimate */
};

struct finish {
    struct ondemand *ending; /* the one solved last; NULL: none */
};

/* Solve b, unless that is too much work or would take longer than `seconds` (0: any time).  False
 * if it is not solved; `stop` may be NULL. */
bool finish_solve(struct finish *f, const struct board *b, double seconds, const atomic_bool *stop);

struct source finish_source(const struct finish *f);

void finish_clear(struct finish *f);

#endif
