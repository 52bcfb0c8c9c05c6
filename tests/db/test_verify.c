/* SPDX-License-Identifier: MIT
 *
 * The verifier can fail: good tables have no fault, a single wrong value or a single
 * flipped bit is named with its slice, index and position. */
#include "kit/run.h"
#include "kit/built.h"
#include "kit/test.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "db/verify.h"

#include <sys/stat.h>
#include <unistd.h>

enum { PIECES = 3, FAULTS = 64 };

struct kit {
    struct scratch good;
    struct sets *sets;
    struct table_scratch *scratch;
};

struct found {
    int count;
    struct verify_fault fault[FAULTS];
};

static void note_fault(void *context, const struct verify_fault *f)
{
    struct found *found = context;

    assert_true(found->count < FAULTS);
    found->fault[found->count++] = *f;
}

static enum status verify_dir(const char *dir, double fraction, int threads, struct found *found,
                              struct verify_result *result)
{
    struct verify_options o = {.fraction = fraction,
                               .threads = threads,
                               .cache = 1 << 24,
                               .faults_max = FAULTS,
                               .report = note_fault,
                               .context = found};
    struct catalog *c;
    struct error e = {0};
    enum status rc;

    found->count = 0;
    assert_int_equal(catalog_open(&c, dir, &e), STATUS_OK);
    rc = verify_run(c, &o, result, &e);
    catalog_close(&c);
    return rc;
}

static struct found found; /* large */

static void test_good(void **state)
{
    struct kit *kit = *state;
    struct verify_result all, part, again;

    assert_int_equal(verify_dir(kit->good.path, 1, 2, &found, &all), STATUS_OK);
    assert_int_equal(found.count, 0);
    assert_int_equal(all.tables, 27);
    assert_true(all.checked > 300000);
    assert_int_equal(verify_dir(kit->good.path, 0.1, 1, &found, &part), STATUS_OK);
    assert_int_equal(verify_dir(kit->good.path, 0.1, 3, &found, &again), STATUS_OK);
    assert_true(part.checked > all.checked / 15 && part.checked < all.checked / 7);
    assert_int_equal(part.checked, again.checked); /* (Z1) */
    assert_int_equal(verify_dir(kit->good.path, 0, 1, &found, &part), STATUS_OK);
    assert_int_equal(part.checked, 0);
}

/* ------------------------------------------------------------- wrong values -- */

/* One table in memory. */
struct contents {
    uint8_t *values[2];
    uint16_t *distances[2];
    struct table_stats stats[2];
};

static void table_read_in(struct kit *kit, const char *dir, struct slice s, enum kind kind,
                          struct contents *c)
{
    struct catalog *catalog;
    const struct table *wld, *t;
    struct error e;

    if (catalog_open(&catalog, dir, &e) || catalog_table(catalog, s, KIND_WLD, &wld, &e) ||
        catalog_table(catalog, s, kind, &t, &e))
        fail_msg("%s", e.text);
    for (int m = 0; m < 2; m++) {
        uint64_t pages = table_pages(wld, m);

        c->values[m] = calloc(pages, TABLE_PAGE);
        c->distances[m] = calloc(pages, 2 * TABLE_PAGE);
        c->stats[m] = *table_stats(t, m);
        for (uint64_t p = 0; p < pages; p++) {
            assert_int_equal(
                table_read_values(wld, kit->scratch, m, p, c->values[m] + p * TABLE_PAGE, &e),
                STATUS_OK);
            if (kind != KIND_WLD)
                assert_int_equal(table_read_distances(t, kit->scratch, m, p,
                                                      c->values[m] + p * TABLE_PAGE,
                                                      c->distances[m] + p * TABLE_PAGE, &e),
                                 STATUS_OK);
        }
    }
    catalog_close(&catalog);
}

/* Distances are masked as builders do it: draws do not matter. */
static void mask(struct contents *c, int m, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (c->values[m][i] == VALUE_DRAW)
            c->distances[m][i] = TABLE_ANY_DISTANCE;
}

static void table_write_out(struct kit *kit, const char *dir, struct slice s, enum kind kind,
                            struct contents *c)
{
    struct table_page *page = malloc(sizeof *page);
    struct table_writer *w;
    struct layout l;
    struct error e;

