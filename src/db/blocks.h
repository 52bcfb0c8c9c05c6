/* SPDX-License-Identifier: MIT
 *
 * blocks.h -- solve all blocks of a slice, in an order that works, with a crew.
 *
 * Blocks go by total advancement of the men, the furthest first: a man's step leads
 * to a block one level up, so the blocks of one level do not depend on each other
 * and go to whichever thread is free.
 *
 * (D1) the result does not depend on the number of threads. */
#ifndef KELSO_DB_BLOCKS_H
#define KELSO_DB_BLOCKS_H

#include "base/crew.h"
#include "db/kernel/kernel.h"
#include "base/status.h"

/* Workspaces for the threads of a crew. */
struct workspaces {
    const struct kernel *kernel;
    struct frames *frames; /* where the memory comes from; may be NULL; not owned */
    struct space *space[CREW_MAX];
    void *memory[CREW_MAX];
    size_t bytes; /* of each */
    int count;    /* as many as have something to do */
};

/* How many threads a slice can occupy, and the memory they need. */
int workspaces_wanted(struct slice s, int threads);
uint64_t workspaces_bytes(const struct kernel *k, const struct sets *sets, struct slice s,
                          int threads);

enum status workspaces_open(struct workspaces *w, const struct kernel *k, const struct sets *sets,
                            struct slice s, int threads, struct frames *frames, struct error *e);
void workspaces_close(struct workspaces *w);

/* Solve: `job` without its men, which this fills in.  `only`, if any, is a bitmap of
 * the blocks of job->out[0] to solve (a block goes with its mirror, so in a symmetric
 * slice either of the two bits will do).  `done`, if any, counts the values (both
 * sides to move) as they are finished. */
enum status blocks_solve(struct crew *crew, struct workspaces *workspaces, const struct sets *sets,
                         struct slice s, const struct block_job *job, const uint64_t *only,
                         _Atomic uint64_t *done, struct error *e);

/* Blocks by the rank of one side's men: first <= rank < end. */
struct block_range {
    uint32_t first, end;
    bool opponent; /* the men of the side that is not to move in job->out[0] */
};

/* Only the blocks of a range; those of higher ranks are solved. */
enum status blocks_solve_range(struct crew *crew, struct workspaces *workspaces,
                               const struct sets *sets, struct slice s, const struct block_job *job,
                               const struct block_range *range, _Atomic uint64_t *done,
                               struct error *e);

/* Give the positions with a capture of the table job->out[0] their value; all others hold
 * one already.  For tables read back from files, which leave those out.  s is the table's
 * slice, in either order; job->out[1] is the same table if s is symmetric, else NULL. */
enum status blocks_refill(struct crew *crew, struct workspaces *workspaces, const struct sets *sets,
                          struct slice s, const struct block_job *job, struct error *e);

#endif
