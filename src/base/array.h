/* SPDX-License-Identifier: MIT
 *
 * array.h -- arrays that grow.
 *
 * The owner keeps the pointer and the room, in elements.  Both start as 0, and the owner frees the
 * pointer.
 *
 * (A1) An array grows by at least half, so adding n elements one by one costs O(n).
 * (A2) If memory is short, the array is unchanged. */
#ifndef KELSO_BASE_ARRAY_H
#define KELSO_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { ARRAY_FIRST = 64 };

/* Make room for n elements of `size` bytes each; *array points to them.  The initial room may be
 * any number.  False when memory is short. */
static inline bool array_room(void **array, size_t *room, size_t n, size_t size)
{
    size_t wanted = *room > ARRAY_FIRST ? *room : ARRAY_FIRST;
    void *larger;

    if (n <= *room)
        return true;
    if (n > SIZE_MAX / 2 / size)
        return false;
    while (wanted < n)
        wanted += wanted / 2;
    if (!(larger = realloc(*array, wanted * size)))
        return false;
    *array = larger;
    *room = wanted;
    return true;
}

#endif
