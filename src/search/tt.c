/* SPDX-License-Identifier: MIT */
#include "search/tt.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    SHIFT_MIN = 13,
    MOVE_AT = 51,
    CHECK_AT = 58,
    SCORE_AT = 33,
    DEPTH_AT = 49,
    BOUND_AT = 56,
    SOLID_AT = 58,
    AGE_AT = 59,
    AGES = 32,
    SLOTS = 4,
    PAGE_LARGE = 2 << 20,
};

static_assert(sizeof(struct tt_bucket) == 64, "a bucket is a cache line");

static size_t pages_of(size_t bytes)
{
    return (bytes + PAGE_LARGE - 1) / PAGE_LARGE * PAGE_LARGE;
}

int tt_open(struct tt *t, size_t bytes)
{
    int shift = SHIFT_MIN;

    while (((size_t)2 << shift) * sizeof(struct tt_bucket) <= bytes)
        shift++;
    *t = (struct tt){.mask = ((size_t)1 << shift) - 1, .shift = shift};
    t->bucket = aligned_alloc(PAGE_LARGE, bytes = pages_of((t->mask + 1) * sizeof *t->bucket));
    if (!t->bucket)
        return -1;
    madvise((void *)t->bucket, bytes, MADV_HUGEPAGE); /* if the system can: fewer misses */
    tt_clear(t);
    return 0;
}

void tt_close(struct tt *t)
{
    free(t->bucket);
    *t = (struct tt){0};
}

void tt_clear(struct tt *t)
{
    memset((void *)t->bucket, 0, (t->mask + 1) * sizeof *t->bucket);
    t->age = 0;
}

void tt_grow_old(struct tt *t)
{
    t->age = (t->age + 1) % AGES;
}

/* ------------------------------------------------------------------- entries -- */

static uint64_t word_check(uint64_t w)
{
    w ^= w >> 30;
    w ^= w >> 12;
    return (w ^ w >> 6) & 63;
}

static int word_depth(uint64_t w)
{
    return (int)(w >> DEPTH_AT & TT_DEPTH_MAX);
}

static enum tt_bound word_bound(uint64_t w)
{
    return (enum tt_bound)(w >> BOUND_AT & 3);
}

static unsigned word_age(uint64_t w)
{
    return (unsigned)(w >> AGE_AT);
}

static uint64_t load(const struct tt_slot *s, int i)
{
    return atomic_load_explicit(&s->word[i], memory_order_relaxed);
}

/* Does the slot hold this position? */
static bool slot_is(const struct tt_slot *s, const struct tt *t, const struct tt_key *k,
                    uint64_t word[2])
{
    word[1] = load(s, 1);
    if ((word[1] & UINT64_C(0x1FFFFFFFF)) != k->y || word_bound(word[1]) == BOUND_NONE)
        return false;
    word[0] = load(s, 0);
    return (word[0] & ((UINT64_C(1) << MOVE_AT) - 1)) == k->p >> t->shift &&
           word[0] >> CHECK_AT == word_check(word[1]);
}

bool tt_probe(const struct tt *t, const struct tt_key *k, struct tt_data *d)
{
    const struct tt_bucket *bucket = &t->bucket[k->bucket];
    uint64_t w[2];

    for (int i = 0; i < SLOTS; i++) {
        if (!slot_is(&bucket->slot[i], t, k, w))
            continue;
        *d = (struct tt_data){
            .score = (int16_t)(w[1] >> SCORE_AT & 0xFFFF),
            .depth = word_depth(w[1]),
            .move = (int)(w[0] >> MOVE_AT & 127),
            .bound = word_bound(w[1]),
            .solid = w[1] >> SOLID_AT & 1,
        };
        return true;
    }
    return false;
}

/* The worth of an entry: deep and recent ones are kept. */
static int slot_worth(const struct tt *t, uint64_t w)
{
    int older = (int)((t->age + AGES - word_age(w)) % AGES);

    return word_bound(w) == BOUND_NONE ? -1000 : word_depth(w) - 4 * older;
}

void tt_store(struct tt *t, const struct tt_key *k, const struct tt_data *d)
{
    struct tt_bucket *bucket = &t->bucket[k->bucket];
    struct tt_slot *place = NULL;
    int move = d->move, worst = 1 << 20;
    uint64_t w[2], first;

    for (int i = 0; i < SLOTS; i++) {
        struct tt_slot *s = &bucket->slot[i];
        int worth;

        if (slot_is(s, t, k, w)) {
            place = s;
            if (move == TT_NO_MOVE)
                move = (int)(w[0] >> MOVE_AT & 127);
            break;
        }
        if ((worth = slot_worth(t, load(s, 1))) < worst) {
            worst = worth;
            place = s;
        }
    }
    first = k->y | (uint64_t)(uint16_t)(int16_t)d->score << SCORE_AT |
            (uint64_t)(d->depth < 0 ? 0 : d->depth) << DEPTH_AT | (uint64_t)d->bound << BOUND_AT |
            (uint64_t)d->solid << SOLID_AT | (uint64_t)t->age << AGE_AT;
    atomic_store_explicit(&place->word[0],
                          k->p >> t->shift | (uint64_t)move << MOVE_AT |
                              word_check(first) << CHECK_AT,
                          memory_order_relaxed);
    atomic_store_explicit(&place->word[1], first, memory_order_relaxed);
}

int tt_full(const struct tt *t)
{
    int used = 0, seen = 0;

    for (size_t i = 0; i <= t->mask && i < 250; i++)
        for (int j = 0; j < SLOTS; j++, seen++) {
            uint64_t w = load(&t->bucket[i].slot[j], 1);
            used += word_bound(w) != BOUND_NONE && word_age(w) == t->age;
        }
    return used * 1000 / seen;
}
