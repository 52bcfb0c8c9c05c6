/* SPDX-License-Identifier: MIT */
#include "db/sets.h"

#include <assert.h>
#include <stdlib.h>

/* clang-format off */
const uint32_t sets_binomial[33][SETS_KMAX + 1] = {
    {1, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {1, 1, 0, 0, 0, 0, 0, 0, 0, 0},
    {1, 2, 1, 0, 0, 0, 0, 0, 0, 0},
    {1, 3, 3, 1, 0, 0, 0, 0, 0, 0},
    {1, 4, 6, 4, 1, 0, 0, 0, 0, 0},
    {1, 5, 10, 10, 5, 1, 0, 0, 0, 0},
    {1, 6, 15, 20, 15, 6, 1, 0, 0, 0},
    {1, 7, 21, 35, 35, 21, 7, 1, 0, 0},
    {1, 8, 28, 56, 70, 56, 28, 8, 1, 0},
    {1, 9, 36, 84, 126, 126, 84, 36, 9, 1},
    {1, 10, 45, 120, 210, 252, 210, 120, 45, 10},
    {1, 11, 55, 165, 330, 462, 462, 330, 165, 55},
    {1, 12, 66, 220, 495, 792, 924, 792, 495, 220},
    {1, 13, 78, 286, 715, 1287, 1716, 1716, 1287, 715},
    {1, 14, 91, 364, 1001, 2002, 3003, 3432, 3003, 2002},
    {1, 15, 105, 455, 1365, 3003, 5005, 6435, 6435, 5005},
    {1, 16, 120, 560, 1820, 4368, 8008, 11440, 12870, 11440},
    {1, 17, 136, 680, 2380, 6188, 12376, 19448, 24310, 24310},
    {1, 18, 153, 816, 3060, 8568, 18564, 31824, 43758, 48620},
    {1, 19, 171, 969, 3876, 11628, 27132, 50388, 75582, 92378},
    {1, 20, 190, 1140, 4845, 15504, 38760, 77520, 125970, 167960},
    {1, 21, 210, 1330, 5985, 20349, 54264, 116280, 203490, 293930},
    {1, 22, 231, 1540, 7315, 26334, 74613, 170544, 319770, 497420},
    {1, 23, 253, 1771, 8855, 33649, 100947, 245157, 490314, 817190},
    {1, 24, 276, 2024, 10626, 42504, 134596, 346104, 735471, 1307504},
    {1, 25, 300, 2300, 12650, 53130, 177100, 480700, 1081575, 2042975},
    {1, 26, 325, 2600, 14950, 65780, 230230, 657800, 1562275, 3124550},
    {1, 27, 351, 2925, 17550, 80730, 296010, 888030, 2220075, 4686825},
    {1, 28, 378, 3276, 20475, 98280, 376740, 1184040, 3108105, 6906900},
    {1, 29, 406, 3654, 23751, 118755, 475020, 1560780, 4292145, 10015005},
    {1, 30, 435, 4060, 27405, 142506, 593775, 2035800, 5852925, 14307150},
    {1, 31, 465, 4495, 31465, 169911, 736281, 2629575, 7888725, 20160075},
    {1, 32, 496, 4960, 35960, 201376, 906192, 3365856, 10518300, 28048800},
};
/* clang-format on */

uint64_t binomial(int n, int k)
{
    uint64_t c = 1;

    if (k < 0 || k > n)
        return 0;
    for (int i = 1; i <= k; i++)
        c = c * (uint64_t)(n - k + i) / (uint64_t)i;
    return c;
}

/* The next larger number with as many bits set (for a non-zero set). */
static uint64_t next_set(uint64_t set)
{
    uint64_t low = set & -set, carry = set + low;

    return carry | (((set ^ carry) >> 2) / low);
}

static int family_create(struct set_family *f, int k)
{
    uint64_t set = (UINT64_C(1) << k) - 1;

    f->k = k;
    f->count = (uint32_t)binomial(32, k);
    f->words = (f->count + 63) / 64;
    f->set = malloc(f->count * sizeof *f->set);
    f->has = calloc(32 * (size_t)f->words, sizeof *f->has);
    f->all = calloc(f->words, sizeof *f->all);
    if (!f->set || !f->has || !f->all)
        return -1;
    for (uint32_t i = 0; i < f->count; i++) {
        f->set[i] = (uint32_t)set;
        f->all[i / 64] |= UINT64_C(1) << i % 64;
        for (uint64_t x = set; x; x &= x - 1)
            f->has[(size_t)__builtin_ctzll(x) * f->words + i / 64] |= UINT64_C(1) << i % 64;
        if (i + 1 < f->count)
            set = next_set(set);
    }
    assert(set_rank((uint32_t)set) == f->count - 1); /* (S1) */
    return 0;
}

struct sets *sets_create(int kmax)
{
    struct sets *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->kmax = kmax;
    for (int k = 0; k <= kmax; k++)
        if (family_create(&s->family[k], k)) {
            sets_free(&s);
            return NULL;
        }
    return s;
}

uint64_t sets_bytes(int kmax)
{
    uint64_t bytes = sizeof(struct sets);

    for (int k = 0; k <= kmax; k++) {
        uint64_t count = binomial(32, k), words = (count + 63) / 64;

        bytes += count * sizeof(uint32_t) + 33 * words * sizeof(uint64_t);
    }
    return bytes;
}

void sets_free(struct sets **s)
{
    if (!*s)
        return;
    for (int k = 0; k <= SETS_KMAX; k++) {
        free((*s)->family[k].set);
        free((*s)->family[k].has);
        free((*s)->family[k].all);
    }
    free(*s);
    *s = NULL;
}

uint32_t set_unrank_in(uint32_t rank, int k, uint32_t free)
{
    uint32_t set = 0, top = 0;
    int n = __builtin_popcount(free);

    for (; k > 0; k--) {
        do { /* the highest square that is left has n - 1 below it */
            top = UINT32_C(1) << (31 - __builtin_clz(free));
            free ^= top;
            n--;
        } while (sets_binomial[n][k] > rank);
        rank -= sets_binomial[n][k];
        set |= top;
    }
    return set;
}
