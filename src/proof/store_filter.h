/* SPDX-License-Identifier: MIT
 *
 * store_filter.h -- which keys a store certainly lacks.
 *
 * A tree that grows asks for the record of each new position, and most have none.  The filter
 * answers that from one line of the cache instead of a walk through the pages of the store.  It is
 * a Bloom filter (Bloom 1970) whose bits for a key are all in one line; with 16 bits for a key
 * about one absent key in a thousand looks present.
 *
 * (K1) A key that was added is never said to be absent.
 * (K2) When it is full it is made again, twice as large, by its owner, who knows the keys.
 *
 * The caller owns the struct; {0} is a filter that is full.  One thread. */
#ifndef KELSO_PROOF_STORE_FILTER_H
#define KELSO_PROOF_STORE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store_filter {
    struct store_filter_line {
        uint64_t word[8];
    } * line;
    size_t lines, keys; /* lines is a power of two, or 0 */
};

/* An empty filter with room for at least `keys`; false if memory is short. */
bool store_filter_make(struct store_filter *f, size_t keys);
void store_filter_free(struct store_filter *f);

bool store_filter_full(const struct store_filter *f);
void store_filter_add(struct store_filter *f, const void *key, size_t size);
bool store_filter_lacks(const struct store_filter *f, const void *key, size_t size);

#endif
