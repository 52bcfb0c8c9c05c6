/* SPDX-License-Identifier: MIT
 *
 * A directory of tables: what is found in it, MANIFEST, locks, and where it is. */
#include "kit/built.h"
#include "kit/test.h"

#include "db/catalog.h"
#include "base/files.h"

#include <sys/stat.h>
#include <unistd.h>

static const struct slice kings = {2, 0, 1, 0};

static void test_finds_tables(void **state)
{
    struct scratch *dir = *state;
    const struct table *t, *again;
    struct catalog *c;
    struct error e;

    assert_int_equal(catalog_open(&c, dir->path, &e), STATUS_OK);
    assert_true(catalog_has(c, kings, KIND_DTW));
    assert_true(catalog_has(c, slice_flip(kings), KIND_DTW));
    assert_false(catalog_has(c, (struct slice){2, 0, 2, 0}, KIND_WLD));
    assert_int_equal(catalog_table(c, kings, KIND_DTW, &t, &e), STATUS_OK);
    assert_int_equal(catalog_table(c, slice_flip(kings), KIND_DTW, &again, &e), STATUS_OK);
    assert_ptr_equal(t, again);
    assert_int_equal(catalog_table(c, (struct slice){2, 0, 2, 0}, KIND_WLD, &t, &e),
                     STATUS_MISSING);
    assert_int_equal(catalog_check(c, &e), STATUS_OK);
    catalog_close(&c);
    assert_null(c);
    assert_int_equal(catalog_open(&c, "/nonexistent", &e), STATUS_MISSING);
    assert_non_null(strstr(e.text, "/nonexistent"));
}

/* Open tables count, closed ones do not; an index has 456 bytes for 64 pages. */
static void test_memory(void **state)
{
    struct scratch *dir = *state;
    const struct table *t;
    struct catalog *c;
    struct error e;
    uint64_t index;

    assert_int_equal(catalog_open(&c, dir->path, &e), STATUS_OK);
    assert_int_equal(catalog_memory(c), 0);
    assert_int_equal(catalog_table(c, kings, KIND_WLD, &t, &e), STATUS_OK);
    index = ((table_pages(t, 0) + 63) / 64 + (table_pages(t, 1) + 63) / 64) * 456;
    assert_in_range(catalog_memory(c), index, index + (UINT64_C(1) << 20));
    assert_int_equal(catalog_memory(c), table_memory(t));
    catalog_close(&c);
}

static enum status check_manifest(const char *dir, const char *text, size_t n, struct error *e)
{
    struct catalog *c;
    char path[SCRATCH_MAX];
    enum status rc;

    snprintf(path, sizeof path, "%s/MANIFEST", dir);
    assert_int_equal(file_replace(path, text, n, e), STATUS_OK);
    assert_int_equal(catalog_open(&c, dir, e), STATUS_OK);
    rc = catalog_check(c, e);
    catalog_close(&c);
    return rc;
}

static void test_manifest(void **state)
{
    struct scratch *dir = *state;
    char path[SCRATCH_MAX], *good, *spoiled;
    struct error e;
    size_t size;

    good = (char *)file_read(scratch_file(dir, "MANIFEST", path), &size);
    good[size] = 0;
    assert_memory_equal(good, "1K-1K.wld ", 10);
    spoiled = strdup(good);
    *strchr(spoiled + 10, '1') = '7'; /* a size or a digest */
    assert_int_equal(check_manifest(dir->path, spoiled, size, &e), STATUS_MISMATCH);
    assert_non_null(strstr(e.text, "MANIFEST: line"));
    assert_int_equal(check_manifest(dir->path, good, size / 2, &e), STATUS_MISMATCH);
    assert_int_equal(check_manifest(dir->path, "", 0, &e), STATUS_MISMATCH);
    assert_int_equal(check_manifest(dir->path, good, size, &e), STATUS_OK);
    free(good);
    free(spoiled);
}

/* Leftovers of a killed builder go; files of other people stay. */
static void test_leftovers(void **state)
{
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX];
    struct catalog *c;
    struct error e;

    (void)state;
    file_write(scratch_file(&dir, "2K-1K.dtw.tmp", path), "x", 1);
    file_write(scratch_file(&dir, "MANIFEST.tmp", path), "x", 1);
    file_write(scratch_file(&dir, "notes.tmp", path), "x", 1);
    assert_int_equal(catalog_open(&c, dir.path, &e), STATUS_OK); /* a reader touches nothing */
    catalog_close(&c);
    assert_int_equal(scratch_count(&dir), 3);
    assert_int_equal(catalog_open_to_build(&c, dir.path, &e), STATUS_OK);
    catalog_close(&c);
    assert_int_equal(scratch_count(&dir), 2); /* notes.tmp, .lock */
    scratch_remove(&dir);
}

/* A builder does not build over what it cannot read. */
static void test_damaged(void **state)
{
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX];
    struct catalog *c;
    struct error e;

    (void)state;
    file_write(scratch_file(&dir, "2K-1K.dtw", path), "x", 1);
    assert_int_equal(catalog_open_to_build(&c, dir.path, &e), STATUS_FORMAT);
    assert_non_null(strstr(e.text, path));
    assert_null(c);
    scratch_remove(&dir);
}

static void test_makes_directories(void **state)
{
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX], file[SCRATCH_MAX];
    struct catalog *c, *second;
    struct error e;

    (void)state;
    scratch_file(&dir, "a/b/c", path);
    assert_int_equal(catalog_open_to_build(&c, path, &e), STATUS_OK);
    assert_int_equal(catalog_open_to_build(&second, path, &e), STATUS_LOCKED);
    assert_null(second);
    catalog_close(&c);
    assert_int_equal(catalog_open_to_build(&c, path, &e), STATUS_OK);
    catalog_close(&c);
    file_write(scratch_file(&dir, "file", file), "x", 1);
    assert_int_equal(catalog_open_to_build(&c, file, &e), STATUS_IO);
    assert_non_null(strstr(e.text, file));
    scratch_remove(&dir);
}

static void test_where(void **state)
{
    char buf[256], *home = strdup(getenv("HOME") ? getenv("HOME") : "/");

    (void)state;
    setenv("KELSO_DB", "/db", 1);
    setenv("XDG_DATA_HOME", "/data", 1);
    setenv("HOME", "/home/her", 1);
    assert_string_equal(catalog_default_dir("here", buf, sizeof buf), "here");
    assert_string_equal(catalog_default_dir(NULL, buf, sizeof buf), "/db");
    unsetenv("KELSO_DB");
    assert_string_equal(catalog_default_dir(NULL, buf, sizeof buf), "/data/kelso");
    setenv("XDG_DATA_HOME", "relative", 1); /* the specification says: ignore it */
    assert_string_equal(catalog_default_dir(NULL, buf, sizeof buf), "/home/her/.local/share/kelso");
    unsetenv("XDG_DATA_HOME");
    unsetenv("HOME");
    assert_null(catalog_default_dir(NULL, buf, sizeof buf));
    setenv("HOME", home, 1);
    free(home);
}

static int group_open(void **state)
{
    struct scratch *dir = malloc(sizeof *dir);

    *dir = build_tables(3);
    *state = dir;
    return 0;
}

static int group_close(void **state)
{
    scratch_remove(*state);
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_tables), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_manifest),     cmocka_unit_test(test_leftovers),
        cmocka_unit_test(test_damaged),      cmocka_unit_test(test_makes_directories),
        cmocka_unit_test(test_where),
    };
    return cmocka_run_group_tests(tests, group_open, group_close);
}
