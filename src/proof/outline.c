/* SPDX-License-Identifier: MIT */
#include "proof/outline.h"
#include "proof/position_map.h"
#include "core/movegen.h"

#include <stdlib.h>

struct making {
    struct outline *outline;
    struct position_map seen;
    outline_ask *ask;
    void *context;
};

/* Add b unless it is there or not part of the proof; false without memory. */
static bool node_add(struct making *m, const struct board *b, uint32_t parent, int move)
{
    struct outline *o = m->outline;
    struct outline_node *n = &o->node[o->count];

    if (position_map_get(&m->seen, position_of(b)) != POSITION_MAP_NONE)
        return true;
    *n = (struct outline_node){.board = *b, .parent = parent, .move = move, .size = 1};
    if (!m->ask(m->context, b, &n->fact))
        return true;
    if (o->count == OUTLINE_MAX) { /* there is room for one more, and it is not kept */
        o->whole = false;
        return true;
    }
    n->level = move < 0 ? 0 : o->node[parent].level + 1;
    n->open = n->fact.open;
    return position_map_put(&m->seen, position_of(b), o->count++);
}

static bool node_expand(struct making *m, uint32_t i)
{
    struct outline *o = m->outline;
    struct move_list legal;
    bool good = true;

    o->node[i].first = o->count;
    if (o->node[i].fact.expanded)
        moves_generate(&o->node[i].board, &legal);
    else
        legal.count = 0;
    for (int k = 0; k < legal.count && good; k++) {
        struct board next = board_after(&o->node[i].board, &legal.move[k]);

        good = node_add(m, &next, i, k);
    }
    o->node[i].children = o->count - o->node[i].first;
    return good;
}

static void sizes_add_up(struct outline *o)
{
    for (uint32_t i = o->count - 1; i > 0; i--) {
        struct outline_node *parent = &o->node[o->node[i].parent];

        parent->size += o->node[i].size;
        parent->open += o->node[i].open;
    }
}

enum status outline_make(struct outline *o, const struct board *root, outline_ask *ask,
                         void *context, const atomic_bool *stop, struct error *e)
{
    struct making m = {.outline = o, .ask = ask, .context = context};
    bool good;

    *o = (struct outline){.whole = true};
    o->node = malloc((OUTLINE_MAX + 1) * sizeof *o->node);
    good = o->node && node_add(&m, root, 0, -1);
    for (uint32_t i = 0; i < o->count && good && !(stop && atomic_load(stop)); i++)
        good = node_expand(&m, i);
    position_map_free(&m.seen);
    if (!good)
        return error_no_memory(e);
    if (stop && atomic_load(stop))
        return error_set(e, STATUS_INTERRUPTED, "interrupted");
    if (o->count == 0)
        return error_set(e, STATUS_MISSING, "no proof here covers this position");
    sizes_add_up(o);
    return STATUS_OK;
}

void outline_free(struct outline *o)
{
    free(o->node);
    *o = (struct outline){0};
}

uint32_t outline_least_size(const struct outline *o, uint32_t most)
{
    uint32_t low = 1, high = o->count ? o->node[0].size : 1;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2, count = 0;

        for (uint32_t i = 0; i < o->count; i++)
            count += o->node[i].size >= middle;
        if (count > most)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
