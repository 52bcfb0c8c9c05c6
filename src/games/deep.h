/* SPDX-License-Identifier: MIT
 *
 * deep.h -- games that end in a block with a piece of the loser still on its home edge.
 *
 * A breadth-first search keeps the positions that the wall (wall.h) allows: those whose
 * first rows can still be closed in the plies that are left.  From the last positions
 * kept it looks ahead, pruned by the wall and, in the last three plies, by bounds on the
 * open squares in front of pieces that cannot be captured.
 *
 * Words, for the loser seen as Black: the front of a piece is the one or two squares
 * it steps forward to; its rear the two squares behind.  A piece is firm when it
 * stands on the edge of the board, or when both rear squares hold pieces of its own
 * side.  deep_open counts the empty squares in front of firm pieces.
 *
 * (E1) A firm piece is not captured by the next move of the other side.
 * (E2) When the loser is blocked, deep_open is 0.
 * (E3) A move of the winner lowers deep_open by at most one, unless it is a capture.
 * (E4) A move of the loser lowers it by at most deep_drop.
 * (E5) After the winner's last move, capture or not, deep_open is 0; so before it
 *      deep_open is at most 1.
 * Proofs in docs/shortest.md; tests/games/test_games_bounds.c tries to refute each.
 *
 * (E6) The result does not depend on the wall, the look-ahead, the memory or the threads.
 *
 * deep_reaches is a pure function; deep_search runs `threads` threads. */
#ifndef KELSO_GAMES_DEEP_H
#define KELSO_GAMES_DEEP_H

#include "games/lines.h"
#include "games/shortest.h"

enum { DEEP_PLIES = 3 };

/* Empty squares in front of the loser's firm pieces. */
int deep_open(const struct board *b, enum side loser);

/* The most by which a move of the loser, the side to move, may lower deep_open. */
int deep_drop(const struct board *b);

/* Does some sequence of exactly `plies` moves (0 .. DEEP_PLIES) end in a deep block? */
bool deep_reaches(const struct board *b, int plies);

struct deep_options {
    struct board start;
    int plies;
    int threads;
    size_t memory;                 /* bytes for the sets of the workers; 0: 2 GiB */
    shortest_report_visit *report; /* called by one thread at a time */
    void *context;
    int rows; /* of the wall; 0: as many as pay */
    int look; /* plies looked ahead from the last positions kept; 0: as many as pay */
};

struct deep_result {
    struct lines lines; /* the deep blocks of exactly `plies` plies */
    int shortest;       /* the least number of plies up to `plies` that has one; -1: none */
    uint64_t positions; /* searched */
};

enum status deep_search(const struct deep_options *options, struct deep_result *out,
                        struct error *e);

#endif
