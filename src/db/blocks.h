/* SPDX-License-Identifier: MIT
 *
 * blocks.h -- solve all blocks of a slice, in dependency order, with a crew.
 *
 * Blocks are ordered by the total advancement of the men, the most advanced first.  A man's
 * step leads to a block one level up, so the blocks of one level are independent of each other
 * and go to whichever thread is free.
 *
 * A team (team.h) divides the blocks of a level.  Before the next level starts, every rank
 * receives what the others solved.  A level with few values is not worth the messages: each
 * rank solves all of it.
 *
 * (D1) The result does not depend on the number of threads or ranks. */
#ifndef KELSO_DB_BLOCKS_H
#define KELSO_DB_BLOCKS_H

#include "base/crew.h"
#include "db/kernel/kernel.h"
#include "base/status.h"

/* Workspaces for the threads of a crew. */
struct workspaces {
    const struct kernel *kernel;
    struct frames *frames; /* source of the memory, or NULL; not owned */
    struct space *space[CREW_MAX];
    void *memory[CREW_MAX];
    size_t bytes[CREW_MAX]; /* of each */
    int count;              /* threads that have work to do */
    bool joint;             /* the slice has few blocks: the threads solve each together */
};

/* The number of threads a slice can keep busy, and the memory they need. */
int workspaces_wanted(struct slice s, int threads);
uint64_t workspaces_bytes(const struct kernel *k, const struct sets *sets, struct slice s,
                          int threads);

enum status workspaces_open(struct workspaces *w, const struct kernel *k, const struct sets *sets,
                            struct slice s, int threads, struct frames *frames, struct error *e);
void workspaces_close(struct workspaces *w);

/* Solve a slice, together with the crew's team if it has one.  The men of `job` are filled in
 * here.  `only`, if not NULL, is a bitmap of the blocks of job->out[0] to solve; a block is solved
 * together with its mirror, so in a symmetric slice either of the two bits will do.  `done`, if
 * not NULL, counts finished values (both sides to move). */
enum status blocks_solve(struct crew *crew, struct workspaces *workspaces, const struct sets *sets,
                         struct slice s, const struct block_job *job, const uint64_t *only,
                         _Atomic uint64_t *done, struct error *e);

/* Blocks by the rank of one side's men: first <= rank < end. */
struct block_range {
    uint32_t first, end;
    bool opponent; /* of the side that is not to move in job->out[0] */
};

/* Solve only the blocks of a range.  Those of higher ranks must have been solved. */
enum status blocks_solve_range(struct crew *crew, struct workspaces *workspaces,
                               const struct sets *sets, struct slice s, const struct block_job *job,
                               const struct block_range *range, _Atomic uint64_t *done,
                               struct error *e);

/* Solve the blocks of a list, which read nothing of each other; this process alone.  With `refill`
 * it does for these blocks what blocks_refill does for all. */
struct block_men {
    uint32_t men, opp_men; /* as the mover of job->out[0] sees them */
};

enum status blocks_solve_list(struct crew *crew, struct workspaces *workspaces,
                              const struct sets *sets, struct slice s, const struct block_job *job,
                              const struct block_men *list, size_t n, bool refill, struct error *e);

/* Compute the values of the positions with a capture in table job->out[0]; files leave these out,
 * so a table read back from a file lacks them.  All other values must be present.  s is the table's
 * slice, in either order; job->out[1] is the same table if s is symmetric, else NULL. */
enum status blocks_refill(struct crew *crew, struct workspaces *workspaces, const struct sets *sets,
                          struct slice s, const struct block_job *job, struct error *e);

/* The memory that this takes in addition to the workspaces. */
uint64_t blocks_refill_bytes(struct slice table, enum raw_form form, int threads);

#endif
