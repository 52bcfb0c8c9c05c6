/* SPDX-License-Identifier: MIT
 *
 * men_order.h -- the placements of one side's men, by advancement.
 *
 * A level of blocks is all pairs of placements, one a side, with the same total advancement.
 *
 * (Q1) Each placement occurs once, in its level.
 *
 * The caller frees it; constant in between. */
#ifndef KELSO_DB_MEN_ORDER_H
#define KELSO_DB_MEN_ORDER_H

#include "db/sets.h"
#include "db/slice.h"

enum { LEVELS_MAX = 6 * PIECES_MAX + 1 };

/* The memory that it takes, by placement. */
enum { MEN_ORDER_BYTES = 9 };

struct men_order {
    uint32_t count;
    uint8_t *advance;               /* by rank */
    uint32_t *rank;                 /* sorted by advancement, ... */
    uint32_t *flipped;              /* ... and these men as the opponent has them */
    uint32_t first[LEVELS_MAX + 1]; /* where each advancement begins in `rank` */
};

int men_order_create(struct men_order *o, const struct sets *sets, int men); /* 0, or -1 */
void men_order_free(struct men_order *o);

#endif