    assert_int_equal(table_writer_create(&w, dir, s, kind, &e), STATUS_OK);
    for (int m = 0; m < 2; m++)
        table_writer_train_end(w, m);
    for (int m = 0; m < 2; m++) {
        assert_int_equal(layout_create(&l, m ? slice_flip(s) : s), 0);
        mask(c, m, l.positions);
        for (uint64_t p = 0; p * TABLE_PAGE < l.positions; p++) {
            table_page_encode(w, kit->scratch, m, p, c->values[m] + p * TABLE_PAGE,
                              c->distances[m] + p * TABLE_PAGE, page);
            assert_int_equal(table_writer_append(w, page, &e), STATUS_OK);
        }
        layout_free(&l);
    }
    if (table_writer_finish(&w, c->stats, &e))
        fail_msg("%s", e.text);
    free(page);
}

static void contents_free(struct contents *c)
{
    for (int m = 0; m < 2; m++) {
        free(c->values[m]);
        free(c->distances[m]);
    }
}

/* A copy of the good tables, of the first `kinds` kinds. */
static struct scratch copy_good(struct kit *kit, int kinds)
{
    struct scratch dir = scratch_create();
    struct slice list[SLICE_CODES];
    int n = slice_order(PIECES, PIECES, list);

    for (int i = 0; i < n * kinds; i++) {
        char from[TABLE_PATH_MAX], to[TABLE_PATH_MAX];
        size_t size;
        uint8_t *bytes;

        table_path(from, sizeof from, kit->good.path, list[i / kinds], (enum kind)(i % kinds));
        table_path(to, sizeof to, dir.path, list[i / kinds], (enum kind)(i % kinds));
        bytes = file_read(from, &size);
        file_write(to, bytes, size);
        free(bytes);
    }
    return dir;
}

/* A random position of s without a capture, and whose value is not `not`. */
static uint64_t quiet_index(struct rng *r, struct slice s, const uint8_t *values, int not,
                            struct board *b)
{
    struct layout l;
    uint64_t i;

    assert_int_equal(layout_create(&l, s), 0);
    do {
        struct view v;

        i = rng_next(r) % l.positions;
        layout_view(&l, i, &v);
        *b = view_board(&v, BLACK);
    } while (board_must_capture(b) || values[i] == not );
    layout_free(&l);
    return i;
}

static const struct verify_fault *fault_at(enum kind kind, struct slice s, uint64_t index)
{
    for (int i = 0; i < found.count; i++) {
        const struct verify_fault *f = &found.fault[i];

        if (f->has_position && f->kind == kind && slice_equal(f->slice, s) && f->index == index)
            return f;
    }
    fail_msg("%d faults, but not the one that was made", found.count);
    return NULL;
}

static void wrong_value(struct kit *kit, struct rng *r, enum kind kind)
{
    struct slice s = {1, 1, 1, 0};
    struct scratch dir = copy_good(kit, kind == KIND_WLD ? 1 : KINDS); /* distances need values */
    struct contents c;
    int m = rng_below(r, 2);
    struct verify_result result;
    const struct verify_fault *f;
    struct outcome wrong;
    struct board b;
    char fen[FEN_TEXT_MAX];
    uint64_t index;

    table_read_in(kit, dir.path, s, kind, &c);
    index = quiet_index(r, m ? slice_flip(s) : s, c.values[m], VALUE_DRAW, &b);
    if (kind == KIND_WLD)
        c.values[m][index] = VALUE_DRAW;
    else
        c.distances[m][index] += 2;
    wrong = (struct outcome){(enum value)c.values[m][index],
                             kind == KIND_WLD ? 0 : c.distances[m][index]};
    table_write_out(kit, dir.path, s, kind, &c);
    assert_int_equal(verify_dir(dir.path, 1, 1, &found, &result), STATUS_MISMATCH);
    assert_int_equal(result.faults, found.count);
    f = fault_at(kind, m ? slice_flip(s) : s, index);
    fen_format(&b, fen);
    assert_non_null(strstr(f->text, fen));
    assert_true(outcome_equal(f->stored, wrong));
    assert_false(outcome_equal(f->expected, wrong));
    contents_free(&c);
    scratch_remove(&dir);
}

static void test_wrong_distance(void **state)
{
    struct rng r = rng_for_test("wrong distance");

    wrong_value(*state, &r, KIND_DTW);
    wrong_value(*state, &r, KIND_DTC);
}

