/* SPDX-License-Identifier: MIT
 *
 * damage.h -- what may happen to a good file: it is cut, changed, lengthened. */
#ifndef KELSO_TESTS_DAMAGE_H
#define KELSO_TESTS_DAMAGE_H

#include "base/bytes.h"
#include "fuzz.h"

enum damage { NOTHING, CUT, FLIP, SWAP, LONGER, OVERWRITE, ZERO, DAMAGES };

enum { DAMAGE_BYTES = 9, DAMAGE_LONGER = 64 }; /* of an input; what a file may grow by */

static inline void swap_bytes(uint8_t *a, uint8_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t byte = a[i];

        a[i] = b[i];
        b[i] = byte;
    }
}

/* Change a copy of a file as DAMAGE_BYTES of input say (what, where, with what), within
 * [first, end) of it; returns its new size. */
static inline size_t damage_bytes(const uint8_t *input, uint8_t *bytes, size_t size, size_t first,
                                  size_t end)
{
    uint32_t where = (uint32_t)bytes_get(input + 1, 4), with = (uint32_t)bytes_get(input + 5, 4);
    size_t at = first + where % (end - first), n = 1 + with % DAMAGE_LONGER;
    size_t other = first + (where >> 16 ^ with >> 8) % (end - first);

    switch (input[0] % DAMAGES) {
    case CUT:
        return at;
    case FLIP:
        bytes[at] ^= (uint8_t)(1u << with % 8);
        break;
    case SWAP:
        if (at + n <= end && other + n <= end && (at + n <= other || other + n <= at))
            swap_bytes(bytes + at, bytes + other, n);
        break;
    case LONGER:
        memset(bytes + size, (int)with, n);
        return size + n;
    case OVERWRITE:
        for (size_t i = at; i < end && i < at + n; i++)
            bytes[i] = (uint8_t)(with >> i % 4 * 8);
        break;
    case ZERO:
        memset(bytes + at, 0, end - at < 512 ? end - at : 512);
        break;
    default:
        break;
    }
    return size;
}

#endif
