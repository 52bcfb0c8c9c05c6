/* SPDX-License-Identifier: MIT
 *
 * Flat files: what a probe answers from them is what it answers from the tables, and whatever
 * has happened to a file is noticed (L1)-(L4).  Making them: test_unpack.c. */
#include "kit/document.h"
#include "kit/flat_kit.h"
#include "kit/test.h"

#include "base/bytes.h"
#include "core/movegen.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* ---------------------------------------------------------------------- tools -- */

static enum status open_flat(const struct flat_kit *kit, struct flat **f, struct error *e)
{
    *e = (struct error){0};
    return flat_open(f, kit->dir.path, kit->table, e);
}

/* Change n bytes of a file in place; zeros if `bytes` is NULL. */
static void file_change(const char *path, size_t at, const uint8_t *bytes, size_t n)
{
    int fd = open(path, O_WRONLY);
    uint8_t *zeros = calloc(1, n);

    assert_true(fd >= 0 && zeros);
    assert_int_equal(pwrite(fd, bytes ? bytes : zeros, n, (off_t)at), n);
    close(fd);
    free(zeros);
}

/* --------------------------------------------------------------------- equality -- */

/* All positions of one side's view, both probes. */
static void compare_view(struct flat_kit *kit, struct probe *flat, struct slice s)
{
    struct layout l;

    assert_int_equal(layout_create(&l, s), 0);
    for (uint64_t i = 0; i < l.positions; i++) {
        enum value value, want;
        struct view v;
        struct board b;
        struct error e = {0};

        layout_view(&l, i, &v);
        b = view_board(&v, BLACK);
        assert_int_equal(probe_value(kit->plain, &b, &want, &e), STATUS_OK);
        if (probe_value(flat, &b, &value, &e) || value != want)
            fail_msg("index %llu: %d, expected %d; %s", (unsigned long long)i, value, want, e.text);
        if (i % 61 == 0) { /* distances are decoded on top of values */
            struct outcome o, other;

            assert_int_equal(probe_outcome(kit->plain, &b, KIND_DTW, &o, &e), STATUS_OK);
            assert_int_equal(probe_outcome(flat, &b, KIND_DTW, &other, &e), STATUS_OK);
            assert_true(outcome_equal(o, other));
        }
    }
    layout_free(&l);
}

static void test_equal(void **state)
{
    static const char *const names[] = {"1C-1C", "2K-1C", "1K1C-1C", "2C-1C", "2C-2C", "1K1C-2C"};
    struct flat_kit *kit = *state;
    struct probe *flat = flat_kit_probe(kit);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct slice s;

        assert_true(slice_parse(names[i], &s));
        if (slice_pieces(s) > kit->pieces)
            continue;
        compare_view(kit, flat, s);
        compare_view(kit, flat, slice_flip(s));
    }
    probe_close(&flat);
}

/* The document's words in code: value i of a page, out of the whole file. */
static uint32_t value_in(const uint8_t *bytes, uint64_t number, uint32_t i)
{
    uint64_t entry = bytes_get(bytes + HEADER + 8 * number, 8);
    const uint8_t *page = bytes + bytes_get(bytes + FIRST_AT, 8) + 4096 * number;

    return entry <= 2 ? (uint32_t)entry : page[i / 4] >> 2 * (i % 4) & 3;
}

static void file_compare(struct flat_kit *kit, const struct table *t)
{
    int tables = slice_symmetric(table_slice(t)) ? 1 : 2;
    uint8_t values[TABLE_PAGE], again[TABLE_PAGE], *bytes;
    char path[SCRATCH_MAX];
    struct flat *f;
    size_t size;

    assert_int_equal(flat_open(&f, kit->dir.path, t, NULL), STATUS_OK);
    bytes = file_read(flat_path(path, sizeof path, kit->dir.path, table_slice(t)), &size);
    for (int m = 0; m < tables; m++)
        for (uint64_t page = 0; page < table_pages(t, m); page++) {
            uint64_t number = page + (m ? table_pages(t, 0) : 0);
            uint32_t n = table_page_length(t, m, page);

            assert_int_equal(table_read_values(t, kit->scratch, m, page, values, NULL), 0);
            assert_int_equal(flat_read(f, m, page, again, NULL), STATUS_OK);
            assert_memory_equal(values, again, n);
            for (uint32_t i = 0; i < n; i++)
                assert_int_equal(value_in(bytes, number, i), values[i]);
        }
    flat_close(&f);
    free(bytes);
}

