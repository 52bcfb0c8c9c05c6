/* SPDX-License-Identifier: MIT */
#include "base/big_array.h"
#include "base/array.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

static size_t pages_of(size_t bytes)
{
    return (bytes + BIG_PAGE - 1) / BIG_PAGE * BIG_PAGE;
}

/* Addresses from a multiple of BIG_PAGE on. */
static char *map_aligned(size_t bytes, int protection, int flags)
{
    char *p = mmap(NULL, bytes + BIG_PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    size_t before;

    if (p == MAP_FAILED)
        return NULL;
    before = (BIG_PAGE - (uintptr_t)p % BIG_PAGE) % BIG_PAGE;
    if (before)
        munmap(p, before);
    munmap(p + before + bytes, BIG_PAGE - before);
    return p + before;
}

void *big_addresses(size_t bytes)
{
    return map_aligned(bytes, PROT_NONE, MAP_NORESERVE);
}

bool big_move(void *from, size_t had, void *to, size_t bytes)
{
    return mremap(from, had, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED;
}

/* Pages for an array that has none yet. */
static char *pages_new(size_t bytes)
{
    return map_aligned(bytes, PROT_READ | PROT_WRITE, 0);
}

/* Both are multiples of BIG_PAGE, so that large pages are moved whole. */
static char *pages_move(void *from, size_t had, size_t bytes)
{
    char *at = big_addresses(bytes);

    return at && big_move(from, had, at, bytes) ? at : NULL;
}

bool big_array_room(void **array, size_t *room, size_t n, size_t size)
{
    size_t wanted = *room > ARRAY_FIRST ? *room : ARRAY_FIRST, had = *room * size, bytes;
    bool mapped = had >= BIG_ARRAY;
    char *larger;

    if (n <= *room)
        return true;
    if (n > SIZE_MAX / 4 / size)
        return false;
    while (wanted < n)
        wanted += wanted / 2;
    if (wanted * size < BIG_ARRAY)
        return array_room(array, room, n, size);
    bytes = pages_of(wanted * size);
    larger = mapped ? pages_move(*array, pages_of(had), bytes) : pages_new(bytes);
    if (!larger)
        return false;
    madvise(larger, bytes, MADV_HUGEPAGE); /* if the system can */
    if (!mapped && had) {
        memcpy(larger, *array, had);
        free(*array);
    }
    assert((uintptr_t)larger % BIG_PAGE == 0); /* (A1) */
    *array = larger;
    *room = wanted;
    return true;
}

void big_array_free(void *array, size_t room, size_t size)
{
    if (room * size >= BIG_ARRAY)
        munmap(array, pages_of(room * size));
    else
        free(array);
}
