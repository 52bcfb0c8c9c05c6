/* SPDX-License-Identifier: MIT */
#include "proof/store_codec.h"

#include "core/position.h"
#include "base/bytes.h"

#include <string.h>
#include <xxhash.h>

enum { OLD = 1, SEALED = 2 };

static uint64_t seal_of(const void *key, size_t key_size, const void *at, size_t size)
{
    return XXH3_64bits_withSeed(at, size, XXH3_64bits(key, key_size));
}

/* The last 8 bytes are the seal of those before. */
static void seal_put(const void *key, size_t key_size, uint8_t *at, size_t size)
{
    bytes_put(at + size, STORE_SEAL, seal_of(key, key_size, at, size));
}

static bool seal_holds(const void *key, size_t key_size, const uint8_t *at, size_t size)
{
    return size >= STORE_SEAL && bytes_get(at + size - STORE_SEAL, STORE_SEAL) ==
                                     seal_of(key, key_size, at, size - STORE_SEAL);
}

/* ----------------------------------------------------------------------- keys -- */

static void put_big(uint8_t *at, uint32_t n)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(n >> (24 - 8 * i));
}

static uint32_t get_big(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

void store_key_encode(const struct board *b, uint8_t at[STORE_KEY])
{
    struct placement p = placement_of(b);

    put_big(at, p.black);
    put_big(at + 4, p.white);
    put_big(at + 8, p.kings);
    at[12] = (uint8_t)b->turn;
}

bool store_key_decode(const void *key, size_t size, struct board *b)
{
    const uint8_t *at = key;

    if (size != STORE_KEY || at[12] > 1)
        return false;
    *b = placement_board((struct placement){get_big(at), get_big(at + 4), get_big(at + 8)},
                         at[12] ? WHITE : BLACK);
    return board_valid(b);
}

/* -------------------------------------------------------------------- records -- */

void store_record_encode(const struct store_record *r, const uint8_t key[STORE_KEY],
                         uint8_t at[STORE_RECORD])
{
    at[0] = SEALED;
    at[1] = (uint8_t)r->bounds.lower;
    at[2] = (uint8_t)r->bounds.upper;
    at[3] = (uint8_t)r->how;
    bytes_put(at + 4, 2, (uint16_t)(int16_t)r->score);
    at[6] = r->expanded;
    at[7] = (uint8_t)(r->own.lower + 4 * r->own.upper);
    bytes_put(at + 8, 4, (uint32_t)r->threshold);
    bytes_put(at + 12, 4, r->searches);
    bytes_put(at + 16, 8, r->nodes);
    bytes_put(at + 24, 8, r->microseconds);
    seal_put(key, STORE_KEY, at, STORE_RECORD - STORE_SEAL);
}

bool store_record_decode(const uint8_t key[STORE_KEY], const void *bytes, size_t size,
                         struct store_record *r, bool *sealed)
{
    const uint8_t *at = bytes;

    *sealed = size == STORE_RECORD && at[0] == SEALED;
    if (*sealed ? !seal_holds(key, STORE_KEY, at, size)
                : size != STORE_RECORD - STORE_SEAL || at[0] != OLD)
        return false;
    if (at[1] > at[2] || at[2] > VALUE_WIN || (at[7] & 3) > at[7] >> 2 || at[7] >> 2 > VALUE_WIN ||
        at[3] > HOW_BACKED_UP)
        return false;
    *r = (struct store_record){{(enum value)at[1], (enum value)at[2]},
                               {(enum value)(at[7] & 3), (enum value)(at[7] >> 2)},
                               (enum record_how)at[3],
                               (int16_t)bytes_get(at + 4, 2),
                               at[6] != 0,
                               (int)bytes_get(at + 8, 4),
                               (uint32_t)bytes_get(at + 12, 4),
                               bytes_get(at + 16, 8),
                               bytes_get(at + 24, 8)};
    return true;
}

bool store_record_newer(const uint8_t key[STORE_KEY], const void *bytes, size_t size)
{
    const uint8_t *at = bytes;

    return size > STORE_SEAL && at[0] > SEALED && seal_holds(key, STORE_KEY, at, size);
}

/* -------------------------------------------------------------------- numbers -- */

size_t store_numbers_encode(const struct solve_numbers *after, int count,
                            const uint8_t key[STORE_KEY], uint8_t at[STORE_NUMBERS_MAX])
{
    size_t size = (size_t)count * STORE_NUMBERS;

    for (int i = 0; i < count; i++)
        for (int side = 0; side < 2; side++) {
            bytes_put(at + i * STORE_NUMBERS + 4 * side, 4, after[i].proof[side]);
            bytes_put(at + i * STORE_NUMBERS + 8 + 4 * side, 4, after[i].disproof[side]);
        }
    seal_put(key, STORE_KEY, at, size);
    return size + STORE_SEAL;
}

bool store_numbers_decode(const uint8_t key[STORE_KEY], const void *bytes, size_t size,
                          struct solve_numbers after[MOVES_MAX], int *count)
{
    const uint8_t *at = bytes;
    bool sealed = size % STORE_NUMBERS == STORE_SEAL;

    if ((size % STORE_NUMBERS && !sealed) || size / STORE_NUMBERS > MOVES_MAX ||
        (sealed && !seal_holds(key, STORE_KEY, at, size)))
        return false;
    *count = (int)(size / STORE_NUMBERS);
    for (int i = 0; i < *count; i++, at += STORE_NUMBERS)
        after[i] = (struct solve_numbers){
            {(uint32_t)bytes_get(at, 4), (uint32_t)bytes_get(at + 4, 4)},
            {(uint32_t)bytes_get(at + 8, 4), (uint32_t)bytes_get(at + 12, 4)}};
    return true;
}

/* --------------------------------------------------------------------- claims -- */

enum { CLAIMS_VERSION = 1, QUESTION_ATTACKER = 1, QUESTION_WINS = 2 };

void store_claims_key(const struct pack_question *q, uint8_t at[STORE_CLAIMS_KEY])
{
    store_key_encode(&q->root, at);
    at[STORE_KEY] = (uint8_t)((q->attacker == WHITE) * QUESTION_ATTACKER + q->wins * QUESTION_WINS);
}

bool store_claims_key_decode(const void *key, size_t size, struct pack_question *q)
{
    const uint8_t *at = key;

    if (size != STORE_CLAIMS_KEY || at[STORE_KEY] > 3)
        return false;
    q->attacker = at[STORE_KEY] & QUESTION_ATTACKER ? WHITE : BLACK;
    q->wins = at[STORE_KEY] & QUESTION_WINS;
    return store_key_decode(at, STORE_KEY, &q->root);
}

void store_claims_encode(const struct prover_claims *c, const uint8_t key[STORE_CLAIMS_KEY],
                         uint8_t *at)
{
    at[0] = CLAIMS_VERSION;
    at[1] = (uint8_t)(c->kept - CLAIMS_KEPT);
    if (c->size)
        memcpy(at + 2, c->bytes, c->size);
    seal_put(key, STORE_CLAIMS_KEY, at, 2 + c->size);
}

bool store_claims_decode(const uint8_t key[STORE_CLAIMS_KEY], const void *bytes, size_t size,
                         struct prover_claims *c)
{
    const uint8_t *at = bytes;

    if (size < STORE_CLAIMS_EXTRA || !seal_holds(key, STORE_CLAIMS_KEY, at, size) ||
        at[0] != CLAIMS_VERSION || at[1] > CLAIMS_LOST - CLAIMS_KEPT)
        return false;
    *c = (struct prover_claims){(enum claims_kept)(at[1] + CLAIMS_KEPT),
                                key[STORE_KEY] & QUESTION_WINS, at + 2, size - STORE_CLAIMS_EXTRA};
    return (c->kept == CLAIMS_KEPT) == (c->size > 0);
}

/* ---------------------------------------------------------------------- texts -- */

void store_text_encode(const char *name, const char *text, uint8_t *at)
{
    size_t n = strlen(text);

    at[0] = SEALED;
    memcpy(at + 1, text, n);
    seal_put(name, strlen(name), at, n + 1);
    at[n + 1 + STORE_SEAL] = SEALED;
}

/* Texts of version 1: characters of ASCII alone. */
static bool text_is_old(const uint8_t *at, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (at[i] != '\n' && (at[i] < ' ' || at[i] > '~'))
            return false;
    return true;
}

bool store_text_decode(const char *name, const void *bytes, size_t size, size_t *from,
                       size_t *length)
{
    const uint8_t *at = bytes;

    *from = 0;
    *length = size;
    if (size < STORE_TEXT_EXTRA || (at[0] != SEALED && at[size - 1] != SEALED))
        return text_is_old(at, size);
    *from = 1;
    *length = size - STORE_TEXT_EXTRA;
    return at[0] == SEALED && at[size - 1] == SEALED &&
           seal_holds(name, strlen(name), at, size - 1);
}
