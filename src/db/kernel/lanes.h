/* SPDX-License-Identifier: MIT
 *
 * lanes.h -- sixty-four scores at once.
 *
 * A row of scores is processed in chunks of 64 lanes, selected by 64-bit masks: a mask is one word
 * of a family bitmap (sets.h).  The plain C below is the definition; with AVX-512 VBMI2 the same
 * operations are one or two instructions, with AVX2 and BMI2 a few.  This is the only file of the
 * kernels that knows about instruction sets.
 *
 * WIDE chooses 16-bit scores, otherwise they have 8 bits; NINE uses nine of the 16, which tables
 * hold as a byte and a bit of a plane.  KERNEL_WLD uses two bits per score, in planes, and needs
 * special instructions only to spread bits.
 *
 * (N1) lanes_expand reads 64 lanes from p whatever the mask; lanes_compress_loose writes
 *      64 lanes whatever the mask; lanes_compress writes only what the mask selects.
 * (N2) Every implementation gives the same lanes: tests compare whole tables. */
#ifndef KELSO_DB_KERNEL_LANES_H
#define KELSO_DB_KERNEL_LANES_H

#include "db/value.h"

#include <stdint.h>
#include <string.h>

#if defined(NINE)
typedef uint16_t score;
enum { DRAW = NINE_DRAW, TOP = NINE_TOP, WIN_NOW = NINE_TOP };
#elif defined(WIDE)
typedef uint16_t score;
enum { DRAW = WIDE_DRAW, TOP = WIDE_TOP, WIN_NOW = WIDE_TOP - 1 };
#else
typedef uint8_t score;
enum { DRAW = NARROW_DRAW, TOP = NARROW_TOP, WIN_NOW = NARROW_TOP };
#endif

#define INLINE static inline __attribute__((always_inline))

enum { LANES = 64 };

/* Sixty-four scores in memory.  Win, draw or loss are two bits each: "at least a draw" and "a win";
 * a mover without any move is then a loss, as it is in the end. */
#ifdef KERNEL_WLD
typedef struct {
    uint64_t draw, win;
} group;
#else
typedef struct {
    score v[LANES];
} group;
#endif

INLINE int lanes_of(uint64_t mask)
{
    return __builtin_popcountll(mask);
}

INLINE uint64_t lanes_first(int n)
{
    return n >= LANES ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
}

INLINE score score_seen(score s)
{
#if defined(KERNEL_WLD)
    return score_seen_wld(s);
#elif defined(NINE)
    return score_seen_nine(s);
#elif defined(WIDE)
    return score_seen_wide(s);
#else
    return score_seen_narrow(s);
#endif
}

/* ------------------------------------------------ bits: spread and gather -- */

#ifdef __BMI2__
#include <immintrin.h>
INLINE uint64_t bits_spread(uint64_t bits, uint64_t mask)
{
    return _pdep_u64(bits, mask);
}
INLINE uint64_t bits_gather(uint64_t bits, uint64_t mask)
{
    return _pext_u64(bits, mask);
}
#else
INLINE uint64_t bits_spread(uint64_t bits, uint64_t mask)
{
    uint64_t out = 0;

    for (; mask && bits; mask &= mask - 1, bits >>= 1)
        if (bits & 1)
            out |= mask & -mask;
    return out;
}
INLINE uint64_t bits_gather(uint64_t bits, uint64_t mask)
{
    uint64_t out = 0;

    for (uint64_t to = 1; mask; mask &= mask - 1, to <<= 1)
        if (bits & mask & -mask)
            out |= to;
    return out;
}
#endif

#ifdef KERNEL_WLD
/* -------------------------------------------------------------- two bit planes -- */

typedef group lanes;

INLINE lanes lanes_load(const group *p)
{
    return *p;
}
INLINE void lanes_store(group *p, lanes v)
{
    *p = v;
}
INLINE lanes lanes_fill(score s)
{
    return (lanes){s >= DRAW ? ~UINT64_C(0) : 0, s > DRAW ? ~UINT64_C(0) : 0};
}
INLINE lanes lanes_max(lanes a, lanes b)
{
    return (lanes){a.draw | b.draw, a.win | b.win};
}
INLINE lanes lanes_select(uint64_t mask, lanes yes, lanes no)
{
    return (lanes){(yes.draw & mask) | (no.draw & ~mask), (yes.win & mask) | (no.win & ~mask)};
}
INLINE lanes lanes_keep(uint64_t mask, lanes v)
{
    return (lanes){v.draw & mask, v.win & mask};
}
INLINE uint64_t lanes_differ(lanes a, lanes b)
{
    return (a.draw ^ b.draw) | (a.win ^ b.win);
}
/* s is 0 or DRAW. */
INLINE uint64_t lanes_above(lanes a, score s)
{
    return s >= DRAW ? a.win : a.draw;
}
/* s is DRAW. */
INLINE uint64_t lanes_below(lanes a, score s)
{
    (void)s;
    return ~a.draw;
}
INLINE lanes lanes_seen(lanes v)
{
    return (lanes){~v.win, ~v.draw};
}

