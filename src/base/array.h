/* SPDX-License-Identifier: MIT
 *
 * array.h -- arrays that grow.
 *
 * The owner keeps the pointer and the room, in elements; both begin as 0, and the pointer is
 * freed by its owner.
 *
 * (A1) an array grows by half at least, so n elements added one by one cost O(n).
 * (A2) without memory the array stays as it was. */
#ifndef KELSO_BASE_ARRAY_H
#define KELSO_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { ARRAY_FIRST = 64 };

/* Make room for n elements of `size` bytes each; *array points to them.  The room at the start may
 * be any number.  False when memory is short. */
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
