/* SPDX-License-Identifier: MIT
 *
 * Any bytes as keys and values of the store of proofs: (O1) and (O2) of store_codec.h.  An odd
 * first byte says that the seals are to be put right. */
#include "fuzz.h"

#include "base/bytes.h"
#include "proof/store_codec.h"

#include <xxhash.h>

enum { LONGEST = 4096 };

/* As store_codec.h has it: XXH3 of the value, seeded with that of the key. */
static void seal(const void *key, size_t key_size, uint8_t *at, size_t size)
{
    if (size >= STORE_SEAL)
        bytes_put(at + size - STORE_SEAL, 8,
                  XXH3_64bits_withSeed(at, size - STORE_SEAL, XXH3_64bits(key, key_size)));
}

static void try_record(const uint8_t *key, const uint8_t *at, size_t size)
{
    uint8_t again[STORE_RECORD];
    struct store_record r;
    bool sealed;

    if (!store_record_decode(key, at, size, &r, &sealed))
        return;
    MUST(r.bounds.lower <= r.bounds.upper && r.bounds.upper <= VALUE_WIN);
    MUST(r.own.lower <= r.own.upper && r.own.upper <= VALUE_WIN);
    store_record_encode(&r, key, again);
    MUST(!sealed || at[6] > 1 || memcmp(again, at, size) == 0);
}

static void try_numbers(const uint8_t *key, const uint8_t *at, size_t size)
{
    struct solve_numbers after[MOVES_MAX];
    uint8_t again[STORE_NUMBERS_MAX];
    int count;

    if (!store_numbers_decode(key, at, size, after, &count))
        return;
    MUST(count >= 0 && count <= MOVES_MAX);
    MUST(store_numbers_encode(after, count, key, again) >= size);
    MUST(memcmp(again, at, (size_t)count * STORE_NUMBERS) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t value[LONGEST];
    size_t from, length;
    struct board b;

    if (size < 1 + STORE_KEY || size - 1 - STORE_KEY > LONGEST)
        return 0;
    if (store_key_decode(data + 1, STORE_KEY, &b)) {
        uint8_t key[STORE_KEY];

        MUST(board_valid(&b));
        store_key_encode(&b, key);
        MUST(memcmp(key, data + 1, STORE_KEY) == 0);
    }
    MUST(!store_key_decode(data + 1, size - 1, &b) || size - 1 == STORE_KEY);
    size -= 1 + STORE_KEY;
    memcpy(value, data + 1 + STORE_KEY, size);
    if (data[0] & 1)
        seal(data + 1, STORE_KEY, value, size);
    try_record(data + 1, value, size);
    try_numbers(data + 1, value, size);
    if (data[0] & 1)
        seal("roots", 5, value, size);
    if (store_text_decode("roots", value, size, &from, &length))
        MUST(from <= size && length <= size - from);
    return 0;
}
