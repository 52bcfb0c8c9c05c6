/* SPDX-License-Identifier: MIT
 *
 * position_map.h -- from positions to small numbers, growing as needed.
 *
 * The caller owns it; one thread. */
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
};

void position_map_free(struct position_map *m);
int64_t position_map_get(const struct position_map *m,
                         struct position p); /* or POSITION_MAP_NONE */

/* The position must not be there yet; false without memory. */
bool position_map_put(struct position_map *m, struct position p, uint32_t number);

#endif
