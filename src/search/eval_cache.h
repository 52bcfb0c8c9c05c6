/* SPDX-License-Identifier: MIT
 *
 * eval_cache.h -- the evaluations of recent positions.
 *
 * Different orders of moves lead to the same leaves, and the network costs far more than a memory
 * access.  Each position has one place, and a later position replaces an earlier one there.  An
 * entry holds the whole position (the key of tt.h is reversible), so it is never mistaken for
 * another position's:
 *
 *     word 0   P        word 1   bits 0-32  Y    33-48  the estimate    63  filled
 *
 * (E1) eval_cache_find returns what was stored for this position and this network, or nothing, so
 *      results do not depend on the content of the cache.
 *
 * The caller owns a cache and empties it when the network changes.  One thread. */
#ifndef KELSO_SEARCH_EVAL_CACHE_H
#define KELSO_SEARCH_EVAL_CACHE_H

#include "search/tt.h"

enum { EVAL_CACHE_BITS = 16, EVAL_CACHE_SCORE_AT = 33, EVAL_CACHE_FILLED_AT = 63 };

struct eval_cache {
    uint64_t word[1 << EVAL_CACHE_BITS][2];
};

static inline uint64_t *eval_cache_place(struct eval_cache *c, const struct tt_key *k)
{
    uint64_t mixed = k->p ^ k->y * UINT64_C(0x94D049BB133111EB);

    return c->word[mixed >> (64 - EVAL_CACHE_BITS)];
}

static inline void eval_cache_prefetch(struct eval_cache *c, const struct tt_key *k)
{
    __builtin_prefetch(eval_cache_place(c, k));
}

static inline bool eval_cache_find(struct eval_cache *c, const struct tt_key *k, int *score)
{
    const uint64_t *w = eval_cache_place(c, k);

    if (w[0] != k->p ||
        (w[1] & UINT64_C(0x80000001FFFFFFFF)) != (k->y | UINT64_C(1) << EVAL_CACHE_FILLED_AT))
        return false;
    *score = (int16_t)(w[1] >> EVAL_CACHE_SCORE_AT & 0xFFFF);
    return true;
}

static inline void eval_cache_put(struct eval_cache *c, const struct tt_key *k, int score)
{
    uint64_t *w = eval_cache_place(c, k);

    w[0] = k->p;
    w[1] = k->y | (uint64_t)(uint16_t)score << EVAL_CACHE_SCORE_AT |
           UINT64_C(1) << EVAL_CACHE_FILLED_AT;
}

#endif
