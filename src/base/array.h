/* SPDX-License-Identifier: MIT
 *
 * array.h -- arrays that grow.
 *
 * The owner keeps the pointer and the capacity in elements; both start at 0, and the owner
 * frees the pointer.  When memory runs out the array stays as it was. */
#ifndef KELSO_BASE_ARRAY_H
#define KELSO_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

enum { ARRAY_FIRST = 1024 };

/* Make room for n elements of `size` bytes each; *array points to them.  False when memory is
 * short. */
static inline bool array_room(void **array, size_t *room, size_t n, size_t size)
{
    size_t wanted = *room ? *room : ARRAY_FIRST;
    void *larger;

    if (n <= *room)
        return true;
    while (wanted < n)
        wanted *= 2;
    if (!(larger = realloc(*array, wanted * size)))
        return false;
    *array = larger;
    *room = wanted;
    return true;
}

#endif
