/* SPDX-License-Identifier: MIT
 *
 * bounds.h -- what is known about a value: a lower and an upper bound.
 *
 * (B1) lower <= upper; bounds_join fails if the result would violate that.
 * (B2) The words for a result are the same in commands, the API and the page.
 *
 * Plain values; safe on any thread. */
#ifndef KELSO_PROOF_BOUNDS_H
#define KELSO_PROOF_BOUNDS_H

#include "core/board.h"
#include "db/value.h"

struct bounds {
    enum value lower, upper; /* for the side to move */
};

static const struct bounds bounds_unknown = {VALUE_LOSS, VALUE_WIN};

/* Is the value itself known? */
static inline bool bounds_closed(struct bounds b)
{
    return b.lower == b.upper;
}

/* Is anything known? */
static inline bool bounds_known(struct bounds b)
{
    return b.lower != VALUE_LOSS || b.upper != VALUE_WIN;
}

static inline bool bounds_contain(struct bounds b, enum value v)
{
    return b.lower <= v && v <= b.upper;
}

/* Is b narrower than `than` at either end? */
static inline bool bounds_narrower(struct bounds b, struct bounds than)
{
    return b.lower > than.lower || b.upper < than.upper;
}

/* Intersect *b with `other`; false, with *b unchanged, if they contradict each other. */
bool bounds_join(struct bounds *b, struct bounds other);

/* "win", "draw", "loss", "draw or win", "loss or draw", "unknown". */
const char *bounds_name(struct bounds b);

/* The class of a position in the tree of a proof, with the terms of the 2007 proof's web page:
 * the name of its bounds if anything is known, otherwise "leaf" (searched, but its successors
 * are not in the tree), "unresolved" (its successors are in the tree) or "not in the tree". */
const char *bounds_class(struct bounds b, bool in_tree, bool expanded);

#endif
