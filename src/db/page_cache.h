/* SPDX-License-Identifier: MIT
 *
 * page_cache.h -- decoded pages in a fixed amount of memory, read without locks.
 *
 * Each page has an entry, a 64-bit word that says where its values are:
 *
 *     0                            not here
 *     bit 63 | value               every value of the page is this one
 *     generation << 32 | place     packed in the arena, from unit `place` - 1 on
 *
 * Values are packed with 2, 8 or 16 bits (1 << log2).  The arena is cut into slabs of equal
 * size; a slab holds pages of one width and is emptied as a whole when its memory is needed, in
 * second-chance order.
 *
 * While memory is plentiful, a table gets a reserved part of the arena in which each page has a
 * fixed place.  A reader then needs to know only that the page is present, not where it is, and
 * the processor fetches both in parallel.  Such a page has a mark instead of an entry, of 16 bits,
 * because what is pinned may be as small as 512 values, and the marks of all tables should stay
 * in the processor's cache:
 *
 *     0            not here
 *     1            in its place
 *     2 + value    every value of the page is this one
 *
 * (E1) A reader never waits: it reads the value, then checks that the entry is unchanged.  If
 *      the entry changed, the slab was emptied meanwhile, and the reader tries again.
 * (E2) A slab's generation changes each time it is emptied, so a new entry for the same place
 *      is not mistaken for the old one.
 * (E3) Words of the arena are accessed only as relaxed atomics.
 * (E4) Reserved parts take at most half of the arena and are never emptied.
 * (E5) A page is in at most one slab, and an entry with a place owns that unit.
 *
 * Safe on any thread, except open and close.  Entries belong to the caller and must stay at
 * their addresses as long as the cache exists. */
#ifndef KELSO_DB_PAGE_CACHE_H
#define KELSO_DB_PAGE_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CACHE_PAGE = 16384,                 /* values of a page */
    CACHE_UNIT_WORDS = CACHE_PAGE / 32, /* a page of 2-bit values */
    CACHE_SLAB_UNITS = 8,
    CACHE_WIDTHS = 5, /* log2 of the bits of a value: 1, 3 or 4 */
};

#define CACHE_ONE_VALUE (UINT64_C(1) << 63)

typedef _Atomic uint64_t cache_entry, cache_word;
typedef _Atomic uint16_t cache_mark;
enum { CACHE_MARK_HERE = 1, CACHE_MARK_ONE = 2 };

struct page_cache {
    cache_word *arena;
    _Atomic uint8_t *touched; /* by slab */
    struct page_cache_slabs *slabs;
};

int page_cache_open(struct page_cache *c, uint64_t bytes); /* 0, or -1 without memory */
void page_cache_close(struct page_cache *c);

/* A reserved part for that many pages, or NULL if it would be too large. */
cache_word *page_cache_reserve(struct page_cache *c, uint64_t pages, int log2);

/* Store a page: words[CACHE_UNIT_WORDS << (log2 - 1)].  Does nothing if the page is already
 * there. */
void page_cache_put(struct page_cache *c, cache_entry *entry, int log2, const uint64_t *words);

/* Would storing another page evict one? */
bool page_cache_full(const struct page_cache *c);

/* Store a page that is pinned to this place ... */
void page_cache_put_pinned(cache_word *place, cache_mark *mark, int log2, const uint64_t *words);

/* ... or the given number of words, less than a page. */
void page_cache_put_pinned_words(cache_word *place, cache_mark *mark, const uint64_t *words,
                                 size_t count);

/* Copy a page out.  False if the page is not there, no longer there, or has one value. */
bool page_cache_copy(const struct page_cache *c, const cache_entry *entry, int log2,
                     uint64_t *words);
bool page_cache_copy_pinned(const cache_word *place, const cache_mark *mark, int log2,
                            uint64_t *words);

static inline uint32_t cache_word_value(uint64_t word, int log2, uint32_t i)
{
    return (uint32_t)(word >> (i << log2 & 63)) & ((1u << (1 << log2)) - 1);
}

/* Value i of a pinned page; false if the page is not present. */
static inline bool page_cache_get_pinned(const cache_word *place, const cache_mark *mark, int log2,
                                         uint32_t i, uint32_t *value)
{
    uint32_t seen = atomic_load_explicit(mark, memory_order_acquire);

    if (seen == CACHE_MARK_HERE) {
        *value = cache_word_value(
            atomic_load_explicit(&place[i >> (6 - log2)], memory_order_relaxed), log2, i);
        return true;
    }
    *value = seen - CACHE_MARK_ONE;
    return seen != 0;
}

/* Value i of a page; false if the page is not present. */
static inline bool page_cache_get(const struct page_cache *c, const cache_entry *entry, int log2,
                                  uint32_t i, uint32_t *value)
{
    for (;;) {
        uint64_t seen = atomic_load_explicit(entry, memory_order_acquire), word;
        uint64_t unit = (uint32_t)seen - UINT64_C(1);

        if (seen & CACHE_ONE_VALUE || seen == 0) {
            *value = (uint32_t)seen;
            return seen != 0;
        }
        word = atomic_load_explicit(&c->arena[unit * CACHE_UNIT_WORDS + (i >> (6 - log2))],
                                    memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(entry, memory_order_relaxed) != seen)
            continue;
        if (!atomic_load_explicit(&c->touched[unit / CACHE_SLAB_UNITS], memory_order_relaxed))
            atomic_store_explicit(&c->touched[unit / CACHE_SLAB_UNITS], 1, memory_order_relaxed);
        *value = cache_word_value(word, log2, i);
        return true;
    }
}

/* Prefetch what page_cache_get will read after the entry. */
static inline void page_cache_prefetch(const struct page_cache *c, const cache_entry *entry,
                                       int log2, uint32_t i)
{
    uint64_t seen = atomic_load_explicit(entry, memory_order_relaxed);

    if (seen && !(seen & CACHE_ONE_VALUE))
        __builtin_prefetch(
            &c->arena[((uint32_t)seen - UINT64_C(1)) * CACHE_UNIT_WORDS + (i >> (6 - log2))]);
}

#endif
