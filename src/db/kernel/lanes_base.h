/* SPDX-License-Identifier: MIT
 *
 * lanes_base.h -- scores, groups of them, and which file of lanes.h implements their operations.
 *
 * WIDE chooses 16-bit scores, otherwise they have 8 bits; NINE uses nine of the 16, which tables
 * hold as a byte and a bit of a plane.  KERNEL_WLD uses two bits per score, in planes.
 *
 * Private to lanes.h and the files it includes. */
#ifndef KELSO_DB_KERNEL_LANES_BASE_H
#define KELSO_DB_KERNEL_LANES_BASE_H

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

#if defined(KERNEL_WLD)
#define LANES_PLANES
#elif defined(__AVX512VBMI2__)
#define LANES_AVX512
#elif defined(__AVX2__)
#define LANES_AVX2
#else
#define LANES_PLAIN
#endif

#endif
