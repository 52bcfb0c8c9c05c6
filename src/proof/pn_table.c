/* SPDX-License-Identifier: MIT */
#include "proof/pn_table.h"

#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    BUCKET = 8,
    BUCKETS_MIN = 4096, /* as many as there are locks */
    LOCKS = BUCKETS_MIN,
    FADED = 16,         /* the maximum fading of an entry */
    LOAD_PERCENT = 50,  /* a table that may grow is not fuller */
    CHEAP = 16,         /* less work than this is cheap to repeat */
    CROWDED_SHARE = 64, /* a shared table is crowded when one bucket in 64 has lost an entry */
    SPINS = 100         /* attempts at a lock before we yield the processor */
};

static_assert(sizeof(struct pn_entry) == 32, "two entries to a cache line");

/* The tags of a bucket's entries: a byte each, 0 for a free one. */
typedef _Atomic uint64_t bucket_tags;

struct pn_table {
    uint64_t buckets;       /* a power of two */
    uint64_t limit;         /* entries it may grow to */
    uint64_t used;          /* entries; not counted if shared */
    _Atomic uint64_t lost;  /* entries replaced since it grew; counted if shared */
    atomic_bool crowded;    /* shared, and should grow */
    struct pn_entry *entry; /* mapped memory: zero, committed on first use */
    bucket_tags *tags;      /* the same; 0 beyond the current buckets */
    bool shared;
    uint8_t season;          /* of the current search; older entries are worth less */
    atomic_flag lock[LOCKS]; /* a bucket is guarded by the lock of its low bits */
};

/* --------------------------------------------------------------------- memory -- */

static size_t entry_bytes(const struct pn_table *t)
{
    return t->limit * BUCKET * sizeof *t->entry;
}

static size_t tag_bytes(const struct pn_table *t)
{
    return t->limit * sizeof *t->tags;
}

static void *pages_map(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);

    if (p == MAP_FAILED)
        return NULL;
    madvise(p, bytes, MADV_HUGEPAGE);
    return p;
}

struct pn_table *pn_table_create(uint64_t bytes, bool shared)
{
    struct pn_table *t = calloc(1, sizeof *t);

    if (!t)
        return NULL;
    t->limit = BUCKETS_MIN;
    while (2 * entry_bytes(t) <= bytes)
        t->limit *= 2;
    t->buckets = BUCKETS_MIN;
    t->entry = pages_map(entry_bytes(t));
    t->tags = pages_map(tag_bytes(t));
    for (int i = 0; i < LOCKS; i++)
        atomic_flag_clear(&t->lock[i]);
    t->shared = shared;
    if (!t->entry || !t->tags)
        pn_table_free(&t);
    return t;
}

void pn_table_free(struct pn_table **t)
{
    if (*t && (*t)->entry)
        munmap((*t)->entry, entry_bytes(*t));
    if (*t && (*t)->tags)
        munmap((*t)->tags, tag_bytes(*t));
    free(*t);
    *t = NULL;
}

void pn_table_clear(struct pn_table *t)
{
    for (uint64_t i = 0; i < t->buckets; i++)
        atomic_store_explicit(&t->tags[i], 0, memory_order_relaxed);
    t->used = 0;
    t->buckets = BUCKETS_MIN;
    atomic_store(&t->lost, 0);
    atomic_store(&t->crowded, false);
}

void pn_table_season(struct pn_table *t)
{
    t->season++;
}

bool pn_table_full(const struct pn_table *t)
{
    return t->buckets == t->limit && t->used * 100 > t->buckets * BUCKET * LOAD_PERCENT;
}

/* ------------------------------------------------------------------- finding -- */

static uint64_t key_bucket(const struct pn_table *t, const struct pn_key *k)
{
    return k->hash & (t->buckets - 1);
}

/* Taken from hash bits that are not in the bucket number. */
static uint64_t hash_tag(uint64_t hash)
{
    return hash >> 56 ? hash >> 56 : 1;
}

static uint64_t tags_of(const struct pn_table *t, uint64_t bucket)
{
    return atomic_load_explicit(&t->tags[bucket], memory_order_relaxed);
}

static uint64_t tag_at(uint64_t tags, int slot)
{
    return tags >> 8 * slot & 0xFF;
}

static void tag_set(struct pn_table *t, uint64_t bucket, int slot, uint64_t tag)
{
    uint64_t others = tags_of(t, bucket) & ~(UINT64_C(0xFF) << 8 * slot);

    atomic_store_explicit(&t->tags[bucket], others | tag << 8 * slot, memory_order_relaxed);
}

