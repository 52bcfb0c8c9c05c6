/* SPDX-License-Identifier: MIT
 *
 * page_code.h -- stand-in for codec.h. */
#ifndef KELSO_DB_PAGE_CODE_H
#define KELSO_DB_PAGE_CODE_H

#include "db/table.h"

#include <string.h>

static inline uint32_t page_code_values(uint8_t *values, uint32_t n, uint8_t *out)
{
    memset(out, 0, (n + 3) / 4);
    for (uint32_t i = 0; i < n; i++) {
        if (values[i] == TABLE_ANY)
            values[i] = i ? values[i - 1] : VALUE_DRAW;
        out[i / 4] |= (uint8_t)(values[i] << 2 * (i % 4));
    }
    return (n + 3) / 4;
}

static inline bool page_decode_values(const uint8_t *in, uint32_t size, uint8_t *values, uint32_t n)
{
    if (size != (n + 3) / 4)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if ((values[i] = in[i / 4] >> 2 * (i % 4) & 3) == TABLE_ANY)
            return false;
    return true;
}

static inline uint32_t page_code_distances(const uint16_t *distances, uint32_t n, uint8_t *out)
{
    memcpy(out, distances, 2 * n);
    return 2 * n;
}

static inline bool page_decode_distances(const uint8_t *in, uint32_t size, uint16_t *distances,
                                         uint32_t n)
{
    if (size != 2 * n)
        return false;
    memcpy(distances, in, size);
    return true;
}

#endif