/* One score of a group. */
INLINE score group_get(const group *g, size_t lane)
{
    return g->win >> lane & 1 ? WIN_NOW : g->draw >> lane & 1 ? DRAW : 0;
}
INLINE void group_set(group *g, size_t lane, score s)
{
    uint64_t bit = UINT64_C(1) << lane;

    g->draw = (g->draw & ~bit) | (s >= DRAW ? bit : 0);
    g->win = (g->win & ~bit) | (s > DRAW ? bit : 0);
}

/* Transpose 64 x 64 bits: exchange the off-diagonal squares of 32, 16, ... bits. */
INLINE void bits_transpose(uint64_t x[LANES])
{
    static const uint64_t low[] = {0x00000000FFFFFFFF, 0x0000FFFF0000FFFF, 0x00FF00FF00FF00FF,
                                   0x0F0F0F0F0F0F0F0F, 0x3333333333333333, 0x5555555555555555};

    for (int step = 0, n = 32; n; step++, n /= 2)
        for (int i = 0; i < LANES; i += 2 * n)
            for (int k = i; k < i + n; k++) {
                uint64_t t = (x[k] >> n ^ x[k + n]) & low[step];

                x[k + n] ^= t;
                x[k] ^= t << n;
            }
}
INLINE void tile_transpose_seen(const group *in, group out[LANES])
{
    uint64_t draw[LANES], win[LANES];

    for (int r = 0; r < LANES; r++) {
        draw[r] = ~in[r].win;
        win[r] = ~in[r].draw;
    }
    bits_transpose(draw);
    bits_transpose(win);
    for (int c = 0; c < LANES; c++)
        out[c] = (group){draw[c], win[c]};
}

/* Scores one after the other, without gaps: written from the start, then read again. */
struct list {
    uint64_t *draw, *win;
    uint64_t at;
};

/* Room for `words` groups is in two halves. */
INLINE struct list list_open(group *room, size_t words)
{
    uint64_t *draw = (uint64_t *)(void *)room;

    return (struct list){draw, draw + words, 0};
}
INLINE void list_add(struct list *l, uint64_t mask, lanes v)
{
    uint64_t draw = bits_gather(v.draw, mask), win = bits_gather(v.win, mask), i = l->at / 64;
    int have = (int)(l->at % 64);

    if (have) {
        l->draw[i] |= draw << have;
        l->win[i] |= win << have;
        l->draw[i + 1] = draw >> (64 - have);
        l->win[i + 1] = win >> (64 - have);
    } else {
        l->draw[i] = draw;
        l->win[i] = win;
    }
    l->at += (uint64_t)lanes_of(mask);
}
INLINE uint64_t list_bits(const uint64_t *plane, uint64_t at)
{
    int have = (int)(at % 64);

    return have ? plane[at / 64] >> have | plane[at / 64 + 1] << (64 - have) : plane[at / 64];
}
INLINE lanes list_expand(const struct list *l, uint64_t mask)
{
    return (lanes){bits_spread(list_bits(l->draw, l->at), mask),
                   bits_spread(list_bits(l->win, l->at), mask)};
}

#elif defined(__AVX512VBMI2__) && !defined(WIDE)
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

#elif defined(__AVX512VBMI2__)
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

#elif defined(__AVX2__)
/* ------------------------------------------------------------------- AVX2 -- */

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

#else
/* --------------------------------------------------------------- plain C -- */

typedef group lanes;