static void test_bytes(void **state)
{
    struct flat_kit *kit = *state;
    struct slice list[SLICE_CODES];
    int n = slice_order(3, 3, list);
    const struct table *t;

    for (int i = 0; i < n; i++) {
        assert_int_equal(catalog_table(kit->catalog, list[i], KIND_WLD, &t, NULL), STATUS_OK);
        file_compare(kit, t);
    }
}

/* (L2) */
static void test_same_bytes(void **state)
{
    struct flat_kit *kit = *state;

    for (int threads = 1; threads <= 5; threads += 2) {
        uint8_t *bytes;
        struct crew crew;
        size_t size;

        assert_int_equal(crew_open(&crew, threads, NULL), 0);
        assert_int_equal(unlink(kit->path), 0);
        assert_int_equal(flat_make(kit->dir.path, kit->table, kit->sets, &crew, NULL, NULL),
                         STATUS_OK);
        crew_close(&crew);
        bytes = file_read(kit->path, &size);
        assert_int_equal(size, kit->size);
        assert_memory_equal(bytes, kit->bytes, size);
        free(bytes);
    }
}

/* Where there is a hole nothing is stored, and the disk knows. */
static void test_holes(void **state)
{
    static const uint8_t zeros[FLAT_PAGE_BYTES];
    struct flat_kit *kit = *state;
    struct flat_tally t = flat_kit_unpack(kit, 2);

    assert_memory_equal(kit->bytes + flat_kit_page_offset(kit, flat_kit_page(kit, false)), zeros,
                        sizeof zeros);
    assert_int_equal(t.made, 0);
    assert_true(t.occupied > 0 && t.size > 0);
    print_message("# %llu bytes on disk of %llu\n", (unsigned long long)t.occupied,
                  (unsigned long long)t.size);
}

/* ----------------------------------------------------------------------- damage -- */

/* Opening says so, with the file's name; a probe passes it on. */
static void expect_broken(struct flat_kit *kit, const uint8_t *bytes, size_t size,
                          const char *words)
{
    struct board b = flat_kit_board(kit, 0);
    struct probe *p;
    struct error e;
    struct flat *f;
    enum value v;
    enum status rc;

    flat_kit_put(kit, bytes, size);
    rc = open_flat(kit, &f, &e);
    assert_null(f);
    if ((rc != STATUS_DAMAGED && rc != STATUS_FORMAT) || rc != e.status ||
        !strstr(e.text, kit->path) || !strstr(e.text, words))
        fail_msg("status %d, \"%s\", expected words \"%s\"", rc, e.text, words);
    p = flat_kit_probe(kit);
    assert_int_equal(probe_value(p, &b, &v, &e), rc);
    assert_non_null(strstr(e.text, kit->path));
    assert_int_equal(probe_value(p, &b, &v, &e), rc); /* again */
    probe_close(&p);
}

static void test_header(void **state)
{
    struct flat_kit *kit = *state;
    uint8_t *bytes = flat_kit_copy(kit);

    for (size_t at = 0; at < HEADER; at += at < 80 || at > 490 ? 1 : 37) {
        bytes[at] ^= 0x10;
        expect_broken(kit, bytes, kit->size, at < 8 ? "not a flat file" : "header");
        bytes[at] ^= 0x10;
    }
    for (int at = 10; at < 56; at += at == 15 ? 9 : 1) { /* wrong, but with a good sum */
        bytes[at] ^= 0x10;
        bytes_put(bytes + SUM_AT, 8, XXH3_64bits(bytes, SUM_AT));
        expect_broken(kit, bytes, kit->size, "does not fit");
        bytes[at] ^= 0x10;
    }
    free(bytes);
    flat_kit_restore(kit);
}

