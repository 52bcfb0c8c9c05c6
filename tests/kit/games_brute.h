/* SPDX-License-Identifier: MIT
 *
 * games_brute.h -- complete games counted the slow way, and positions to count from.
 *
 * Walks every sequence of positions; the judge of both methods in src/games. */
#ifndef KELSO_TESTS_GAMES_BRUTE_H
#define KELSO_TESTS_GAMES_BRUTE_H

#include "core/board.h"
#include "kit/test.h"

struct brute_counts {
    uint64_t games, blocks, deep; /* deep: blocks with a piece on the loser's home edge */
};

/* The games of exactly `plies` plies from b. */
void brute_games(const struct board *b, int plies, struct brute_counts *out);

/* After `plies` random moves from the start, or fewer if the game ends before. */
struct board brute_walk(struct rng *r, int plies);

/* A few pieces at home with enemies in front of them: blocks are near. */
struct board brute_crowded(struct rng *r);

#endif
