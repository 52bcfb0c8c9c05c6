/* SPDX-License-Identifier: MIT */
#include "core/perft.h"

#include "core/movegen.h"

#include <string.h>

enum { TAG_FREE = 0, TAG_LOCKED = 1, TAG_FIRST = 2, HASH_DEPTH_MIN = 3 };

bool perft_hash_init(struct perft_hash *hash, struct perft_entry *entry, size_t bytes)
{
    size_t n = 1;

    if (bytes < sizeof *entry)
        return false;
    while (2 * n * sizeof *entry <= bytes)
        n *= 2;
    memset(entry, 0, n * sizeof *entry);
    *hash = (struct perft_hash){.entry = entry, .mask = n - 1};
    return true;
}

static struct perft_entry key_of(const struct board *b, int depth)
{
    return (struct perft_entry){
        .black = squares_pack(b->side[BLACK]),
        .white = squares_pack(b->side[WHITE]),
        .kings = squares_pack(b->kings),
        .tag = (uint32_t)(TAG_FIRST + 2 * depth + (int)b->turn),
    };
}

static struct perft_entry *slot_of(struct perft_hash *hash, const struct perft_entry *key)
{
    uint64_t h = ((uint64_t)key->black << 32 | key->white) * UINT64_C(0x9E3779B97F4A7C15);

    h ^= h >> 29;
    h = (h + ((uint64_t)key->kings << 8 | key->tag)) * UINT64_C(0xBF58476D1CE4E5B9);
    h ^= h >> 32;
    return &hash->entry[h & hash->mask];
}

/* Take the entry for ourselves and return its tag; TAG_LOCKED if another thread
 * holds it, which costs us only the use of this entry. */
static uint32_t lock(struct perft_entry *e)
{
    return atomic_exchange_explicit(&e->tag, TAG_LOCKED, memory_order_acquire);
}

static void unlock(struct perft_entry *e, uint32_t tag)
{
    atomic_store_explicit(&e->tag, tag, memory_order_release);
}

static bool recall(struct perft_entry *e, const struct perft_entry *key, uint64_t *count)
{
    uint32_t tag = lock(e);
    bool hit;

    if (tag == TAG_LOCKED)
        return false;
    hit = tag == key->tag && e->black == key->black && e->white == key->white &&
          e->kings == key->kings;
    *count = e->count;
    unlock(e, tag);
    return hit;
}

/* Always replace: the newest count is the likeliest to be asked for again. */
static void remember(struct perft_entry *e, const struct perft_entry *key, uint64_t count)
{
    if (lock(e) == TAG_LOCKED)
        return;
    e->black = key->black;
    e->white = key->white;
    e->kings = key->kings;
    e->count = count;
    unlock(e, key->tag);
}

uint64_t perft(const struct board *b, int depth, struct perft_hash *hash)
{
    struct move_list list;
    struct perft_entry key, *slot = NULL;
    uint64_t n = 0;

    if (depth <= 0)
        return 1;
    if (depth == 1)
        return (uint64_t)moves_count(b);
    if (hash && depth >= HASH_DEPTH_MIN) {
        key = key_of(b, depth);
        slot = slot_of(hash, &key);
        if (recall(slot, &key, &n))
            return n;
        n = 0;
    }
    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++) {
        struct board next = board_after(b, &list.move[i]);
        n += perft(&next, depth - 1, hash);
    }
    if (slot)
        remember(slot, &key, n);
    return n;
}
