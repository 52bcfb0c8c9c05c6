/* SPDX-License-Identifier: MIT */
#include "proof/key_map.h"

#include <stdlib.h>

void key_map_free(struct key_map *m)
{
    free(m->slot);
    *m = (struct key_map){0};
}

/* The slot of the key, or the free one where it belongs. */
static struct key_slot *slot_find(const struct key_map *m, const struct pn_key *k)
{
    size_t i = k->hash & (m->size - 1);

    while (m->slot[i].number && !pn_key_equal(&m->slot[i].key, k))
        i = (i + 1) & (m->size - 1);
    return &m->slot[i];
}

int64_t key_map_get(const struct key_map *m, const struct pn_key *key)
{
    return m->size ? (int64_t)slot_find(m, key)->number - 1 : KEY_MAP_NONE;
}

static bool map_grow(struct key_map *m)
{
    struct key_map larger = {.size = m->size ? 2 * m->size : 1024, .used = m->used};

    if (!(larger.slot = calloc(larger.size, sizeof *larger.slot)))
        return false;
    for (size_t i = 0; i < m->size; i++)
        if (m->slot[i].number)
            *slot_find(&larger, &m->slot[i].key) = m->slot[i];
    free(m->slot);
    *m = larger;
    return true;
}

bool key_map_put(struct key_map *m, const struct pn_key *key, uint32_t number)
{
    if (2 * m->used >= m->size && !map_grow(m))
        return false;
    *slot_find(m, key) = (struct key_slot){*key, number + 1};
    m->used++;
    return true;
}
