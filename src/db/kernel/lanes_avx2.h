/* SPDX-License-Identifier: MIT
 *
 * lanes_avx2.h -- the operations of lanes.h with AVX2 and BMI2.
 *
 * Private to lanes.h. */
#ifndef KELSO_DB_KERNEL_LANES_AVX2_H
#define KELSO_DB_KERNEL_LANES_AVX2_H

#include "db/kernel/lanes_base.h"

#ifdef LANES_AVX2
/* Eight bytes of ones and zeros for eight bits. */
INLINE uint64_t bytes_of(uint64_t bits)
{
    return _pdep_u64(bits, UINT64_C(0x0101010101010101)) * 0xFF;
}

/* Spread the bytes at p over the bits of the mask that are set; reads 64 bytes at most. */
INLINE void bytes_expand(uint64_t mask, const uint8_t *p, __m256i *lo, __m256i *hi)
{
    uint64_t word[8];

    for (int i = 0; i < 8; i++) {
        uint64_t bits = mask >> 8 * i & 0xFF, from;

        memcpy(&from, p, sizeof from);
        word[i] = _pdep_u64(from, bytes_of(bits));
        p += lanes_of(bits);
    }
    *lo = _mm256_set_epi64x((int64_t)word[3], (int64_t)word[2], (int64_t)word[1], (int64_t)word[0]);
    *hi = _mm256_set_epi64x((int64_t)word[7], (int64_t)word[6], (int64_t)word[5], (int64_t)word[4]);
}

/* Gather the bytes whose bit of the mask is set; writes 64 bytes at most. */
INLINE void bytes_compress(uint8_t *p, uint64_t mask, __m256i lo, __m256i hi)
{
    uint64_t word[8];

    _mm256_storeu_si256((__m256i *)(void *)word, lo);
    _mm256_storeu_si256((__m256i *)(void *)(word + 4), hi);
    for (int i = 0; i < 8; i++) {
        uint64_t bits = mask >> 8 * i & 0xFF, to = _pext_u64(word[i], bytes_of(bits));

        memcpy(p, &to, sizeof to);
        p += lanes_of(bits);
    }
}

INLINE __m256i half_load(const void *p)
{
    return _mm256_loadu_si256(p);
}

/* The low and the high half of a register, 16 bytes each. */
INLINE void halves_store(void *lo, void *hi, __m256i v)
{
    _mm_storeu_si128(lo, _mm256_castsi256_si128(v));
    _mm_storeu_si128(hi, _mm256_extracti128_si256(v, 1));
}

#ifndef WIDE
/* 64 bytes */

typedef struct {
    __m256i lo, hi;
} lanes;

INLINE lanes lanes_load(const group *p)
{
    return (lanes){half_load(p->v), half_load(p->v + 32)};
}
INLINE void lanes_store(group *p, lanes v)
{
    _mm256_storeu_si256((__m256i *)(void *)p->v, v.lo);
    _mm256_storeu_si256((__m256i *)(void *)(p->v + 32), v.hi);
}
INLINE lanes lanes_fill(score s)
{
    __m256i v = _mm256_set1_epi8((char)s);
    return (lanes){v, v};
}
INLINE lanes lanes_max(lanes a, lanes b)
{
    return (lanes){_mm256_max_epu8(a.lo, b.lo), _mm256_max_epu8(a.hi, b.hi)};
}
/* A byte of ones for each bit. */
INLINE __m256i half_from_mask(uint32_t mask)
{
    const __m256i pick =
        _mm256_set_epi64x(0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
    const __m256i bit = _mm256_set1_epi64x((int64_t)UINT64_C(0x8040201008040201));
    __m256i v = _mm256_shuffle_epi8(_mm256_set1_epi32((int)mask), pick);

    return _mm256_cmpeq_epi8(_mm256_and_si256(v, bit), bit);
}
INLINE lanes lanes_select(uint64_t mask, lanes yes, lanes no)
{
    return (lanes){_mm256_blendv_epi8(no.lo, yes.lo, half_from_mask((uint32_t)mask)),
                   _mm256_blendv_epi8(no.hi, yes.hi, half_from_mask((uint32_t)(mask >> 32)))};
}
INLINE lanes lanes_keep(uint64_t mask, lanes v)
{
    return (lanes){_mm256_and_si256(v.lo, half_from_mask((uint32_t)mask)),
                   _mm256_and_si256(v.hi, half_from_mask((uint32_t)(mask >> 32)))};
}
INLINE uint64_t lanes_differ(lanes a, lanes b)
{
    uint32_t lo = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a.lo, b.lo));
    uint32_t hi = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a.hi, b.hi));

    return ~((uint64_t)hi << 32 | lo);
}
INLINE uint64_t lanes_above(lanes a, score s)
{
    return lanes_differ(lanes_max(a, lanes_fill(s)), lanes_fill(s));
}
INLINE uint64_t lanes_below(lanes a, score s)
{
    return lanes_differ(lanes_max(a, lanes_fill(s)), a);
}
INLINE lanes lanes_expand(uint64_t mask, const score *p)
{
    lanes v;

    if (mask == ~UINT64_C(0))
        return (lanes){half_load(p), half_load(p + 32)};
    bytes_expand(mask, p, &v.lo, &v.hi);
    return v;
}
INLINE void lanes_compress_loose(score *p, uint64_t mask, lanes v)
{
    bytes_compress(p, mask, v.lo, v.hi);
}
INLINE __m256i half_seen(__m256i v)
{
    __m256i zero = _mm256_setzero_si256(), ones = _mm256_cmpeq_epi8(zero, zero);

    return _mm256_blendv_epi8(_mm256_xor_si256(v, ones), _mm256_sub_epi8(zero, v), v);
}
INLINE lanes lanes_seen(lanes v)
{
    return (lanes){half_seen(v.lo), half_seen(v.hi)};
}

