/* SPDX-License-Identifier: MIT
 *
 * bounds.h -- what is known of a value: it lies between a lower and an upper bound.
 *
 * (B1) lower <= upper; bounds_join reports where that would break.
 * (B2) the words for a result are the same everywhere: a command, the API, the page.
 *
 * Plain values; any thread. */
#ifndef KELSO_PROOF_BOUNDS_H
#define KELSO_PROOF_BOUNDS_H

#include "core/board.h"
#include "db/value.h"

struct bounds {
    enum value lower, upper; /* for the side to move */
};

static const struct bounds bounds_unknown = {VALUE_LOSS, VALUE_WIN};

/* The value itself is known. */
static inline bool bounds_closed(struct bounds b)
{
    return b.lower == b.upper;
}

/* Anything at all is known. */
static inline bool bounds_known(struct bounds b)
{
    return b.lower != VALUE_LOSS || b.upper != VALUE_WIN;
}

static inline bool bounds_contain(struct bounds b, enum value v)
{
    return b.lower <= v && v <= b.upper;
}

/* Does `b` say more than `than` at either end? */
static inline bool bounds_narrower(struct bounds b, struct bounds than)
{
    return b.lower > than.lower || b.upper < than.upper;
}

/* Narrow *b to what both say; false, with *b unchanged, if they contradict each other. */
bool bounds_join(struct bounds *b, struct bounds other);

/* "win", "draw", "loss", "draw or win", "loss or draw", "unknown". */
const char *bounds_name(struct bounds b);

/* The class of a position in the tree of a proof, as the 2007 proof's page has them: the name
 * of its bounds if anything is known, otherwise "leaf" (searched, its successors not in the
 * tree), "unresolved" (its successors are) or "not in the tree". */
const char *bounds_class(struct bounds b, bool in_tree, bool expanded);

#endif
