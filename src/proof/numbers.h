/* SPDX-License-Identifier: MIT
 *
 * numbers.h -- where to search next: proof and disproof numbers over the tree of a proof.
 *
 * For each side, how much is left to do to show that it wins, and that it does not.  A leaf has
 * the numbers that a search above it left, or a first guess; above the leaves a side that chooses
 * needs the least of its moves and the other side the sum.  What the sets of the tree settle
 * counts 0 or NUMBER_MAX.
 *
 * Numbers run along forward edges (tree.h, F4).  An open position that an edge leads back to, and
 * one that a prover is at work on, count NUMBER_ELSEWHERE: there is nothing to do about them here.
 *
 * (N1) numbers_update leaves the numbers as numbers_reset would.
 * (N2) numbers only steer: no value rests on them.
 *
 * The caller owns everything.  One thread. */
#ifndef KELSO_PROOF_NUMBERS_H
#define KELSO_PROOF_NUMBERS_H

#include "proof/tree.h"

#define NUMBER_ELSEWHERE (UINT64_C(1) << 24)
#define NUMBER_MAX (UINT64_C(1) << 44) /* a million at work elsewhere fit below it */

struct numbers {
    struct tree *tree;     /* not owned */
    struct tree_list heap; /* nodes to compute again, the deepest first */
    struct tree_list path; /* of numbers_choose */
    uint32_t mark;         /* what is in the heap, or was tried */
};

void numbers_close(struct numbers *x);

/* Compute all. */
enum status numbers_reset(struct numbers *x, struct error *e);

/* Node i has changed, nodes from `fresh` on are new, and the tree's touched nodes have other
 * flags: compute these and what lies above them. */
enum status numbers_update(struct numbers *x, uint32_t i, uint32_t fresh, struct error *e);

/* Follow the numbers for "does attacker win?" down from `root` to a leaf that nobody is at work
 * on.  TREE_NONE in *leaf if there is none. */
enum status numbers_choose(struct numbers *x, uint32_t root, enum side attacker, uint32_t *leaf,
                           struct error *e);

#endif
