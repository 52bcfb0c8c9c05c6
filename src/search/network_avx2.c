/* SPDX-License-Identifier: MIT
 *
 * The loops of the network for AVX2.  network.c has their plain twins. */
#ifdef __x86_64__
#include "search/network_kernels.h"

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX2_INLINE static inline __attribute__((always_inline, target("avx2")))

enum { LANES_16 = 16, FIRST_VECTORS = NETWORK_FIRST / LANES_16, BYTES = 32 };

_Static_assert(NETWORK_SECOND == 32 && NETWORK_THIRD == 32, "four vectors of eight sums");

AVX2 static void change(const struct network_weights *w, const int16_t *from, int16_t *to,
                        const struct network_change *c)
{
    __m256i sum[FIRST_VECTORS];

    for (int k = 0; k < FIRST_VECTORS; k++)
        sum[k] = _mm256_load_si256((const __m256i *)from + k);
    for (int i = 0; i < c->removed; i++)
        for (int k = 0; k < FIRST_VECTORS; k++)
            sum[k] = _mm256_sub_epi16(
                sum[k], _mm256_load_si256((const __m256i *)w->first[c->remove[i]] + k));
    for (int i = 0; i < c->added; i++)
        for (int k = 0; k < FIRST_VECTORS; k++)
            sum[k] = _mm256_add_epi16(sum[k],
                                      _mm256_load_si256((const __m256i *)w->first[c->add[i]] + k));
    for (int k = 0; k < FIRST_VECTORS; k++)
        _mm256_store_si256((__m256i *)to + k, sum[k]);
}

/* Sums of the first layer to outputs of 0-127. */
AVX2_INLINE void clip_first(const int16_t *sums, const int16_t *move, uint8_t *out)
{
    for (int k = 0; k < FIRST_VECTORS; k += 2) {
        __m256i a = _mm256_add_epi16(_mm256_load_si256((const __m256i *)sums + k),
                                     _mm256_load_si256((const __m256i *)move + k));
        __m256i b = _mm256_add_epi16(_mm256_load_si256((const __m256i *)sums + k + 1),
                                     _mm256_load_si256((const __m256i *)move + k + 1));
        __m256i packed = _mm256_packs_epi16(_mm256_srai_epi16(a, NETWORK_FIRST_SHIFT),
                                            _mm256_srai_epi16(b, NETWORK_FIRST_SHIFT));

        packed = _mm256_max_epi8(_mm256_permute4x64_epi64(packed, 0xD8), _mm256_setzero_si256());
        _mm256_store_si256((__m256i *)(out + k * LANES_16), packed);
    }
}

/* 32 sums over groups of four inputs. */
AVX2_INLINE void multiply(const uint8_t *in, int groups, const int8_t *weights, const int32_t *bias,
                          __m256i sum[4])
{
    const __m256i ones = _mm256_set1_epi16(1);

    for (int k = 0; k < 4; k++)
        sum[k] = _mm256_loadu_si256((const __m256i *)bias + k);
    for (int g = 0; g < groups; g++, weights += 4 * BYTES) {
        int32_t four;
        __m256i x;

        __builtin_memcpy(&four, in + 4 * g, 4);
        x = _mm256_set1_epi32(four);
        for (int k = 0; k < 4; k++) {
            __m256i pairs =
                _mm256_maddubs_epi16(x, _mm256_loadu_si256((const __m256i *)weights + k));

            sum[k] = _mm256_add_epi32(sum[k], _mm256_madd_epi16(pairs, ones));
        }
    }
}

/* 32 sums to outputs of 0-127, in order. */
AVX2_INLINE __m256i clip_sums(const __m256i sum[4])
{
    __m256i a = _mm256_packs_epi32(_mm256_srai_epi32(sum[0], NETWORK_SHIFT),
                                   _mm256_srai_epi32(sum[1], NETWORK_SHIFT));
    __m256i b = _mm256_packs_epi32(_mm256_srai_epi32(sum[2], NETWORK_SHIFT),
                                   _mm256_srai_epi32(sum[3], NETWORK_SHIFT));
    __m256i packed = _mm256_max_epi8(_mm256_packs_epi16(a, b), _mm256_setzero_si256());

    return _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

AVX2_INLINE int last_layer(__m256i third, const int16_t *weights)
{
    __m256i low = _mm256_cvtepi8_epi16(_mm256_castsi256_si128(third));
    __m256i high = _mm256_cvtepi8_epi16(_mm256_extracti128_si256(third, 1));
    __m256i sum =
        _mm256_add_epi32(_mm256_madd_epi16(low, _mm256_loadu_si256((const __m256i *)weights)),
                         _mm256_madd_epi16(high, _mm256_loadu_si256((const __m256i *)weights + 1)));
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));

    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1));
    return _mm_cvtsi128_si32(four);
}

AVX2 static int value(const struct network_weights *w, const int16_t *mover, const int16_t *other,
                      int has_move, int bucket)
{
    const struct network_head *h = &w->head[bucket];
    alignas(32) uint8_t first[2 * NETWORK_FIRST], second[NETWORK_SECOND];
    __m256i sum[4];

    clip_first(mover, w->first[NETWORK_PIECE_INPUTS + has_move], first);
    clip_first(other, w->first[NETWORK_PIECE_INPUTS + !has_move], first + NETWORK_FIRST);
    multiply(first, 2 * NETWORK_FIRST / NETWORK_GROUP, &h->second[0][0][0], h->second_bias, sum);
    _mm256_store_si256((__m256i *)second, clip_sums(sum));
    multiply(second, NETWORK_SECOND / NETWORK_GROUP, &h->third[0][0][0], h->third_bias, sum);
    return (h->last_bias + last_layer(clip_sums(sum), h->last)) >> NETWORK_LAST_SHIFT;
}

const struct network_kernel network_kernel_avx2 = {change, value};
#else
extern int network_avx2_is_not_here; /* a file is not empty */
#endif
