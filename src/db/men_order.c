/* SPDX-License-Identifier: MIT */
#include "db/men_order.h"

#include <assert.h>
#include <stdlib.h>

int men_order_create(struct men_order *o, const struct sets *sets, int men)
{
    const uint32_t *set = sets->family[men].set;
    uint32_t at[LEVELS_MAX + 1];

    memset(o->first, 0, sizeof o->first);
    o->count = sets_binomial[28][men];
    o->advance = malloc(o->count);
    o->rank = malloc(o->count * sizeof *o->rank);
    o->flipped = malloc(o->count * sizeof *o->flipped);
    if (!o->advance || !o->rank || !o->flipped)
        return -1;
    for (uint32_t i = 0; i < o->count; i++) {
        o->advance[i] = (uint8_t)men_advancement(set[i], 0);
        o->first[o->advance[i] + 1]++;
    }
    for (int l = 0; l < LEVELS_MAX; l++)
        o->first[l + 1] += o->first[l];
    memcpy(at, o->first, sizeof at);
    for (uint32_t i = 0; i < o->count; i++)
        o->rank[at[o->advance[i]]++] = i;
    for (uint32_t i = 0; i < o->count; i++)
        o->flipped[i] = packed_flip(set[o->rank[i]]);
    assert(o->first[LEVELS_MAX] == o->count); /* (Q1) */
    return 0;
}

void men_order_free(struct men_order *o)
{
    free(o->advance);
    free(o->rank);
    free(o->flipped);
}
