/* SPDX-License-Identifier: MIT
 *
 * exits.h -- how far it is to the next move that cannot be taken back, where the tables know only
 * who wins.
 *
 * A man never moves back, so the exact placement of all men is a block in which only kings move.
 * A move that leaves the block (a capture, a man's move, a crowning) is final: the block never
 * comes again.  From who wins, as the tables know it, follows for every won position of a block how
 * many plies the winner needs to leave it, or to end the game, with the win kept; the loser may
 * leave first.  A winner who goes by this distance makes progress in every block, there are
 * finitely many blocks, and so the game is won.
 *
 * The distance exists for every won position: the shortest win from it either leaves the block at
 * some move or ends in it, and the loser cannot delay either beyond the end of the game.  It is
 * found backwards, ply by ply:
 *
 *     winner to move   1 if a capture or a man's move leads to a lost position; else 1 + the least
 *                      distance of the lost positions after a king's move
 *     loser to move    0 without a move, 1 if all moves leave the block; else 1 + the largest
 *                      distance of the positions after a king's move
 *
 * (X1) Once exits_solve has returned true, exits_plies gives this distance for every position of
 *      the block in which the winner is to move and wins, and 0 for all others.
 * (X2) In a won position without a capture some move has exits_by(...) == exits_plies(...), and
 *      after it, whatever the loser answers, the block has been left, the game has ended or
 *      exits_plies is smaller by at least 2.
 * (X3) A call that is told to pause has lost nothing: the next one for the same block continues.
 *
 * The caller owns it.  One thread at a time. */
#ifndef KELSO_SEARCH_EXITS_H
#define KELSO_SEARCH_EXITS_H

#include "core/move.h"
#include "db/tables.h"

#include <stdatomic.h>

/* At most so many placings of the kings of both sides (3.5 bytes each, 2 once it is solved), and so
 * many of one side's times its kings (16 bytes each, 0).  To make room for them is the first thing
 * that is done, at a cautious estimate of so many a second. */
enum { EXITS_PLACINGS = 25000000, EXITS_KINGS = 4000000, EXITS_OPENED = 500000000 };

/* The block looked at last.  All zero: none. */
struct exits {
    struct exits_block *block;
};

/* Solve the block of b, in which the side to move wins, or go on with it, until the time of
 * clock_seconds() is `until` (0: to the end) or `stop` is set (may be NULL).  False if it is not
 * solved yet, has too many placings, or a table is missing or cannot be read.  One call reads the
 * clock every millisecond or so, but waits for the pages that it reads. */
bool exits_solve(struct exits *x, const struct tables *t, const struct board *b, double until,
                 const atomic_bool *stop);

/* The distance of b; 0 if the side to move does not win by a solved block. */
int exits_plies(const struct exits *x, const struct board *b);

/* Does a move of b leave its block? */
bool exits_leaves(const struct board *b, const struct move *m);

/* The distance by the move m of b, which wins.  If m leaves the block or ends the game, it is 1,
 * and the block need not have been solved. */
int exits_by(const struct exits *x, const struct board *b, const struct move *m);

void exits_clear(struct exits *x);

#endif
