/* SPDX-License-Identifier: MIT
 *
 * part_cache.h -- decoded beginnings of parts of pages, in a fixed amount of memory.
 *
 * Tables of eight pieces have too many parts for an entry each (page_cache.h).  Here a part has a
 * key, and its values, packed with 2 bits, are in one of the PART_WAYS slots of a set that follows
 * from the key.  A part is decoded up to the value that was asked for, so a slot holds the values
 * before `count`, and a later question beyond them replaces it by more.
 *
 * A slot's tag is one word: key << 16 | generation << 6 | count in units of 64 values, less 1; 0 is
 * an empty slot.
 *
 * (B1) a reader never waits: it reads its value between two looks at the tag, and takes it only if
 *      the tag was the same.
 * (B2) a tag is 0 while the words of its slot change, and its generation is another afterwards.
 * (B3) words are read and written as relaxed atomics only.
 *
 * Any thread, but for open and close. */
#ifndef KELSO_DB_PART_CACHE_H
#define KELSO_DB_PART_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    PART_VALUES = 2048, /* of a slot */
    PART_WORDS = PART_VALUES / 32,
    PART_WAYS = 4,
    PART_KEY_BITS = 48,
};

struct part_cache {
    uint64_t sets; /* a power of two; 0: there is no cache */
    _Atomic uint64_t *tag;
    _Atomic uint64_t *words;
    _Atomic uint8_t *touched; /* by slot */
    struct part_cache_locks *locks;
    void *memory;
    uint64_t bytes; /* of memory */
};

int part_cache_open(struct part_cache *c, uint64_t bytes); /* 0, or -1 without memory */
void part_cache_close(struct part_cache *c);

/* The first `count` values of a part, packed in words[PART_WORDS]; key > 0, below 2^48. */
void part_cache_put(struct part_cache *c, uint64_t key, uint32_t count, const uint64_t *words);

static inline uint64_t part_cache_set(const struct part_cache *c, uint64_t key)
{
    return (key * UINT64_C(0x9E3779B97F4A7C15)) >> 20 & (c->sets - 1);
}

static inline uint32_t part_tag_count(uint64_t tag)
{
    return 64 * ((uint32_t)(tag & 63) + 1);
}

/* Value i of a part; false if it is not here. */
static inline bool part_cache_get(const struct part_cache *c, uint64_t key, uint32_t i,
                                  uint32_t *value)
{
    uint64_t slot = part_cache_set(c, key) * PART_WAYS;

    for (uint64_t end = slot + PART_WAYS; slot < end; slot++) {
        uint64_t tag = atomic_load_explicit(&c->tag[slot], memory_order_acquire), word;

        if (tag >> 16 != key || i >= part_tag_count(tag))
            continue;
        word = atomic_load_explicit(&c->words[slot * PART_WORDS + i / 32], memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&c->tag[slot], memory_order_relaxed) != tag)
            return false;
        if (!atomic_load_explicit(&c->touched[slot], memory_order_relaxed))
            atomic_store_explicit(&c->touched[slot], 1, memory_order_relaxed);
        *value = word >> i % 32 * 2 & 3;
        return true;
    }
    return false;
}

#endif
