/* SPDX-License-Identifier: MIT */
#include "proof/position_map.h"

#include "base/big_array.h"

#include <assert.h>
#include <string.h>

void position_map_free(struct position_map *m)
{
    big_array_free(m->slot, m->room, sizeof *m->slot);
    *m = (struct position_map){0};
}

/* The slot of the position, or the free one where it belongs. */
static struct position_slot *slot_find(const struct position_map *m, struct position p)
{
    size_t i = position_hash(p) & (m->size - 1);

    while (m->slot[i].number && !position_equal(m->slot[i].position, p))
        i = (i + 1) & (m->size - 1);
    return &m->slot[i];
}

int64_t position_map_get(const struct position_map *m, struct position p)
{
    return m->size ? (int64_t)slot_find(m, p)->number - 1 : POSITION_MAP_NONE;
}

void position_map_prefetch(const struct position_map *m, struct position p)
{
    if (m->size)
        __builtin_prefetch(&m->slot[position_hash(p) & (m->size - 1)]);
}

static bool map_grow(struct position_map *m)
{
    struct position_map larger = {.size = m->size ? 2 * m->size : 1024, .used = m->used};

    if (!big_array_room((void **)&larger.slot, &larger.room, larger.size, sizeof *larger.slot))
        return false;
    memset(larger.slot, 0, larger.size * sizeof *larger.slot);
    for (size_t i = 0; i < m->size; i++)
        if (m->slot[i].number)
            *slot_find(&larger, m->slot[i].position) = m->slot[i];
    big_array_free(m->slot, m->room, sizeof *m->slot);
    *m = larger;
    return true;
}

bool position_map_put(struct position_map *m, struct position p, uint32_t number)
{
    if (2 * m->used >= m->size && !map_grow(m))
        return false;
    assert(2 * m->used < m->size); /* (P2) */
    assert(position_map_get(m, p) == POSITION_MAP_NONE);
    *slot_find(m, p) = (struct position_slot){p, number + 1};
    m->used++;
    return true;
}
