/* SPDX-License-Identifier: MIT
 *
 * layer.h -- sets of whole positions in memory.
 *
 * A spot is a position without its side to move, which the ply tells: three packed
 * sets, twelve bytes, nothing lost.  A layer is an array of spots; a spot_set is a
 * hash table that compares whole spots, so it is exact.
 *
 * (Y1) spot_board(spot_of(b), b->turn) is b.
 * (Y2) layer_sort orders by black, then white, then kings, and drops duplicates.
 *
 * Zero-initialized structures are empty; their owner frees them.  No locking. */
#ifndef KELSO_GAMES_LAYER_H
#define KELSO_GAMES_LAYER_H

#include "core/board.h"

#include <stdbool.h>
#include <stddef.h>

struct spot {
    uint32_t black, white, kings;
};

struct layer {
    struct spot *spot;
    size_t count, capacity;
};

struct spot_set {
    struct spot *slot; /* all zero: free */
    size_t mask, count;
};

static inline struct spot spot_of(const struct board *b)
{
    return (struct spot){squares_pack(b->side[BLACK]), squares_pack(b->side[WHITE]),
                         squares_pack(b->kings)};
}

static inline struct board spot_board(struct spot s, enum side turn)
{
    return (struct board){.side = {squares_unpack(s.black), squares_unpack(s.white)},
                          .kings = squares_unpack(s.kings),
                          .turn = turn};
}

static inline bool spot_equal(struct spot a, struct spot b)
{
    return a.black == b.black && a.white == b.white && a.kings == b.kings;
}

static inline uint64_t spot_hash(struct spot s)
{
    uint64_t h = ((uint64_t)s.black << 32 | s.white) * UINT64_C(0x9E3779B97F4A7C15);

    h = (h ^ h >> 32 ^ s.kings) * UINT64_C(0xD6E8FEB86659FD93);
    return h ^ h >> 32;
}

int spot_compare(const void *a, const void *b); /* for qsort */

/* false when memory is short */
bool layer_push(struct layer *l, struct spot s);
bool layer_append(struct layer *l, const struct spot *spots, size_t count);
void layer_sort(struct layer *l);
bool layer_has(const struct layer *l, struct spot s); /* l is sorted */
void layer_free(struct layer *l);

enum set_answer { SET_NO_MEMORY, SET_NEW, SET_KNOWN };

/* Make room for about `expected` spots. */
bool spot_set_open(struct spot_set *set, size_t expected);
enum set_answer spot_set_add(struct spot_set *set, struct spot s);
bool spot_set_has(const struct spot_set *set, struct spot s);
/* Turn the set into a layer, in place; the set is empty afterwards. */
void spot_set_take(struct spot_set *set, struct layer *out);
void spot_set_clear(struct spot_set *set);
void spot_set_free(struct spot_set *set);

#endif
