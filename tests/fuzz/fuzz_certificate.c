/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a certificate.  An odd first byte says that the sums are to be put right,
 * so that what comes behind them is reached too.  What is read has positions that are
 * positions, is written back as it was, and goes to the checker, which lets no lie stand.
 *
 * The tables are in $KELSO_FUZZ_TABLES or build/fuzz-tables, as scripts/fuzz makes them. */
#include "fuzz.h"

#include "base/bytes.h"
#include "proof/check.h"

#include <xxhash.h>

enum { HEADER = 64, CLAIM = 16, LONGEST = 4096 };

/* As docs in certificate.h have it. */
static void seal(uint8_t *file, size_t size)
{
    if (size < HEADER)
        return;
    memcpy(file, "kelso pf\1", 10);
    bytes_put(file + 32, 8, (size - HEADER) / CLAIM);
    bytes_put(file + 40, 8, XXH3_64bits(file + HEADER, size - HEADER));
    bytes_put(file + 48, 8, XXH3_64bits(file, 48));
}

static void must_come_back(const struct certificate *c, const uint8_t *file, size_t size)
{
    uint8_t *again;
    size_t n;

    MUST(certificate_encode(c, &again, &n, NULL) == STATUS_OK);
    MUST(n == size && memcmp(again, file, size) == 0);
    free(again);
}

static const struct tables *tables(void)
{
    static struct tables *t; /* open until the end */
    const char *given = getenv("KELSO_FUZZ_TABLES");
    struct tables_options o = {.dir = given ? given : "build/fuzz-tables", .cache = 8 << 20};
    struct error e;

    if (!t && tables_open(&t, &o, &e)) {
        fprintf(stderr, "%s: run scripts/fuzz\n", e.text);
        exit(1);
    }
    return t;
}

/* (V1) of check.h: no lie about a position of the tables stands. */
static void must_be_true(const struct certificate *c)
{
    struct check_options o = {.tables = tables(), .resolve_limit = 20};
    struct check_result result;
    struct outcome truth;
    struct error e = {0};

    if (check_certificate(c, &o, &result, &e))
        MUST(e.text[0]);
    else if (!tables_outcome(o.tables, &c->root, KIND_WLD, &truth, &e))
        MUST(c->lower <= truth.value && truth.value <= c->upper);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct certificate c = {0};
    struct error e = {0};
    uint8_t file[LONGEST];

    if (size < 1 || size > LONGEST)
        return 0;
    memcpy(file, data + 1, --size);
    if (data[0] & 1)
        seal(file, size);
    if (certificate_decode(&c, file, size, "a proof", &e)) {
        MUST(e.text[0] && strstr(e.text, "a proof"));
    } else {
        MUST(board_valid(&c.root));
        for (size_t i = 0; i < c.claims; i++) {
            struct board b = claim_board(&c.claim[i]);

            MUST(board_valid(&b));
        }
        must_come_back(&c, file, size);
        must_be_true(&c);
    }
    certificate_free(&c);
    return 0;
}
