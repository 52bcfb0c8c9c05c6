/* SPDX-License-Identifier: MIT */
#include "db/part_cache.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    LOCKS = 64,
    SLOT_BYTES = (PART_WORDS + 1 + PART_ONES) * 8 + 4,
    SETS_MAX = 1 << 28, /* slots are numbered in 32 bits, from 1 on */
};

struct part_cache_locks {
    pthread_mutex_t lock[LOCKS]; /* guards the sets with that number modulo LOCKS, and: */
    uint32_t puts[LOCKS];
};

int part_cache_open(struct part_cache *c, uint64_t bytes)
{
    uint64_t slots;

    *c = (struct part_cache){.sets = 16};
    while (c->sets < SETS_MAX && 2 * c->sets * PART_WAYS * SLOT_BYTES + PART_WORDS * 8 <= bytes)
        c->sets *= 2;
    slots = c->sets * PART_WAYS;
    c->bytes = slots * SLOT_BYTES + PART_WORDS * 8;
    c->memory = mmap(NULL, c->bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    c->locks = calloc(1, sizeof *c->locks);
    if (c->memory == MAP_FAILED || !c->locks) {
        if (c->memory != MAP_FAILED)
            munmap(c->memory, c->bytes);
        free(c->locks);
        *c = (struct part_cache){0};
        return -1;
    }
    madvise(c->memory, c->bytes, MADV_HUGEPAGE);
    c->words = c->memory;
    c->tag = c->words + (slots + 1) * PART_WORDS;
    c->one = c->tag + slots;
    c->place = (_Atomic uint32_t *)(c->one + slots * PART_ONES);
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&c->locks->lock[i], NULL);
    return 0;
}

void part_cache_close(struct part_cache *c)
{
    if (!c->sets)
        return;
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_destroy(&c->locks->lock[i]);
    free(c->locks);
    munmap(c->memory, c->bytes);
    *c = (struct part_cache){0};
}

/* Choose the slot for a key: its own, an empty one, or one not used since the last pass;
 * `start` varies.  Call under the set's lock. */
static uint64_t slot_choose(struct part_cache *c, uint64_t first, uint64_t key, uint32_t start)
{
    uint64_t empty = UINT64_MAX;

    for (uint64_t slot = first; slot < first + PART_WAYS; slot++) {
        uint64_t tag = atomic_load_explicit(&c->tag[slot], memory_order_relaxed);

        if (tag >> 16 == key)
            return slot;
        if (tag == 0)
            empty = slot;
    }
    if (empty != UINT64_MAX)
        return empty;
    for (uint32_t i = start;; i++) {
        uint64_t slot = first + i % PART_WAYS;

        if (!(atomic_load_explicit(&c->tag[slot], memory_order_relaxed) & PART_TOUCHED))
            return slot;
        atomic_fetch_and_explicit(&c->tag[slot], ~(uint64_t)PART_TOUCHED, memory_order_relaxed);
    }
}

/* The words of a slot, new ones if it has none.  Call under the set's lock. */
static _Atomic uint64_t *slot_words(struct part_cache *c, uint64_t slot)
{
    if (!atomic_load_explicit(&c->place[slot], memory_order_relaxed)) {
        uint32_t place = 1 + atomic_fetch_add_explicit(&c->used, 1, memory_order_relaxed);

        assert(place <= c->sets * PART_WAYS); /* (B5) */
        atomic_store_explicit(&c->place[slot], place, memory_order_relaxed);
    }
    return part_cache_words(c, slot);
}

void part_cache_put(struct part_cache *c, uint64_t key, uint32_t count, const uint64_t *words)
{
    uint64_t set = part_cache_set(c, key), slot, tag, generation;
    uint32_t units = (count + 63) / 64;

    assert(key > 0 && key >> PART_KEY_BITS == 0 && count > 0 && count <= PART_VALUES);
    pthread_mutex_lock(&c->locks->lock[set % LOCKS]);
    slot = slot_choose(c, set * PART_WAYS, key, c->locks->puts[set % LOCKS]++);
    tag = atomic_load_explicit(&c->tag[slot], memory_order_relaxed);
    generation = ((tag >> 7) + 1) & 511; /* (B2) */
    if (tag >> 16 != key || part_tag_count(tag) < count) {
        _Atomic uint64_t *to = slot_words(c, slot);

        atomic_store_explicit(&c->tag[slot], 0, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        for (uint32_t i = 0; i < 2 * units; i++)
            atomic_store_explicit(&to[i], words[i], memory_order_relaxed);
        atomic_store_explicit(&c->tag[slot],
                              key << 16 | generation << 7 | PART_TOUCHED | (units - 1),
                              memory_order_release);
    }
    pthread_mutex_unlock(&c->locks->lock[set % LOCKS]);
}

/* In the place of the same part, in an empty one, or in any.  Another thread may do the same at the
 * same time: then a value is lost, or is there twice. */
void part_cache_put_one(struct part_cache *c, uint64_t key, uint32_t value)
{
    _Atomic uint64_t *ones = part_cache_ones(c, key);
    uint64_t to = key % PART_WAYS;

    assert(key > 0 && key >> PART_KEY_BITS == 0 && value < 4);
    for (uint64_t k = 0; k < PART_WAYS; k++) {
        uint64_t one = atomic_load_explicit(&ones[k], memory_order_relaxed);

        if (one >> 2 == key || !one) {
            to = k;
            break;
        }
    }
    atomic_store_explicit(&ones[to], key << 2 | value, memory_order_relaxed);
}
