/* SPDX-License-Identifier: MIT
 *
 * curve.h -- the history of the proofs in a store: what was proven, likely and open after how many
 * searches.
 *
 * The manager adds points to the curve while it runs: at the end of each threshold and of each run,
 * and whenever the number of searches has grown by a twentieth.  The store keeps them as its text
 * "curve", a line for each point, so the curve survives restarts and is where its store is.
 *
 * (C1) A point says what store_stats_leaves counts in the store at that moment.
 * (C2) Searches increase from each point to the next.
 * (C3) Between the ends of thresholds and runs, counting takes at most a hundredth of the time.
 *
 * The caller owns store and tables.  One thread. */
#ifndef KELSO_PROOF_CURVE_H
#define KELSO_PROOF_CURVE_H

#include "proof/store_stats.h"

struct curve_point {
    uint64_t searches;
    double seconds; /* of search */
    int threshold;
    uint64_t positions, proven, bounded; /* as in store_stats */
    uint64_t likely, open, unsearched;   /* leaves without a value */
    bool finished;                       /* all roots are proven */
};

/* A curve that is being continued. */
struct curve {
    struct store *store;
    const struct tables *tables;
    uint64_t searches; /* at the last point */
    uint64_t known;    /* of this run, searches at the last point */
    double rest;       /* no point because of growth before this time */
};

/* Continue the curve of a store that is open for writing. */
enum status curve_begin(struct curve *c, struct store *store, const struct tables *tables,
                        struct error *e);

/* After `run` searches of this run: add a point if they have grown enough. */
enum status curve_grow(struct curve *c, uint64_t run, struct error *e);

/* Add a point if there was a search since the last one. */
enum status curve_mark(struct curve *c, uint64_t run, struct error *e);

/* All points, oldest first.  STATUS_OK if there are none; STATUS_DAMAGED if a line is not a
 * point. */
typedef void curve_visit(void *context, const struct curve_point *p);
enum status curve_each(struct store *s, curve_visit *visit, void *context, struct error *e);

#endif
