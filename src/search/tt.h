/* SPDX-License-Identifier: MIT
 *
 * tt.h -- the transposition table: what is known about positions searched before.
 *
 * Entries may be overwritten, but an entry is never mistaken for another position's.  The
 * bucket index comes from a reversible mix of the position, and the entry stores the rest of
 * it, so both together are the whole position and no two positions share a key.
 *
 *     black and white (64 bits) --mix--> P;  kings and turn (33 bits) = Y
 *     bucket = (P ^ hash(Y)) mod 2^n;  entry keeps Y and P >> n
 *
 *     word 0   bits 0-50  P >> n, n >= 13    51-57  move      58-63  check of word 1
 *     word 1   bits 0-32  Y    33-48  score    49-55  depth    56-57  bound
 *              58 solid   59-63  age
 *
 * Two threads may write one entry at once.  A mix of two writers' words is accepted only if
 * their Y are equal and P >> n is too, or if P happens to agree in its upper bits and the check
 * passes.
 *
 * (T1) An entry is found only for the position it was stored for (with one thread).
 * (T2) Scores are stored relative to their own position (score_to_table).
 *
 * The caller owns the table; any number of threads may probe and store. */
#ifndef KELSO_SEARCH_TT_H
#define KELSO_SEARCH_TT_H

#include "core/board.h"

#include <stdatomic.h>
#include <stddef.h>

enum tt_bound { BOUND_NONE, BOUND_LOWER, BOUND_UPPER, BOUND_EXACT };

enum { TT_NO_MOVE = 127, TT_DEPTH_MAX = 127, TT_BYTES_MIN = 512 << 10 };

struct tt_slot {
    _Atomic uint64_t word[2];
};

struct tt_bucket {
    struct tt_slot slot[4];
};

struct tt {
    struct tt_bucket *bucket;
    size_t mask; /* buckets - 1 */
    int shift;   /* their logarithm */
    unsigned age;
};

/* What is known about a position.  `solid`: the bound depends only on ends of games and on
 * tables. */
struct tt_data {
    int score, depth, move; /* move: its index in the list of moves_generate */
    enum tt_bound bound;
    bool solid;
};

struct tt_key {
    uint64_t p, y;
    size_t bucket;
};

/* Uses at most `bytes`, which is at least TT_BYTES_MIN.  Returns 0, or -1 without memory. */
int tt_open(struct tt *t, size_t bytes);
void tt_close(struct tt *t);
void tt_clear(struct tt *t);

/* Start a new search: age the entries. */
void tt_grow_old(struct tt *t);

static inline struct tt_key tt_key(const struct tt *t, const struct board *b)
{
    uint64_t p = squares_pack(b->side[BLACK]) | (uint64_t)squares_pack(b->side[WHITE]) << 32;
    uint64_t y = squares_pack(b->kings) | (uint64_t)b->turn << 32;

    p ^= p >> 32;
    p *= UINT64_C(0x9E3779B97F4A7C15);
    p ^= p >> 29;
    p *= UINT64_C(0xBF58476D1CE4E5B9);
    p ^= p >> 32;
    return (struct tt_key){p, y, (p ^ (y * UINT64_C(0x94D049BB133111EB)) >> 24) & t->mask};
}

static inline void tt_prefetch(const struct tt *t, const struct tt_key *k)
{
    __builtin_prefetch(&t->bucket[k->bucket]);
}

bool tt_probe(const struct tt *t, const struct tt_key *k, struct tt_data *d);
void tt_store(struct tt *t, const struct tt_key *k, const struct tt_data *d);

/* Filled entries of this age, in thousandths (an estimate). */
int tt_full(const struct tt *t);

#endif
