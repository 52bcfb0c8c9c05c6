/* SPDX-License-Identifier: MIT
 *
 * Tables that something has happened to, in memory: a good file is cut, changed or lengthened
 * before it is opened, or under its reader.  Each page is then what it was, or refused with a
 * status whose words name the file: (T3) and (T4) of table.h.  With its sums put right a file may
 * say anything that makes sense, and nothing more is asked than that reading it ends.
 *
 * The good tables, of two pieces, are in $KELSO_FUZZ_TABLES or build/fuzz-tables, as
 * scripts/fuzz makes them.  The input: which file (1), when and whether to seal (1), then the
 * damages, DAMAGE_BYTES each. */
#include "damage.h"
#include "memory_file.h"

#include "db/table.h"
#include "db/table_format.h"

#include <xxhash.h>

enum { FILES_MAX = 9, HEAD = 2, PATH_BYTES = 400, FILE_MAX = 1 << 16 };

struct good {
    struct table *table, *wld; /* of the same slice */
    size_t size;
    uint8_t bytes[FILE_MAX];
    uint8_t values[2][TABLE_PAGE]; /* the first page of each mirror */
    uint16_t distances[2][TABLE_PAGE];
};

static struct world {
    struct memory_file file;
    struct sets *sets;
    struct table_scratch *scratch;
    int count;
    struct good good[FILES_MAX];
} world;

/* ------------------------------------------------------------------- the world -- */

static enum status page_read(const struct world *w, const struct good *g, const struct table *t,
                             int mirror, uint8_t *values, uint16_t *distances, struct error *e)
{
    if (table_kind(t) == KIND_WLD)
        return table_read_values(t, w->scratch, mirror, 0, values, e);
    MUST(table_read_values(g->wld, w->scratch, mirror, 0, values, NULL) == STATUS_OK);
    return table_read_distances(t, w->scratch, mirror, 0, values, distances, e);
}

static void good_open(struct world *w, const char *dir, struct slice s, enum kind kind)
{
    struct good *g = &w->good[w->count++];
    char path[PATH_BYTES];
    struct error e;
    FILE *in;

    MUST(table_open(&g->table, table_path(path, sizeof path, dir, s, kind), &e) == STATUS_OK);
    MUST((in = fopen(path, "rb")));
    g->size = fread(g->bytes, 1, sizeof g->bytes - DAMAGE_LONGER, in);
    fclose(in);
    MUST(g->size == table_size(g->table));
    g->wld = kind == KIND_WLD ? g->table : g[-(int)kind].table;
    for (int m = 0; m < 2; m++)
        MUST(!page_read(w, g, g->table, m, g->values[m], g->distances[m], &e));
}

static void world_open(struct world *w)
{
    const char *given = getenv("KELSO_FUZZ_TABLES");
    struct slice slice[SLICE_CODES];
    int slices = slice_order(2, 2, slice);

    MUST(slices == 3);
    MUST((w->sets = sets_create(2)) && (w->scratch = table_scratch_create(w->sets)));
    for (int i = 0; i < slices; i++)
        for (int k = 0; k < KINDS; k++)
            good_open(w, given ? given : "build/fuzz-tables", slice[i], (enum kind)k);
    memory_file_open(&w->file, "table");
}

/* --------------------------------------------------------------------- looking -- */

static void must_be_refusal(const struct world *w, enum status rc, const struct error *e)
{
    MUST(rc == STATUS_DAMAGED || rc == STATUS_FORMAT || rc == STATUS_IO);
    MUST(e->status == rc && strstr(e->text, w->file.path));
}

/* The page of one table.  `sealed`: the values may be others. */
static void pages_look(const struct world *w, const struct good *g, const struct table *t, int m,
                       bool sealed)
{
    uint8_t values[TABLE_PAGE];
    uint16_t distances[TABLE_PAGE];
    uint32_t n = table_page_length(g->table, m, 0);
    struct error e = {0};
    enum status rc = page_read(w, g, t, m, values, distances, &e);

    if (rc) {
        must_be_refusal(w, rc, &e);
    } else if (!sealed) {
        MUST(memcmp(values, g->values[m], n) == 0);
        MUST(table_kind(t) == KIND_WLD ||
             memcmp(distances, g->distances[m], n * sizeof *distances) == 0);
    }
}

/* As table.h has it. */
static void seal(uint8_t *bytes, size_t size)
{
    uint64_t models = bytes_get(bytes + 48, 8);

    if (size < HEADER_BYTES)
        return;
    if (models <= size)
        bytes_put(bytes + 88, 8, XXH3_64bits(bytes + models, size - models));
    bytes_put(bytes + 80, 8, size);
    bytes_put(bytes + HEADER_SUM, 8, XXH3_64bits(bytes, HEADER_SUM));
}

static void open_damaged(struct world *w, const struct good *g, const uint8_t *bytes, size_t size,
                         int mirror, bool sealed)
{
    struct table *t = NULL;
    struct error e = {0};
    enum status rc;

    memory_file_fill(&w->file, bytes, size);
    rc = table_open(&t, w->file.path, &e);
    if (rc)
        must_be_refusal(w, rc, &e);
    else if (table_kind(t) == table_kind(g->table) &&
             slice_equal(table_slice(t), table_slice(g->table)))
        pages_look(w, g, t, mirror, sealed);
    table_close(&t);
}

/* The reader that opened the file when it was good. */
static void damage_open(struct world *w, const struct good *g, const uint8_t *bytes, size_t size,
                        int mirror)
{
    static struct table *open[FILES_MAX];
    struct table **t = &open[g - w->good];
    struct error e;

    if (!*t) {
        memory_file_fill(&w->file, g->bytes, g->size);
        MUST(table_open(t, w->file.path, &e) == STATUS_OK);
    }
    memory_file_fill(&w->file, bytes, size);
    pages_look(w, g, *t, mirror, false);
}

/* Then it is opened like the good one, which takes long: a model has 38,912 weights. */
static bool only_pages_differ(const struct good *g, const uint8_t *bytes, size_t size)
{
    uint64_t models = bytes_get(g->bytes + 48, 8);

    return size == g->size && memcmp(bytes, g->bytes, HEADER_BYTES) == 0 &&
           memcmp(bytes + models, g->bytes + models, size - models) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[FILE_MAX];
    struct world *w = &world;
    const struct good *g;
    bool under, sealed;
    size_t n;

    if (!w->count)
        world_open(w);
    if (size < HEAD)
        return 0;
    g = &w->good[data[0] % w->count];
    under = data[1] & 1;
    sealed = !under && (data[1] & 38) == 38; /* few: they are opened whole */
    memcpy(bytes, g->bytes, n = g->size);
    for (size_t at = HEAD; at + DAMAGE_BYTES <= size && at < HEAD + 4 * DAMAGE_BYTES && n > 0;
         at += DAMAGE_BYTES) {
        size_t end = data[1] & 8 && n > HEADER_BYTES ? HEADER_BYTES : n;

        n = damage_bytes(data + at, bytes, n < g->size ? n : g->size, 0, end);
    }
    if (sealed)
        seal(bytes, n);
    if (under || only_pages_differ(g, bytes, n))
        damage_open(w, g, bytes, n, data[1] >> 4 & 1);
    else
        open_damaged(w, g, bytes, n, data[1] >> 4 & 1, sealed);
    return 0;
}
