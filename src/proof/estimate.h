/* SPDX-License-Identifier: MIT
 *
 * estimate.h -- how hard it looks to show that a side wins, or that it does not.
 *
 * The first proof and disproof numbers of a position that nobody has looked at.  They
 * only steer: no result depends on them.  Fewer pieces are nearer to the tables;
 * material says who is likely to get his way; kings on both sides make everything longer
 * (Schaeffer et al. 2005, section 4).
 *
 * Pure functions; any thread. */
#ifndef KELSO_PROOF_ESTIMATE_H
#define KELSO_PROOF_ESTIMATE_H

#include "core/board.h"

/* All in small integers; measured in docs/lab/proofs.md. */
struct estimate_knobs {
    int distance;  /* for each piece above the tables */
    int material;  /* for each man that a side is behind its wish (a king is 1.5 men) */
    int kings;     /* where both sides have kings */
    int hold_base; /* disproof numbers start from here, proof numbers from 1 */
};

struct estimate {
    uint32_t proof, disproof; /* at least 1 */
};

/* `above`: the number of pieces that must go before the tables answer. */
struct estimate estimate_numbers(const struct estimate_knobs *k, const struct board *b,
                                 enum side attacker, int above);

/* Material from the side of `us`, in hundredths of a man. */
int estimate_material(const struct board *b, enum side us);

#endif
