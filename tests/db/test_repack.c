/* SPDX-License-Identifier: MIT
 *
 * The forms of a table: with parts of any size and without, single values are those of the whole
 * page; (R1) what is repacked is, byte for byte, what a builder makes; tables of the first version
 * (tests/golden/tables-1) are read on, and repacked.  And the choice of the pages that models are
 * trained on. */
#include "kit/built.h"

#include "db/pages.h"
#include "db/repack.h"

static const uint32_t parts[] = {512, 1024, 4096, TABLE_PAGE, 2048};

static void repack(const char *dir, const struct slice *only, uint32_t part, int threads)
{
    struct repack_options o = {
        .slice = only, .pieces = PIECES_MAX, .part = part, .threads = threads};
    _Atomic uint64_t done = 0;
    struct catalog *c;
    struct error e;
    uint64_t pages = 0;

    o.done = &done;
    if (catalog_open_to_build(&c, dir, &e) || repack_work(c, &o, &pages, &e) ||
        repack_run(c, &o, &e) || catalog_check(c, &e))
        fail_msg("%s", e.text);
    assert_int_equal(atomic_load(&done), pages);
    catalog_close(&c);
}

/* Every position on its own against pages of the other table; captures may differ. */
static void check_values(const struct table *t, const struct table *other, struct rng *r)
{
    static uint8_t page[TABLE_PAGE], part[TABLE_PAGE];
    struct sets *sets = sets_create(table_sets(table_slice(t)));
    struct table_scratch *scratch = table_scratch_create(sets);
    uint32_t size = table_part(t);

    for (int m = 0; m < (slice_symmetric(table_slice(t)) ? 1 : 2); m++)
        for (uint64_t p = 0; p < table_pages(t, m); p++) {
            uint32_t n = table_page_length(t, m, p);

            assert_int_equal(table_read_values(other, scratch, m, p, page, NULL), STATUS_OK);
            for (int k = 0; k < 12; k++) {
                uint32_t i = (uint32_t)rng_below(r, (int)n);
                uint64_t index = p * TABLE_PAGE + i, first, end;
                uint8_t one;

                assert_int_equal(
                    table_read_part(t, scratch, m, index, part, &first, &end, &one, NULL),
                    STATUS_OK);
                assert_true(first <= index && index < end && first % size == 0);
                for (uint64_t x = first; x < end; x++)
                    if (!(table_captures(scratch, table_layout(t, m), p)[x % TABLE_PAGE / 64] >>
                              x % 64 &
                          1))
                        assert_int_equal(one == TABLE_ANY ? part[x - first] : one,
                                         page[x % TABLE_PAGE]);
            }
        }
    table_scratch_free(&scratch);
    sets_free(&sets);
}

static void same_files(const char *one, const char *other, struct slice s)
{
    for (int k = 0; k < KINDS; k++) {
        char a[TABLE_PATH_MAX], b[TABLE_PATH_MAX];
        size_t size[2];
        uint8_t *bytes[2] = {file_read(table_path(a, sizeof a, one, s, (enum kind)k), &size[0]),
                             file_read(table_path(b, sizeof b, other, s, (enum kind)k), &size[1])};

        assert_int_equal(size[0], size[1]);
        assert_memory_equal(bytes[0], bytes[1], size[0]);
        free(bytes[0]);
        free(bytes[1]);
    }
}

static void copy_files(const char *from, const char *to, struct slice s)
{
    for (int k = 0; k < KINDS; k++) {
        char path[TABLE_PATH_MAX];
        size_t size;
        uint8_t *bytes = file_read(table_path(path, sizeof path, from, s, (enum kind)k), &size);

        file_write(table_path(path, sizeof path, to, s, (enum kind)k), bytes, size);
        free(bytes);
    }
}

static void test_forms(void **state)
{
    static const struct slice some[] = {{1, 1, 1, 1}, {2, 1, 1, 0}, {0, 2, 0, 2}};
    struct rng r = rng_for_test("forms");
    const struct built *b = *state;
    const char *from = tables_dir(b->tables);

    for (size_t i = 0; i < (test_is_sanitized() ? 1 : sizeof some / sizeof *some); i++) {
        struct scratch dir = scratch_create();
        struct table *good = built_table(from, some[i], KIND_WLD);

        copy_files(from, dir.path, some[i]);
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            struct table *t;

            repack(dir.path, &some[i], parts[k], 1 + (int)k % 3);
            t = built_table(dir.path, some[i], KIND_WLD);
            assert_int_equal(table_part(t), parts[k]);
            check_values(t, good, &r);
            table_close(&t);
        }
        same_files(dir.path, from, some[i]); /* (R1) */
        table_close(&good);
        scratch_remove(&dir);
    }
}

