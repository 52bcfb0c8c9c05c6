/* SPDX-License-Identifier: MIT
 *
 * minimal.h -- the part of a tree that a proof needs.
 *
 * From the root down: where one move is enough one is kept, where all are needed all are.
 * What the tables know ends a line, and so does what the solver proved.  It is minimal in
 * that nothing can be left out, not the smallest there is.
 *
 * (N1) items come in an order in which wins rest on earlier items only.
 *
 * The caller frees the items.  One thread. */
#ifndef KELSO_PROOF_MINIMAL_H
#define KELSO_PROOF_MINIMAL_H

#include "proof/tree.h"

struct minimal_item {
    uint32_t node;
    enum side attacker;
    bool wins;       /* the attacker does, or does not */
    bool leaf;       /* proven by the solver; otherwise by its successors */
    uint32_t answer; /* where one move is enough: the node that it leads to */
    int ply;         /* least number of plies from the root */
};

struct minimal {
    struct minimal_item *item;
    size_t items, room;
    size_t leaves, table_leaves;
    int longest; /* ply of the deepest item */
};

/* Of the root's bounds, as tree_evaluate left them.  Nothing if there are none. */
enum status minimal_make(struct tree *t, uint32_t root, struct minimal *out, struct error *e);
void minimal_free(struct minimal *m);

#endif
