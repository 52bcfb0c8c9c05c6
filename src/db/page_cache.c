/* SPDX-License-Identifier: MIT */
#include "db/page_cache.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    SLAB_BYTES = CACHE_SLAB_UNITS * CACHE_UNIT_WORDS * 8,
    SLABS_MIN = 8, /* one open slab for each width, and some to empty */
};

struct slab {
    cache_entry *owner[CACHE_SLAB_UNITS]; /* whose page begins in unit i */
    uint32_t generation;
    int used; /* units taken */
};

struct page_cache_slabs {
    pthread_mutex_t lock;       /* guards all below */
    uint32_t count;             /* slabs of the arena before the reserved parts */
    uint32_t all;               /* and with them */
    uint32_t fresh;             /* the first that was never used */
    uint32_t hand;              /* of the clock */
    int64_t open[CACHE_WIDTHS]; /* the slab being filled, or -1 */
    struct slab slab[];
};

int page_cache_open(struct page_cache *c, uint64_t bytes)
{
    uint64_t count = bytes / SLAB_BYTES < SLABS_MIN ? SLABS_MIN : bytes / SLAB_BYTES;

    if (count > UINT32_MAX / CACHE_SLAB_UNITS)
        count = UINT32_MAX / CACHE_SLAB_UNITS;
    *c = (struct page_cache){.touched = calloc(count, 1)};
    c->slabs = calloc(1, sizeof *c->slabs + count * sizeof *c->slabs->slab);
    if (c->slabs) {
        c->arena = mmap(NULL, count * SLAB_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (c->arena == MAP_FAILED)
            c->arena = NULL;
        pthread_mutex_init(&c->slabs->lock, NULL);
        c->slabs->count = c->slabs->all = (uint32_t)count;
        for (int i = 0; i < CACHE_WIDTHS; i++)
            c->slabs->open[i] = -1;
    }
    if (!c->arena || !c->slabs || !c->touched) {
        page_cache_close(c);
        return -1;
    }
    madvise(c->arena, count * SLAB_BYTES, MADV_HUGEPAGE);
    return 0;
}

void page_cache_close(struct page_cache *c)
{
    if (c->arena)
        munmap(c->arena, (size_t)c->slabs->all * SLAB_BYTES);
    if (c->slabs)
        pthread_mutex_destroy(&c->slabs->lock);
    free(c->slabs);
    free(c->touched);
    *c = (struct page_cache){0};
}

static void slab_empty(struct slab *s, uint64_t first_unit)
{
    (void)first_unit;
    assert(s->used <= CACHE_SLAB_UNITS);
    for (int i = 0; i < s->used; i++)
        if (s->owner[i]) {
            assert((uint32_t)atomic_load(s->owner[i]) == first_unit + (uint64_t)i + 1); /* (E5) */
            atomic_store_explicit(s->owner[i], 0, memory_order_relaxed);
        }
    for (int i = 0; i < CACHE_SLAB_UNITS; i++)
        s->owner[i] = NULL;
    s->used = 0;
    s->generation = (s->generation + 1) & 0x7FFFFFFF;
}

static bool slab_is_open(const struct page_cache_slabs *s, uint32_t i)
{
    for (int k = 0; k < CACHE_WIDTHS; k++)
        if (s->open[k] == i)
            return true;
    return false;
}

/* An empty slab: a fresh one, or one that was not touched while the hand went round. */
static uint32_t slab_take(struct page_cache *c)
{
    struct page_cache_slabs *s = c->slabs;

    assert(s->fresh <= s->count && s->count >= SLABS_MIN / 2);
    if (s->fresh < s->count)
        return s->fresh++;
    for (;; s->hand = (s->hand + 1) % s->count) {
        if (slab_is_open(s, s->hand))
            continue;
        if (!atomic_load_explicit(&c->touched[s->hand], memory_order_relaxed))
            break;
        atomic_store_explicit(&c->touched[s->hand], 0, memory_order_relaxed);
    }
    slab_empty(&s->slab[s->hand], (uint64_t)s->hand * CACHE_SLAB_UNITS);
    return s->hand;
}

static uint32_t page_units(int log2)
{
    return 1u << (log2 - 1);
}

/* Parts are reserved from the end of the arena, as long as no page was put there.  Their pages are
 * met in no order: the kernel had better not clear 2 MiB for each. */
cache_word *page_cache_reserve(struct page_cache *c, uint64_t pages, int log2)
{
    struct page_cache_slabs *s = c->slabs;
    uint64_t units = pages * page_units(log2);
    uint64_t slabs = (units + CACHE_SLAB_UNITS - 1) / CACHE_SLAB_UNITS;
    cache_word *part = NULL;

    pthread_mutex_lock(&s->lock);
    if (slabs <= s->count - s->fresh && s->count - slabs >= (s->all + 1) / 2) {
        s->count -= (uint32_t)slabs;
        part = c->arena + (size_t)s->count * CACHE_SLAB_UNITS * CACHE_UNIT_WORDS;
        madvise(part, slabs * SLAB_BYTES, MADV_NOHUGEPAGE);
    }
    assert(s->fresh <= s->count && s->count <= s->all); /* no page is in a reserved part */
    assert(2 * (uint64_t)s->count >= s->all);           /* (E4) */
    pthread_mutex_unlock(&s->lock);
    return part;
}

static size_t page_words(int log2)
{
    return (size_t)page_units(log2) * CACHE_UNIT_WORDS;
}

static void words_store(cache_word *place, const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        atomic_store_explicit(&place[i], words[i], memory_order_relaxed);
}

/* Another thread that decoded the page stores the same words. */
void page_cache_put_pinned_words(cache_word *place, cache_mark *mark, const uint64_t *words,
                                 size_t count)
{
    words_store(place, words, count);
    atomic_store_explicit(mark, CACHE_MARK_HERE, memory_order_release);
}

void page_cache_put_pinned(cache_word *place, cache_mark *mark, int log2, const uint64_t *words)
{
    page_cache_put_pinned_words(place, mark, words, page_words(log2));
}

void page_cache_put(struct page_cache *c, cache_entry *entry, int log2, const uint64_t *words)
{
    struct page_cache_slabs *s = c->slabs;
    uint32_t units = page_units(log2), unit, slab;

    assert(units <= CACHE_SLAB_UNITS);
    pthread_mutex_lock(&s->lock);
    if (atomic_load_explicit(entry, memory_order_relaxed) == 0) {
        if (s->open[log2] < 0 || s->slab[s->open[log2]].used + units > CACHE_SLAB_UNITS) {
            s->open[log2] = -1;
            s->open[log2] = slab_take(c);
        }
        slab = (uint32_t)s->open[log2];
        unit = slab * CACHE_SLAB_UNITS + (uint32_t)s->slab[slab].used;
        assert(slab < s->count && !s->slab[slab].owner[s->slab[slab].used]);
        s->slab[slab].owner[s->slab[slab].used] = entry;
        s->slab[slab].used += (int)units;
        atomic_thread_fence(memory_order_release); /* entries are 0 before the words change */
        words_store(&c->arena[(size_t)unit * CACHE_UNIT_WORDS], words, page_words(log2));
        atomic_store_explicit(&c->touched[slab], 1, memory_order_relaxed);
        atomic_store_explicit(entry, (uint64_t)s->slab[slab].generation << 32 | (unit + 1),
                              memory_order_release);
    }
    pthread_mutex_unlock(&s->lock);
}

bool page_cache_full(const struct page_cache *c)
{
    struct page_cache_slabs *s = c->slabs;
    bool full;

    pthread_mutex_lock(&s->lock);
    full = s->fresh == s->count;
    pthread_mutex_unlock(&s->lock);
    return full;
}

static void words_load(uint64_t *words, const cache_word *place, size_t count)
{
    for (size_t i = 0; i < count; i++)
        words[i] = atomic_load_explicit(&place[i], memory_order_relaxed);
}

bool page_cache_copy_pinned(const cache_word *place, const cache_mark *mark, int log2,
                            uint64_t *words)
{
    if (atomic_load_explicit(mark, memory_order_acquire) != CACHE_MARK_HERE)
        return false;
    words_load(words, place, page_words(log2));
    return true;
}

bool page_cache_copy(const struct page_cache *c, const cache_entry *entry, int log2,
                     uint64_t *words)
{
    uint64_t seen = atomic_load_explicit(entry, memory_order_acquire);

    if (seen == 0 || seen & CACHE_ONE_VALUE)
        return false;
    words_load(words, c->arena + ((uint32_t)seen - UINT64_C(1)) * CACHE_UNIT_WORDS,
               page_words(log2));
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(entry, memory_order_relaxed) == seen;
}
