/* SPDX-License-Identifier: MIT
 *
 * quick_lanes.h -- values of many encoded blocks (quick_code.h) at once.
 *
 * Reading a run waits for the one before it, and no processor can predict when the run with the
 * requested value comes.  Lanes read one value each: a few runs of every lane in turn, so that the
 * waits overlap, and without a branch on whether a lane has finished.  Lanes that have not finished
 * move together to the front.
 *
 * A run takes the same steps in every lane: where the processor has AVX-512, vector instructions
 * read those of 16 lanes at once.
 *
 * (C1) quick_lanes_run gives each value that quick_block_value gives, with any instruction set.
 * (C2) For any bytes it terminates, and reads no more of them.
 *
 * A set of lanes belongs to one thread. */
#ifndef KELSO_DB_QUICK_LANES_H
#define KELSO_DB_QUICK_LANES_H

#include "db/quick_code.h"

enum { QUICK_LANES = 128 };

struct quick_lanes {
    uint32_t count;
    uint64_t bit[QUICK_LANES];                    /* the address of the next run, in bits */
    uint64_t lookup[QUICK_LANES];                 /* the address of the lookup table */
    uint32_t value[QUICK_LANES], at[QUICK_LANES]; /* as in struct quick_reader */
    uint32_t slot[QUICK_LANES];                   /* of the array that the value goes to */
};

static inline void quick_lanes_add(struct quick_lanes *l, const uint32_t *lookup,
                                   const uint8_t *bytes, uint32_t at, uint32_t slot)
{
    uint32_t i = l->count++;

    l->bit[i] = 8 * (uint64_t)(uintptr_t)bytes + 2;
    l->lookup[i] = (uint64_t)(uintptr_t)lookup;
    l->value[i] = bytes[0] % 4u % 3 << QUICK_BITS;
    l->at[i] = at;
    l->slot[i] = slot;
}

enum quick_isa { QUICK_PLAIN, QUICK_AVX512, QUICK_ISAS };

/* values[slot] = quick_block_value of each lane; then there are none. */
typedef void quick_lanes_runner(struct quick_lanes *l, uint8_t *values);

/* The function for an instruction set; NULL if the processor does not have it. */
quick_lanes_runner *quick_lanes_runner_of(enum quick_isa isa);

/* With the best of them. */
quick_lanes_runner quick_lanes_run;

/* In quick_lanes_avx512.c. */
quick_lanes_runner quick_lanes_run_avx512;

#endif
