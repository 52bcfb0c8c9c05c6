/* SPDX-License-Identifier: MIT
 *
 * kernel.h -- solve one block: all placements of the kings for given men.
 *
 * Men never move back, so a move that leaves a block leads to finished data.  What remains to
 * iterate is the play of the kings inside the block, a table small enough for the cache.  A kernel
 * works on rows: the mover's kings are fixed, and all placements of the opponent's kings are
 * processed 64 lanes at a time.  Steps:
 *
 *     1. leave.c  the best score by leaving the block (captures, man moves, crownings)
 *     2. sweep.c  king moves inside the block, until nothing changes
 *     3. sweep.c  what is still open is a draw; store
 *     lone.c, men.c  the same where one side or both have no king: no iteration
 *
 * The same source is compiled for each kind of value and each instruction set:
 *
 *     wld    8-bit scores, two bits per value in memory
 *     dtw    8-bit scores (up to 253 plies), one byte per value
 *     dtw9   16-bit scores (up to 509 plies), nine bits per value: for eight pieces
 *     dtc    16-bit scores and values; across conversions it reads wld
 *
 * (K1) Both sides to move of a block are solved together, and so are blocks (X, Y) and (Y, X)
 *      of a symmetric slice.
 * (K2) All instruction sets give the same values.
 * (K3) A kernel writes only its own block; blocks of equal advancement may be solved at the
 *      same time in different workspaces.
 * (K4) A kernel looks at the stop flag often enough for the largest block (4K-4K) to end within a
 *      fraction of a second of it.
 *
 * A workspace belongs to one thread at a time, or is the first of several that threads
 * use together on one block. */
#ifndef KELSO_DB_KERNEL_KERNEL_H
#define KELSO_DB_KERNEL_KERNEL_H

#include "base/crew.h"
#include "db/raw.h"
#include "db/sets.h"

#include <stdatomic.h>

enum kernel_isa { ISA_PLAIN, ISA_AVX2, ISA_AVX512, ISAS };
enum kernel_type {
    KERNEL_TYPE_WLD,
    KERNEL_TYPE_DTC,
    KERNEL_TYPE_DTW,
    KERNEL_TYPE_DTW9,
    KERNEL_TYPES
};

struct space; /* a workspace */

struct block_job {
    struct raw *out[2];         /* the slice and its mirror; the same raw if symmetric; with
                                   captures_only out[1] may be NULL: that side is left out;
                                   if it has no memory, its values are solved but not kept */
    uint32_t men, opp_men;      /* the block of out[0], as its mover sees it */
    const struct raw_set *same; /* tables of this kind */
    const struct raw_set *conv; /* tables to read across a conversion */
    bool captures_only;         /* only positions with a capture get their value */
    const atomic_bool *stop;    /* once set, solve returns early: the block and its workspace
                                   are then unfinished; may be NULL */
};

struct kernel {
    /* Create a workspace for the blocks of one slice in `memory`, which has space_bytes of any
     * content and still belongs to the caller.  NULL when memory is short.  A member's workspace
     * has only what a further thread needs in solve_joint. */
    struct space *(*space_create)(const struct sets *sets, struct slice s, bool member,
                                  void *memory);
    void (*space_free)(struct space **space);
    /* Solve a block and its mirror.  False if a distance does not fit the score. */
    bool (*solve)(struct space *space, const struct block_job *job);
    /* The same by all threads of a crew: each calls it in one job, and both sides must have kings.
     * space[0] is a whole workspace, the others are members'.  A crew that is stopped leaves the
     * block unfinished. */
    bool (*solve_joint)(struct space *const *space, int id, struct crew *crew,
                        const struct block_job *job);
    /* Bit i of `mover`: in position first + i of l (the space's slice or its mirror) the mover has
     * a capture.  The caller provides room for n bits, rounded up to words. */
    void (*captures)(struct space *space, const struct layout *l, uint64_t first, uint32_t n,
                     uint64_t *mover);
    /* Bytes that the workspace of a slice takes. */
    uint64_t (*space_bytes)(const struct sets *sets, struct slice s, bool member);
};

/* Squares next to a square, by direction (two away from the mover's side first);
 * -1 off the board. */
extern const int8_t kernel_neighbour[32][4];

/* The best instruction set that this machine supports. */
enum kernel_isa kernel_isa_best(void);

/* NULL if this build or this machine does not have it. */
const struct kernel *kernel_get(enum kernel_type type, enum kernel_isa isa);

#endif
