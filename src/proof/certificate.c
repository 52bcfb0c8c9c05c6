/* SPDX-License-Identifier: MIT */
#include "proof/certificate.h"
#include "base/bytes.h"
#include "base/array.h"
#include "base/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { HEADER = 64, CLAIM = 16, VERSION = 1 };
enum { FLAG_TURN = 1, FLAG_ATTACKER = 2, FLAG_WINS = 4, FLAG_SOLVER = 8, FLAGS_ALL = 15 };

/* A file that is too short reads as one that ends in zeros. */
_Static_assert((int)HEADER <= (int)FILE_SPARE, "room after the bytes of a file");

static const char magic[8] = "kelso pf";

void certificate_free(struct certificate *c)
{
    free(c->claim);
    *c = (struct certificate){0};
}

enum status certificate_add(struct certificate *c, const struct claim *claim, struct error *e)
{
    if (!array_room((void **)&c->claim, &c->room, c->claims + 1, sizeof *c->claim))
        return error_set(e, STATUS_NO_MEMORY, "not enough memory for a proof");
    c->claim[c->claims++] = *claim;
    return STATUS_OK;
}

struct board claim_board(const struct claim *claim)
{
    return placement_board(claim->pieces, (enum side)claim->turn);
}

int claim_compare(const struct claim *a, const struct claim *b)
{
    int x = a->turn << 2 | a->attacker << 1 | a->wins,
        y = b->turn << 2 | b->attacker << 1 | b->wins;
    int order = placement_compare(a->pieces, b->pieces);

    return order ? order : (x > y) - (x < y);
}

/* ------------------------------------------------------------------ twice the same -- */

/* A claim's number and its subject. */
struct topic {
    struct claim claim;
    size_t number;
};