INLINE lanes lanes_load(const group *p)
{
    return *p;
}
INLINE void lanes_store(group *p, lanes v)
{
    *p = v;
}
INLINE lanes lanes_fill(score s)
{
    lanes v;

    for (int i = 0; i < LANES; i++)
        v.v[i] = s;
    return v;
}
INLINE lanes lanes_max(lanes a, lanes b)
{
    for (int i = 0; i < LANES; i++)
        a.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
    return a;
}
/* A lane of all ones for each bit of the mask. */
INLINE lanes lanes_from_mask(uint64_t mask)
{
    lanes v;

    for (int i = 0; i < LANES; i++)
        v.v[i] = (score) - (score)(mask >> i & 1);
    return v;
}
INLINE lanes lanes_select(uint64_t mask, lanes yes, lanes no)
{
    lanes m = lanes_from_mask(mask);

    for (int i = 0; i < LANES; i++)
        no.v[i] = (score)((yes.v[i] & m.v[i]) | (no.v[i] & ~m.v[i]));
    return no;
}
INLINE lanes lanes_keep(uint64_t mask, lanes v)
{
    lanes m = lanes_from_mask(mask);

    for (int i = 0; i < LANES; i++)
        v.v[i] &= m.v[i];
    return v;
}
INLINE uint64_t lanes_differ(lanes a, lanes b)
{
    uint64_t mask = 0;

    if (memcmp(a.v, b.v, sizeof a.v) == 0)
        return 0;
    for (int i = 0; i < LANES; i++)
        mask |= (uint64_t)(a.v[i] != b.v[i]) << i;
    return mask;
}
INLINE uint64_t lanes_above(lanes a, score s)
{
    uint64_t mask = 0;

    for (int i = 0; i < LANES; i++)
        mask |= (uint64_t)(a.v[i] > s) << i;
    return mask;
}
INLINE uint64_t lanes_below(lanes a, score s)
{
    uint64_t mask = 0;

    for (int i = 0; i < LANES; i++)
        mask |= (uint64_t)(a.v[i] < s) << i;
    return mask;
}
INLINE lanes lanes_expand(uint64_t mask, const score *p)
{
    lanes v;

    if (mask == ~UINT64_C(0)) {
        memcpy(v.v, p, sizeof v.v);
        return v;
    }
    memset(v.v, 0, sizeof v.v);
    for (; mask; mask &= mask - 1)
        v.v[__builtin_ctzll(mask)] = *p++;
    return v;
}
INLINE void lanes_compress(score *p, uint64_t mask, lanes v)
{
    for (; mask; mask &= mask - 1)
        *p++ = v.v[__builtin_ctzll(mask)];
}
INLINE void lanes_compress_loose(score *p, uint64_t mask, lanes v)
{
    lanes_compress(p, mask, v);
}
#ifdef NINE
/* Low bytes that are stored one after the other, to the lanes of the mask; `high` are the lanes
 * that have the ninth bit. */
INLINE lanes lanes_expand_nine(uint64_t mask, const uint8_t *p, uint64_t high)
{
    lanes v;

    for (int i = 0; i < LANES; i++)
        v.v[i] = (score)((high >> i & 1) << 8);
    if (mask == ~UINT64_C(0))
        for (int i = 0; i < LANES; i++)
            v.v[i] |= p[i];
    else
        for (; mask; mask &= mask - 1)
            v.v[__builtin_ctzll(mask)] |= *p++;
    return v;
}
/* Store the low bytes of the lanes in the mask. */
INLINE void lanes_compress_nine(uint8_t *p, uint64_t mask, lanes v)
{
    for (; mask; mask &= mask - 1)
        *p++ = (uint8_t)v.v[__builtin_ctzll(mask)];
}
#endif
INLINE lanes lanes_seen(lanes v)
{
    for (int i = 0; i < LANES; i++)
        v.v[i] = score_seen(v.v[i]);
    return v;
}
INLINE void tile_transpose_seen(const group *in, group out[LANES])
{
    for (int r = 0; r < LANES; r += 8)
        for (int c = 0; c < LANES; c++)
            for (int q = 0; q < 8; q++)
                out[c].v[r + q] = score_seen(in[r + q].v[c]);
}
#endif

#ifndef KERNEL_WLD
INLINE score group_get(const group *g, size_t lane)
{
    return g->v[lane];
}
INLINE void group_set(group *g, size_t lane, score s)
{
    g->v[lane] = s;
}

struct list {
    score *at;
};

INLINE struct list list_open(group *room, size_t words)
{
    (void)words;
    return (struct list){room->v};
}
INLINE void list_add(struct list *l, uint64_t mask, lanes v)
{
    lanes_compress_loose(l->at, mask, v);
    l->at += lanes_of(mask);
}
INLINE lanes list_expand(const struct list *l, uint64_t mask)
{
    return lanes_expand(mask, l->at);
}
#endif

INLINE void list_skip(struct list *l, uint64_t mask)
{
    l->at += (unsigned)lanes_of(mask);
}
INLINE void group_raise(group *g, size_t lane, score s)
{
    if (s > group_get(g, lane))
        group_set(g, lane, s);
}

/* The scores whose distance is too long for their width (value.h, V2 and V3). */
INLINE uint64_t lanes_overflow(lanes v)
{
#if defined(KERNEL_WLD)
    (void)v;
    return 0;
#elif defined(NINE)
    return ~lanes_differ(v, lanes_fill(NINE_OVERFLOW));
#elif defined(WIDE)
    (void)v;
    return 0; /* 32767 plies are out of reach */
#else
    return ~lanes_differ(v, lanes_fill(NARROW_OVERFLOW));
#endif
}

#endif
