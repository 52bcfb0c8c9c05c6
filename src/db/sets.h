/* SPDX-License-Identifier: MIT
 *
 * sets.h -- number the k-element sets of squares, and families of such sets.
 *
 * A set of k squares out of 32 has a rank in colexicographic order: squares s1 < s2 < ... < sk
 * rank as C(s1,1) + C(s2,2) + ... + C(sk,k).  A family of such sets is a bitmap over ranks;
 * `has[s]` is the family of the sets that contain s, and every condition that move generation
 * places on an unknown set of kings ("contains this square", "avoids these") is a few ANDs of
 * such bitmaps.
 *
 * (S1) set[rank(x)] == x; ranks run from 0 to count - 1 without gaps.
 * (S2) The order is preserved when one fixed square is added to or removed from all sets of a
 *      family, and when all squares are renumbered in order.  So mapping between families is a
 *      compress or an expand, never a search.
 * (S3) Rows of bitmaps are padded with zero bits to whole 64-bit words.
 *
 * The tables are made by sets_create and constant afterwards: safe on any thread.  The caller
 * owns them. */
#ifndef KELSO_DB_SETS_H
#define KELSO_DB_SETS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SETS_KMAX = 9 }; /* a side of ten pieces has at most nine */

struct set_family {
    int k;
    uint32_t count; /* C(32, k) */
    uint32_t words; /* of a bitmap over all ranks */
    uint32_t *set;  /* by rank, packed squares */
    uint64_t *has;  /* [32][words] */
    uint64_t *all;  /* [words] */
};

struct sets {
    int kmax;
    struct set_family family[SETS_KMAX + 1];
};

/* C(n, k) for 0 <= n <= 32, 0 <= k <= 32. */
uint64_t binomial(int n, int k);

/* Make the families of up to kmax squares.  NULL when memory is short. */
struct sets *sets_create(int kmax);
void sets_free(struct sets **s);

/* The memory that sets_create takes. */
uint64_t sets_bytes(int kmax);

extern const uint32_t sets_binomial[33][SETS_KMAX + 1];

/* The rank of `set` among all sets of its size. */
static inline uint32_t set_rank(uint32_t set)
{
    uint32_t rank = 0;

    for (int i = 1; set; set &= set - 1)
        rank += sets_binomial[__builtin_ctz(set)][i++];
    return rank;
}

/* The rank of `set` when only the squares of `free` (a superset) are counted. */
static inline uint32_t set_rank_in(uint32_t set, uint32_t free)
{
    uint32_t rank = 0;

    for (int i = 1; set; set &= set - 1) {
        uint32_t below = free & ((set & -set) - 1);
        rank += sets_binomial[__builtin_popcount(below)][i++];
    }
    return rank;
}

/* The same with the squares counted from 32 down to 1: the opponent's view. */
static inline uint32_t set_rank_in_down(uint32_t set, uint32_t free)
{
    uint32_t rank = 0;

    for (int i = 1; set; i++) {
        int top = 31 - __builtin_clz(set);
        uint32_t above = (uint32_t)((uint64_t)free >> (top + 1));

        rank += sets_binomial[__builtin_popcount(above)][i];
        set ^= UINT32_C(1) << top;
    }
    return rank;
}

/* The set of k squares of `free` with that rank; the inverse of set_rank_in. */
uint32_t set_unrank_in(uint32_t rank, int k, uint32_t free);

/* The next set after `set` in that order; 0 after the last. */
static inline uint32_t set_next_in(uint32_t set, uint32_t free)
{
    uint32_t low = 0, room = free; /* low: the squares passed so far, moved to the lowest places */

    for (uint32_t x = set; x; x &= x - 1) {
        uint32_t bit = x & -x, above = free & ~(bit | (bit - 1)), next = above & -above;

        if (next && !(set & next))
            return low | next | (x & (x - 1));
        low |= room & -room;
        room &= room - 1;
    }
    return 0;
}

static inline const uint64_t *family_has(const struct set_family *f, int s)
{
    return f->has + (size_t)s * f->words;
}

static inline __attribute__((always_inline)) void family_select_words(const struct set_family *f,
                                                                      uint32_t with,
                                                                      uint32_t without,
                                                                      uint64_t *out, uint32_t words)
{
    for (uint32_t w = 0; w < words; w++)
        out[w] = f->all[w];
    for (; with; with &= with - 1) {
        const uint64_t *has = family_has(f, __builtin_ctz(with));
        for (uint32_t w = 0; w < words; w++)
            out[w] &= has[w];
    }
    for (; without; without &= without - 1) {
        const uint64_t *has = family_has(f, __builtin_ctz(without));
        for (uint32_t w = 0; w < words; w++)
            out[w] &= ~has[w];
    }
}

/* out := the sets of f that contain all of `with` and none of `without`.  The ranks of
 * single squares are the squares themselves; pairs fit eight words. */
static inline void family_select(const struct set_family *f, uint32_t with, uint32_t without,
                                 uint64_t *out)
{
    if (f->k == 0)
        out[0] = with == 0;
    else if (f->k == 1)
        out[0] = (with & (with - 1) ? 0 : with ? with : UINT32_MAX) & ~without;
    else if (f->k == 2)
        family_select_words(f, with, without, out, 8);
    else
        family_select_words(f, with, without, out, f->words);
}

#endif
