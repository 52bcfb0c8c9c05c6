/* SPDX-License-Identifier: MIT */
#include "db/frames.h"

#include "base/big_array.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    FRAME = BIG_PAGE,
    SMALL = 4096,
    LARGE = 1 << 20, /* smaller pieces are not worth keeping */
};

/* A run of pages that can be moved at once. */
struct extent {
    uint8_t *at;
    size_t bytes;
};

struct extents {
    struct extent *list;
    size_t count, room;
};

struct frames {
    struct extents used, spare;
};

static int extents_add(struct extents *x, struct extent e)
{
    if (x->count == x->room) {
        size_t room = x->room ? 2 * x->room : 64;
        struct extent *list = realloc(x->list, room * sizeof *list);

        if (!list)
            return -1;
        x->list = list;
        x->room = room;
    }
    x->list[x->count++] = e;
    return 0;
}

struct frames *frames_create(void)
{
    return calloc(1, sizeof(struct frames));
}

void frames_free(struct frames **f)
{
    if (!*f)
        return;
    for (size_t i = 0; i < (*f)->spare.count; i++)
        munmap((*f)->spare.list[i].at, (*f)->spare.list[i].bytes);
    free((*f)->spare.list);
    free((*f)->used.list);
    free(*f);
    *f = NULL;
}

size_t frames_size(size_t bytes)
{
    size_t unit = bytes >= LARGE ? FRAME : SMALL;

    return (bytes + unit - 1) / unit * unit;
}

static uint64_t extents_sum(const struct extents *x)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < x->count; i++)
        bytes += x->list[i].bytes;
    return bytes;
}

uint64_t frames_spare(const struct frames *f)
{
    return extents_sum(&f->spare);
}

void frames_limit(struct frames *f, uint64_t bytes)
{
    uint64_t held = extents_sum(&f->used) + extents_sum(&f->spare);

    while (held > bytes && f->spare.count) {
        struct extent *e = &f->spare.list[f->spare.count - 1];
        uint64_t over = (held - bytes + FRAME - 1) / FRAME * FRAME;
        size_t n = over < e->bytes ? (size_t)over : e->bytes;

        munmap(e->at + e->bytes - n, n);
        held -= n;
        if ((e->bytes -= n) == 0)
            f->spare.count--;
    }
}

/* Addresses that are reserved get pages; if memory is short they stay reserved. */
static bool pages_new(uint8_t *at, size_t bytes)
{
    if (mprotect(at, bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    madvise(at, bytes, MADV_HUGEPAGE);
    return true;
}

/* Back the first of the addresses at ... at + bytes; returns how many, 0 if memory is short.  Then
 * the first *lost of them are no longer ours. */
static size_t pages_put_some(struct frames *f, uint8_t *at, size_t bytes, size_t *lost)
{
    struct extent *e = f->spare.count ? &f->spare.list[f->spare.count - 1] : NULL;
    size_t n = e && e->bytes < bytes ? e->bytes : bytes;

    *lost = 0;
    if (extents_add(&f->used, (struct extent){at, n}))
        return 0;
    if (e ? !big_move(e->at + e->bytes - n, n, at, n) : !pages_new(at, n)) {
        *lost = e ? n : 0;
        f->used.count--;
        return 0;
    }
    if (e && (e->bytes -= n) == 0)
        f->spare.count--;
    return n;
}

/* Back the addresses at ... at + bytes with pages, spare ones first.  If memory is short, those
 * that have none are given up. */
static bool pages_put(struct frames *f, uint8_t *at, size_t bytes)
{
    while (bytes) {
        size_t lost, n = pages_put_some(f, at, bytes, &lost);

        if (!n) {
            if (lost < bytes)
                munmap(at + lost, bytes - lost);
            return false;
        }
        at += n;
        bytes -= n;
    }
    return true;
}

static void *piece_small(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

void *frames_take(struct frames *f, size_t bytes)
{
    uint8_t *p;

    bytes = frames_size(bytes);
    if (bytes < FRAME)
        return piece_small(bytes);
    p = big_addresses(bytes);
    if (p && (f ? !pages_put(f, p, bytes) : !pages_new(p, bytes))) {
        frames_give(f, p, bytes);
        p = NULL;
    }
#ifndef NDEBUG
    for (size_t i = 0; p && f && i < bytes; i += SMALL) /* (F1): any content */
        p[i] = 0xA5;
#endif
    return p;
}

void frames_give(struct frames *f, void *piece, size_t bytes)
{
    uint8_t *p = piece;
    size_t kept = 0;

    if (!p)
        return;
    bytes = frames_size(bytes);
    if (!f || bytes < FRAME) {
        munmap(p, bytes);
        return;
    }
    for (size_t i = 0; i < f->used.count; i++) {
        struct extent e = f->used.list[i];

        if (e.at < p || e.at >= p + bytes)
            f->used.list[kept++] = e;
        else if (extents_add(&f->spare, e))
            munmap(e.at, e.bytes);
    }
    f->used.count = kept;
}
