/* SPDX-License-Identifier: MIT
 *
 * ondemand.h -- the exact answer to one ending, without any tables.
 *
 * Men only move forward, so only a few placements of men can arise from a given position.  Each
 * placement is a block; the reachable blocks are solved in memory, in the order of a build.  A
 * seven-piece ending with two men needs a few hundred of the many thousand blocks of its slice.
 *
 * After a move the opponent is to move.  So of the two tables of a slice, one for each side to
 * move, often only one is ever read.  The other is not kept; its positions are looked up by their
 * moves.
 *
 * (E1) Every position that play can reach from the given one can be looked up.
 * (E2) The set of blocks may be slightly larger than the set that play can reach (it is found
 *      without looking at the kings), never smaller.
 *
 * The caller owns the handle.  After ondemand_solve any thread may look up outcomes. */
#ifndef KELSO_DB_ONDEMAND_H
#define KELSO_DB_ONDEMAND_H

#include "db/kernel/kernel.h"
#include "base/status.h"

#include <stdatomic.h>

struct ondemand;

enum { ONDEMAND_PIECES_MAX = 8 };

/* Find the blocks.  With `conversions`, distances to conversion are solved as well.  There may
 * be billions of blocks: ondemand_plan limits them. */
enum status ondemand_open(struct ondemand **o, const struct board *b, bool conversions,
                          struct error *e);
void ondemand_close(struct ondemand **o);

/* The work ahead: values (both sides to move), and bytes of memory for a number of threads.
 *
 * (E4) Solving and looking up takes no more than ondemand_bytes plus a small fixed amount for the
 *      threads. */
uint64_t ondemand_values(const struct ondemand *o);
uint64_t ondemand_bytes(const struct ondemand *o, int threads);
uint64_t ondemand_work(const struct ondemand *o);

/* The number of threads, at most `threads` and at least 1, that can work within `memory`. */
int ondemand_threads(const struct ondemand *o, int threads, uint64_t memory);

/* Hold distances to the win in nine bits even if a byte is enough.  Call it before solving; for
 * tests. */
void ondemand_use_nine(struct ondemand *o);

/* Solve within `memory` bytes, with fewer threads if necessary; STATUS_NO_MEMORY, before any work,
 * if even one does not fit.  `done`, if not NULL, counts up to ondemand_work; `stop`, if not NULL,
 * ends the work early. */
enum status ondemand_solve(struct ondemand *o, int threads, uint64_t memory,
                           const atomic_bool *stop, _Atomic uint64_t *done, struct error *e);

/* Look up an outcome; STATUS_MISSING for a position that play cannot reach. */
enum status ondemand_outcome(const struct ondemand *o, const struct board *b, enum kind kind,
                             struct outcome *out, struct error *e);

/* ondemand_open for the kinds in `want` (answer.h): distances to conversion are left out if
 * other kinds are wanted too and all of them would not fit into `memory`.
 *
 * (E3) It returns STATUS_NO_MEMORY as soon as the values alone are known to exceed `memory`,
 *      and STATUS_INTERRUPTED soon after `stop` (may be NULL) is set.  It never uses more than
 *      `memory` itself. */
enum status ondemand_plan(struct ondemand **o, const struct board *b, unsigned want,
                          uint64_t memory, const atomic_bool *stop, struct error *e);

#endif
