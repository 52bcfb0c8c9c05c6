/* SPDX-License-Identifier: MIT
 *
 * tree.h -- the top of a proof in memory: positions, their successors, and what follows.
 *
 * Positions come from a store (store.h) or from the tables; what a position is worth
 * follows from its own record and, where its successors are part of the tree, from
 * theirs.  For each side there are two sets: where it wins (the least set that follows),
 * and where it does not win (the largest: play inside it may go round for ever).  Both
 * are computed over the whole graph, so no value rests on a path or on a repetition.
 *
 * Relative to a threshold a score counts as a result: at or above it a likely win, at or
 * below its negative a likely loss (Schaeffer et al. 2005, section 4.1).  Those live in
 * sets of their own and are never saved.
 *
 * (F1) TREE_WINS and TREE_HOLDS in `exact` are true if the records are.
 * (F2) a position is in the tree once; index 0 is the first one added.
 *
 * The tree owns its nodes.  One thread. */
#ifndef KELSO_PROOF_TREE_H
#define KELSO_PROOF_TREE_H

#include "proof/key_map.h"
#include "proof/store.h"

enum { TREE_NONE = UINT32_MAX };

/* Of a side: it wins here; it does not. */
enum { TREE_WINS = 1, TREE_HOLDS = 2 };

struct tree_node {
    struct board board;
    struct store_record record;
    bool has_record, by_table, busy;
    uint32_t first, count;       /* successors, in tree.child; only if record.expanded */
    uint8_t exact[2], likely[2]; /* TREE_ flags, by the side that would win */
    uint32_t rank[2];            /* wins: found after those that it rests on */
    uint32_t proof, disproof;    /* for the question at hand */
    struct solve_numbers seen;   /* by the search of a position before */
    uint32_t mark;
};

struct tree {
    struct store *store;         /* not owned; NULL: nothing is remembered */
    const struct tables *tables; /* not owned */
    struct key_map map;
    struct tree_node *node;
    size_t nodes, node_room;
    uint32_t *child;
    size_t children, child_room;
};

void tree_close(struct tree *t);

/* The number of b, added with all of its known successors if it is new. */
enum status tree_add(struct tree *t, const struct board *b, uint32_t *out, struct error *e);

/* Make the successors of a node part of the tree, here and in the store. */
enum status tree_expand(struct tree *t, uint32_t i, struct error *e);

/* Compute `exact` and `likely` of all nodes. */
void tree_evaluate(struct tree *t, int threshold);

/* The bounds that `exact` says. */
struct bounds tree_bounds(const struct tree_node *n);

/* Save bounds that have become narrower than the records' (they are marked as backed up). */
enum status tree_save(struct tree *t, struct error *e);

#endif
