/* SPDX-License-Identifier: MIT
 *
 * kernel.h -- solve one block: all placements of the kings for given men.
 *
 * Men never move back, so a move that leaves a block leads to finished data; what
 * is left to iterate is the play of the kings inside the block, a table small
 * enough for the cache.  A kernel works on rows: the mover's kings are fixed, all
 * placements of the opponent's kings are 64 lanes at a time.  Steps:
 *
 *     1. leave.c  the best by leaving the block (captures, man moves, crownings)
 *     2. sweep.c  king moves inside the block, until nothing changes
 *     3. sweep.c  what is still open is a draw; store
 *     lone.c, men.c  the same where one side, or both, has no king: no iteration
 *
 * The same text is compiled for each kind of value and each instruction set:
 *
 *     wld    8-bit scores, two bits a value in memory
 *     dtw    8-bit scores (up to 253 plies), one byte a value
 *     dtw16  16-bit scores and values, for eight pieces
 *     dtc    16-bit scores and values; across conversions it reads wld
 *
 * (K1) both sides to move of a block are solved together, and a symmetric slice's
 *      blocks (X, Y) and (Y, X) as well.
 * (K2) all instruction sets give the same values.
 * (K3) a kernel writes its own block only; blocks of equal advancement may be
 *      solved at the same time by different workspaces.
 *
 * A workspace belongs to one thread at a time. */
#ifndef KELSO_DB_KERNEL_KERNEL_H
#define KELSO_DB_KERNEL_KERNEL_H

#include "db/raw.h"
#include "db/sets.h"

enum kernel_isa { ISA_PLAIN, ISA_AVX2, ISA_AVX512, ISAS };
enum kernel_type {
    KERNEL_TYPE_WLD,
    KERNEL_TYPE_DTC,
    KERNEL_TYPE_DTW,
    KERNEL_TYPE_DTW16,
    KERNEL_TYPES
};

struct space; /* a workspace */

struct block_job {
    struct raw *out[2];         /* the slice and its mirror; the same raw if symmetric; with
                                   captures_only out[1] may be NULL: that side is left out */
    uint32_t men, opp_men;      /* the block of out[0], as its mover sees it */
    const struct raw_set *same; /* tables of this kind */
    const struct raw_set *conv; /* tables to read across a conversion */
    bool captures_only;         /* only positions with a capture get their value */
};

struct kernel {
    /* A workspace for the blocks of one slice in `memory`, space_bytes of any content,
     * which stays the caller's; NULL when memory is short. */
    struct space *(*space_create)(const struct sets *sets, struct slice s, void *memory);
    void (*space_free)(struct space **space);
    /* Solve a block and its mirror.  False: a distance does not fit the score. */
    bool (*solve)(struct space *space, const struct block_job *job);
    /* Bit i of `mover`: in position first + i of l (the space's slice or its mirror)
     * the mover has a capture.  Room for n bits, rounded up to words, is the caller's. */
    void (*captures)(struct space *space, const struct layout *l, uint64_t first, uint32_t n,
                     uint64_t *mover);
    /* Bytes that the workspace of a slice takes. */
    uint64_t (*space_bytes)(const struct sets *sets, struct slice s);
};

/* Squares next to a square, by direction (two away from the mover's side first);
 * -1 off the board. */
extern const int8_t kernel_neighbour[32][4];

/* The best instruction set of this machine. */
enum kernel_isa kernel_isa_best(void);

/* NULL if this build or this machine does not have it. */
const struct kernel *kernel_get(enum kernel_type type, enum kernel_isa isa);

#endif
