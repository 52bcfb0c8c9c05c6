/* SPDX-License-Identifier: MIT
 *
 * quick_code.h -- a block of win/loss/draw values as run lengths in a prefix code.
 *
 * A block is QUICK_BLOCK values.  It is written as its first value (2 bits), then one symbol
 * for each run: how long it is and which of the other two values follows.  The last run is the
 * symbol QUICK_END.  A value is found by adding up lengths until they pass it: one table lookup
 * for each run before it, without any state.
 *
 * Where the mover has a capture the value does not matter, so the end of a run may be moved
 * through such positions: the writer moves it to where the code is shortest.
 *
 * A table has QUICK_CODES codes; a block uses the one that suits it best.  A code has a set of
 * prefix codes for each value of the run, because runs of draws and of losses have different
 * lengths.  The symbols for a run of length l >= 1 of value v, followed by the value v + 1 + t
 * modulo 3:
 *
 *     2 * bucket + t     l is in this bucket; its place in the bucket follows
 *     QUICK_END          the run goes on to the end of the block
 *     QUICK_ESCAPE       t (1 bit) and l - 1 (10 bits) follow: for symbols without a code
 *
 * Buckets 0 to 15 are the lengths 1 to 16; then four each of 2, 4, 8, ... 128 lengths.  Bits are
 * taken from the low end of each byte first; prefix codes are canonical, ordered by length, then by
 * symbol, and written first bit first.
 *
 * (C1) quick_block_value returns the encoded value at every position that matters.
 * (C2) For any bytes it terminates and reads at most QUICK_READ_MAX of them.
 * (C3) The same values give the same bytes.
 *
 * The caller owns all memory.  Tables of a code are constant once filled: safe on any thread.
 * A trainer belongs to one thread. */
#ifndef KELSO_DB_QUICK_CODE_H
#define KELSO_DB_QUICK_CODE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    QUICK_BLOCK = 1024,
    QUICK_CODES = 4,
    QUICK_BUCKETS = 44,
    QUICK_END = 2 * QUICK_BUCKETS,
    QUICK_ESCAPE,
    QUICK_SYMBOLS,
    QUICK_BITS = 9,                     /* length of the longest prefix code */
    QUICK_ESCAPE_BITS = 11,             /* that follow an escape */
    QUICK_FLAT_BYTES = QUICK_BLOCK / 4, /* of a block of 2 bits a value */
    QUICK_READ_MAX = (QUICK_BLOCK * (QUICK_BITS + QUICK_ESCAPE_BITS) + 2) / 8 + 17,
    QUICK_LENGTHS = QUICK_CODES * 3 * QUICK_SYMBOLS, /* bytes that describe all codes of a table */
};

/* The length of each symbol's prefix code, by code and value of the run; 0 if it has none. */
struct quick_lengths {
    uint8_t of[QUICK_CODES][3][QUICK_SYMBOLS];
};

/* By value of the run and the next QUICK_BITS bits:
 *     bits  0-4   bits of the code and what follows it
 *     bits  5-8   bits of the code
 *     bits  9-10  the next value, shifted up by QUICK_BITS, ready for the next lookup
 *     bits 11-21  the shortest length
 *     bits 22-28  mask of what is added to it
 *     bit  31     an escape */
struct quick_lookup {
    uint32_t of[QUICK_CODES][3 << QUICK_BITS];
};

#define QUICK_LOOKUP_ESCAPE (UINT32_C(1) << 31)

_Static_assert(QUICK_BITS == 9 && 2 * (QUICK_BITS + QUICK_ESCAPE_BITS) <= 56, "see quick_lookup");

/* False if the lengths are not those of prefix codes. */
bool quick_lookup_fill(struct quick_lookup *lookup, const struct quick_lengths *lengths);

