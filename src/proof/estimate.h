/* SPDX-License-Identifier: MIT
 *
 * estimate.h -- estimate how hard it is to show that a side wins, or does not.
 *
 * These are the initial proof and disproof numbers of a position that has not been searched.  They
 * only guide the search: no result depends on them.  Fewer pieces are nearer to the tables;
 * material tells which side is likely to succeed; kings on both sides make proofs longer (Schaeffer
 * et al. 2005, section 4).
 *
 * Pure functions; safe on any thread. */
#ifndef KELSO_PROOF_ESTIMATE_H
#define KELSO_PROOF_ESTIMATE_H

#include "core/board.h"

/* All are small integers; docs/lab/proofs.md has the measurements. */
struct estimate_knobs {
    int distance;  /* for each piece above the tables */
    int material;  /* for each man that a side lacks for its goal (a king is 1.5 men) */
    int kings;     /* if both sides have kings */
    int hold_base; /* disproof numbers start from here, proof numbers from 1 */
};

struct estimate {
    uint32_t proof, disproof; /* at least 1 */
};

/* `above`: the number of pieces to capture before the tables have the answer. */
struct estimate estimate_numbers(const struct estimate_knobs *k, const struct board *b,
                                 enum side attacker, int above);

/* Material balance of `us`, in hundredths of a man. */
int estimate_material(const struct board *b, enum side us);

#endif
