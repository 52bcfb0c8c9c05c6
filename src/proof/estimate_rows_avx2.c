/* SPDX-License-Identifier: MIT
 *
 * The loops of the estimate's network for AVX2.  estimate_rows.c has their plain twins. */
#ifdef __x86_64__
#include "proof/estimate_rows.h"

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX2_INLINE static inline __attribute__((always_inline, target("avx2")))

enum { LANES = ESTIMATE_SUMS / 16, SHIFT = 8 };

_Static_assert(ESTIMATE_MIDDLE == 8 && ESTIMATE_ONE == 1 << SHIFT, "one vector of eight sums");

AVX2_INLINE void rows_add(__m256i sum[LANES], const int16_t *from, const struct estimate_change *c)
{
    for (int k = 0; k < LANES; k++)
        sum[k] = _mm256_lddqu_si256((const __m256i *)from + k);
    for (int i = 0; i < c->removed; i++) {
        const __m256i *row = (const __m256i *)estimate_weights.first[c->remove[i]];

        for (int k = 0; k < LANES; k++)
            sum[k] = _mm256_sub_epi16(sum[k], _mm256_load_si256(row + k));
    }
    for (int i = 0; i < c->added; i++) {
        const __m256i *row = (const __m256i *)estimate_weights.first[c->add[i]];

        for (int k = 0; k < LANES; k++)
            sum[k] = _mm256_add_epi16(sum[k], _mm256_load_si256(row + k));
    }
}

AVX2 static void change(const int16_t *from, const struct estimate_change *c, int16_t *to)
{
    __m256i sum[LANES];

    rows_add(sum, from, c);
    for (int k = 0; k < LANES; k++)
        _mm256_storeu_si256((__m256i *)to + k, sum[k]);
}

/* Eight numbers whose sum is that of the products of two rows. */
AVX2_INLINE __m256i rows_multiply(const __m256i row[LANES], const int16_t *weights)
{
    __m256i sum = _mm256_setzero_si256();

    for (int k = 0; k < LANES; k++)
        sum = _mm256_add_epi32(
            sum, _mm256_madd_epi16(row[k], _mm256_load_si256((const __m256i *)weights + k)));
    return sum;
}

/* The sums of eight vectors, in order. */
AVX2_INLINE __m256i sum_each(const __m256i v[8])
{
    __m256i low = _mm256_hadd_epi32(_mm256_hadd_epi32(v[0], v[1]), _mm256_hadd_epi32(v[2], v[3]));
    __m256i high = _mm256_hadd_epi32(_mm256_hadd_epi32(v[4], v[5]), _mm256_hadd_epi32(v[6], v[7]));

    return _mm256_add_epi32(_mm256_permute2x128_si256(low, high, 0x20),
                            _mm256_permute2x128_si256(low, high, 0x31));
}

/* What passes of eight sums: 0 if negative, at most INT16_MAX. */
AVX2_INLINE __m128i pass(__m256i sum)
{
    __m256i n = _mm256_srai_epi32(_mm256_max_epi32(sum, _mm256_setzero_si256()), SHIFT);

    return _mm_packs_epi32(_mm256_castsi256_si128(n), _mm256_extracti128_si256(n, 1));
}

AVX2 static void logarithms(const int16_t *from, const struct estimate_change *c,
                            const struct estimate_head *h, int32_t log[2])
{
    __m256i sum[LANES], product[ESTIMATE_MIDDLE];
    __m128i middle, last[2];

    rows_add(sum, from, c);
    for (int k = 0; k < LANES; k++)
        sum[k] = _mm256_max_epi16(sum[k], _mm256_setzero_si256());
    for (int i = 0; i < ESTIMATE_MIDDLE; i++)
        product[i] = rows_multiply(sum, h->middle[i]);
    middle = pass(
        _mm256_add_epi32(sum_each(product), _mm256_loadu_si256((const __m256i *)h->middle_bias)));
    for (int q = 0; q < 2; q++)
        last[q] = _mm_madd_epi16(middle, _mm_load_si128((const __m128i *)h->last[q]));
    last[0] = _mm_hadd_epi32(last[0], last[1]);
    last[0] = _mm_hadd_epi32(last[0], last[0]);
    log[0] = h->last_bias[0] + _mm_extract_epi32(last[0], 0);
    log[1] = h->last_bias[1] + _mm_extract_epi32(last[0], 1);
}

const struct estimate_kernel estimate_kernel_avx2 = {change, logarithms};
#else
extern int estimate_rows_avx2_is_not_here; /* a file is not empty */
#endif
