/* SPDX-License-Identifier: MIT */
#include "games/layer.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 1024 };

int spot_compare(const void *a, const void *b)
{
    const struct spot *x = a, *y = b;

    if (x->black != y->black)
        return x->black < y->black ? -1 : 1;
    if (x->white != y->white)
        return x->white < y->white ? -1 : 1;
    return (x->kings > y->kings) - (x->kings < y->kings);
}

/* ------------------------------------------------------------------ layers -- */

static bool layer_reserve(struct layer *l, size_t more)
{
    size_t capacity = l->capacity ? l->capacity : 64;
    struct spot *spot;

    if (l->count + more <= l->capacity)
        return true;
    while (capacity < l->count + more)
        capacity += capacity / 2 + 1;
    spot = realloc(l->spot, capacity * sizeof *spot);
    if (!spot)
        return false;
    l->spot = spot;
    l->capacity = capacity;
    return true;
}

bool layer_push(struct layer *l, struct spot s)
{
    if (!layer_reserve(l, 1))
        return false;
    l->spot[l->count++] = s;
    return true;
}

bool layer_append(struct layer *l, const struct spot *spots, size_t count)
{
    if (!layer_reserve(l, count))
        return false;
    if (count > 0)
        memcpy(l->spot + l->count, spots, count * sizeof *spots);
    l->count += count;
    return true;
}

void layer_sort(struct layer *l)
{
    size_t n = 0;

    if (l->count > 1)
        qsort(l->spot, l->count, sizeof *l->spot, spot_compare);
    for (size_t i = 0; i < l->count; i++)
        if (n == 0 || !spot_equal(l->spot[i], l->spot[n - 1]))
            l->spot[n++] = l->spot[i];
    l->count = n;
}

bool layer_has(const struct layer *l, struct spot s)
{
    return l->count > 0 && bsearch(&s, l->spot, l->count, sizeof s, spot_compare) != NULL;
}

void layer_free(struct layer *l)
{
    free(l->spot);
    *l = (struct layer){0};
}

/* -------------------------------------------------------------------- sets -- */

static bool is_free(struct spot s)
{
    return s.black == 0 && s.white == 0;
}

/* Where s is, or would be. */
static struct spot *find(const struct spot_set *set, struct spot s)
{
    size_t i = spot_hash(s) & set->mask;

    while (!is_free(set->slot[i]) && !spot_equal(set->slot[i], s))
        i = (i + 1) & set->mask;
    return &set->slot[i];
}

bool spot_set_open(struct spot_set *set, size_t expected)
{
    size_t slots = SLOTS_MIN;

    while (slots < 2 * expected)
        slots *= 2;
    *set = (struct spot_set){.slot = calloc(slots, sizeof *set->slot), .mask = slots - 1};
    return set->slot != NULL;
}

static bool grow(struct spot_set *set)
{
    struct spot_set wider = {.mask = 2 * set->mask + 1, .count = set->count};

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

enum set_answer spot_set_add(struct spot_set *set, struct spot s)
{
    struct spot *at;

    if (set->count > set->mask / 2 && !grow(set))
        return SET_NO_MEMORY;
    at = find(set, s);
    if (!is_free(*at))
        return SET_KNOWN;
    *at = s;
    set->count++;
    return SET_NEW;
}

bool spot_set_has(const struct spot_set *set, struct spot s)
{
    return set->slot && !is_free(*find(set, s));
}

void spot_set_take(struct spot_set *set, struct layer *out)
{
    struct spot *fit;
    size_t n = 0;

    for (size_t i = 0; set->slot && i <= set->mask; i++)
        if (!is_free(set->slot[i]))
            set->slot[n++] = set->slot[i];
    *out = (struct layer){.spot = set->slot, .count = n, .capacity = n};
    fit = realloc(set->slot, (n ? n : 1) * sizeof *fit);
    if (fit)
        out->spot = fit;
    *set = (struct spot_set){0};
}

void spot_set_clear(struct spot_set *set)
{
    memset(set->slot, 0, (set->mask + 1) * sizeof *set->slot);
    set->count = 0;
}

void spot_set_free(struct spot_set *set)
{
    free(set->slot);
    *set = (struct spot_set){0};
}
