/* SPDX-License-Identifier: MIT */
#include "proof/pn_table.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BUCKET = 4, LOCKS = 4096, FADED = 16 };

static_assert(sizeof(struct pn_entry) == 32, "a bucket is two cache lines");

struct pn_table {
    uint64_t buckets;       /* a power of two */
    struct pn_entry *entry; /* mapped: zero, and not there before it is used */
    bool shared;
    uint8_t age;             /* entries of another age do not count; never 0 */
    uint8_t season;          /* of the searches; what older ones left is worth less */
    atomic_flag lock[LOCKS]; /* a bucket is guarded by the lock of its low bits */
};

static size_t table_bytes(const struct pn_table *t)
{
    return t->buckets * BUCKET * sizeof *t->entry;
}

struct pn_table *pn_table_create(uint64_t bytes, bool shared)
{
    struct pn_table *t = calloc(1, sizeof *t);

    if (!t)
        return NULL;
    t->buckets = LOCKS;
    while (2 * table_bytes(t) <= bytes)
        t->buckets *= 2;
    t->entry = mmap(NULL, table_bytes(t), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (t->entry == MAP_FAILED) {
        free(t);
        return NULL;
    }
    madvise(t->entry, table_bytes(t), MADV_HUGEPAGE);
    for (int i = 0; i < LOCKS; i++)
        atomic_flag_clear(&t->lock[i]);
    t->shared = shared;
    t->age = 1;
    return t;
}

void pn_table_free(struct pn_table **t)
{
    if (*t)
        munmap((*t)->entry, table_bytes(*t));
    free(*t);
    *t = NULL;
}

void pn_table_clear(struct pn_table *t)
{
    if (++t->age)
        return;
    memset(t->entry, 0, table_bytes(t));
    t->age = 1;
}

void pn_table_season(struct pn_table *t)
{
    t->season++;
}

/* ------------------------------------------------------------------- finding -- */

static uint64_t key_bucket(const struct pn_table *t, const struct pn_key *k)
{
    uint64_t x = (uint64_t)k->black << 32 | k->white;

    x ^= ((uint64_t)k->kings << 2 | k->turn << 1 | k->attacker) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return (x ^ x >> 31) & (t->buckets - 1);
}

static bool entry_is(const struct pn_table *t, const struct pn_entry *e, const struct pn_key *k)
{
    return e->age == t->age && e->black == k->black && e->white == k->white &&
           e->kings == k->kings && e->turn == k->turn && e->attacker == k->attacker;
}

static struct pn_entry *bucket_find(const struct pn_table *t, struct pn_entry *bucket,
                                    const struct pn_key *k)
{
    for (int i = 0; i < BUCKET; i++)
        if (entry_is(t, &bucket[i], k))
            return &bucket[i];
    return NULL;
}

static struct pn_entry *bucket_lock(struct pn_table *t, const struct pn_key *k, atomic_flag **lock)
{
    uint64_t n = key_bucket(t, k);

    *lock = t->shared ? &t->lock[n % LOCKS] : NULL;
    while (*lock && atomic_flag_test_and_set_explicit(*lock, memory_order_acquire))
        ;
    return &t->entry[n * BUCKET];
}

static void bucket_unlock(atomic_flag *lock)
{
    if (lock)
        atomic_flag_clear_explicit(lock, memory_order_release);
}

void pn_table_announce(const struct pn_table *t, const struct pn_key *key)
{
    const struct pn_entry *bucket = &t->entry[key_bucket(t, key) * BUCKET];

    __builtin_prefetch(bucket);
    __builtin_prefetch(bucket + BUCKET / 2);
}

bool pn_table_get(struct pn_table *t, const struct pn_key *key, struct pn_numbers *out)
{
    atomic_flag *lock;
    struct pn_entry *e = bucket_find(t, bucket_lock(t, key, &lock), key);

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

/* What an entry is worth keeping for: decided ones cost their whole work again. */
static uint64_t entry_worth(const struct pn_table *t, const struct pn_entry *e)
{
    uint8_t seasons = (uint8_t)(t->season - e->season);
    int fading = seasons < FADED ? seasons : FADED;

    return e->age == t->age ? 1 + (2 * (uint64_t)e->work >> fading) + (e->state != PN_OPEN) : 0;
}

static struct pn_entry *bucket_victim(const struct pn_table *t, struct pn_entry *bucket)
{
    struct pn_entry *least = bucket;

    for (int i = 1; i < BUCKET; i++)
        if (entry_worth(t, &bucket[i]) < entry_worth(t, least))
            least = &bucket[i];
    return least;
}

void pn_table_put(struct pn_table *t, const struct pn_key *key, const struct pn_numbers *n,
                  uint64_t work)
{
    atomic_flag *lock;
    struct pn_entry *bucket = bucket_lock(t, key, &lock), *e = bucket_find(t, bucket, key);

    if (!e) {
        e = bucket_victim(t, bucket);
        *e = (struct pn_entry){key->black,
                               key->white,
                               key->kings,
                               .turn = key->turn & 1,
                               .attacker = key->attacker & 1,
                               .age = t->age};
    }
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
    atomic_flag *lock;
    struct pn_entry *e = bucket_find(t, bucket_lock(t, key, &lock), key);

    if (e && e->busy + change >= 0)
        e->busy = (uint8_t)(e->busy + change);
    bucket_unlock(lock);
}

int pn_table_fill(const struct pn_table *t)
{
    int used = 0;

    for (int i = 0; i < 1000; i++)
        used += t->entry[t->buckets * BUCKET / 1000 * (uint64_t)i].age == t->age;
    return used;
}

struct pn_entry *pn_table_entry(struct pn_table *t, const struct pn_key *key)
{
    return bucket_find(t, &t->entry[key_bucket(t, key) * BUCKET], key);
}

struct board pn_entry_board(const struct pn_entry *e)
{
    return (struct board){{squares_unpack(e->black), squares_unpack(e->white)},
                          squares_unpack(e->kings),
                          (enum side)e->turn};
}
