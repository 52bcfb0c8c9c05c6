/* SPDX-License-Identifier: MIT
 *
 * minimal.h -- the part of a tree that a proof needs.
 *
 * From the root down, one move is kept where one is enough, and all moves where all are
 * needed.  A line ends at a position in the tables or at one that the solver proved.  The
 * result is minimal in that nothing can be left out; it is not the smallest possible.
 *
 * (N1) Wins depend only on earlier items.
 *
 * The caller frees the items.  One thread. */
#ifndef KELSO_PROOF_MINIMAL_H
#define KELSO_PROOF_MINIMAL_H

#include "proof/tree.h"

struct minimal_item {
    uint32_t node;
    enum side attacker;
    bool wins;       /* the attacker wins, or does not */
    bool leaf;       /* proven by the solver; otherwise by its successors */
    uint32_t answer; /* if one move is enough: the node it leads to */
    int ply;         /* least number of plies from the root */
};

struct minimal {
    struct minimal_item *item;
    size_t items, room;
    size_t leaves, table_leaves;
    int longest; /* ply of the deepest item */
};

/* Find the part needed for the root's bounds, as computed by tree_evaluate; empty if there are
 * none. */
enum status minimal_make(struct tree *t, uint32_t root, struct minimal *out, struct error *e);
void minimal_free(struct minimal *m);

#endif
