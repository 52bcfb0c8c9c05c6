/* SPDX-License-Identifier: MIT
 *
 * Files that change under a reader: whatever is done to a table, a flat or a quick file in place,
 * an open probe gives the right value or says that the file is damaged.  It neither crashes nor
 * answers from bytes that nobody checked. */
#include "kit/built.h"
#include "kit/scratch.h"
#include "kit/test.h"

#include "db/unpack.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECES = 4, ASKED = 4000, ASKED_SANITIZED = 1000 };

struct world {
    struct scratch dir;
    struct tables *good; /* of files that nobody changes */
    struct scratch good_dir;
};

/* Make the files of this form in a directory, and take away those of the other. */
static void form_make(const struct scratch *dir, enum unpack_form form)
{
    struct unpack_options o = {.form = !form, .pieces = PIECES, .max_side = PIECES, .threads = 1};
    struct catalog *c;
    uint64_t freed;
    int files;

    assert_int_equal(catalog_open(&c, dir->path, NULL), STATUS_OK);
    assert_int_equal(unpack_remove(c, &o, &files, &freed, NULL), STATUS_OK);
    o.form = form;
    assert_int_equal(unpack_run(c, &o, NULL), STATUS_OK);
    catalog_close(&c);
}

static int world_open(void **state)
{
    static struct world w;
    struct tables_options o = {.without_flat = true};

    w.dir = build_tables(PIECES);
    w.good_dir = build_tables(PIECES);
    o.dir = w.good_dir.path;
    assert_int_equal(tables_open(&w.good, &o, NULL), STATUS_OK);
    *state = &w;
    return 0;
}

static int world_close(void **state)
{
    struct world *w = *state;

    tables_close(&w->good);
    scratch_remove(&w->good_dir);
    scratch_remove(&w->dir);
    return 0;
}

/* --------------------------------------------------------------------- changing -- */

enum change { CUT_ALL, CUT_HALF, CUT_LITTLE, ZEROS, NOISE, ONE_BIT, ANOTHER, CHANGES };

static const char *const change_name[] = {"cut to nothing", "cut in half", "cut a little",
                                          "zeros",          "noise",       "a bit in each page",
                                          "another file"};

/* Change a file in place: a process that has it open sees the change. */
static void file_change(const char *path, enum change how, struct rng *r)
{
    size_t size;
    uint8_t *bytes = file_read(path, &size);
    int fd = open(path, O_WRONLY);

    assert_true(fd >= 0);
    for (size_t i = 0; i < size; i++)
        if (how == ZEROS)
            bytes[i] = 0;
        else if (how == NOISE)
            bytes[i] = (uint8_t)rng_next(r);
        else if (how == ONE_BIT && i % 64 == 0)
            bytes[i] ^= 16;
        else if (how == ANOTHER)
            bytes[i] = bytes[(i + 4096) % size];
    if (how == CUT_ALL)
        assert_int_equal(ftruncate(fd, 0), 0);
    else if (how == CUT_HALF)
        assert_int_equal(ftruncate(fd, (off_t)(size / 2)), 0);
    else if (how == CUT_LITTLE)
        assert_int_equal(ftruncate(fd, (off_t)(size - size / 8)), 0);
    else
        assert_int_equal(pwrite(fd, bytes, size, 0), size);
    close(fd);
    free(bytes);
}

/* ----------------------------------------------------------------------- asking -- */

struct asked {
    int right, refused;
};

static void ask_one(const struct world *w, struct tables *t, const struct board *b, enum kind kind,
                    struct asked *asked)
{
    struct outcome got, want;
    struct error e = {0};
    enum status rc = tables_outcome(t, b, kind, &got, &e);

    assert_int_equal(tables_outcome(w->good, b, kind, &want, NULL), STATUS_OK);
    if (rc) {
        assert_int_equal(rc, STATUS_DAMAGED);
        assert_non_null(strstr(e.text, w->dir.path));
        asked->refused++;
    } else {
        assert_true(outcome_equal(got, want));
        asked->right++;
    }
}

/* Ask about positions of one slice, evenly spread. */
static struct asked ask(const struct world *w, struct tables *t, struct slice s, enum kind kind)
{
    uint64_t most = test_is_sanitized() ? ASKED_SANITIZED : ASKED;
    struct asked asked = {0, 0};
    struct layout l;

    assert_int_equal(layout_create(&l, s), 0);
    for (uint64_t i = 0; i < l.positions; i += 1 + l.positions / most) {
        struct view v;
        struct board b;

        layout_view(&l, i, &v);
        b = view_board(&v, BLACK);
        ask_one(w, t, &b, kind, &asked);
    }
    layout_free(&l);
    return asked;
}

/* One file, one change: after `warm` of both sides' pages were read, or none. */
static void change_one(const struct world *w, const char *name, const char *ending, enum kind kind,
                       enum change how, bool warm, struct rng *r)
{
    struct tables_options o = {
        .dir = w->dir.path, .cache = 1, .without_flat = !strchr("fq", *ending)};
    char path[SCRATCH_MAX], file[64];
    struct tables *t;
    struct slice s;
    struct asked before, after;
    uint8_t *bytes;
    size_t size;

    assert_true(slice_parse(name, &s));
    snprintf(file, sizeof file, "%s.%s", name, ending);
    bytes = file_read(scratch_file(&w->dir, file, path), &size);
    assert_int_equal(tables_open(&t, &o, NULL), STATUS_OK);
    before = ask(w, t, s, kind);
    if (warm)
        ask(w, t, slice_flip(s), kind);
    file_change(path, how, r);
    after = ask(w, t, s, kind);
    if (!warm) {
        struct asked other = ask(w, t, slice_flip(s), kind);

        if (how != CUT_LITTLE && how != CUT_HALF && other.refused == 0)
            fail_msg("%s: %s: not noticed", file, change_name[how]);
    }
    assert_int_equal(before.refused, 0);
    assert_true(after.right + after.refused > 0);
    tables_close(&t);
    unlink(path);
    file_write(path, bytes, size);
    free(bytes);
}

static void change_each(const struct world *w, const char *name, const char *ending, enum kind kind)
{
    struct rng r = rng_for_test(ending);

    for (int how = 0; how < CHANGES; how++)
        for (int warm = 0; warm < 2; warm++)
            change_one(w, name, ending, kind, (enum change)how, warm, &r);
}

static void test_tables_of_values(void **state)
{
    change_each(*state, "1K1C-2C", "wld", KIND_WLD);
}

static void test_tables_of_distances(void **state)
{
    change_each(*state, "1K1C-2C", "dtw", KIND_DTW);
    change_each(*state, "1K1C-2C", "dtc", KIND_DTC);
}

static void test_flat_files(void **state)
{
    form_make(&((struct world *)*state)->dir, UNPACK_FLAT);
    change_each(*state, "1K1C-2C", "flat", KIND_WLD);
}

static void test_quick_files(void **state)
{
    form_make(&((struct world *)*state)->dir, UNPACK_QUICK);
    change_each(*state, "1K1C-2C", "quick", KIND_WLD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables_of_values),
        cmocka_unit_test(test_tables_of_distances),
        cmocka_unit_test(test_flat_files),
        cmocka_unit_test(test_quick_files),
    };

    return cmocka_run_group_tests(tests, world_open, world_close);
}
