/* SPDX-License-Identifier: MIT
 *
 * tree.h -- the top of a proof in memory: positions, their successors, and the values that
 * follow.
 *
 * Positions come from a store (store.h) or from the tables; the value of a position follows
 * from its own record and, where its successors are part of the tree, from theirs.  For each
 * side there are two sets: where it wins (the least fixed point), and where it does not win
 * (the greatest: play inside it may cycle forever).  Both are computed over the whole graph, so
 * no value depends on a path or a repetition.
 *
 * Relative to a threshold a score counts as a result: at or above it a likely win, at or below
 * its negative a likely loss (Schaeffer et al. 2005, section 4.1).  These are kept in separate
 * sets and never saved.
 *
 * After a change tree_update recomputes the sets where they can have changed: at the node and
 * along its ancestors.  A win only spreads upward.  A hold may close a cycle, so each node that
 * does not hold records the order in which it was removed from the set.  It stays removed while
 * it depends on nodes removed earlier; only the others are examined again.
 *
 * (F1) TREE_WINS and TREE_HOLDS in `exact` are correct if the records are.
 * (F2) A position is in the tree once; index 0 is the first one added.
 * (F3) tree_update gives the same sets as tree_evaluate.
 * (F4) An edge is a forward edge if the level increases.  Forward edges form no cycle.
 *
 * The tree owns its nodes.  One thread. */
#ifndef KELSO_PROOF_TREE_H
#define KELSO_PROOF_TREE_H

#include "proof/position_map.h"
#include "proof/store.h"

enum { TREE_NONE = UINT32_MAX };

/* By side: it wins here; it does not. */
enum { TREE_WINS = 1, TREE_HOLDS = 2 };

/* In a large tree every node that is read comes from memory.  What numbers.c reads comes first, and
 * fits one line of the cache. */
struct tree_node {
    uint64_t proof[2], disproof[2]; /* by the side that would win (numbers.h) */
    uint32_t level;                 /* plies from the first node, when it was added */
    uint32_t mark;                  /* for traversals */
    uint32_t first, count;          /* its edges; only if record.expanded */
    uint32_t parents;               /* the first edge that leads here, or TREE_NONE */
    uint8_t exact[2], likely[2];    /* TREE_ flags, by the side that would win */
    uint8_t turn;                   /* that of the board */
    bool has_record, by_table, touched;

    uint64_t task; /* the task of a prover working on it; 0: none */
    struct board board;
    struct store_record record;
    uint32_t rank[2];          /* order of discovery: a win comes after the wins it depends
                                * on */
    uint64_t struck[2][2];     /* [exact][side]: order of removal from the holds, after
                                * those it depends on */
    struct solve_numbers seen; /* from the search of a parent */
};

/* The edges of a node are neighbours, and carry what their children count for it: its numbers
 * follow without a look at the children. */
struct tree_edge {
    uint32_t child, parent;
    uint32_t next;                  /* another edge to the same child, or TREE_NONE */
    uint64_t proof[2], disproof[2]; /* of the child, as numbers.h has it */
};

/* A list of nodes that grows. */
struct tree_list {
    uint32_t *node;
    size_t count, room;
};

struct tree {
    struct store *store;         /* not owned; NULL: nothing is saved */
    const struct tables *tables; /* not owned */
    struct position_map map;
    struct tree_node *node;
    size_t nodes, node_room;
    struct tree_edge *edge;
    size_t edges, edge_room;

    int threshold;            /* of the last tree_evaluate */
    uint64_t order;           /* the last of `struck` */
    uint32_t wins;            /* the last of `rank` */
    struct tree_list touched; /* nodes whose flags have changed; the caller empties it */
    struct tree_list work, suspects;
    uint64_t evaluations; /* full evaluations, including those forced by an update */
};

void tree_close(struct tree *t);

/* The index of b.  A new position is added at `level`, with all of its known successors. */
enum status tree_add(struct tree *t, const struct board *b, uint32_t level, uint32_t *out,
                     struct error *e);

/* Add the successors of a node to the tree, here and in the store. */
enum status tree_expand(struct tree *t, uint32_t i, struct error *e);

/* Compute `exact` and `likely` of all nodes; all are touched. */
enum status tree_evaluate(struct tree *t, int threshold, struct error *e);

/* The record of node i, a leaf, has changed, or i has been expanded, and nodes from `fresh` on
 * are new: recompute `exact` and `likely` where they change.  Adds to `touched`. */
enum status tree_update(struct tree *t, uint32_t i, uint32_t fresh, struct error *e);

/* Empty the list of touched nodes. */
void tree_settled(struct tree *t);

/* The flags that a node has by itself, without its successors. */
unsigned tree_own_flags(const struct tree *t, const struct tree_node *n, enum side side,
                        bool exact);

/* The bounds given by `exact`. */
struct bounds tree_bounds(const struct tree_node *n);

/* Save the bounds of touched nodes that have become narrower than their records (marked as
 * backed up). */
enum status tree_save(struct tree *t, struct error *e);

#endif
