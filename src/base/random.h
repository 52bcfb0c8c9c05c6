/* SPDX-License-Identifier: MIT
 *
 * random.h -- pseudo-random numbers, the same on every machine (splitmix64).
 *
 * The caller owns the state, which starts as any seed.  random_mix spreads the bits of a number
 * over all 64 and is a bijection.  Any thread. */
#ifndef KELSO_BASE_RANDOM_H
#define KELSO_BASE_RANDOM_H

#include <stdint.h>

static inline uint64_t random_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static inline uint64_t random_next(uint64_t *state)
{
    return random_mix(*state += UINT64_C(0x9E3779B97F4A7C15));
}

/* 0 <= result < n; n > 0 */
static inline uint64_t random_below(uint64_t *state, uint64_t n)
{
    return random_next(state) % n;
}

#endif
