/* SPDX-License-Identifier: MIT */
#include "games/layer.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 1024 };

int placement_order(const void *a, const void *b)
{
    const struct placement *x = a, *y = b;

    return placement_compare(*x, *y);
}

/* ------------------------------------------------------------------ layers -- */

static bool layer_reserve(struct layer *l, size_t more)
{
    return array_room((void **)&l->placement, &l->room, l->count + more, sizeof *l->placement);
}

bool layer_push(struct layer *l, struct placement s)
{
    if (!layer_reserve(l, 1))
        return false;
    l->placement[l->count++] = s;
    return true;
}

bool layer_append(struct layer *l, const struct placement *placements, size_t count)
{
    if (!layer_reserve(l, count))
        return false;
    if (count > 0)
        memcpy(l->placement + l->count, placements, count * sizeof *placements);
    l->count += count;
    return true;
}

void layer_sort(struct layer *l)
{
    size_t n = 0;

    if (l->count > 1)
        qsort(l->placement, l->count, sizeof *l->placement, placement_order);
    for (size_t i = 0; i < l->count; i++)
        if (n == 0 || !placement_equal(l->placement[i], l->placement[n - 1]))
            l->placement[n++] = l->placement[i];
    l->count = n;
}

bool layer_has(const struct layer *l, struct placement s)
{
    return l->count > 0 && bsearch(&s, l->placement, l->count, sizeof s, placement_order) != NULL;
}

void layer_free(struct layer *l)
{
    free(l->placement);
    *l = (struct layer){0};
}

/* -------------------------------------------------------------------- sets -- */

static bool is_free(struct placement s)
{
    return s.black == 0 && s.white == 0;
}

/* Where s is, or would be. */
static struct placement *find(const struct placement_set *set, struct placement s)
{
    size_t i = placement_hash(s, 0) & set->mask;

    while (!is_free(set->slot[i]) && !placement_equal(set->slot[i], s))
        i = (i + 1) & set->mask;
    return &set->slot[i];
}

bool placement_set_open(struct placement_set *set, size_t expected)
{
    size_t slots = SLOTS_MIN;

    while (slots < 2 * expected)
        slots *= 2;
    *set = (struct placement_set){.slot = calloc(slots, sizeof *set->slot), .mask = slots - 1};
    return set->slot != NULL;
}

static bool grow(struct placement_set *set)
{
    struct placement_set wider = {.mask = 2 * set->mask + 1, .count = set->count};

    wider.slot = calloc(wider.mask + 1, sizeof *wider.slot);
    if (!wider.slot)
        return false;
    for (size_t i = 0; i <= set->mask; i++)
        if (!is_free(set->slot[i]))
            *find(&wider, set->slot[i]) = set->slot[i];
    free(set->slot);
    *set = wider;
    return true;
}

enum set_answer placement_set_add(struct placement_set *set, struct placement s)
{
    struct placement *at;

    if (set->count > set->mask / 2 && !grow(set))
        return SET_NO_MEMORY;
    at = find(set, s);
    if (!is_free(*at))
        return SET_KNOWN;
    *at = s;
    set->count++;
    return SET_NEW;
}

bool placement_set_has(const struct placement_set *set, struct placement s)
{
    return set->slot && !is_free(*find(set, s));
}

void placement_set_take(struct placement_set *set, struct layer *out)
{
    struct placement *fit;
    size_t n = 0;

    for (size_t i = 0; set->slot && i <= set->mask; i++)
        if (!is_free(set->slot[i]))
            set->slot[n++] = set->slot[i];
    *out = (struct layer){.placement = set->slot, .count = n, .room = n};
    fit = realloc(set->slot, (n ? n : 1) * sizeof *fit);
    if (fit)
        out->placement = fit;
    *set = (struct placement_set){0};
}

void placement_set_clear(struct placement_set *set)
{
    memset(set->slot, 0, (set->mask + 1) * sizeof *set->slot);
    set->count = 0;
}

void placement_set_free(struct placement_set *set)
{
    free(set->slot);
    *set = (struct placement_set){0};
}
