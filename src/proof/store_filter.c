/* SPDX-License-Identifier: MIT */
#include "proof/store_filter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { LINE = 64, KEYS_A_LINE = 32, LINES_LEAST = 1024 };

/* A bit in each of the eight words. */
struct bits {
    size_t line;
    struct store_filter_line mask;
};

static struct bits bits_of(const struct store_filter *f, const void *key, size_t size)
{
    XXH128_hash_t h = XXH3_128bits(key, size);
    struct bits b = {.line = h.high64 & (f->lines - 1)};

    for (int i = 0; i < 8; i++)
        b.mask.word[i] = UINT64_C(1) << (h.low64 >> 6 * i & 63);
    return b;
}

bool store_filter_make(struct store_filter *f, size_t keys)
{
    size_t lines = LINES_LEAST;
    void *line;

    while (lines * KEYS_A_LINE < keys)
        lines *= 2;
    if (!(line = aligned_alloc(LINE, lines * LINE)))
        return false;
    memset(line, 0, lines * LINE);
    store_filter_free(f);
    *f = (struct store_filter){line, lines, 0};
    return true;
}

void store_filter_free(struct store_filter *f)
{
    free(f->line);
    *f = (struct store_filter){0};
}

bool store_filter_full(const struct store_filter *f)
{
    return f->keys >= f->lines * KEYS_A_LINE;
}

bool store_filter_lacks(const struct store_filter *f, const void *key, size_t size)
{
    struct bits b;
    uint64_t missing = 0;

    if (!f->lines)
        return false;
    b = bits_of(f, key, size);
    for (int i = 0; i < 8; i++)
        missing |= b.mask.word[i] & ~f->line[b.line].word[i];
    return missing;
}

void store_filter_add(struct store_filter *f, const void *key, size_t size)
{
    struct bits b;

    if (!f->lines)
        return;
    b = bits_of(f, key, size);
    for (int i = 0; i < 8; i++)
        f->line[b.line].word[i] |= b.mask.word[i];
    f->keys++;
    assert(!store_filter_lacks(f, key, size)); /* (K1) */
}
