/* SPDX-License-Identifier: MIT
 *
 * The loops of the network for AVX-512 with VNNI, which multiplies groups of four and adds in one
 * instruction.  network.c has their plain twins. */
#ifdef __x86_64__
#include "search/network_kernels.h"

#include <immintrin.h>

#define TARGET "avx512f,avx512bw,avx512vl,avx512vnni"
#define AVX512 __attribute__((target(TARGET)))
#define AVX512_INLINE static inline __attribute__((always_inline, target(TARGET)))

enum { LANES_16 = 32, FIRST_VECTORS = NETWORK_FIRST / LANES_16, BYTES = 64, CHAINS = 4 };

_Static_assert(NETWORK_SECOND == 32 && NETWORK_THIRD == 32, "two vectors of sixteen sums");
_Static_assert(NETWORK_FIRST % (2 * LANES_16) == 0, "whole vectors of outputs");

AVX512 static void change(const struct network_weights *w, const int16_t *from, int16_t *to,
                          const struct network_change *c)
{
    __m512i sum[FIRST_VECTORS];

    for (int k = 0; k < FIRST_VECTORS; k++)
        sum[k] = _mm512_load_si512((const __m512i *)from + k);
    for (int i = 0; i < c->removed; i++)
        for (int k = 0; k < FIRST_VECTORS; k++)
            sum[k] = _mm512_sub_epi16(
                sum[k], _mm512_load_si512((const __m512i *)w->first[c->remove[i]] + k));
    for (int i = 0; i < c->added; i++)
        for (int k = 0; k < FIRST_VECTORS; k++)
            sum[k] = _mm512_add_epi16(sum[k],
                                      _mm512_load_si512((const __m512i *)w->first[c->add[i]] + k));
    for (int k = 0; k < FIRST_VECTORS; k++)
        _mm512_store_si512((__m512i *)to + k, sum[k]);
}

/* Sums of the first layer to outputs of 0-127. */
AVX512_INLINE void clip_first(const int16_t *sums, const int16_t *move, uint8_t *out)
{
    const __m512i zero = _mm512_setzero_si512(), most = _mm512_set1_epi16(NETWORK_ONE - 1);

    for (int k = 0; k < FIRST_VECTORS; k++) {
        __m512i x = _mm512_add_epi16(_mm512_load_si512((const __m512i *)sums + k),
                                     _mm512_load_si512((const __m512i *)move + k));

        x = _mm512_srai_epi16(x, NETWORK_FIRST_SHIFT);
        x = _mm512_min_epi16(_mm512_max_epi16(x, zero), most);
        _mm256_store_si256((__m256i *)out + k, _mm512_cvtepi16_epi8(x));
    }
}

/* 32 sums over groups of four inputs.  Several sums at once hide the time of an instruction. */
AVX512_INLINE void multiply(const uint8_t *in, int groups, const int8_t *weights,
                            const int32_t *bias, __m512i out[2])
{
    __m512i sum[CHAINS][2];

    for (int c = 0; c < CHAINS; c++)
        for (int k = 0; k < 2; k++)
            sum[c][k] = c ? _mm512_setzero_si512() : _mm512_loadu_si512((const __m512i *)bias + k);
    for (int g = 0; g < groups; g += CHAINS, weights += 2 * CHAINS * BYTES)
        for (int c = 0; c < CHAINS; c++) {
            int32_t four;
            __m512i x;

            __builtin_memcpy(&four, in + NETWORK_GROUP * (g + c), sizeof four);
            x = _mm512_set1_epi32(four);
            for (int k = 0; k < 2; k++)
                sum[c][k] = _mm512_dpbusd_epi32(
                    sum[c][k], x, _mm512_loadu_si512((const __m512i *)weights + 2 * c + k));
        }
    for (int k = 0; k < 2; k++)
        out[k] = _mm512_add_epi32(_mm512_add_epi32(sum[0][k], sum[1][k]),
                                  _mm512_add_epi32(sum[2][k], sum[3][k]));
}

/* 16 sums to outputs of 0-127. */
AVX512_INLINE __m128i clip_sums(__m512i sum)
{
    const __m512i zero = _mm512_setzero_si512(), most = _mm512_set1_epi32(NETWORK_ONE - 1);

    sum = _mm512_srai_epi32(sum, NETWORK_SHIFT);
    return _mm512_cvtepi32_epi8(_mm512_min_epi32(_mm512_max_epi32(sum, zero), most));
}

AVX512_INLINE int last_layer(const __m512i sum[2], const int16_t *weights)
{
    __m256i third = _mm256_set_m128i(clip_sums(sum[1]), clip_sums(sum[0]));

    return _mm512_reduce_add_epi32(_mm512_madd_epi16(_mm512_cvtepi8_epi16(third),
                                                     _mm512_loadu_si512((const __m512i *)weights)));
}

AVX512 static int value(const struct network_weights *w, const int16_t *mover, const int16_t *other,
                        int has_move, int bucket)
{
    const struct network_head *h = &w->head[bucket];
    alignas(64) uint8_t first[2 * NETWORK_FIRST], second[NETWORK_SECOND];
    __m512i sum[2];

    clip_first(mover, w->first[NETWORK_PIECE_INPUTS + has_move], first);
    clip_first(other, w->first[NETWORK_PIECE_INPUTS + !has_move], first + NETWORK_FIRST);
    multiply(first, 2 * NETWORK_FIRST / NETWORK_GROUP, &h->second[0][0][0], h->second_bias, sum);
    _mm_store_si128((__m128i *)second, clip_sums(sum[0]));
    _mm_store_si128((__m128i *)second + 1, clip_sums(sum[1]));
    multiply(second, NETWORK_SECOND / NETWORK_GROUP, &h->third[0][0][0], h->third_bias, sum);
    return (h->last_bias + last_layer(sum, h->last)) >> NETWORK_LAST_SHIFT;
}

const struct network_kernel network_kernel_avx512 = {change, value};
#else
extern int network_avx512_is_not_here; /* a file is not empty */
#endif
