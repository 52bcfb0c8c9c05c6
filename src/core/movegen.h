/* SPDX-License-Identifier: MIT
 *
 * movegen.h -- the legal moves of a position.
 *
 * Captures are compulsory and any may be chosen; a multiple jump is completed;
 * a man that reaches its last row is crowned and its move ends; the start square
 * counts as empty during a capture; no piece is jumped twice.
 *
 * (G1) moves_generate lists each legal move (each path) exactly once.
 * (G2) moves_count(b) == moves_generate(b, list), without making the list.
 * (G3) Either all listed moves are captures or none is.
 *
 * Input must be board_valid().  Pure functions; any thread. */
#ifndef KELSO_CORE_MOVEGEN_H
#define KELSO_CORE_MOVEGEN_H

#include "core/move.h"

/* Fill `list` and return the number of legal moves; 0 means the mover has lost. */
int moves_generate(const struct board *b, struct move_list *list);

/* The number of legal moves. */
int moves_count(const struct board *b);

/* The pieces of `us` that could capture if `us` were to move. */
squares board_jumpers(const struct board *b, enum side us);

/* Has the side to move a capture? */
static inline bool board_must_capture(const struct board *b)
{
    return board_jumpers(b, b->turn) != 0;
}

#endif
