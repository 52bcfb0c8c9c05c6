/* SPDX-License-Identifier: MIT
 *
 * store_stats.h -- the progress of the proofs in a store, in numbers.
 *
 * One pass over the records counts them; a second counts successors that belong to the tree
 * but have no record yet, a third all successors.
 *
 * (B1) `records` equals store_count, which `kelso prove` reports as `positions`.  If the store has
 *      one root and that is proven, `tree` is the size of its tree (tree.h).
 * (B2) proven + bounded <= records.
 *
 * A manager may be writing to the store meanwhile.  The caller owns all arguments.  One
 * thread. */
#ifndef KELSO_PROOF_STORE_STATS_H
#define KELSO_PROOF_STORE_STATS_H

#include "proof/store.h"

struct store_stats {
    bool finished;     /* all roots are proven */
    int threshold;     /* the manager's current threshold */
    uint64_t records;  /* positions */
    uint64_t proven;   /* with a known value, */
    uint64_t bounded;  /* or one known bound */
    uint64_t expanded; /* with their successors in the tree */

    /* unproven leaves */
    uint64_t likely;     /* settled by their score at the threshold */
    uint64_t open;       /* not settled */
    uint64_t unsearched; /* without a record */

    uint64_t tree; /* positions, and all successors of those that are expanded */

    /* claims: answers to questions about leaves */
    uint64_t kept, kept_claims, kept_bytes; /* packed: questions, claims, bytes */
    uint64_t large, lost;                   /* not kept: too large, lost by the search */

    uint64_t searches, nodes;
    double seconds; /* of search */
};

/* `tables` and `stop` may be NULL.  A position in the tables counts as proven and is not a leaf. */
enum status store_stats_read(struct store *s, const struct tables *tables, const atomic_bool *stop,
                             struct store_stats *out, struct error *e);

/* The same without `tree` and claims, which stay 0: reads the records twice, and no claims. */
enum status store_stats_leaves(struct store *s, const struct tables *tables,
                               const atomic_bool *stop, struct store_stats *out, struct error *e);

/* The seconds of search that may be left, if each unproven leaf takes as long as a proven
 * position took on average; 0 if it is finished, -1 while nothing is proven. */
double store_stats_left(const struct store_stats *s);

#endif
