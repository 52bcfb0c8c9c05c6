/* SPDX-License-Identifier: MIT
 *
 * part_cache.h -- decoded parts of pages, in a fixed amount of memory.
 *
 * Tables of eight pieces have too many parts for an entry each (page_cache.h).  Here each part
 * has a key, and its values, packed in 2 bits each, are in one of the PART_WAYS slots of the
 * set that the key hashes to.  A part is decoded only up to the requested value, so a slot
 * holds the first `count` values; a later request beyond them replaces the slot.
 *
 * A part with a single value needs no slot: its key and that value are one word, in one of the
 * PART_WAYS places that the key hashes to, of a table with PART_ONES words per slot.
 *
 * A slot's tag is one word: key << 16 | generation << 7 | touched << 6 | count in units of 64
 * values, minus 1.  0 means empty.  A slot that was not touched for a while is the first to be
 * replaced.
 *
 * A slot gets its words when it is first filled, the next that were never used, and keeps them.
 * So the memory in use is in one piece: slots are chosen by a hash, and if their words were as
 * scattered, a search that meets a few thousand parts would have the kernel clear all of it.
 *
 * (B1) A reader never waits: it loads the tag before and after the value, and uses the value
 *      only if both tags are equal but for `touched`.
 * (B2) A tag is 0 while the words of its slot change, and has the next generation of its slot
 *      afterwards.  So only a reader that waits while its slot is filled 512 times, or a multiple
 *      of that, the last time with the same part, would not notice.
 * (B3) Words are accessed only as relaxed atomics.
 * (B4) The word of a part with a single value is written and read whole.
 * (B5) No two slots have the same words, and n slots have the first n.
 *
 * Safe on any thread, except open and close. */
#ifndef KELSO_DB_PART_CACHE_H
#define KELSO_DB_PART_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    PART_VALUES = 2048, /* of a slot */
    PART_WORDS = PART_VALUES / 32,
    PART_WAYS = 8, /* tags or single values: a line of the processor's cache */
    PART_ONES = 4,
    PART_KEY_BITS = 48,
    PART_TOUCHED = 1 << 6, /* of a tag */
};

struct part_cache {
    uint64_t sets; /* a power of two; 0: there is no cache */
    _Atomic uint64_t *tag;
    _Atomic uint64_t *one;   /* key << 2 | value; 0: empty */
    _Atomic uint32_t *place; /* by slot: which words it has; 0: none yet */
    _Atomic uint64_t *words;
    _Atomic uint32_t used; /* slots that have words */
    struct part_cache_locks *locks;
    void *memory;
    uint64_t bytes; /* of memory */
};

int part_cache_open(struct part_cache *c, uint64_t bytes); /* 0, or -1 without memory */
void part_cache_close(struct part_cache *c);

/* Store the first `count` values of a part, packed in words[PART_WORDS]; 0 < key < 2^48. */
void part_cache_put(struct part_cache *c, uint64_t key, uint32_t count, const uint64_t *words);

/* The same for a part whose values are all `value`. */
void part_cache_put_one(struct part_cache *c, uint64_t key, uint32_t value);

/* The words of a slot; those of number 0, which are nobody's, if it has none yet. */
static inline _Atomic uint64_t *part_cache_words(const struct part_cache *c, uint64_t slot)
{
    uint64_t place = atomic_load_explicit(&c->place[slot], memory_order_relaxed);

    return c->words + place * PART_WORDS;
}

static inline uint64_t part_cache_set(const struct part_cache *c, uint64_t key)
{
    return (key * UINT64_C(0x9E3779B97F4A7C15)) >> 20 & (c->sets - 1);
}

/* The places of a single value. */
static inline _Atomic uint64_t *part_cache_ones(const struct part_cache *c, uint64_t key)
{
    uint64_t set = (key * UINT64_C(0x9E3779B97F4A7C15)) >> 20 & (c->sets * PART_ONES - 1);

    return &c->one[set * PART_WAYS];
}

/* A single value in one of these places; false if it is not there. */
static inline bool part_ones_get(const _Atomic uint64_t *ones, uint64_t key, uint32_t *value)
{
    uint64_t found = 0, same = 0;

    for (int k = 0; k < PART_WAYS; k++) {
        uint64_t one = atomic_load_explicit(&ones[k], memory_order_relaxed);
        uint64_t mask = -(uint64_t)(one >> 2 == key);

        found |= one & mask;
        same |= mask;
    }
    *value = found & 3;
    return same;
}