static int topic_order(const void *a, const void *b)
{
    const struct topic *x = a, *y = b;
    int order = claim_compare(&x->claim, &y->claim);

    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static int topic_by_number(const void *a, const void *b)
{
    const struct topic *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

enum status certificate_unique(struct certificate *c, struct error *e)
{
    struct topic *t = malloc((c->claims + 1) * sizeof *t);
    size_t n = 0;

    if (!t)
        return error_set(e, STATUS_NO_MEMORY, "not enough memory for a proof");
    for (size_t i = 0; i < c->claims; i++)
        t[i] = (struct topic){c->claim[i], i};
    qsort(t, c->claims, sizeof *t, topic_order);
    for (size_t i = 0; i < c->claims; i++)
        if (n == 0 || claim_compare(&t[n - 1].claim, &t[i].claim) != 0)
            t[n++] = t[i];
    qsort(t, n, sizeof *t, topic_by_number);
    for (size_t i = 0; i < n; i++)
        c->claim[i] = t[i].claim;
    c->claims = n;
    free(t);
    return STATUS_OK;
}

/* -------------------------------------------------------------------- writing -- */

static void claim_encode(const struct claim *c, uint8_t at[CLAIM])
{
    memset(at, 0, CLAIM);
    placement_put(at, c->pieces);
    at[12] = (uint8_t)(c->turn * FLAG_TURN | c->attacker * FLAG_ATTACKER | c->wins * FLAG_WINS |
                       c->by_solver * FLAG_SOLVER);
    at[13] = c->from;
    at[14] = c->to;
}

static void header_encode(const struct certificate *c, const uint8_t *claims, uint8_t at[HEADER])
{
    memset(at, 0, HEADER);
    memcpy(at, magic, sizeof magic);
    bytes_put(at + 8, 2, VERSION);
    at[10] = (uint8_t)c->root.turn;
    at[11] = (uint8_t)c->lower;
    at[12] = (uint8_t)c->upper;
    placement_put(at + 16, placement_of(&c->root));
    bytes_put(at + 32, 8, c->claims);
    bytes_put(at + 40, 8, XXH3_64bits(claims, c->claims * CLAIM));
    bytes_put(at + 48, 8, XXH3_64bits(at, 48));
}

enum status certificate_encode(const struct certificate *c, uint8_t **bytes, size_t *size,
                               struct error *e)
{
    *size = HEADER + c->claims * CLAIM;
    if (!(*bytes = malloc(*size)))
        return error_set(e, STATUS_NO_MEMORY, "not enough memory to write a proof");
    for (size_t i = 0; i < c->claims; i++)
        claim_encode(&c->claim[i], *bytes + HEADER + i * CLAIM);
    header_encode(c, *bytes + HEADER, *bytes);
    return STATUS_OK;
}

enum status certificate_write(const struct certificate *c, const char *path, struct error *e)
{
    uint8_t *bytes;
    size_t size;
    enum status rc = certificate_encode(c, &bytes, &size, e);

    if (!rc)
        rc = file_replace(path, bytes, size, e);
    free(bytes);
    return rc;
}

/* -------------------------------------------------------------------- reading -- */

static enum status bad(const char *path, size_t offset, const char *what, struct error *e)
{
    return error_set(e, STATUS_FORMAT, "%s, offset %zu: %s", path, offset, what);
}

static enum status claim_decode(struct claim *c, const uint8_t *at, const char *path, size_t offset,
                                struct error *e)
{
    struct board b;

    *c = (struct claim){placement_get(at),
                        at[12] & FLAG_TURN ? WHITE : BLACK,
                        at[12] & FLAG_ATTACKER ? WHITE : BLACK,
                        (at[12] & FLAG_WINS) != 0,
                        (at[12] & FLAG_SOLVER) != 0,
                        at[13],
                        at[14]};
    b = claim_board(c);
    if (!board_valid(&b))
        return bad(path, offset, "expected a position, found squares that are not one", e);
    if (at[12] & ~FLAGS_ALL)
        return bad(path, offset + 12, "expected flags up to 15", e);
    if (c->from > 32 || c->to > 32)
        return bad(path, offset + 13, "expected squares up to 32", e);
    return at[15] ? bad(path, offset + 15, "expected 0", e) : STATUS_OK;
}

static bool all_zero(const uint8_t *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (at[i])
            return false;
    return true;
}

static enum status header_decode(struct certificate *c, const uint8_t *at, size_t size,
                                 const char *path, struct error *e)
{
    if (size < HEADER || memcmp(at, magic, sizeof magic))
        return bad(path, 0, "expected a proof, which begins with 'kelso pf'", e);
    if (bytes_get(at + 48, 8) != XXH3_64bits(at, 48))
        return error_set(e, STATUS_DAMAGED, "%s, offset 48: the sum of the header is wrong", path);
    if (bytes_get(at + 8, 2) != VERSION)
        return bad(path, 8, "expected version 1", e);
    c->root = placement_board(placement_get(at + 16), at[10] ? WHITE : BLACK);
    c->lower = (enum value)at[11];
    c->upper = (enum value)at[12];
    if (at[10] > 1 || !board_valid(&c->root))
        return bad(path, 10, "expected a position, found squares that are not one", e);
    if (c->lower > c->upper || c->upper > VALUE_WIN)
        return bad(path, 11, "expected bounds from 0 to 2, the lower first", e);
    if (!all_zero(at + 13, 3) || !all_zero(at + 28, 4) || !all_zero(at + 56, 8))
        return bad(path, 13, "expected 0 in reserved bytes", e);
    if (bytes_get(at + 32, 8) != (size - HEADER) / CLAIM || (size - HEADER) % CLAIM)
        return bad(path, 32, "the number of claims does not fit the size of the file", e);
    if (bytes_get(at + 40, 8) != XXH3_64bits(at + HEADER, size - HEADER))
        return error_set(e, STATUS_DAMAGED, "%s, offset 40: the sum of the claims is wrong", path);
    return STATUS_OK;
}

enum status certificate_decode(struct certificate *c, const uint8_t *bytes, size_t size,
                               const char *path, struct error *e)
{
    enum status rc;

    *c = (struct certificate){0};
    rc = header_decode(c, bytes, size, path, e);
    for (size_t at = HEADER; !rc && at < size; at += CLAIM) {
        struct claim claim;

        rc = claim_decode(&claim, bytes + at, path, at, e);
        if (!rc)
            rc = certificate_add(c, &claim, e);
    }
    if (rc)
        certificate_free(c);
    return rc;
}

enum status certificate_read(struct certificate *c, const char *path, struct error *e)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    enum status rc;

    *c = (struct certificate){0};
    rc = file_read_all(path, &bytes, &size, e);
    if (!rc)
        rc = certificate_decode(c, bytes, size, path, e);
    free(bytes);
    return rc;
}
