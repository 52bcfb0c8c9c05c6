/* SPDX-License-Identifier: MIT
 *
 * perft.h -- count the move paths of a given length.
 *
 * The last ply is counted, not played (bulk counting).  A hash table of sub-counts is optional;
 * it stores whole positions, so no count depends on a hash collision, and many threads may share
 * it.
 *
 * (P1) perft(b, d, NULL) == perft(b, d, hash) for every hash in any state.
 *
 * The caller owns the entries, which must be initialized with perft_hash_init. */
#ifndef KELSO_CORE_PERFT_H
#define KELSO_CORE_PERFT_H

#include "core/position.h"

#include <stdatomic.h>
#include <stddef.h>

struct perft_entry {
    struct placement pieces;
    _Atomic uint32_t tag; /* 0 free, 1 locked, else 2 + 2 * depth + turn */
    uint64_t count;
};

struct perft_hash {
    struct perft_entry *entry;
    size_t mask; /* number of entries - 1; the number is a power of two */
};

/* Use `bytes` of memory at `entry` as an empty table; returns false if not even one entry
 * fits. */
bool perft_hash_init(struct perft_hash *hash, struct perft_entry *entry, size_t bytes);

/* The number of paths of exactly `depth` plies from b; 1 for depth 0. */
uint64_t perft(const struct board *b, int depth, struct perft_hash *hash);

#endif
