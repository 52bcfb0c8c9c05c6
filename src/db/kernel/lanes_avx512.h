/* SPDX-License-Identifier: MIT
 *
 * lanes_avx512.h -- the operations of lanes.h with AVX-512 VBMI2.
 *
 * Private to lanes.h. */
#ifndef KELSO_DB_KERNEL_LANES_AVX512_H
#define KELSO_DB_KERNEL_LANES_AVX512_H

#include "db/kernel/lanes_base.h"

#ifdef LANES_AVX512
#ifndef WIDE
/* --------------------------------------------------------- 64 bytes, AVX-512 -- */

typedef __m512i lanes;

INLINE lanes scores_load(const score *p)
{
    return _mm512_loadu_si512(p);
}
INLINE lanes lanes_load(const group *p)
{
    return scores_load(p->v);
}
INLINE void lanes_store(group *p, lanes v)
{
    _mm512_storeu_si512(p, v);
}
INLINE lanes lanes_fill(score s)
{
    return _mm512_set1_epi8((char)s);
}
INLINE lanes lanes_max(lanes a, lanes b)
{
    return _mm512_max_epu8(a, b);
}
INLINE lanes lanes_select(uint64_t mask, lanes yes, lanes no)
{
    return _mm512_mask_mov_epi8(no, mask, yes);
}
INLINE lanes lanes_keep(uint64_t mask, lanes v)
{
    return _mm512_maskz_mov_epi8(mask, v);
}
INLINE uint64_t lanes_differ(lanes a, lanes b)
{
    return _mm512_cmpneq_epi8_mask(a, b);
}
INLINE uint64_t lanes_above(lanes a, score s)
{
    return _mm512_cmpgt_epu8_mask(a, lanes_fill(s));
}
INLINE uint64_t lanes_below(lanes a, score s)
{
    return _mm512_cmplt_epu8_mask(a, lanes_fill(s));
}
INLINE lanes lanes_expand(uint64_t mask, const score *p)
{
    return _mm512_maskz_expand_epi8(mask, scores_load(p));
}
INLINE void lanes_compress_loose(score *p, uint64_t mask, lanes v)
{
    _mm512_storeu_si512(p, _mm512_maskz_compress_epi8(mask, v));
}
INLINE void lanes_compress(score *p, uint64_t mask, lanes v)
{
    _mm512_mask_storeu_epi8(p, lanes_first(lanes_of(mask)), _mm512_maskz_compress_epi8(mask, v));
}
INLINE lanes lanes_seen(lanes v)
{
    __mmask64 high = _mm512_movepi8_mask(v);
    lanes flipped = _mm512_xor_si512(v, _mm512_set1_epi8(-1));
    return _mm512_mask_sub_epi8(flipped, high, _mm512_setzero_si512(), v);
}

/* Transpose an 8 x 8 matrix of 64-bit words held in eight registers. */
INLINE void words_transpose(__m512i r[8])
{
    __m512i a[8], b[8];

    for (int i = 0; i < 4; i++) {
        a[i] = _mm512_unpacklo_epi64(r[2 * i], r[2 * i + 1]);
        a[4 + i] = _mm512_unpackhi_epi64(r[2 * i], r[2 * i + 1]);
    }
    for (int i = 0; i < 4; i++) {
        b[2 * i] = _mm512_shuffle_i64x2(a[2 * i], a[2 * i + 1], 0x88);
        b[2 * i + 1] = _mm512_shuffle_i64x2(a[2 * i], a[2 * i + 1], 0xDD);
    }
    /* b[0], b[2]: even words 0 and 4 of rows 0-3, 4-7; b[1], b[3]: words 2 and 6;
     * b[4] to b[7] the same for the odd words. */
    for (int odd = 0; odd < 2; odd++) {
        __m512i *c = b + 4 * odd;
        r[odd] = _mm512_shuffle_i64x2(c[0], c[2], 0x88);
        r[4 + odd] = _mm512_shuffle_i64x2(c[0], c[2], 0xDD);
        r[2 + odd] = _mm512_shuffle_i64x2(c[1], c[3], 0x88);
        r[6 + odd] = _mm512_shuffle_i64x2(c[1], c[3], 0xDD);
    }
}

/* out[c][r] := seen(in[r][c]) for a tile of 64 x 64. */
INLINE void tile_transpose_seen(const group *in, group out[LANES])
{
    static const uint8_t order[64] = {0, 8,  16, 24, 32, 40, 48, 56, 1, 9,  17, 25, 33, 41, 49, 57,
                                      2, 10, 18, 26, 34, 42, 50, 58, 3, 11, 19, 27, 35, 43, 51, 59,
                                      4, 12, 20, 28, 36, 44, 52, 60, 5, 13, 21, 29, 37, 45, 53, 61,
                                      6, 14, 22, 30, 38, 46, 54, 62, 7, 15, 23, 31, 39, 47, 55, 63};
    __m512i bytes = _mm512_loadu_si512(order), part[8][8], r[8];

    for (int i = 0; i < 8; i++) {
        for (int q = 0; q < 8; q++)
            r[q] = lanes_seen(lanes_load(in + 8 * i + q));
        words_transpose(r);
        for (int j = 0; j < 8; j++)
            part[j][i] = _mm512_permutexvar_epi8(bytes, r[j]);
    }
    for (int j = 0; j < 8; j++) {
        memcpy(r, part[j], sizeof r);
        words_transpose(r);
        for (int c = 0; c < 8; c++)
            lanes_store(out + 8 * j + c, r[c]);
    }
}

#else
/* ------------------------------------------------------ 64 x 16 bits, AVX-512 -- */

typedef struct {
    __m512i lo, hi;
} lanes;

