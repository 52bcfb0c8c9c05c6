/* SPDX-License-Identifier: MIT
 *
 * Lanes of quick files in vectors of 16, for AVX-512.  quick_lanes.c has the plain twin. */
#ifdef __x86_64__
#include "db/quick_lanes.h"

#include <immintrin.h>
#include <stddef.h>

enum {
    RUNS = 4,    /* before lanes that have finished are removed */
    VECTORS = 2, /* at a time */
};

#define AVX512 __attribute__((target("avx512f")))
#define AVX512_INLINE static inline __attribute__((always_inline, target("avx512f")))

struct lanes_16 {
    __m512i bit[2], lookup[2], word[2];
    __m512i value, at, slot;
};

AVX512_INLINE __m512i join_16(__m256i low, __m256i high)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

AVX512_INLINE __m512i low_half(__m512i x)
{
    return _mm512_cvtepu32_epi64(_mm512_castsi512_si256(x));
}

AVX512_INLINE __m512i high_half(__m512i x)
{
    return _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(x, 1));
}

/* The next bits of 8 lanes. */
AVX512_INLINE __m512i words_8(__m512i bit)
{
    return _mm512_srlv_epi64(_mm512_i64gather_epi64(_mm512_srli_epi64(bit, 3), NULL, 1),
                             _mm512_and_epi64(bit, _mm512_set1_epi64(7)));
}

/* Correct length and next value where e is an escape. */
AVX512_INLINE void escape_16(__m512i e, __m512i more, __m512i value, __m512i *length, __m512i *next)
{
    __mmask16 escape = _mm512_cmplt_epi32_mask(e, _mm512_setzero_si512());
    __m512i turn = _mm512_slli_epi32(_mm512_and_epi32(more, _mm512_set1_epi32(1)), QUICK_BITS);
    __m512i other =
        _mm512_add_epi32(_mm512_add_epi32(value, turn), _mm512_set1_epi32(1 << QUICK_BITS));
    __m512i places =
        _mm512_and_epi32(_mm512_srli_epi32(more, 1), _mm512_set1_epi32(QUICK_BLOCK - 1));

    if (__builtin_expect(!escape, 1))
        return;
    other = _mm512_min_epu32(other, _mm512_sub_epi32(other, _mm512_set1_epi32(3 << QUICK_BITS)));
    *next = _mm512_mask_mov_epi32(*next, escape, other);
    *length = _mm512_mask_add_epi32(*length, escape, places, _mm512_set1_epi32(1));
}

/* Read a run of each lane, as lane_run does; returns which have not finished. */
AVX512_INLINE __mmask16 run_16(struct lanes_16 *l)
{
    __m512i word = join_16(_mm512_cvtepi64_epi32(l->word[0]), _mm512_cvtepi64_epi32(l->word[1]));
    __m512i symbol =
        _mm512_or_epi32(l->value, _mm512_and_epi32(word, _mm512_set1_epi32((1 << QUICK_BITS) - 1)));
    __m512i place = _mm512_slli_epi32(symbol, 2), e, more, length, next, used;
    __mmask16 past;

    e = join_16(_mm512_i64gather_epi32(_mm512_add_epi64(l->lookup[0], low_half(place)), NULL, 1),
                _mm512_i64gather_epi32(_mm512_add_epi64(l->lookup[1], high_half(place)), NULL, 1));
    more =
        _mm512_srlv_epi32(word, _mm512_and_epi32(_mm512_srli_epi32(e, 5), _mm512_set1_epi32(15)));
    length = _mm512_add_epi32(
        _mm512_and_epi32(_mm512_srli_epi32(e, 11), _mm512_set1_epi32(2047)),
        _mm512_and_epi32(more, _mm512_and_epi32(_mm512_srli_epi32(e, 22), _mm512_set1_epi32(127))));
    next = _mm512_and_epi32(e, _mm512_set1_epi32(3 << QUICK_BITS));
    escape_16(e, more, l->value, &length, &next);
    past = _mm512_cmpge_epi32_mask(l->at, length);
    used = _mm512_maskz_and_epi32(past, e, _mm512_set1_epi32(31));
    l->at = _mm512_mask_sub_epi32(l->at, past, l->at, length);
    l->value = _mm512_mask_mov_epi32(l->value, past, next);
    for (int half = 0; half < 2; half++) {
        __m512i bits = half ? high_half(used) : low_half(used);

        l->bit[half] = _mm512_add_epi64(l->bit[half], bits);
        l->word[half] = _mm512_srlv_epi64(l->word[half], bits);
    }
    return past;
}

