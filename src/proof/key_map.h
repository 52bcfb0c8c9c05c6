/* SPDX-License-Identifier: MIT
 *
 * key_map.h -- from exact keys of positions to small numbers, growing as needed.
 *
 * The caller owns it; one thread. */
#ifndef KELSO_PROOF_KEY_MAP_H
#define KELSO_PROOF_KEY_MAP_H

#include "proof/pn_table.h"

enum { KEY_MAP_NONE = -1 };

struct key_map {
    struct key_slot {
        struct pn_key key;
        uint32_t number; /* plus 1; 0 is a free slot */
    } * slot;
    size_t size, used; /* size is a power of two, or 0 */
};

void key_map_free(struct key_map *m);
int64_t key_map_get(const struct key_map *m, const struct pn_key *key); /* or KEY_MAP_NONE */

/* The key must not be there yet; false without memory. */
bool key_map_put(struct key_map *m, const struct pn_key *key, uint32_t number);

#endif
