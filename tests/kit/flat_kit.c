/* SPDX-License-Identifier: MIT */
#include "kit/flat_kit.h"

#include "base/bytes.h"
#include "db/verify.h"

#include <unistd.h>
#include <xxhash.h>

/* --------------------------------------------------------------- making files -- */

static void count_report(void *context, const struct unpack_report *r)
{
    struct flat_tally *t = context;

    t->made += r->made;
    t->there += !r->made;
    t->wrong += r->wrong != NULL;
    t->pages += r->pages;
    t->size += r->size;
    t->occupied += r->occupied;
}

struct unpack_options flat_kit_options(struct flat_tally *t, int threads)
{
    *t = (struct flat_tally){0};
    return (struct unpack_options){.pieces = PIECES_MAX,
                                   .max_side = PIECES_MAX,
                                   .threads = threads,
                                   .report = count_report,
                                   .context = t};
}

struct flat_tally flat_kit_unpack(struct flat_kit *kit, int threads)
{
    struct flat_tally t;
    struct unpack_options o = flat_kit_options(&t, threads);
    _Atomic uint64_t done = 0;
    struct error e = {0};
    uint64_t pages;

    o.done = &done;
    assert_int_equal(unpack_work(kit->catalog, &o, &pages, &e), STATUS_OK);
    if (unpack_run(kit->catalog, &o, &e))
        fail_msg("%s", e.text);
    assert_int_equal(done, pages);
    assert_int_equal(t.pages, pages);
    return t;
}

void flat_kit_clear(struct flat_kit *kit)
{
    struct flat_tally t;
    struct unpack_options o = flat_kit_options(&t, 1);
    uint64_t freed;
    int files;

    assert_int_equal(unpack_remove(kit->catalog, &o, &files, &freed, NULL), STATUS_OK);
}

/* ------------------------------------------------------------- the known file -- */

uint8_t *flat_kit_copy(const struct flat_kit *kit)
{
    uint8_t *copy = malloc(kit->size + 1);

    assert_non_null(copy);
    memcpy(copy, kit->bytes, kit->size);
    copy[kit->size] = 0;
    return copy;
}

void flat_kit_put(const struct flat_kit *kit, const uint8_t *bytes, size_t size)
{
    unlink(kit->path);
    file_write(kit->path, bytes, size);
}

void flat_kit_restore(const struct flat_kit *kit)
{
    flat_kit_put(kit, kit->bytes, kit->size);
}

void flat_kit_seal(uint8_t *bytes)
{
    bytes_put(bytes + BODY_SUM_AT, 8,
              XXH3_64bits(bytes + HEADER, bytes_get(bytes + FIRST_AT, 8) - HEADER));
    bytes_put(bytes + SUM_AT, 8, XXH3_64bits(bytes, SUM_AT));
}

uint64_t flat_kit_page(const struct flat_kit *kit, bool mixed)
{
    uint64_t page = 0;

    while ((bytes_get(kit->bytes + HEADER + 8 * page, 8) > 2) != mixed)
        page++;
    assert_true(page < table_pages(kit->table, 0));
    return page;
}

size_t flat_kit_page_offset(const struct flat_kit *kit, uint64_t page)
{
    return bytes_get(kit->bytes + FIRST_AT, 8) + page * FLAT_PAGE_BYTES;
}

void flat_kit_expect_whole(struct flat_kit *kit)
{
    struct flat_faults faults;
    uint8_t *bytes;
    size_t size;

    bytes = file_read(kit->path, &size);
    assert_int_equal(size, kit->size);
    assert_memory_equal(bytes, kit->bytes, size);
    free(bytes);
    assert_int_equal(flat_kit_faults(kit, &faults, 0), 0);
}

/* --------------------------------------------------------------------- asking -- */

struct probe *flat_kit_probe(struct flat_kit *kit)
{
    struct probe *p;
    struct error e;

    if (probe_open(&p, kit->catalog, UINT64_C(1) << 20, &e))
        fail_msg("%s", e.text);
    return p;
}

struct board flat_kit_board(const struct flat_kit *kit, uint64_t index)
{
    struct view v;

    layout_view(table_layout(kit->table, 0), index, &v);
    return view_board(&v, BLACK);
}

static void note_fault(void *context, const struct verify_fault *f)
{
    struct flat_faults *faults = context;

    faults->count++;
    memcpy(faults->text, f->text, sizeof faults->text);
}

enum status faults_find(struct catalog *c, struct slice s, double fraction,
                        struct flat_faults *faults, struct verify_result *r)
{
    struct verify_options o = {.slice = &s,
                               .fraction = fraction,
                               .threads = 2,
                               .cache = 1 << 24,
                               .faults_max = 1000,
                               .report = note_fault,
                               .context = faults};
    struct error e = {0};

    *faults = (struct flat_faults){0};
    return verify_run(c, &o, r, &e);
}

int flat_kit_faults(struct flat_kit *kit, struct flat_faults *faults, double fraction)
{
    struct verify_result r;
    enum status rc = faults_find(kit->catalog, table_slice(kit->table), fraction, faults, &r);

    assert_int_equal(rc, faults->count ? STATUS_MISMATCH : STATUS_OK);
    assert_int_equal(r.faults, faults->count);
    assert_int_equal(r.flat, access(kit->path, F_OK) == 0);
    return faults->count;
}

/* -------------------------------------------------------------------- the kit -- */

int flat_kit_open(void **state)
{
    struct flat_kit *kit = calloc(1, sizeof *kit);
    struct slice s;

    *state = kit;
    kit->pieces = test_is_sanitized() ? 3 : 4;
    kit->dir = build_tables(kit->pieces);
    assert_true(slice_parse("1K1C-1C", &s));
    assert_int_equal(catalog_open(&kit->catalog, kit->dir.path, NULL), STATUS_OK);
    assert_int_equal(probe_open(&kit->plain, kit->catalog, 1 << 24, NULL), STATUS_OK);
    probe_without_flat(kit->plain);
    assert_int_equal(catalog_table(kit->catalog, s, KIND_WLD, &kit->table, NULL), STATUS_OK);
    assert_non_null(kit->sets = sets_create(8));
    assert_non_null(kit->scratch = table_scratch_create(kit->sets));
    assert_true(flat_kit_unpack(kit, 2).made > 0);
    flat_path(kit->path, sizeof kit->path, kit->dir.path, s);
    kit->bytes = file_read(kit->path, &kit->size);
    return 0;
}

int flat_kit_close(void **state)
{
    struct flat_kit *kit = *state;

    free(kit->bytes);
    table_scratch_free(&kit->scratch);
    sets_free(&kit->sets);
    probe_close(&kit->plain);
    catalog_close(&kit->catalog);
    scratch_remove(&kit->dir);
    free(kit);
    return 0;
}
