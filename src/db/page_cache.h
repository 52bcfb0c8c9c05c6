/* SPDX-License-Identifier: MIT
 *
 * page_cache.h -- decoded pages, in a fixed amount of memory, read without locks.
 *
 * A page has an entry, a 64-bit word that says where its values are:
 *
 *     0                            not here
 *     bit 63 | value               every value of the page is this one
 *     generation << 32 | place     packed in the arena, from unit `place` - 1 on
 *
 * Values are packed with 2, 8 or 16 bits (1 << log2).  The arena is cut into slabs
 * of equal size; a slab holds pages of one width and is emptied as a whole when its
 * room is needed, the least recently touched first (second chance).
 *
 * (E1) a reader never waits: it reads its value, then looks whether the entry still
 *      says what it said before; if not, somebody emptied the slab, and it tries again.
 * (E2) a slab's generation changes each time it is emptied, so an entry that comes
 *      back with the same place is not mistaken for the old one.
 * (E3) words of the arena are read and written as relaxed atomics only.
 *
 * Any thread, but for create and free.  Entries belong to the caller and must stay
 * where they are as long as the cache lives. */
#ifndef KELSO_DB_PAGE_CACHE_H
#define KELSO_DB_PAGE_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CACHE_PAGE = 16384,                 /* values of a page */
    CACHE_UNIT_WORDS = CACHE_PAGE / 32, /* a page of 2 bits each */
    CACHE_SLAB_UNITS = 8,
    CACHE_WIDTHS = 5, /* log2 of the bits of a value: 1, 3 or 4 */
};

#define CACHE_ONE_VALUE (UINT64_C(1) << 63)

typedef _Atomic uint64_t cache_entry;

struct page_cache {
    _Atomic uint64_t *arena;
    _Atomic uint8_t *touched; /* by slab */
    struct page_cache_slabs *slabs;
};

int page_cache_open(struct page_cache *c, uint64_t bytes); /* 0, or -1 without memory */
void page_cache_close(struct page_cache *c);

/* Put a page in: words[CACHE_UNIT_WORDS << (log2 - 1)].  Does nothing if it is there. */
void page_cache_put(struct page_cache *c, cache_entry *entry, int log2, const uint64_t *words);

/* Does the next page push out another? */
bool page_cache_full(const struct page_cache *c);

/* Copy a page out; false if it is not in the arena (any more). */
bool page_cache_copy(const struct page_cache *c, const cache_entry *entry, int log2,
                     uint64_t *words);

/* Value i of a page; false if it is not here. */
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
        *value = (uint32_t)(word >> (i << log2 & 63)) & ((1u << (1 << log2)) - 1);
        return true;
    }
}

#endif
