/* SPDX-License-Identifier: MIT */
#include "proof/bounds.h"

#include <assert.h>

bool bounds_join(struct bounds *b, struct bounds other)
{
    struct bounds joined = {b->lower > other.lower ? b->lower : other.lower,
                            b->upper < other.upper ? b->upper : other.upper};

    if (joined.lower > joined.upper)
        return false;
    *b = joined;
    return true;
}

const char *bounds_name(struct bounds b)
{
    static const char *const closed[] = {"loss", "draw", "win"};

    assert(b.lower <= b.upper); /* (B1) */
    if (bounds_closed(b))
        return closed[b.lower];
    return b.lower == VALUE_DRAW   ? "draw or win"
           : b.upper == VALUE_DRAW ? "loss or draw"
                                   : "unknown";
}

const char *bounds_class(struct bounds b, bool in_tree, bool expanded)
{
    if (bounds_known(b))
        return bounds_name(b);
    return !in_tree ? "not in the tree" : expanded ? "unresolved" : "leaf";
}
