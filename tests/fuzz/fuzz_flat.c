/* SPDX-License-Identifier: MIT
 *
 * Flat files that something has happened to, in memory: (L3) and (L4) of flat.h.  With its sums
 * put right a file may hold other values; then reading must only end.
 *
 * Table and flat file of 1K-1C are in $KELSO_FUZZ_TABLES or build/fuzz-tables.  The input: whether
 * to seal (1), then the damages, DAMAGE_BYTES each. */
#include "damage.h"
#include "memory_file.h"

#include "db/flat.h"

#include <xxhash.h>

enum { FILE_MAX = 1 << 16, HEADER = 512, HEADER_SUM = 504, BODY_SUM = 56 };

static struct world {
    struct memory_file file;
    struct table *table;
    size_t size;
    uint8_t bytes[FILE_MAX], values[2][TABLE_PAGE];
} world;

static void world_open(struct world *w)
{
    const char *given = getenv("KELSO_FUZZ_TABLES"), *dir = given ? given : "build/fuzz-tables";
    struct slice s = slice_canonical((struct slice){1, 0, 0, 1});
    char path[400];
    struct flat *f;
    struct error e;
    FILE *in;

    MUST(table_open(&w->table, table_path(path, sizeof path, dir, s, KIND_WLD), &e) == STATUS_OK);
    MUST(flat_open(&f, dir, w->table, &e) == STATUS_OK);
    for (int m = 0; m < 2; m++)
        MUST(flat_read(f, m, 0, w->values[m], &e) == STATUS_OK);
    flat_close(&f);
    MUST((in = fopen(flat_path(path, sizeof path, dir, s), "rb")));
    w->size = fread(w->bytes, 1, sizeof w->bytes - DAMAGE_LONGER, in);
    fclose(in);
    memory_file_open(&w->file, strrchr(path, '/') + 1);
}

static void must_be_refusal(const struct world *w, enum status rc, const struct error *e)
{
    MUST(rc == STATUS_DAMAGED || rc == STATUS_FORMAT || rc == STATUS_IO || rc == STATUS_MISMATCH);
    MUST(e->status == rc && strstr(e->text, w->file.path));
}

static void look(const struct world *w, const struct flat *f, bool sealed)
{
    uint8_t values[TABLE_PAGE];

    for (int m = 0; m < 2; m++) {
        uint32_t n = table_page_length(w->table, m, 0);
        struct error e = {0};
        enum status rc = flat_read(f, m, 0, values, &e);

        if (rc)
            must_be_refusal(w, rc, &e);
        else if (!sealed)
            MUST(memcmp(values, w->values[m], n) == 0);
        else
            for (uint32_t i = 0; i < n; i++)
                MUST(values[i] <= VALUE_WIN);
    }
}

static void seal(uint8_t *bytes, size_t size)
{
    uint64_t first = size > HEADER ? bytes_get(bytes + 40, 8) : 0;

    if (first >= HEADER + 16 && first <= size) {
        for (uint64_t page = first, i = 0; page + FLAT_PAGE_BYTES <= size && i < 2;
             page += FLAT_PAGE_BYTES, i++)
            if (bytes_get(bytes + HEADER + 8 * i, 8) >= FLAT_MIXED)
                bytes_put(bytes + HEADER + 8 * i, 8,
                          XXH3_64bits(bytes + page, FLAT_PAGE_BYTES) | UINT64_C(1) << 63);
        bytes_put(bytes + BODY_SUM, 8, XXH3_64bits(bytes + HEADER, first - HEADER));
    }
    if (size >= HEADER)
        bytes_put(bytes + HEADER_SUM, 8, XXH3_64bits(bytes, HEADER_SUM));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[FILE_MAX];
    struct world *w = &world;
    struct flat *f = NULL;
    struct error e = {0};
    enum status rc;
    size_t n;

    if (!w->table)
        world_open(w);
    if (size < 1)
        return 0;
    memcpy(bytes, w->bytes, n = w->size);
    for (size_t at = 1; at + DAMAGE_BYTES <= size && at < 4 * DAMAGE_BYTES && n > 0;
         at += DAMAGE_BYTES) {
        size_t end = data[0] & 2 && n > HEADER + 16 ? HEADER + 16 : n;

        n = damage_bytes(data + at, bytes, n < w->size ? n : w->size, 0, end);
    }
    if (data[0] & 1)
        seal(bytes, n);
    memory_file_fill(&w->file, bytes, n);
    rc = flat_open(&f, w->file.dir, w->table, &e);
    if (rc)
        must_be_refusal(w, rc, &e);
    else
        look(w, f, data[0] & 1);
    flat_close(&f);
    return 0;
}
