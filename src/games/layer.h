/* SPDX-License-Identifier: MIT
 *
 * layer.h -- sets of whole positions in memory.
 *
 * The side to move follows from the ply, so a placement (core/position.h) is enough: twelve bytes,
 * nothing lost.  A layer is an array of placements; a placement_set is a hash table that compares
 * whole placements, so it is exact.
 *
 * (Y1) layer_sort orders as placement_compare does, and drops duplicates.
 *
 * Zero-initialized structures are empty; their owner frees them.  No locking. */
#ifndef KELSO_GAMES_LAYER_H
#define KELSO_GAMES_LAYER_H

#include "core/position.h"

#include <stdbool.h>
#include <stddef.h>

struct layer {
    struct placement *placement;
    size_t count, room;
};

struct placement_set {
    struct placement *slot; /* all zero: free */
    size_t mask, count;
};

int placement_order(const void *a, const void *b); /* placement_compare, for qsort */

/* false when memory is short */
bool layer_push(struct layer *l, struct placement s);
bool layer_append(struct layer *l, const struct placement *placements, size_t count);
void layer_sort(struct layer *l);
bool layer_has(const struct layer *l, struct placement s); /* l is sorted */
void layer_free(struct layer *l);

enum set_answer { SET_NO_MEMORY, SET_NEW, SET_KNOWN };

/* Make room for about `expected` placements. */
bool placement_set_open(struct placement_set *set, size_t expected);
enum set_answer placement_set_add(struct placement_set *set, struct placement s);
bool placement_set_has(const struct placement_set *set, struct placement s);
/* Turn the set into a layer, in place; the set is empty afterwards. */
void placement_set_take(struct placement_set *set, struct layer *out);
void placement_set_clear(struct placement_set *set);
void placement_set_free(struct placement_set *set);

#endif
