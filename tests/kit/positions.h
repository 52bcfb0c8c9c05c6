/* SPDX-License-Identifier: MIT
 *
 * positions.h -- positions to test with: random ones, and all with few pieces. */
#ifndef KELSO_TESTS_POSITIONS_H
#define KELSO_TESTS_POSITIONS_H

#include "core/board.h"
#include "kit/test.h"

/* Any board_valid() position, from nearly empty to 12 against 12. */
struct board random_position(struct rng *r);

/* So many pieces, both sides there; of those that may be men one in `men` is. */
struct board random_pieces(struct rng *r, int pieces, int men);

/* Visit every board_valid() position with exactly `pieces` pieces, of either colour
 * and kind, either side to move. */
void each_position(int pieces, void (*visit)(void *context, const struct board *b), void *context);

#endif