static void test_index(void **state)
{
    struct flat_kit *kit = *state;
    size_t first = bytes_get(kit->bytes + FIRST_AT, 8);
    uint8_t *bytes = flat_kit_copy(kit);
    uint64_t page = flat_kit_page(kit, false);
    struct error e;
    struct flat *f;

    for (size_t at = HEADER; at < first; at += at < HEADER + 64 ? 1 : 97) { /* and what fills up */
        bytes[at] ^= 1;
        expect_broken(kit, bytes, kit->size, "index");
        bytes[at] ^= 1;
    }
    bytes_put(bytes + HEADER + 8 * page, 8, 5); /* no value, no sum */
    flat_kit_seal(bytes);
    flat_kit_put(kit, bytes, kit->size);
    assert_int_equal(open_flat(kit, &f, &e), STATUS_OK);
    assert_int_equal(flat_check(f, 0, page, &e), STATUS_DAMAGED);
    assert_non_null(strstr(e.text, "no such value"));
    flat_close(&f);
    free(bytes);
    flat_kit_restore(kit);
}

static void test_length(void **state)
{
    struct flat_kit *kit = *state;
    size_t first = bytes_get(kit->bytes + FIRST_AT, 8);
    size_t cut[] = {0,
                    1,
                    511,
                    512,
                    513,
                    first - 1,
                    first,
                    first + 1,
                    kit->size - 4096,
                    kit->size - 1,
                    kit->size + 1};
    uint8_t *bytes = flat_kit_copy(kit);

    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++)
        expect_broken(kit, bytes, cut[i], cut[i] < HEADER ? "too short" : "bytes, expected");
    unlink(kit->path);
    assert_int_equal(mkdir(kit->path, 0755), 0);
    {
        struct error e;
        struct flat *f;

        assert_int_equal(open_flat(kit, &f, &e), STATUS_FORMAT);
        assert_non_null(strstr(e.text, "not a regular file"));
    }
    assert_int_equal(rmdir(kit->path), 0);
    free(bytes);
    flat_kit_restore(kit);
}

/* One bit of a page: that page says so, with its number; the others answer. */
static void test_page(void **state)
{
    struct flat_kit *kit = *state;
    struct rng r = rng_for_test("page");
    uint64_t page = flat_kit_page(kit, true);
    const struct layout *l = table_layout(kit->table, 0);

    for (int n = 0; n < 20; n++) {
        uint8_t *bytes = flat_kit_copy(kit);
        size_t at = flat_kit_page_offset(kit, page) + (size_t)rng_below(&r, FLAT_PAGE_BYTES);
        struct probe *p;
        int asked = 0;

        bytes[at] ^= (uint8_t)(1 << rng_below(&r, 8));
        flat_kit_put(kit, bytes, kit->size);
        p = flat_kit_probe(kit);
        for (uint64_t i = 0; i < l->positions; i += 31) {
            struct board b = flat_kit_board(kit, i);
            enum value v, want;
            struct error e = {0};
            enum status rc = probe_value(p, &b, &v, &e);

            if (rc) {
                assert_int_equal(rc, STATUS_DAMAGED);
                assert_int_equal(i / TABLE_PAGE, page);
                assert_non_null(strstr(e.text, kit->path));
                assert_non_null(strstr(e.text, "kelso unpack"));
                asked++;
                continue;
            }
            assert_int_equal(probe_value(kit->plain, &b, &want, NULL), STATUS_OK);
            assert_int_equal(v, want);
        }
        assert_true(asked > 0);
        probe_close(&p);
        free(bytes);
    }
    flat_kit_restore(kit);
}

/* (L4): readers do without it, and unpack makes it again. */
static void expect_stale(struct flat_kit *kit, uint8_t *bytes, const char *words)
{
    struct probe *p;
    struct error e;
    struct flat *f;
    struct flat_tally t;
    uint8_t *again;
    size_t size;

    flat_kit_seal(bytes);
    /* would be noticed if it was used: */
    bytes[flat_kit_page_offset(kit, flat_kit_page(kit, true))] ^= 1;
    flat_kit_put(kit, bytes, kit->size);
    assert_int_equal(open_flat(kit, &f, &e), STATUS_MISMATCH);
    assert_non_null(strstr(e.text, words));
    p = flat_kit_probe(kit);
    compare_view(kit, p, table_slice(kit->table));
    probe_close(&p);
    t = flat_kit_unpack(kit, 2);
    assert_int_equal(t.made, 1);
    assert_int_equal(t.wrong, 1);
    again = file_read(kit->path, &size);
    assert_int_equal(size, kit->size);
    assert_memory_equal(again, kit->bytes, size);
    free(again);
    free(bytes);
}

