/* SPDX-License-Identifier: MIT
 *
 * bytes.h -- integers as they are stored in files: little-endian, of any number of bytes, at any
 * address.
 *
 * Functions on the caller's memory; any thread. */
#ifndef KELSO_BASE_BYTES_H
#define KELSO_BASE_BYTES_H

#include <stdint.h>

static inline uint64_t bytes_get(const uint8_t *p, int n)
{
    uint64_t x = 0;

    for (int i = 0; i < n; i++)
        x |= (uint64_t)p[i] << 8 * i;
    return x;
}

static inline void bytes_put(uint8_t *p, int n, uint64_t x)
{
    for (int i = 0; i < n; i++)
        p[i] = (uint8_t)(x >> 8 * i);
}

#endif