AVX512_INLINE void words_16(struct lanes_16 *l)
{
    l->word[0] = words_8(l->bit[0]);
    l->word[1] = words_8(l->bit[1]);
}

/* Write the values of the first n lanes, finished or not. */
AVX512_INLINE void values_16(const struct lanes_16 *l, uint32_t n, uint8_t *values)
{
    uint32_t slot[16];
    uint8_t of[16];

    _mm512_storeu_si512(slot, l->slot);
    _mm_storeu_si128((__m128i *)of, _mm512_cvtepi32_epi8(_mm512_srli_epi32(l->value, QUICK_BITS)));
    for (uint32_t k = 0; k < n; k++)
        values[slot[k]] = of[k];
}

/* Move those of 8 lanes to the front; what comes behind them is of no account. */
AVX512_INLINE void move_8(uint64_t *to, __m512i x, __mmask8 which)
{
    _mm512_storeu_si512(to, _mm512_mask_compress_epi64(x, which, x));
}

AVX512_INLINE void move_16(uint32_t *to, __m512i x, __mmask16 which)
{
    _mm512_storeu_si512(to, _mm512_mask_compress_epi32(x, which, x));
}

AVX512_INLINE struct lanes_16 load_16(const struct quick_lanes *l, uint32_t i)
{
    return (struct lanes_16){
        .bit = {_mm512_loadu_si512(&l->bit[i]), _mm512_loadu_si512(&l->bit[i + 8])},
        .lookup = {_mm512_loadu_si512(&l->lookup[i]), _mm512_loadu_si512(&l->lookup[i + 8])},
        .value = _mm512_loadu_si512(&l->value[i]),
        .at = _mm512_loadu_si512(&l->at[i]),
        .slot = _mm512_loadu_si512(&l->slot[i])};
}

/* Move those lanes that have not finished to lane `to`.  Returns their number. */
AVX512_INLINE uint32_t store_16(struct quick_lanes *l, const struct lanes_16 *x, __mmask16 past,
                                uint32_t to)
{
    uint32_t first = (uint32_t)__builtin_popcount(past & 255);

    move_8(&l->bit[to], x->bit[0], (__mmask8)past);
    move_8(&l->bit[to + first], x->bit[1], (__mmask8)(past >> 8));
    move_8(&l->lookup[to], x->lookup[0], (__mmask8)past);
    move_8(&l->lookup[to + first], x->lookup[1], (__mmask8)(past >> 8));
    move_16(&l->value[to], x->value, past);
    move_16(&l->at[to], x->at, past);
    move_16(&l->slot[to], x->slot, past);
    return (uint32_t)__builtin_popcount(past);
}

/* Read a few runs of VECTORS vectors of lanes from lane i on, in turns, so that their waits
 * overlap. Those that have not finished move to lane `to`, not beyond i; their number is returned.
 */
AVX512_INLINE uint32_t advance(struct quick_lanes *l, uint32_t i, uint32_t to, uint8_t *values)
{
    uint32_t n = l->count - i, going = 0;
    struct lanes_16 x[VECTORS];
    __mmask16 past[VECTORS];

    for (int v = 0; v < VECTORS; v++)
        x[v] = load_16(l, i + 16 * (uint32_t)v);
    for (int k = 0; k < RUNS; k += 2) {
        for (int v = 0; v < VECTORS; v++)
            words_16(&x[v]);
        for (int v = 0; v < VECTORS; v++)
            run_16(&x[v]);
        for (int v = 0; v < VECTORS; v++)
            past[v] = run_16(&x[v]);
    }
    for (uint32_t v = 0; v < VECTORS; v++) {
        uint32_t lanes = n < 16 * v ? 0 : n - 16 * v < 16 ? n - 16 * v : 16;

        values_16(&x[v], lanes, values);
        going += store_16(l, &x[v], past[v] & (__mmask16)((1u << lanes) - 1), to + going);
    }
    return going;
}

/* Vectors may reach beyond the last lane; what is there must be addresses, of whatever lane. */
AVX512 void quick_lanes_run_avx512(struct quick_lanes *l, uint8_t *values)
{
    if (!l->count)
        return;
    for (uint32_t i = l->count; i % (16 * VECTORS); i++) {
        l->bit[i] = l->bit[0];
        l->lookup[i] = l->lookup[0];
        l->value[i] = l->at[i] = 0;
    }
    while (l->count) {
        uint32_t going = 0;

        for (uint32_t i = 0; i < l->count; i += 16 * VECTORS)
            going += advance(l, i, going, values);
        l->count = going;
    }
}
#else
extern int quick_lanes_avx512_is_not_here; /* a file is not empty */
#endif