/* The high bit of each byte that is this tag. */
static uint64_t tags_equal(uint64_t tags, uint64_t tag)
{
    const uint64_t low = UINT64_C(0x7F7F7F7F7F7F7F7F);
    uint64_t differ = tags ^ tag * UINT64_C(0x0101010101010101);

    return ~(((differ & low) + low) | differ | low);
}

/* The first slot of such a set. */
static uint64_t slot_first(uint64_t set)
{
    return (uint64_t)__builtin_ctzll(set) / 8;
}

static bool entry_is(const struct pn_entry *e, const struct pn_key *k)
{
    return placement_equal(e->pieces, k->pieces) && e->turn == k->turn &&
           e->attacker == k->attacker;
}

static struct pn_entry *bucket_find(const struct pn_table *t, const struct pn_key *k)
{
    uint64_t bucket = key_bucket(t, k);
    uint64_t set = tags_equal(tags_of(t, bucket), hash_tag(k->hash));

    for (; set; set &= set - 1) {
        struct pn_entry *e = &t->entry[bucket * BUCKET + slot_first(set)];

        if (entry_is(e, k))
            return e;
    }
    return NULL;
}

static atomic_flag *bucket_lock(struct pn_table *t, const struct pn_key *k)
{
    atomic_flag *lock = t->shared ? &t->lock[key_bucket(t, k) % LOCKS] : NULL;

    for (int spins = 0; lock && atomic_flag_test_and_set_explicit(lock, memory_order_acquire);)
        if (++spins % SPINS == 0)
            sched_yield(); /* the holder may be waiting for a processor */
    return lock;
}

static void bucket_unlock(atomic_flag *lock)
{
    if (lock)
        atomic_flag_clear_explicit(lock, memory_order_release);
}

void pn_table_announce(const struct pn_table *t, const struct pn_key *key)
{
    __builtin_prefetch(&t->tags[key_bucket(t, key)]);
}

bool pn_table_expect(const struct pn_table *t, const struct pn_key *key)
{
    uint64_t bucket = key_bucket(t, key);
    uint64_t all = tags_equal(tags_of(t, bucket), hash_tag(key->hash));

    for (uint64_t set = all; set; set &= set - 1)
        __builtin_prefetch(&t->entry[bucket * BUCKET + slot_first(set)]);
    return all != 0;
}

void pn_table_prepare(const struct pn_table *t, const struct pn_key *key)
{
    uint64_t bucket = key_bucket(t, key), tags = tags_of(t, bucket);
    uint64_t set = tags_equal(tags, hash_tag(key->hash));

    if (set == 0)
        set = tags_equal(tags, 0);
    if (set)
        __builtin_prefetch(&t->entry[bucket * BUCKET + slot_first(set)], 1);
}

bool pn_table_get(struct pn_table *t, const struct pn_key *key, struct pn_numbers *out)
{
    atomic_flag *lock = bucket_lock(t, key);
    struct pn_entry *e = bucket_find(t, key);

    if (e)
        *out = (struct pn_numbers){e->phi, e->delta, (enum pn_state)e->state, e->busy};
    bucket_unlock(lock);
    return e != NULL;
}

/* ------------------------------------------------------------------- keeping -- */

static bool state_final(unsigned state)
{
    return state == PN_PROVEN || state == PN_DISPROVEN;
}

/* The worth of an entry: a decided one would cost its whole work again. */
static uint64_t entry_worth(const struct pn_table *t, const struct pn_entry *e)
{
    uint8_t seasons = (uint8_t)(t->season - e->season);
    int fading = seasons < FADED ? seasons : FADED;

    return (2 * (uint64_t)e->work >> fading) + (e->state != PN_OPEN);
}

/* The place for a new entry: a free one, or that of the least valuable entry. */
static int bucket_victim(const struct pn_table *t, uint64_t bucket)
{
    const struct pn_entry *e = &t->entry[bucket * BUCKET];
    uint64_t free = tags_equal(tags_of(t, bucket), 0);
    int least = 0;

    if (free)
        return (int)slot_first(free);
    for (int i = 1; i < BUCKET; i++)
        if (entry_worth(t, &e[i]) < entry_worth(t, &e[least]))
            least = i;
    return least;
}

/* Double the buckets: by one more bit of their hash, half the entries of each bucket move to the
 * corresponding one in the new half. */