static inline uint32_t part_tag_count(uint64_t tag)
{
    return 64 * ((uint32_t)(tag & 63) + 1);
}

/* Is the slot's tag still this one?  If so, it is touched. */
static inline bool part_tag_same(const struct part_cache *c, uint64_t slot, uint64_t tag)
{
    uint64_t now = atomic_load_explicit(&c->tag[slot], memory_order_relaxed);
    bool same = !((now ^ tag) & ~(uint64_t)PART_TOUCHED);

    if (__builtin_expect(same && tag && !(now & PART_TOUCHED), 0))
        atomic_compare_exchange_strong_explicit(&c->tag[slot], &now, now | PART_TOUCHED,
                                                memory_order_relaxed, memory_order_relaxed);
    return same;
}

/* Value i of a part; false if it is not present. */
static inline bool part_cache_get(const struct part_cache *c, uint64_t key, uint32_t i,
                                  uint32_t *value)
{
    uint64_t slot = part_cache_set(c, key) * PART_WAYS;

    __builtin_prefetch((const void *)&c->place[slot]);
    for (uint64_t end = slot + PART_WAYS; slot < end; slot++) {
        uint64_t tag = atomic_load_explicit(&c->tag[slot], memory_order_acquire), word;

        if (tag >> 16 != key || i >= part_tag_count(tag))
            continue;
        word = atomic_load_explicit(part_cache_words(c, slot) + i / 32, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        if (!part_tag_same(c, slot, tag))
            return false;
        *value = word >> i % 32 * 2 & 3;
        return true;
    }
    return part_ones_get(part_cache_ones(c, key), key, value);
}

/* ------------------------------------------------------------- many at once -- */

/* Where a part is. */
struct part_place {
    uint64_t slot, tag;           /* tag 0: it has no slot */
    const _Atomic uint64_t *word; /* of value i; without a slot, the places of a single value */
};

/* Without branches: which of the slots it is, if any, cannot be predicted. */
static inline struct part_place part_cache_place(const struct part_cache *c, uint64_t key,
                                                 uint32_t i)
{
    uint64_t slot = part_cache_set(c, key) * PART_WAYS, way = 0, tag = 0;
    const _Atomic uint64_t *word, *ones = part_cache_ones(c, key);

    for (uint64_t k = 0; k < PART_WAYS; k++) {
        uint64_t seen = atomic_load_explicit(&c->tag[slot + k], memory_order_acquire);
        uint64_t same = -(uint64_t)(seen >> 16 == key);

        way |= k & same;
        tag |= seen & same;
    }
    word = part_cache_words(c, slot + way) + i / 32;
    return (struct part_place){slot + way, tag, tag ? word : ones};
}

/* part_cache_get, in the same way; false also if it was changed meanwhile.  If there is a slot, the
 * search for a single value goes through the tags instead, which are at hand, and finds nothing of
 * account. */
static inline bool part_cache_read(const struct part_cache *c, uint64_t key, uint32_t i,
                                   uint32_t *value)
{
    struct part_place p = part_cache_place(c, key, i);
    uint64_t word = atomic_load_explicit(p.word, memory_order_relaxed);
    uint32_t one;
    bool good, single;

    atomic_thread_fence(memory_order_acquire);
    good = part_tag_same(c, p.slot, p.tag);
    good &= i < part_tag_count(p.tag);
    single = part_ones_get(p.tag ? &c->tag[p.slot / PART_WAYS * PART_WAYS] : p.word, key, &one);
    *value = p.tag ? (uint32_t)(word >> i % 32 * 2) & 3 : one;
    return p.tag ? good : single;
}

/* Prefetch what both read first ... */
static inline void part_cache_prefetch_tags(const struct part_cache *c, uint64_t key)
{
    uint64_t slot = part_cache_set(c, key) * PART_WAYS;

    __builtin_prefetch((const void *)&c->tag[slot]);
    __builtin_prefetch((const void *)&c->place[slot]);
}

/* ... and, after that has arrived, what they read next. */
static inline void part_cache_prefetch(const struct part_cache *c, uint64_t key, uint32_t i)
{
    __builtin_prefetch((const void *)part_cache_place(c, key, i).word);
}

#endif