/* Sixteen rows at a time, and 16 columns in each half of a register: interleaving row i with row
 * i + 8 rotates the bits of (row, column) by one, so four times exchanges the two. */
INLINE void tile_transpose_seen(const group *in, group out[LANES])
{
    for (int r = 0; r < LANES; r += 16)
        for (int c = 0; c < LANES; c += 32) {
            __m256i x[16], y[16];

            for (int i = 0; i < 16; i++)
                x[i] = half_seen(half_load(in[r + i].v + c));
            for (int round = 0; round < 4; round++) {
                for (int i = 0; i < 8; i++) {
                    y[2 * i] = _mm256_unpacklo_epi8(x[i], x[i + 8]);
                    y[2 * i + 1] = _mm256_unpackhi_epi8(x[i], x[i + 8]);
                }
                memcpy(x, y, sizeof x);
            }
            for (int i = 0; i < 16; i++)
                halves_store(out[c + i].v + r, out[c + 16 + i].v + r, x[i]);
        }
}

#else
/* 64 x 16 bits */

typedef struct {
    __m256i q[4];
} lanes;

#define EACH_QUARTER(i) for (int i = 0; i < 4; i++)

INLINE lanes lanes_load(const group *p)
{
    lanes v;

    EACH_QUARTER(i)
    v.q[i] = half_load(p->v + 16 * i);
    return v;
}
INLINE void lanes_store(group *p, lanes v)
{
    EACH_QUARTER(i)
    _mm256_storeu_si256((__m256i *)(void *)(p->v + 16 * i), v.q[i]);
}
INLINE lanes lanes_fill(score s)
{
    __m256i v = _mm256_set1_epi16((short)s);
    return (lanes){{v, v, v, v}};
}
INLINE lanes lanes_max(lanes a, lanes b)
{
    EACH_QUARTER(i)
    a.q[i] = _mm256_max_epu16(a.q[i], b.q[i]);
    return a;
}
/* Sixteen bits of ones for each bit from 16 * i on. */
INLINE __m256i quarter_from_mask(uint64_t mask, int i)
{
    const __m256i bit =
        _mm256_setr_epi16(1, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7, 1 << 8, 1 << 9,
                          1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, (short)(1 << 15));

    return _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_set1_epi16((short)(mask >> 16 * i)), bit),
                              bit);
}
INLINE lanes lanes_select(uint64_t mask, lanes yes, lanes no)
{
    EACH_QUARTER(i)
    no.q[i] = _mm256_blendv_epi8(no.q[i], yes.q[i], quarter_from_mask(mask, i));
    return no;
}
INLINE lanes lanes_keep(uint64_t mask, lanes v)
{
    EACH_QUARTER(i)
    v.q[i] = _mm256_and_si256(v.q[i], quarter_from_mask(mask, i));
    return v;
}
/* The low bytes of 32 lanes, in order; saturated if `v` has signed lanes. */
INLINE __m256i quarters_pack(__m256i a, __m256i b)
{
    return _mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0xD8);
}
INLINE uint64_t lanes_differ(lanes a, lanes b)
{
    __m256i same[4];

    EACH_QUARTER(i)
    same[i] = _mm256_cmpeq_epi16(a.q[i], b.q[i]);
    return ~((uint64_t)(uint32_t)_mm256_movemask_epi8(quarters_pack(same[2], same[3])) << 32 |
             (uint32_t)_mm256_movemask_epi8(quarters_pack(same[0], same[1])));
}
INLINE uint64_t lanes_above(lanes a, score s)
{
    return lanes_differ(lanes_max(a, lanes_fill(s)), lanes_fill(s));
}
INLINE uint64_t lanes_below(lanes a, score s)
{
    return lanes_differ(lanes_max(a, lanes_fill(s)), a);
}
/* Four lanes of ones and zeros for four bits. */
INLINE uint64_t four_of(uint64_t bits)
{
    return _pdep_u64(bits, UINT64_C(0x0001000100010001)) * 0xFFFF;
}
INLINE lanes lanes_expand(uint64_t mask, const score *p)
{
    group all;

    if (mask == ~UINT64_C(0))
        return lanes_load((const group *)(const void *)p);
    for (int i = 0; i < LANES; i += 4) {
        uint64_t bits = mask >> i & 0xF, from, to;

        memcpy(&from, p, sizeof from);
        to = _pdep_u64(from, four_of(bits));
        memcpy(all.v + i, &to, sizeof to);
        p += lanes_of(bits);
    }
    return lanes_load(&all);
}
INLINE void lanes_compress_loose(score *p, uint64_t mask, lanes v)
{
    group all;

    lanes_store(&all, v);
    for (int i = 0; i < LANES; i += 4) {
        uint64_t bits = mask >> i & 0xF, from, to;

        memcpy(&from, all.v + i, sizeof from);
        to = _pext_u64(from, four_of(bits));
        memcpy(p, &to, sizeof to);
        p += lanes_of(bits);
    }
}
#ifdef NINE
INLINE __m256i quarter_seen(__m256i v)
{
    return _mm256_add_epi16(_mm256_sub_epi16(_mm256_set1_epi16(NINE_TOP), v),
                            _mm256_srli_epi16(v, 8));
}
/* Low bytes that are stored one after the other, to the lanes of the mask; `high` are the lanes
 * that have the ninth bit. */
