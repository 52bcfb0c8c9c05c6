/* SPDX-License-Identifier: MIT
 *
 * kings.h -- the endings of one or two kings against one, in memory.
 *
 * Two kings win against one, but from the double corner it takes 27 plies: too far for a short
 * search, and estimates do not lead there.  All these endings have 33,000 positions, for kings are
 * the same in both colours, so the distances to the win are computed whenever a search is opened.
 *
 * (K1) kings_find gives the shortest win against the best defence, in plies, if there is one.
 *
 * The caller owns it; constant once made, safe on any thread. */
#ifndef KELSO_SEARCH_KINGS_H
#define KELSO_SEARCH_KINGS_H

#include "core/board.h"

enum { KINGS_STATES = 2 * 32 * 32 * 32 };

struct kings {
    uint8_t plies[KINGS_STATES]; /* to the win of the hunters, plus 1; 0: they do not win */
};

/* False without memory. */
bool kings_make(struct kings *k);

/* Is one side's win in b known?  Then by whom and in how many plies. */
bool kings_find(const struct kings *k, const struct board *b, enum side *winner, int *plies);

#endif
