/* SPDX-License-Identifier: MIT */
#include "db/paging_many.h"

/* What an index of a table with entries, marks or parts is made of. */
static inline uint64_t unit_of(const struct paged_table *t, uint64_t index)
{
    return index >> t->shift;
}

static inline uint32_t rest_of(const struct paged_table *t, uint64_t index)
{
    return (uint32_t)(index & ((UINT64_C(1) << t->shift) - 1));
}

/* Where the value is if its page is there and has several; else a word at hand.  There is no
 * branch: about every second page has a single value. */
static inline const cache_word *pinned_word(const struct paged_table *t, uint64_t index,
                                            uint32_t mark)
{
    static const cache_word at_hand;
    const cache_word *word = t->pinned + (index >> (6 - t->log2));

    return mark == CACHE_MARK_HERE ? word : &at_hand;
}

static inline uint32_t pinned_mark(const struct paged_table *t, uint64_t index)
{
    return atomic_load_explicit(paged_mark(t, unit_of(t, index)), memory_order_acquire);
}

/* ------------------------------------------------------------------ requesting -- */

void paging_request(const struct paging *p, const struct paged_table *t, const uint64_t *index,
                    uint32_t count)
{
    if (t->pinned)
        for (uint32_t i = 0; i < count; i++)
            __builtin_prefetch(paged_mark(t, unit_of(t, index[i])));
    else if (t->quick)
        for (uint32_t i = 0; i < count; i++)
            quick_prefetch(t->quick, t->mirror, index[i]);
    else if (t->key)
        for (uint32_t i = 0; i < count; i++)
            part_cache_prefetch_tags(&p->parts, t->key + unit_of(t, index[i]));
    else
        for (uint32_t i = 0; i < count; i++)
            __builtin_prefetch(&t->entry[unit_of(t, index[i])]);
}

void paging_follow(const struct paging *p, const struct paged_table *t, const uint64_t *index,
                   uint32_t count)
{
    if (t->pinned)
        for (uint32_t i = 0; i < count; i++)
            __builtin_prefetch(pinned_word(t, index[i], pinned_mark(t, index[i])));
    else if (t->quick)
        for (uint32_t i = 0; i < count; i++)
            quick_prefetch_block(t->quick, t->mirror, index[i]);
    else if (t->key)
        for (uint32_t i = 0; i < count; i++)
            part_cache_prefetch(&p->parts, t->key + unit_of(t, index[i]), rest_of(t, index[i]));
    else
        for (uint32_t i = 0; i < count; i++)
            page_cache_prefetch(&p->cache, &t->entry[unit_of(t, index[i])], t->log2,
                                rest_of(t, index[i]));
}

/* ------------------------------------------------------------------ collecting -- */

static uint8_t value_get(struct paging *p, const struct paged_table *t, uint64_t index)
{
    uint32_t number;

    return paging_get(p, t, index, &number, NULL) ? PAGED_FAULT : (uint8_t)number;
}

static void collect_pinned(struct paging *p, const struct paged_table *t, const uint64_t *index,
                           uint32_t count, uint8_t *values)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t mark = pinned_mark(t, index[i]);
        const cache_word *word = pinned_word(t, index[i], mark);
        uint32_t here = cache_word_value(atomic_load_explicit(word, memory_order_relaxed), t->log2,
                                         (uint32_t)index[i]);

        values[i] = (uint8_t)(mark == CACHE_MARK_HERE ? here : mark - CACHE_MARK_ONE);
        if (__builtin_expect(!mark, 0))
            values[i] = value_get(p, t, index[i]);
    }
}

static void collect_parts(struct paging *p, const struct paged_table *t, const uint64_t *index,
                          uint32_t count, uint8_t *values)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t key = t->key + unit_of(t, index[i]);
        uint32_t number;
        bool there = part_cache_read(&p->parts, key, rest_of(t, index[i]), &number);

        values[i] = (uint8_t)number;
        if (__builtin_expect(!there, 0))
            values[i] = value_get(p, t, index[i]);
    }
}

static void collect_quick(struct paging *p, const struct paged_table *t, const uint64_t *index,
                          uint32_t count, uint8_t *values, struct quick_lanes *lanes, uint32_t slot)
{
    for (uint32_t i = 0; i < count; i++) {
        struct quick_place place;

        if (!quick_locate(t->quick, t->mirror, index[i], &place))
            values[i] = value_get(p, t, index[i]);
        else if (place.lookup)
            quick_lanes_add(lanes, place.lookup, place.block, place.at, slot + i);
        else
            values[i] = (uint8_t)place.value;
    }
}

void paging_collect(struct paging *p, const struct paged_table *t, const uint64_t *index,
                    uint32_t count, uint8_t *values, struct quick_lanes *lanes, uint32_t slot)
{
    if (__builtin_expect(p->profile != NULL, 0))
        for (uint32_t i = 0; i < count; i++)
            paging_count_probe(p, t);
    if (t->quick)
        collect_quick(p, t, index, count, values, lanes, slot);
    else if (t->pinned)
        collect_pinned(p, t, index, count, values);
    else if (t->key)
        collect_parts(p, t, index, count, values);
    else
        for (uint32_t i = 0; i < count; i++)
            values[i] = value_get(p, t, index[i]);
}
