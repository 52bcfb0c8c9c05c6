/* SPDX-License-Identifier: MIT
 *
 * store_stats.h -- how far the proofs in a store have come, in numbers.
 *
 * One pass over the records counts them; a second counts successors that belong to the tree
 * but have no record yet.
 *
 * A manager may be writing to the store meanwhile.  One thread. */
#ifndef KELSO_PROOF_STORE_STATS_H
#define KELSO_PROOF_STORE_STATS_H

#include "proof/store.h"

struct store_stats {
    int threshold;     /* that the manager is at */
    uint64_t records;  /* positions */
    uint64_t proven;   /* of which the value is known, */
    uint64_t bounded;  /* or one bound */
    uint64_t expanded; /* whose successors are part of the tree */

    /* leaves that are not proven */
    uint64_t likely;     /* settled by their score at the threshold */
    uint64_t open;       /* not settled */
    uint64_t unsearched; /* without a record */

    uint64_t searches, nodes;
    double seconds; /* of search */
};

/* `tables` may be NULL; what the tables know counts as proven and is no leaf. */
enum status store_stats_read(struct store *s, const struct tables *tables, struct store_stats *out,
                             struct error *e);

/* Seconds of search that may be left, if each leaf that is not proven takes what a proven
 * position took on average; -1 as long as nothing is proven. */
double store_stats_left(const struct store_stats *s);

#endif