static void test_wrong_value(void **state)
{
    struct rng r = rng_for_test("wrong value");

    wrong_value(*state, &r, KIND_WLD);
}

/* ------------------------------------------------------------------- damage -- */

static bool fault_names(const char *what)
{
    for (int i = 0; i < found.count; i++)
        if (strstr(found.fault[i].text, what))
            return true;
    return false;
}

static void test_flipped_bits(void **state)
{
    struct rng r = rng_for_test("flipped bits");
    struct kit *kit = *state;
    struct verify_result result;

    for (int round = 0; round < (test_is_sanitized() ? 5 : 20); round++) {
        struct scratch dir = copy_good(kit, KINDS);
        char path[SCRATCH_MAX];
        size_t size;
        uint8_t *bytes =
            file_read(scratch_file(&dir, round % 2 ? "2K-1C.dtw" : "1K1C-1K.wld", path), &size);

        bytes[rng_next(&r) % size] ^= (uint8_t)(1 << rng_below(&r, 8));
        file_write(path, bytes, size);
        assert_int_equal(verify_dir(dir.path, 0.05, 1, &found, &result), STATUS_MISMATCH);
        assert_true(fault_names(path));
        free(bytes);
        scratch_remove(&dir);
    }
}

static void test_not_tables(void **state)
{
    struct kit *kit = *state;
    struct scratch dir = copy_good(kit, KINDS);
    struct verify_result result;
    char path[SCRATCH_MAX], other[SCRATCH_MAX];

    assert_int_equal(verify_dir(dir.path, 0, 1, &found, &result), STATUS_MISMATCH);
    assert_true(fault_names("MANIFEST"));
    file_write(scratch_file(&dir, "2K-1C.dtc", path), "", 0);
    assert_int_equal(verify_dir(dir.path, 0, 1, &found, &result), STATUS_MISMATCH);
    assert_true(fault_names("2K-1C.dtc"));
    assert_int_equal(remove(path), 0);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(verify_dir(dir.path, 0, 1, &found, &result), STATUS_MISMATCH);
    assert_true(fault_names("2K-1C.dtc: not a regular file"));
    assert_int_equal(
        rename(scratch_file(&dir, "2K-1K.wld", other), scratch_file(&dir, "2C-1K.wld", path)), 0);
    assert_int_equal(verify_dir(dir.path, 0, 1, &found, &result), STATUS_MISMATCH);
    assert_true(fault_names("2C-1K.wld: does not hold the table"));
    assert_true(fault_names("2K-1K has distances but no"));
    scratch_remove(&dir);
}

/* --------------------------------------------------------------- the command -- */

static void test_command(void **state)
{
    struct kit *kit = *state;
    struct scratch dir = copy_good(kit, KINDS);
    struct run r = run_kelso(ARGS("verify", "--dir", kit->good.path), NULL, 0);

    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "no fault"));
    run_free(&r);
    r = run_kelso(ARGS("verify", "--dir", dir.path, "--json", "--sample", "0.01"), NULL, 0);
    assert_int_equal(r.status, 1); /* no MANIFEST */
    assert_non_null(strstr(r.out, "\"faults\":1"));
    run_free(&r);
    r = run_kelso(ARGS("verify", "--dir", "/nonexistent"), NULL, 0);
    assert_int_equal(r.status, 2);
    run_free(&r);
    r = run_kelso(ARGS("verify", "--dir", dir.path, "--sample", "2"), NULL, 0);
    assert_int_equal(r.status, 2);
    run_free(&r);
    scratch_remove(&dir);
}

static int kit_open(void **state)
{
    struct kit *kit = malloc(sizeof *kit);

    *state = kit;
    kit->good = build_tables(PIECES);
    kit->sets = sets_create(PIECES);
    kit->scratch = table_scratch_create(kit->sets);
    return 0;
}

static int kit_close(void **state)
{
    struct kit *kit = *state;

    table_scratch_free(&kit->scratch);
    sets_free(&kit->sets);
    scratch_remove(&kit->good);
    free(kit);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),        cmocka_unit_test(test_wrong_distance),
        cmocka_unit_test(test_wrong_value), cmocka_unit_test(test_flipped_bits),
        cmocka_unit_test(test_not_tables),  cmocka_unit_test(test_command),
    };
    return cmocka_run_group_tests(tests, kit_open, kit_close);
}
