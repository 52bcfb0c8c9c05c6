/* SPDX-License-Identifier: MIT
 *
 * unmove.h -- the positions from which a position can be reached in one move.
 *
 * For a position with side S to move, list every (position, move) pair with the other side to move
 * where the move is legal and leads here.  Captured pieces that return to the board may be men or
 * kings, as the rules allow.
 *
 * (U1) Every pair given is legal: the move is in moves_generate(position) and board_after(position,
 *      move) is the given position.
 * (U2) Every such pair is given exactly once.
 *
 * A captured piece may come back only while its side has fewer than twelve, so
 * the predecessors are board_valid().  Pure; any thread. */
#ifndef KELSO_CORE_UNMOVE_H
#define KELSO_CORE_UNMOVE_H

#include "core/move.h"

/* Called once for each pair; returning false ends the listing. */
typedef bool unmove_visit(void *context, const struct board *before, const struct move *move);

/* Which moves to take back. */
enum unmove_kind { UNMOVE_QUIET = 1, UNMOVE_CAPTURES = 2, UNMOVE_ALL = 3 };

/* Returns the number of pairs visited. */
int unmoves_visit(const struct board *after, enum unmove_kind kind, unmove_visit *visit,
                  void *context);

#endif
