/* SPDX-License-Identifier: MIT
 *
 * reads.h -- the blocks that a kernel reads when it solves a block.
 *
 * A rank that does not hold all tables must fetch what a block reads before it solves it.  The
 * men of a block are known, its kings are not: a king may stand on any square without a man, and
 * what it captures there is asked for.  So the list covers all placements of the kings, and may
 * hold blocks that none of them leads to.
 *
 * (A1) Every block that a move leads to from any position of the block is in the list.
 *
 * Pure: safe on any thread. */
#ifndef KELSO_DB_READS_H
#define KELSO_DB_READS_H

#include "db/slice.h"

/* A block of `table`, whose mover is the opponent; both sets as the mover of the solved block sees
 * them.  `same`: a step of a man within the slice; otherwise a conversion. */
struct read {
    struct slice table;
    uint32_t men, opp_men; /* of the mover of the solved block, and of its opponent */
    bool same;
};

typedef void reads_taker(void *context, const struct read *r);

/* Call `take` for each block that block (men, opp_men) of s reads, its first side to move; some
 * come more than once.  `captures`: only what captures read. */
void reads_each(struct slice s, uint32_t men, uint32_t opp_men, bool captures, reads_taker *take,
                void *context);

/* The number of the block in its table. */
static inline uint64_t read_block(const struct layout *table, const struct read *r)
{
    return layout_block(table, packed_flip(r->opp_men), packed_flip(r->men));
}

#endif