static void test_stale(void **state)
{
    struct flat_kit *kit = *state;
    uint8_t *bytes = flat_kit_copy(kit);

    bytes[DIGEST_AT] ^= 1;
    expect_stale(kit, bytes, "another table");
    bytes = flat_kit_copy(kit);
    bytes[VERSION_AT]++;
    expect_stale(kit, bytes, "version 2, expected 1");
}

/* ---------------------------------------------------------------- a wrong value -- */

/* A quiet position of a page with several values. */
static uint64_t quiet_index(struct flat_kit *kit, uint64_t page)
{
    const uint64_t *taking = table_captures(kit->scratch, table_layout(kit->table, 0), page);
    uint32_t i = 0;

    while (taking[i / 64] >> i % 64 & 1)
        i++;
    assert_true(i < table_page_length(kit->table, 0, page));
    return page * TABLE_PAGE + i;
}

/* A forged value with all sums right: probes do look into the file, and verify sees it. */
static void test_forged(void **state)
{
    struct flat_kit *kit = *state;
    uint64_t page = flat_kit_page(kit, true), index = quiet_index(kit, page);
    uint32_t i = index % TABLE_PAGE;
    struct board b = flat_kit_board(kit, index);
    uint8_t *bytes = flat_kit_copy(kit), *at = bytes + flat_kit_page_offset(kit, page);
    enum value good, forged, found;
    struct flat_faults faults;
    struct probe *p;
    char place[64];

    assert_int_equal(flat_kit_faults(kit, &faults, 1), 0);
    assert_int_equal(probe_value(kit->plain, &b, &good, NULL), STATUS_OK);
    forged = good == VALUE_WIN ? VALUE_LOSS : VALUE_WIN;
    at[i / 4] = (uint8_t)((at[i / 4] & ~(3 << i % 4 * 2)) | (int)forged << i % 4 * 2);
    bytes_put(bytes + HEADER + 8 * page, 8, XXH3_64bits(at, FLAT_PAGE_BYTES) | UINT64_C(1) << 63);
    flat_kit_seal(bytes);
    flat_kit_put(kit, bytes, kit->size);
    p = flat_kit_probe(kit);
    assert_int_equal(probe_value(p, &b, &found, NULL), STATUS_OK);
    assert_int_equal(found, forged);
    probe_close(&p);
    assert_int_equal(flat_kit_faults(kit, &faults, 1), 1);
    snprintf(place, sizeof place, "index %llu", (unsigned long long)index);
    assert_non_null(strstr(faults.text, place));
    assert_non_null(strstr(faults.text, kit->path));
    free(bytes);
    flat_kit_restore(kit);
}

/* Sums are checked also where verify does not decode. */
static void test_verify(void **state)
{
    struct flat_kit *kit = *state;
    uint8_t *bytes = flat_kit_copy(kit);
    struct flat_faults faults;

    bytes[flat_kit_page_offset(kit, flat_kit_page(kit, true))] ^= 1;
    flat_kit_put(kit, bytes, kit->size);
    assert_int_equal(flat_kit_faults(kit, &faults, 0), 1);
    assert_non_null(strstr(faults.text, "checksum"));
    bytes[DIGEST_AT] ^= 1;
    flat_kit_seal(bytes);
    flat_kit_put(kit, bytes, kit->size);
    assert_int_equal(flat_kit_faults(kit, &faults, 0), 1);
    assert_non_null(strstr(faults.text, "another table"));
    flat_kit_put(kit, bytes, 100);
    assert_int_equal(flat_kit_faults(kit, &faults, 0), 1);
    assert_non_null(strstr(faults.text, "too short"));
    unlink(kit->path);
    assert_int_equal(flat_kit_faults(kit, &faults, 0), 0);
    free(bytes);
    flat_kit_restore(kit);
}

