/* SPDX-License-Identifier: MIT
 *
 * big_array.h -- arrays that grow (array.h) to gigabytes and are read at random.
 *
 * A small one is on the heap.  A large one has pages of its own, of 2 MiB if the system has them:
 * with ordinary ones a read at random waits twice, for the page table and for the memory.  It grows
 * by moving pages, not bytes.
 *
 * Growing is as in array.h: by at least half, and if memory is short the array is unchanged.
 * (A1) An array of BIG_ARRAY bytes or more begins at a multiple of BIG_PAGE. */
#ifndef KELSO_BASE_BIG_ARRAY_H
#define KELSO_BASE_BIG_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

enum { BIG_PAGE = 2 << 20, BIG_ARRAY = 2 * BIG_PAGE };

/* Like array_room.  *room starts as 0 with a NULL pointer. */
bool big_array_room(void **array, size_t *room, size_t n, size_t size);

void big_array_free(void *array, size_t room, size_t size);

/* Addresses that nothing else uses, from a multiple of BIG_PAGE on, without memory behind them;
 * NULL if there are none.  `bytes` is a multiple of the system's pages. */
void *big_addresses(size_t bytes);

/* Move `had` bytes of pages to the first of `bytes` such addresses; what follows there becomes new
 * pages.  False if the system refuses: then the pages are where they were, and the addresses belong
 * to nobody.  Leave them alone, do not even unmap them: Linux may have done so before it refused,
 * and another thread may have got them since. */
bool big_move(void *from, size_t had, void *to, size_t bytes);

#endif
