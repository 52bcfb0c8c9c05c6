/* SPDX-License-Identifier: MIT
 *
 * brute.h -- solve all positions with few pieces the plain way.
 *
 * Every position, with either colour to move, is one entry: no blocks, no symmetry,
 * no kings apart from men.  Moves come from naive.h.  Pass n over all entries finds
 * the positions that are won or lost in n plies, until a pass finds nothing: what is
 * left is drawn.  It shares no code with the builders. */
#ifndef KELSO_TESTS_BRUTE_H
#define KELSO_TESTS_BRUTE_H

#include "core/board.h"
#include "db/value.h"

#include <stddef.h>

struct brute;

/* All positions of at most three pieces; of four if they have at most `men` men (-1:
 * none).  Both sides have pieces. */
struct brute *brute_solve(int men);

/* All that can arise from a position of at most eight pieces: NULL if that is more than
 * `limit` positions. */
struct brute *brute_solve_from(const struct board *root, size_t limit);
void brute_free(struct brute *b);

size_t brute_count(const struct brute *b);
struct board brute_board(const struct brute *b, size_t i);
struct outcome brute_dtw(const struct brute *b, size_t i);
struct outcome brute_dtc(const struct brute *b, size_t i);

#endif
