/* SPDX-License-Identifier: MIT
 *
 * numbers.h -- proof and disproof numbers over the tree: where to search next.
 *
 * For each side they estimate the work left to show that it wins, and that it does not.  A leaf
 * has the numbers from a search of its parent, or an initial estimate.  At an inner node the
 * number for the side that chooses is the minimum over the moves, and for the other side the
 * sum.  Positions settled by the sets of the tree count 0 or NUMBER_MAX.
 *
 * Numbers propagate along forward edges (tree.h, F4).  An open position at the end of a back
 * edge, and one that a prover is working on, count NUMBER_ELSEWHERE: there is nothing to do
 * about them here.
 *
 * A change only makes a note of the nodes to compute again.  They are computed, the deepest first,
 * before the next choice: many changes have most of their ancestors in common.
 *
 * (N1) After numbers_settle the numbers are those of numbers_reset.
 * (N2) Numbers only guide the search: no value depends on them.
 * (N3) An open position has no number that is 0, a settled one has one.
 *
 * The caller owns the struct and the tree.  One thread. */
#ifndef KELSO_PROOF_NUMBERS_H
#define KELSO_PROOF_NUMBERS_H

#include "proof/tree.h"

#define NUMBER_ELSEWHERE (UINT64_C(1) << 24)
#define NUMBER_MAX (UINT64_C(1) << 44) /* a million NUMBER_ELSEWHERE fit below it */

struct numbers {
    struct tree *tree;       /* not owned */
    struct tree_list *level; /* nodes to compute, by level */
    size_t levels, waiting;  /* waiting: nodes in all of them */
    struct tree_list path;   /* of numbers_choose */
    uint32_t mark;           /* marks nodes that are waiting or were tried */
    uint64_t visits;         /* nodes that were computed, or tried by numbers_choose */
};

void numbers_close(struct numbers *x);

/* Compute all numbers. */
enum status numbers_reset(struct numbers *x, struct error *e);

/* Node i has changed, nodes from `fresh` on are new, and the flags of the tree's touched nodes have
 * changed. */
enum status numbers_update(struct numbers *x, uint32_t i, uint32_t fresh, struct error *e);

/* Compute what has changed since. */
enum status numbers_settle(struct numbers *x, struct error *e);

/* Follow the numbers of the question "does `attacker` win?" from `root` down to a leaf that no
 * prover is working on.  *leaf is TREE_NONE if there is none. */
enum status numbers_choose(struct numbers *x, uint32_t root, enum side attacker, uint32_t *leaf,
                           struct error *e);

#endif
