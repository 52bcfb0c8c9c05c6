/* SPDX-License-Identifier: MIT
 *
 * outline.h -- the shape of a proof: which positions it has, and how much lies below each.
 *
 * Positions are reached from a root by legal moves, breadth first.  Each is part of the outline
 * once, below the position from which it was first reached, so the sizes below the moves of a
 * position add up.  The caller provides a callback that knows the positions of a certificate or a
 * store.
 *
 * (O1) Node 0 is the root; a node comes after its parent, and the children of one parent are
 *      adjacent.
 * (O2) size = 1 + the sizes of the children.  `open` is computed in the same way, but the 1 is
 *      added only if the node itself is open.
 * (O3) There are at most OUTLINE_MAX nodes; `whole` says whether that was enough.
 *
 * The outline owns its nodes.  One thread. */
#ifndef KELSO_PROOF_OUTLINE_H
#define KELSO_PROOF_OUTLINE_H

#include "base/status.h"
#include "proof/bounds.h"

#include <stdatomic.h>

enum { OUTLINE_MAX = 20000 };

/* What the callback returns about a position. */
struct outline_fact {
    struct bounds bounds;
    bool expanded; /* its successors are part of the proof */
    bool open;     /* work is left at this position itself */
    uint32_t searches;
    uint64_t nodes;
};

struct outline_node {
    struct board board;
    struct outline_fact fact;
    uint32_t parent;          /* of the root: 0 */
    int move;                 /* number in the parent's list of moves_generate; of the root: -1 */
    int level;                /* plies from the root */
    uint32_t first, children; /* children > 0: they begin at `first` */
    uint32_t size, open;      /* here and below */
};

struct outline {
    struct outline_node *node;
    uint32_t count;
    bool whole;
};

/* False if the position is not part of the proof. */
typedef bool outline_ask(void *context, const struct board *b, struct outline_fact *fact);

/* STATUS_MISSING if the root is not part of it; STATUS_INTERRUPTED when `stop` (may be NULL) is
 * set. */
enum status outline_make(struct outline *o, const struct board *root, outline_ask *ask,
                         void *context, const atomic_bool *stop, struct error *e);
void outline_free(struct outline *o);

/* The least size such that at most `most` nodes are of that size or larger.  These nodes form a
 * connected tree. */
uint32_t outline_least_size(const struct outline *o, uint32_t most);

#endif