static void table_grow(struct pn_table *t)
{
    uint64_t half = t->buckets;

    t->buckets *= 2;
    for (uint64_t b = 0; b < half; b++)
        for (int i = 0; i < BUCKET; i++) {
            struct pn_entry *e = &t->entry[b * BUCKET + (uint64_t)i];
            uint64_t tag = tag_at(tags_of(t, b), i);

            if (tag == 0 || !(pn_hash(e->pieces, e->turn, e->attacker) & half))
                continue;
            t->entry[(b + half) * BUCKET + (uint64_t)i] = *e;
            tag_set(t, b + half, i, tag);
            tag_set(t, b, i, 0);
        }
}

/* An entry of a shared table was replaced: is it time to grow? */
static void entry_lost(struct pn_table *t, bool dear)
{
    uint64_t lost = 1 + atomic_fetch_add_explicit(&t->lost, 1, memory_order_relaxed);

    if (dear || lost > t->buckets / CROWDED_SHARE)
        atomic_store_explicit(&t->crowded, true, memory_order_relaxed);
}

/* A place for a new entry.  While the table of a single thread can grow, no valuable entry is lost;
 * a shared table loses some until its threads have stopped to let it grow. */
static struct pn_entry *place_make(struct pn_table *t, const struct pn_key *key)
{
    for (;;) {
        uint64_t bucket = key_bucket(t, key);
        int slot = bucket_victim(t, bucket);
        struct pn_entry *e = &t->entry[bucket * BUCKET + (uint64_t)slot];
        bool taken = tag_at(tags_of(t, bucket), slot) != 0;
        bool dear = taken && (e->state != PN_OPEN || e->work >= CHEAP);

        if (t->buckets < t->limit && !t->shared &&
            (dear || t->used * 100 > t->buckets * BUCKET * LOAD_PERCENT)) {
            table_grow(t);
            continue;
        }
        if (!taken && !t->shared)
            t->used++;
        if (taken && t->shared && t->buckets < t->limit)
            entry_lost(t, dear);
        tag_set(t, bucket, slot, hash_tag(key->hash));
        return e;
    }
}

static struct pn_entry *entry_make(struct pn_table *t, const struct pn_key *key)
{
    struct pn_entry *e = place_make(t, key);

    *e = (struct pn_entry){
        .pieces = key->pieces, .turn = key->turn & 1, .attacker = key->attacker & 1};
    return e;
}

void pn_table_put(struct pn_table *t, const struct pn_key *key, const struct pn_numbers *n,
                  uint64_t work)
{
    atomic_flag *lock = bucket_lock(t, key);
    struct pn_entry *e = bucket_find(t, key);

    if (!e)
        e = entry_make(t, key);
    if (!state_final(e->state)) {
        uint64_t sum = e->work + work;

        e->phi = n->phi;
        e->delta = n->delta;
        e->state = n->state & 3;
        e->season = t->season;
        e->work = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
    }
    bucket_unlock(lock);
}

void pn_table_busy(struct pn_table *t, const struct pn_key *key, int change)
{
    atomic_flag *lock = bucket_lock(t, key);
    struct pn_entry *e = bucket_find(t, key);

    if (e && e->busy + change >= 0)
        e->busy = (uint8_t)(e->busy + change);
    bucket_unlock(lock);
}

bool pn_table_crowded(const struct pn_table *t)
{
    return atomic_load_explicit(&t->crowded, memory_order_relaxed);
}

void pn_table_grow(struct pn_table *t)
{
    if (t->buckets < t->limit)
        table_grow(t);
    atomic_store(&t->lost, 0);
    atomic_store(&t->crowded, false);
}

struct pn_entry *pn_table_entry(struct pn_table *t, const struct pn_key *key)
{
    return bucket_find(t, key);
}

void pn_table_forget(struct pn_table *t, const struct pn_key *key)
{
    const struct pn_entry *e = bucket_find(t, key);
    uint64_t place;

    if (!e)
        return;
    place = (uint64_t)(e - t->entry);
    tag_set(t, place / BUCKET, (int)(place % BUCKET), 0);
    if (!t->shared)
        t->used--;
}

uint64_t pn_table_places(const struct pn_table *t)
{
    return t->buckets * BUCKET;
}

const struct pn_entry *pn_table_at(const struct pn_table *t, uint64_t place)
{
    return tag_at(tags_of(t, place / BUCKET), (int)(place % BUCKET)) ? &t->entry[place] : NULL;
}

struct board pn_entry_board(const struct pn_entry *e)
{
    return placement_board(e->pieces, (enum side)e->turn);
}