INLINE lanes lanes_expand_nine(uint64_t mask, const uint8_t *p, uint64_t high)
{
    __m256i lo, hi, bit = _mm256_set1_epi16(1 << 8);
    lanes v;

    bytes_expand(mask, p, &lo, &hi);
    v.q[0] = _mm256_cvtepu8_epi16(_mm256_castsi256_si128(lo));
    v.q[1] = _mm256_cvtepu8_epi16(_mm256_extracti128_si256(lo, 1));
    v.q[2] = _mm256_cvtepu8_epi16(_mm256_castsi256_si128(hi));
    v.q[3] = _mm256_cvtepu8_epi16(_mm256_extracti128_si256(hi, 1));
    EACH_QUARTER(i)
    v.q[i] = _mm256_or_si256(v.q[i], _mm256_and_si256(quarter_from_mask(high, i), bit));
    return v;
}
/* Store the low bytes of the lanes in the mask. */
INLINE void lanes_compress_nine(uint8_t *p, uint64_t mask, lanes v)
{
    const __m256i low = _mm256_set1_epi16(0xFF);
    uint8_t all[LANES];
    __m256i half[2];

    for (int i = 0; i < 2; i++)
        half[i] =
            _mm256_permute4x64_epi64(_mm256_packus_epi16(_mm256_and_si256(v.q[2 * i], low),
                                                         _mm256_and_si256(v.q[2 * i + 1], low)),
                                     0xD8);
    bytes_compress(all, mask, half[0], half[1]);
    memcpy(p, all, (size_t)lanes_of(mask));
}
#else
INLINE __m256i quarter_seen(__m256i v)
{
    __m256i draw = _mm256_set1_epi16((short)DRAW), zero = _mm256_setzero_si256();
    __m256i loss = _mm256_sub_epi16(_mm256_set1_epi16(-2), v), win = _mm256_sub_epi16(zero, v);
    __m256i above = _mm256_cmpeq_epi16(_mm256_max_epu16(v, draw), v); /* or equal */
    __m256i out = _mm256_blendv_epi8(loss, win, above);

    return _mm256_blendv_epi8(out, draw, _mm256_cmpeq_epi16(v, draw));
}
#endif
INLINE lanes lanes_seen(lanes v)
{
    EACH_QUARTER(i)
    v.q[i] = quarter_seen(v.q[i]);
    return v;
}

/* As for bytes, with 8 rows at a time and 8 columns in each half of a register. */
INLINE void tile_transpose_seen(const group *in, group out[LANES])
{
    for (int r = 0; r < LANES; r += 8)
        for (int c = 0; c < LANES; c += 16) {
            __m256i x[8], y[8];

            for (int i = 0; i < 8; i++)
                x[i] = quarter_seen(half_load(in[r + i].v + c));
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 4; i++) {
                    y[2 * i] = _mm256_unpacklo_epi16(x[i], x[i + 4]);
                    y[2 * i + 1] = _mm256_unpackhi_epi16(x[i], x[i + 4]);
                }
                memcpy(x, y, sizeof x);
            }
            for (int i = 0; i < 8; i++)
                halves_store(out[c + i].v + r, out[c + 8 + i].v + r, x[i]);
        }
}
#endif
INLINE void lanes_compress(score *p, uint64_t mask, lanes v)
{
    score all[LANES];

    lanes_compress_loose(all, mask, v);
    memcpy(p, all, (size_t)lanes_of(mask) * sizeof *p);
}
#endif

#endif