/* ---------------------------------------------------------------------- filling -- */

static uint64_t fill(struct probe *p, int pieces)
{
    _Atomic uint64_t done = 0;
    struct crew crew;

    assert_int_equal(crew_open(&crew, 3, NULL), 0);
    assert_int_equal(probe_fill(p, pieces, &crew, &done, NULL), STATUS_OK);
    crew_close(&crew);
    return done;
}

/* With flat files there is always room. */
static void test_fill(void **state)
{
    struct flat_kit *kit = *state;
    struct probe *p;
    uint64_t pages;

    assert_int_equal(probe_open(&p, kit->catalog, 0, NULL), STATUS_OK);
    assert_int_equal(probe_pages(p, kit->pieces, &pages, NULL), STATUS_OK);
    assert_int_equal(fill(p, kit->pieces), pages);
    assert_int_equal(fill(p, kit->pieces), pages);
    probe_close(&p);
}

/* Ask about each position of a symmetric slice that has no capture; the number of answers. */
static int ask_quiet(struct probe *p, const struct table *t, uint64_t most)
{
    const struct layout *l = table_layout(t, 0);
    int answers = 0;

    for (uint64_t i = 0; i < l->positions && i < most; i++) {
        struct view view;
        struct board b;
        enum value v;

        layout_view(l, i, &view);
        b = view_board(&view, BLACK);
        if (!board_must_capture(&b))
            answers += probe_value(p, &b, &v, NULL) == STATUS_OK;
    }
    return answers;
}

/* Without them, a table whose pages are pinned is filled, however full the rest of the cache is.
 * Its file is spoiled afterwards: having to decode a page would be noticed. */
static void test_fill_pinned(void **state)
{
    enum { SLABS = 20, SLAB_BYTES = 8 * FLAT_PAGE_BYTES, HEADER_BYTES = 512 };
    struct flat_kit *kit = *state;
    char path[SCRATCH_MAX];
    const struct table *t;
    struct probe *p;
    struct slice s;
    uint8_t *bytes;
    size_t size;
    int answers;

    if (kit->pieces < 4)
        skip();
    assert_true(slice_parse("1K1C-1K1C", &s)); /* 41 pages: all that may be reserved of 5/8 */
    assert_int_equal(catalog_table(kit->catalog, s, KIND_WLD, &t, NULL), STATUS_OK);
    answers = ask_quiet(kit->plain, t, UINT64_MAX);
    assert_int_equal(probe_open(&p, kit->catalog, SLABS * SLAB_BYTES, NULL), STATUS_OK);
    probe_without_flat(p);
    assert_true(ask_quiet(p, t, 1000) >
                0); /* the first to be pinned, but not the first to be filled */
    fill(p, 4);
    table_path(path, sizeof path, kit->dir.path, s, KIND_WLD);
    bytes = file_read(path, &size);
    file_change(path, HEADER_BYTES, NULL, 10000);
    assert_int_equal(ask_quiet(p, t, UINT64_MAX), answers);
    probe_close(&p);
    assert_int_equal(probe_open(&p, kit->catalog, SLABS * SLAB_BYTES, NULL), STATUS_OK);
    probe_without_flat(p);
    assert_true(ask_quiet(p, t, 30000) == 0); /* spoiled indeed */
    probe_close(&p);
    file_change(path, HEADER_BYTES, bytes + HEADER_BYTES, 10000);
    free(bytes);
}

/* docs/format.md repeats the table of flat.h for people. */
static void test_document(void **state)
{
    (void)state;
    assert_true(document_rows("src/db/flat.h") > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal),       cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_same_bytes),  cmocka_unit_test(test_holes),
        cmocka_unit_test(test_header),      cmocka_unit_test(test_index),
        cmocka_unit_test(test_length),      cmocka_unit_test(test_page),
        cmocka_unit_test(test_stale),       cmocka_unit_test(test_forged),
        cmocka_unit_test(test_verify),      cmocka_unit_test(test_fill),
        cmocka_unit_test(test_fill_pinned), cmocka_unit_test(test_document),
    };
    return cmocka_run_group_tests(tests, flat_kit_open, flat_kit_close);
}
