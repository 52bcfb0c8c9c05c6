/* SPDX-License-Identifier: MIT
 *
 * ondemand.h -- the exact answer to one ending, without any tables.
 *
 * Men only go forward, so from a given position only few placements of men can ever
 * arise; each is a block, and the blocks that can be reached are solved in memory,
 * in the order of a build.  A seven-piece ending with two men needs a few hundred
 * blocks of a slice that has many thousands.
 *
 * (E1) every position that play can reach from the given one is answered.
 * (E2) the set of blocks may be a little larger than what play reaches (it is found
 *      without looking at the kings), never smaller.
 *
 * The handle is owned by the caller; after ondemand_solve any thread may ask. */
#ifndef KELSO_DB_ONDEMAND_H
#define KELSO_DB_ONDEMAND_H

#include "db/kernel/kernel.h"
#include "base/status.h"

#include <stdatomic.h>

struct ondemand;

/* Find the blocks.  With `conversions` distances to conversion are solved as well.  There may
 * be billions of them: ondemand_plan has bounds. */
enum status ondemand_open(struct ondemand **o, const struct board *b, bool conversions,
                          struct error *e);
void ondemand_close(struct ondemand **o);

/* What it will take: values (both sides to move), and bytes with that many threads. */
uint64_t ondemand_values(const struct ondemand *o);
uint64_t ondemand_bytes(const struct ondemand *o, int threads);
uint64_t ondemand_work(const struct ondemand *o);

/* Solve within `memory` bytes.  `done`, if any, counts up to ondemand_work; `stop`, if
 * any, ends it early. */
enum status ondemand_solve(struct ondemand *o, int threads, uint64_t memory,
                           const atomic_bool *stop, _Atomic uint64_t *done, struct error *e);

/* The answer; STATUS_MISSING for a position that play does not reach. */
enum status ondemand_outcome(const struct ondemand *o, const struct board *b, enum kind kind,
                             struct outcome *out, struct error *e);

/* ondemand_open for the kinds in `want` (answer.h): distances to conversion are left out where
 * others are wanted too and all of them would not fit `memory`.
 *
 * (E3) it ends with STATUS_NO_MEMORY as soon as it is clear that the values alone take more
 *      than `memory`, and with STATUS_INTERRUPTED within a moment of `stop`, which may be
 *      NULL; until then it takes no more than `memory` itself. */
enum status ondemand_plan(struct ondemand **o, const struct board *b, unsigned want, int threads,
                          uint64_t memory, const atomic_bool *stop, struct error *e);

#endif
