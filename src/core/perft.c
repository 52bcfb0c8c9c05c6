/* SPDX-License-Identifier: MIT */
#include "core/perft.h"

#include "core/generate.h"

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
        .pieces = placement_of(b),
        .tag = (uint32_t)(TAG_FIRST + 2 * depth + (int)b->turn),
    };
}

/* Two multiplications: placement_hash takes three, and 1 to 5 % of the time. */
static struct perft_entry *slot_of(struct perft_hash *hash, const struct perft_entry *key)
{
    const struct placement *p = &key->pieces;
    uint64_t h = ((uint64_t)p->black << 32 | p->white) * UINT64_C(0x9E3779B97F4A7C15);

    h ^= h >> 29;
    h = (h + ((uint64_t)p->kings << 8 | key->tag)) * UINT64_C(0xBF58476D1CE4E5B9);
    h ^= h >> 32;
    return &hash->entry[h & hash->mask];
}

/* Lock the entry and return its tag; TAG_LOCKED if another thread holds it: then this entry is not
 * used. */
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
    hit = tag == key->tag && placement_equal(e->pieces, key->pieces);
    *count = e->count;
    unlock(e, tag);
    return hit;
}

/* Always replace: the newest count is the most likely to be needed again. */
static void remember(struct perft_entry *e, const struct perft_entry *key, uint64_t count)
{
    if (lock(e) == TAG_LOCKED)
        return;
    e->pieces = key->pieces;
    e->count = count;
    unlock(e, key->tag);
}

/* The paths below the quiet moves of `set`, all men or all kings, in direction d. */
ALWAYS_INLINE uint64_t below_quiet(const struct board *b, enum side us, squares set,
                                   enum direction d, bool king, int depth, struct perft_hash *hash)
{
    uint64_t n = 0;

    for (squares to = quiet_to(b, set, d); to; to &= to - 1) {
        squares bit = to & -to;
        struct board next = quiet_after(b, us, step_back(bit, d), bit, king);

        n += depth == 2 ? (uint64_t)count_moves(&next, side_other(us))
                        : perft(&next, depth - 1, hash);
    }
    return n;
}

ALWAYS_INLINE uint64_t below_captures(const struct board *b, int depth, struct perft_hash *hash)
{
    struct move_list list;
    uint64_t n = 0;

    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++) {
        struct board next = board_after(b, &list.move[i]);
        n += perft(&next, depth - 1, hash);
    }
    return n;
}

/* For depth >= 2.  Quiet moves need no list: the positions after them are made one by
 * one, and above the last ply only counted. */
ALWAYS_INLINE uint64_t below(const struct board *b, enum side us, int depth,
                             struct perft_hash *hash)
{
    squares men = board_men(b, us), kings = board_kings(b, us);
    uint64_t n;

    if (jumpers(b, us))
        return below_captures(b, depth, hash);
    n = below_quiet(b, us, men, forward_4(us), false, depth, hash) +
        below_quiet(b, us, men, forward_5(us), false, depth, hash);
    if (kings)
        for (enum direction d = UP_4; d < DIRECTIONS; d++)
            n += below_quiet(b, us, kings, d, true, depth, hash);
    return n;
}

uint64_t perft(const struct board *b, int depth, struct perft_hash *hash)
{
    struct perft_entry key, *slot = NULL;
    uint64_t n;

    if (depth <= 0)
        return 1;
    if (depth == 1)
        return (uint64_t)moves_count(b);
    if (hash && depth >= HASH_DEPTH_MIN) {
        key = key_of(b, depth);
        slot = slot_of(hash, &key);
        if (recall(slot, &key, &n))
            return n;
    }
    n = b->turn == BLACK ? below(b, BLACK, depth, hash) : below(b, WHITE, depth, hash);
    if (slot)
        remember(slot, &key, n);
    return n;
}