INLINE lanes lanes_load(const group *p)
{
    return (lanes){_mm512_loadu_si512(p->v), _mm512_loadu_si512(p->v + 32)};
}
INLINE void lanes_store(group *p, lanes v)
{
    _mm512_storeu_si512(p->v, v.lo);
    _mm512_storeu_si512(p->v + 32, v.hi);
}
INLINE lanes lanes_fill(score s)
{
    __m512i v = _mm512_set1_epi16((short)s);
    return (lanes){v, v};
}
INLINE lanes lanes_max(lanes a, lanes b)
{
    return (lanes){_mm512_max_epu16(a.lo, b.lo), _mm512_max_epu16(a.hi, b.hi)};
}
INLINE lanes lanes_select(uint64_t mask, lanes yes, lanes no)
{
    return (lanes){_mm512_mask_mov_epi16(no.lo, (__mmask32)mask, yes.lo),
                   _mm512_mask_mov_epi16(no.hi, (__mmask32)(mask >> 32), yes.hi)};
}
INLINE lanes lanes_keep(uint64_t mask, lanes v)
{
    return (lanes){_mm512_maskz_mov_epi16((__mmask32)mask, v.lo),
                   _mm512_maskz_mov_epi16((__mmask32)(mask >> 32), v.hi)};
}
INLINE uint64_t masks_join(__mmask32 lo, __mmask32 hi)
{
    return (uint64_t)hi << 32 | lo;
}
INLINE uint64_t lanes_differ(lanes a, lanes b)
{
    return masks_join(_mm512_cmpneq_epi16_mask(a.lo, b.lo), _mm512_cmpneq_epi16_mask(a.hi, b.hi));
}
INLINE uint64_t lanes_above(lanes a, score s)
{
    __m512i t = _mm512_set1_epi16((short)s);
    return masks_join(_mm512_cmpgt_epu16_mask(a.lo, t), _mm512_cmpgt_epu16_mask(a.hi, t));
}
INLINE uint64_t lanes_below(lanes a, score s)
{
    __m512i t = _mm512_set1_epi16((short)s);
    return masks_join(_mm512_cmplt_epu16_mask(a.lo, t), _mm512_cmplt_epu16_mask(a.hi, t));
}
INLINE lanes lanes_expand(uint64_t mask, const score *p)
{
    int low = __builtin_popcount((uint32_t)mask);
    return (lanes){_mm512_maskz_expand_epi16((__mmask32)mask, _mm512_loadu_si512(p)),
                   _mm512_maskz_expand_epi16((__mmask32)(mask >> 32), _mm512_loadu_si512(p + low))};
}
INLINE void lanes_compress_loose(score *p, uint64_t mask, lanes v)
{
    _mm512_storeu_si512(p, _mm512_maskz_compress_epi16((__mmask32)mask, v.lo));
    _mm512_storeu_si512(p + __builtin_popcount((uint32_t)mask),
                        _mm512_maskz_compress_epi16((__mmask32)(mask >> 32), v.hi));
}
INLINE void lanes_compress(score *p, uint64_t mask, lanes v)
{
    score all[LANES];

    lanes_compress_loose(all, mask, v);
    memcpy(p, all, (size_t)lanes_of(mask) * sizeof *p);
}
#ifdef NINE
INLINE __m512i wide_seen(__m512i v)
{
    return _mm512_add_epi16(_mm512_sub_epi16(_mm512_set1_epi16(NINE_TOP), v),
                            _mm512_srli_epi16(v, 8));
}
/* Low bytes that are stored one after the other, to the lanes of the mask; `high` are the lanes
 * that have the ninth bit. */
INLINE lanes lanes_expand_nine(uint64_t mask, const uint8_t *p, uint64_t high)
{
    __m512i low = _mm512_maskz_expand_epi8(mask, _mm512_loadu_si512(p));
    __m512i a = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(low));
    __m512i b = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(low, 1));
    __m512i bit = _mm512_set1_epi16(1 << 8);

    return (lanes){_mm512_mask_add_epi16(a, (__mmask32)high, a, bit),
                   _mm512_mask_add_epi16(b, (__mmask32)(high >> 32), b, bit)};
}
/* Store the low bytes of the lanes in the mask. */
INLINE void lanes_compress_nine(uint8_t *p, uint64_t mask, lanes v)
{
    __m512i low = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi16_epi8(v.lo)),
                                     _mm512_cvtepi16_epi8(v.hi), 1);

    _mm512_mask_storeu_epi8(p, lanes_first(lanes_of(mask)), _mm512_maskz_compress_epi8(mask, low));
}
#else
INLINE __m512i wide_seen(__m512i v)
{
    __m512i draw = _mm512_set1_epi16((short)DRAW), top = _mm512_set1_epi16(-1);
    __m512i loss = _mm512_sub_epi16(_mm512_sub_epi16(top, _mm512_set1_epi16(1)), v);
    __m512i win = _mm512_sub_epi16(_mm512_setzero_si512(), v);
    __m512i out = _mm512_mask_mov_epi16(draw, _mm512_cmplt_epu16_mask(v, draw), loss);
    return _mm512_mask_mov_epi16(out, _mm512_cmpgt_epu16_mask(v, draw), win);
}
#endif
INLINE lanes lanes_seen(lanes v)
{
    return (lanes){wide_seen(v.lo), wide_seen(v.hi)};
}
INLINE void tile_transpose_seen(const group *in, group out[LANES])
{
    group seen[LANES];

    for (int r = 0; r < LANES; r++)
        lanes_store(&seen[r], lanes_seen(lanes_load(in + r)));
    for (int r = 0; r < LANES; r += 8)
        for (int c = 0; c < LANES; c++)
            for (int q = 0; q < 8; q++)
                out[c].v[r + q] = seen[r + q].v[c];
}
#endif
#endif

#endif