/* The runs of a block: run i has value[i] and begins anywhere from first[i] to last[i]. */
struct quick_runs {
    uint32_t count; /* 0: no value matters */
    uint8_t value[QUICK_BLOCK];
    uint16_t first[QUICK_BLOCK], last[QUICK_BLOCK];
};

/* Bit i of `taking` from bit `at` on: value i does not matter.  n <= QUICK_BLOCK. */
void quick_runs_find(struct quick_runs *runs, const uint8_t *values, const uint64_t *taking,
                     uint32_t at, uint32_t n);

/* ------------------------------------------------------------------- writing -- */

/* The writer's view of the codes of a table: costs in bits, by length of a run. */
struct quick_coder {
    struct quick_lengths lengths;
    uint16_t code[QUICK_CODES][3][QUICK_SYMBOLS]; /* the first bit lowest */
    uint8_t price[QUICK_CODES][3][2][QUICK_BLOCK + 1];
};

/* Fit codes to a sample of n blocks, none of a single value. */
void quick_coder_train(struct quick_coder *c, struct quick_runs *const *sample, uint32_t n);

/* Encode a block of several values.  Returns the number of bytes and sets *which to the code used;
 * returns 0 if that is not shorter than QUICK_FLAT_BYTES. */
uint32_t quick_block_encode(const struct quick_coder *c, const struct quick_runs *runs,
                            uint8_t bytes[QUICK_FLAT_BYTES], uint32_t *which);

/* ------------------------------------------------------------------- reading -- */

static inline uint64_t quick_word(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/* The state of reading a block. */
struct quick_reader {
    uint64_t word;      /* the next bits ... */
    uint32_t value;     /* of the current run, << QUICK_BITS */
    uint32_t at;        /* values before the requested one, counted from the start of the run */
    uint32_t left;      /* ... how many of them are valid */
    const uint8_t *end; /* the bytes after them */
};

/* The index by which the next run is looked up. */
static inline uint32_t quick_symbol(const struct quick_reader *r)
{
    return r->value | (uint32_t)(r->word & ((1 << QUICK_BITS) - 1));
}

/* Read a run; true if the requested value is in it. */
static inline bool quick_run(struct quick_reader *r, const uint32_t *lookup)
{
    uint32_t e = lookup[quick_symbol(r)];
    uint32_t more = (uint32_t)(r->word >> (e >> 5 & 15));
    uint32_t length = (e >> 11 & 2047) + (more & e >> 22 & 127);
    uint32_t next = e & 3 << QUICK_BITS; /* already in place for the next lookup */

    if (e & QUICK_LOOKUP_ESCAPE) {
        length = (more >> 1 & (QUICK_BLOCK - 1)) + 1;
        next = ((r->value >> QUICK_BITS) + 1 + (more & 1)) % 3 << QUICK_BITS;
    }
    if (r->at < length)
        return true;
    r->at -= length;
    r->value = next;
    r->word >>= e & 31;
    r->left -= e & 31;
    return false;
}

/* At the first run of a block. */
static inline struct quick_reader quick_reader_open(const uint8_t *bytes, uint32_t at)
{
    uint64_t word = quick_word(bytes);

    return (struct quick_reader){.word = word >> 2,
                                 .value = (uint32_t)(word & 3) % 3 << QUICK_BITS,
                                 .at = at,
                                 .left = 62,
                                 .end = bytes + 8};
}

/* Load whole bytes: at least 56 bits are then valid, enough for two runs. */
static inline void quick_refill(struct quick_reader *r)
{
    r->word |= quick_word(r->end) << r->left;
    r->end += (63 - r->left) >> 3;
    r->left |= 56;
}

/* Value `at` of a block; lookup->of[which]. */
static inline uint32_t quick_block_value(const uint32_t *lookup, const uint8_t *bytes, uint32_t at)
{
    struct quick_reader r = quick_reader_open(bytes, at);

    while (!quick_run(&r, lookup) && !quick_run(&r, lookup))
        quick_refill(&r);
    return r.value >> QUICK_BITS;
}

#endif
