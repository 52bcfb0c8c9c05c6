/* SPDX-License-Identifier: MIT
 *
 * position_map.h -- a hash map from positions to small numbers, growing as needed.
 *
 * (P1) Keys are exact; a position has one number.
 * (P2) At most half of the slots are used, so a lookup ends.
 *
 * The caller owns the map.  One thread. */
#ifndef KELSO_PROOF_POSITION_MAP_H
#define KELSO_PROOF_POSITION_MAP_H

#include "core/position.h"

#include <stddef.h>

enum { POSITION_MAP_NONE = -1 };

struct position_map {
    struct position_slot {
        struct position position;
        uint32_t number; /* plus 1; 0 is a free slot */
    } * slot;
    size_t size, used; /* size is a power of two, or 0 */
    size_t room;       /* of the array */
};

void position_map_free(struct position_map *m);
int64_t position_map_get(const struct position_map *m,
                         struct position p); /* or POSITION_MAP_NONE */

/* Ask for the memory that looking it up will read. */
void position_map_prefetch(const struct position_map *m, struct position p);

/* Add a position that is not in the map yet; false without memory. */
bool position_map_put(struct position_map *m, struct position p, uint32_t number);

#endif
