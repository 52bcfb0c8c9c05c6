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
 * After a change tree_update computes the sets again where they can have changed: at the node
 * and along its ancestors.  A win only ever spreads upward.  A hold may close a cycle, so each
 * node that does not hold keeps the order in which it was struck out: it stays struck out as
 * long as it rests on nodes that went before it, and only the others are looked at again.
 *
 * (F1) TREE_WINS and TREE_HOLDS in `exact` are true if the records are.
 * (F2) a position is in the tree once; index 0 is the first one added.
 * (F3) tree_update leaves the sets as tree_evaluate would.
 * (F4) an edge leads forward if the level grows.  Forward edges alone form no cycle.
 *
 * The tree owns its nodes.  One thread. */
#ifndef KELSO_PROOF_TREE_H
#define KELSO_PROOF_TREE_H

#include "proof/position_map.h"
#include "proof/store.h"

enum { TREE_NONE = UINT32_MAX };

/* Of a side: it wins here; it does not. */
enum { TREE_WINS = 1, TREE_HOLDS = 2 };

struct tree_node {
    struct board board;
    struct store_record record;
    bool has_record, by_table, touched;
    uint64_t task;                  /* that a prover works on; 0: none */
    uint32_t first, count;          /* successors, in tree.child; only if record.expanded */
    uint32_t parents;               /* the first edge that leads here, or TREE_NONE */
    uint32_t level;                 /* plies from the first node, as it was added */
    uint8_t exact[2], likely[2];    /* TREE_ flags, by the side that would win */
    uint32_t rank[2];               /* wins: found after those that it rests on */
    uint64_t struck[2][2];          /* [exact][side]: no hold, found after those that it rests on */
    uint64_t proof[2], disproof[2]; /* by the side that would win (numbers.h) */
    struct solve_numbers seen;      /* by the search of a position before */
    uint32_t mark;                  /* for whoever walks over the tree */
};

/* Edges have the same numbers as their places in tree.child. */
struct tree_edge {
    uint32_t parent, next; /* next: another edge to the same child, or TREE_NONE */
};

/* A list of nodes that grows. */
struct tree_list {
    uint32_t *node;
    size_t count, room;
};

struct tree {
    struct store *store;         /* not owned; NULL: nothing is remembered */
    const struct tables *tables; /* not owned */
    struct position_map map;
    struct tree_node *node;
    size_t nodes, node_room;
    uint32_t *child;
    struct tree_edge *edge; /* beside child */
    size_t children, child_room, edge_room;

    int threshold;            /* of the last tree_evaluate */
    uint64_t order;           /* the last of `struck` */
    uint32_t wins;            /* the last of `rank` */
    struct tree_list touched; /* flags have changed; the caller empties it */
    struct tree_list work, suspects;
    uint64_t evaluations; /* of the whole tree, those that an update needed included */
};

void tree_close(struct tree *t);

/* The number of b, added with all of its known successors if it is new; `level` is for a new
 * one. */
enum status tree_add(struct tree *t, const struct board *b, uint32_t level, uint32_t *out,
                     struct error *e);

/* Make the successors of a node part of the tree, here and in the store. */
enum status tree_expand(struct tree *t, uint32_t i, struct error *e);

/* Compute `exact` and `likely` of all nodes; all are touched. */
enum status tree_evaluate(struct tree *t, int threshold, struct error *e);

/* The record of node i, a leaf, has changed, or i has been expanded, and nodes from `fresh` on
 * are new: compute `exact` and `likely` where that makes a difference.  Adds to `touched`. */
enum status tree_update(struct tree *t, uint32_t i, uint32_t fresh, struct error *e);

/* Nothing is touched any more. */
void tree_settled(struct tree *t);

/* The flags that a node has by itself, without its successors. */
unsigned tree_own_flags(const struct tree *t, const struct tree_node *n, enum side side,
                        bool exact);

/* The bounds that `exact` says. */
struct bounds tree_bounds(const struct tree_node *n);

/* Save bounds of touched nodes that have become narrower than the records' (they are marked as
 * backed up). */
enum status tree_save(struct tree *t, struct error *e);

#endif
