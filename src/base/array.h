/* SPDX-License-Identifier: MIT
 *
 * array.h -- arrays that grow as the proof does.
 *
 * The owner keeps the pointer and the room, in elements; both begin as 0, and the pointer is
 * freed by its owner.  Without memory the array stays as it was. */
#ifndef KELSO_BASE_ARRAY_H
#define KELSO_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

enum { ARRAY_FIRST = 1024 };

/* Room for n elements of so many bytes; *array is a pointer to them.  False without memory. */
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
