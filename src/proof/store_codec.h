/* SPDX-License-Identifier: MIT
 *
 * store_codec.h -- the bytes of a store: keys, records, numbers, texts.
 *
 * Key, 13 bytes: squares of Black, of White, of kings (4 bytes each, bit n-1 for square n,
 * most significant byte first), then the side to move (0 Black, 1 White).
 *
 *     OFFSET  SIZE  WHAT (a record; little-endian)
 *          0     1  version, 2
 *          1     2  lower, upper bound for the side to move: 0 loss, 1 draw, 2 win
 *          3     1  how: 0 the player's score alone, 1 tables, 2 solver, 3 backed up
 *          4     2  score for the side to move, hundredths of a man, signed
 *          6     1  1: its successors are part of the tree
 *          7     1  the part of the bounds that is not backed up: lower + 4 * upper
 *          8     4  the threshold of its last search
 *         12     4  searches
 *         16     8  positions expanded by them
 *         24     8  microseconds taken by them
 *         32     8  seal
 *
 * Numbers are kept under the key of their position: for each move, in the order of
 * moves_generate, 16 bytes, the numbers of struct solve_numbers (proof for Black, for White,
 * disproof for Black, for White); then the seal, 8 bytes.
 *
 * Claims are kept under the key of their position and one byte more, the question: bit 0 the
 * attacker (0 Black, 1 White), bit 1 set if it wins.
 *
 *     OFFSET  SIZE  WHAT (claims)
 *          0     1  version, 1
 *          1     1  0: a pack follows (claim_pack.h); 1: not kept, too large; 2: not kept, the
 *                   search had lost too much
 *          2     -  the pack
 *       last     8  seal
 *
 * A text is kept under its name: a byte 2, the characters, the seal, a byte 2.
 *
 * The seal is the XXH3 of what precedes it, seeded with the XXH3 of the key.  It detects
 * damage, and bytes that belong to another key.
 *
 * Stores of version 1 have no seals: records of 32 bytes that begin with 1, numbers without the
 * last 8 bytes, texts of the characters only.  They are read, and rewritten as version 2.
 *
 * (O1) Decoding inverts encoding; changing any byte of a sealed value, or using another key,
 *      makes it fail.
 * (O2) Decoded data is in range: lower <= upper, a valid board, at most MOVES_MAX numbers.
 *
 * Functions on the caller's memory; safe on any thread. */
#ifndef KELSO_PROOF_STORE_CODEC_H
#define KELSO_PROOF_STORE_CODEC_H

#include "proof/store.h"

#include <stddef.h>

enum {
    STORE_KEY = 13,
    STORE_SEAL = 8,
    STORE_RECORD = 32 + STORE_SEAL,
    STORE_NUMBERS = 16, /* of one move */
    STORE_NUMBERS_MAX = MOVES_MAX * STORE_NUMBERS + STORE_SEAL,
    STORE_TEXT_EXTRA = 2 + STORE_SEAL,
    STORE_CLAIMS_KEY = STORE_KEY + 1,
    STORE_CLAIMS_EXTRA = 2 + STORE_SEAL
};

void store_key_encode(const struct board *b, uint8_t at[STORE_KEY]);
bool store_key_decode(const void *at, size_t size, struct board *b);

void store_record_encode(const struct store_record *r, const uint8_t key[STORE_KEY],
                         uint8_t at[STORE_RECORD]);

/* *sealed: false for version 1. */
bool store_record_decode(const uint8_t key[STORE_KEY], const void *at, size_t size,
                         struct store_record *r, bool *sealed);

/* Is a record that cannot be decoded sealed, but of a later version?  A seal always comes last. */
bool store_record_newer(const uint8_t key[STORE_KEY], const void *at, size_t size);

/* Returns the size. */
size_t store_numbers_encode(const struct solve_numbers *after, int count,
                            const uint8_t key[STORE_KEY], uint8_t at[STORE_NUMBERS_MAX]);
bool store_numbers_decode(const uint8_t key[STORE_KEY], const void *at, size_t size,
                          struct solve_numbers after[MOVES_MAX], int *count);

void store_claims_key(const struct pack_question *q, uint8_t at[STORE_CLAIMS_KEY]);
bool store_claims_key_decode(const void *at, size_t size, struct pack_question *q);

/* `at` has room for the pack and STORE_CLAIMS_EXTRA bytes. */
void store_claims_encode(const struct prover_claims *c, const uint8_t key[STORE_CLAIMS_KEY],
                         uint8_t *at);

/* c->bytes points into `at`. */
bool store_claims_decode(const uint8_t key[STORE_CLAIMS_KEY], const void *at, size_t size,
                         struct prover_claims *c);

/* `at` has room for the characters and STORE_TEXT_EXTRA bytes. */
void store_text_encode(const char *name, const char *text, uint8_t *at);

/* Where the characters are: *from, *length. */
bool store_text_decode(const char *name, const void *at, size_t size, size_t *from, size_t *length);

#endif