/* Distances with tables of any form, through the probe, in a cache too small for anything. */
static void test_probes(void **state)
{
    const struct built *b = *state;
    struct rng r = rng_for_test("probes");

    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        struct tables_options o = {.dir = tables_dir(b->tables), .cache = 1};
        struct tables *t;
        struct error e;

        repack(tables_dir(b->tables), NULL, parts[k], 2);
        if (tables_open(&t, &o, &e))
            fail_msg("%s", e.text);
        for (int i = 0; i < (test_is_sanitized() ? 500 : 4000); i++) {
            struct board at = built_random(&r, b->pieces);
            enum kind kind = (enum kind)(i % KINDS);
            struct outcome good, seen;

            if (tables_outcome(b->tables, &at, kind, &good, &e) ||
                tables_outcome(t, &at, kind, &seen, &e))
                fail_msg("%s", e.text);
            assert_int_equal(good.value, seen.value);
            assert_int_equal(good.plies, seen.plies);
        }
        tables_close(&t);
    }
}

static const struct slice old[] = {{0, 1, 0, 1}, {1, 0, 0, 1}, {1, 0, 1, 0}, {0, 2, 1, 0}};
enum { OLD = sizeof old / sizeof *old };

static void check_old(const struct built *b, struct tables *t)
{
    struct error e;

    for (int i = 0; i < 2 * OLD; i++) {
        struct layout l;

        assert_int_equal(layout_create(&l, i % 2 ? slice_flip(old[i / 2]) : old[i / 2]), 0);
        for (uint64_t x = 0; x < l.positions; x++) {
            struct outcome good, seen;
            struct board at;
            struct view v;

            layout_view(&l, x, &v);
            at = view_board(&v, BLACK);
            for (int k = 0; k < KINDS; k++) {
                if (tables_outcome(b->tables, &at, (enum kind)k, &good, &e) ||
                    tables_outcome(t, &at, (enum kind)k, &seen, &e))
                    fail_msg("%s", e.text);
                assert_int_equal(good.value, seen.value);
                assert_int_equal(good.plies, seen.plies);
            }
        }
        layout_free(&l);
    }
}

static void test_old(void **state)
{
    const struct built *b = *state;
    struct scratch dir = scratch_create();
    struct tables_options o = {.dir = dir.path};
    struct board at;
    struct outcome seen;
    struct tables *t;
    struct error e;
    char path[TABLE_PATH_MAX];
    size_t size;
    uint8_t *bytes;
    struct view v = {.men = 0x110, .opp_kings = 1u << 30};

    for (int i = 0; i < OLD; i++)
        copy_files("tests/golden/tables-1", dir.path, old[i]);
    assert_int_equal(tables_open(&t, &o, &e), STATUS_OK);
    check_old(b, t);
    tables_close(&t);
    /* An old table of distances beside a wld table with parts: one clear line. */
    bytes =
        file_read(table_path(path, sizeof path, tables_dir(b->tables), old[3], KIND_WLD), &size);
    scratch_remove(&dir);
    dir = scratch_create();
    o.dir = dir.path;
    for (int i = 0; i < OLD; i++)
        copy_files("tests/golden/tables-1", dir.path, old[i]);
    file_write(table_path(path, sizeof path, dir.path, old[3], KIND_WLD), bytes, size);
    free(bytes);
    assert_int_equal(tables_open(&t, &o, &e), STATUS_OK);
    at = view_board(&v, BLACK);
    assert_int_equal(tables_outcome(t, &at, KIND_WLD, &seen, &e), STATUS_OK);
    assert_int_equal(tables_outcome(t, &at, KIND_DTW, &seen, &e), STATUS_MISMATCH);
    assert_non_null(strstr(e.text, "2C-1K.dtw"));
    assert_non_null(strstr(e.text, "kelso repack"));
    tables_close(&t);
    for (int i = 0; i < OLD; i++)
        copy_files("tests/golden/tables-1", dir.path, old[i]);
    repack(dir.path, NULL, TABLE_PART, 2);
    for (int i = 0; i < OLD; i++)
        same_files(dir.path, tables_dir(b->tables), old[i]);
    scratch_remove(&dir);
}

static int setup(void **state)
{
    return built_setup(state, 4);
}

/* One page from each of n equal stretches of the table, for n = 1, 2, 4, ... */
static void test_trained_pages(void **state)
{
    struct rng r = rng_for_test("trained pages");

    (void)state;
    for (int k = 0; k < 300; k++) {
        uint64_t pages =
            k < 40 ? (uint64_t)k + 1 : rng_next(&r) % (UINT64_C(1) << rng_below(&r, 25)) + 1;
        uint32_t all = pages_trained(pages);

        assert_in_range(all, 1, pages / 4 + 1);
        for (uint32_t n = 1; n <= all; n *= 2) {
            uint8_t *seen = calloc(n, 1);

            for (uint32_t i = 0; i < n; i++) {
                uint64_t page = pages_trained_at(pages, i), stretch = page * n / pages;

                assert_true(page < pages);
                assert_false(seen[stretch]);
                seen[stretch] = 1;
            }
            free(seen);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trained_pages),
                                       cmocka_unit_test(test_forms), cmocka_unit_test(test_old),
                                       cmocka_unit_test(test_probes)};

    return cmocka_run_group_tests(tests, setup, built_teardown);
}
