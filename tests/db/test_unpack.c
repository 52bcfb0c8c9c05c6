/* SPDX-License-Identifier: MIT
 *
 * Making flat files: it can be stopped, killed and gone on with, alone in its directory and
 * beside whoever reads (N1), (N2); and the command that does it.  The files: test_flat.c. */
#include "kit/flat_kit.h"
#include "kit/run.h"
#include "kit/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_resume(void **state)
{
    struct flat_kit *kit = *state;
    uint8_t *bytes = flat_kit_copy(kit);
    int slices = flat_kit_unpack(kit, 2).there;
    char path[SCRATCH_MAX];
    struct flat_tally t;

    assert_true(slices >= 9);
    /* only reading it all tells: */
    bytes[flat_kit_page_offset(kit, flat_kit_page(kit, true)) + 4095] ^= 0x80;
    flat_kit_put(kit, bytes, kit->size);
    assert_int_equal(unlink(scratch_file(&kit->dir, "2K-1K.flat", path)), 0);
    t = flat_kit_unpack(kit, 3);
    assert_int_equal(t.made, 2);
    assert_int_equal(t.wrong, 1);
    assert_int_equal(t.there, slices - 2);
    flat_kit_expect_whole(kit);
    free(bytes);
}

static void test_stop(void **state)
{
    struct flat_kit *kit = *state;
    atomic_bool stop = true;
    int files = scratch_count(&kit->dir);
    struct flat_tally t;
    struct unpack_options o = flat_kit_options(&t, 2);

    o.stop = &stop;
    assert_int_equal(unpack_run(kit->catalog, &o, NULL), STATUS_INTERRUPTED); /* while checking */
    flat_kit_clear(kit);
    assert_int_equal(unpack_run(kit->catalog, &o, NULL), STATUS_INTERRUPTED); /* while making */
    assert_int_equal(t.made, 0);
    t = flat_kit_unpack(kit, 2);
    assert_int_equal(scratch_count(&kit->dir), files);
    flat_kit_expect_whole(kit);
}

/* (N2), and the lock ends with the process that held it. */
static void test_lock(void **state)
{
    struct flat_kit *kit = *state;
    char path[SCRATCH_MAX];
    int fd = open(scratch_file(&kit->dir, ".lock-flat", path), O_RDWR | O_CREAT, 0666);
    struct flat_tally t;
    struct unpack_options o = flat_kit_options(&t, 2);
    struct error e;
    uint64_t freed;
    int files;

    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(unpack_run(kit->catalog, &o, &e), STATUS_LOCKED);
    assert_non_null(strstr(e.text, kit->dir.path));
    assert_int_equal(unpack_remove(kit->catalog, &o, &files, &freed, &e), STATUS_LOCKED);
    close(fd);
    flat_kit_unpack(kit, 1);
}

/* A limit to the size of files stands for a full disk. */
static void test_full_disk(void **state)
{
    struct flat_kit *kit = *state;
    char path[SCRATCH_MAX];
    int status;
    pid_t child;

    assert_int_equal(unlink(kit->path), 0);
    child = fork();
    if (child == 0) {
        struct rlimit limit = {kit->size - 1, kit->size - 1};
        struct error e = {0};
        struct crew crew;

        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        crew_open(&crew, 2, NULL);
        status = flat_make(kit->dir.path, kit->table, kit->sets, &crew, NULL, &e);
        _exit(status == STATUS_IO && strstr(e.text, kit->dir.path) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_not_equal(access(kit->path, F_OK), 0);
    flat_temporary(path, sizeof path, kit->dir.path, table_slice(kit->table));
    assert_int_not_equal(access(path, F_OK), 0);
    flat_kit_unpack(kit, 1); /* with room again */
    flat_kit_expect_whole(kit);
}

/* kill -9 at any time: a file under its final name is complete, and the next run continues. */
static void test_kill(void **state)
{
    struct flat_kit *kit = *state;
    struct rng r = rng_for_test("kill");

    for (int i = 0; i < (test_is_long() ? 60 : 8); i++) {
        struct flat_tally t;
        pid_t child;

        flat_kit_clear(kit);
        child = fork();
        if (child == 0) {
            struct unpack_options o = flat_kit_options(&t, 2);

            unpack_run(kit->catalog, &o, NULL);
            _exit(0);
        }
        usleep((useconds_t)rng_below(&r, 150000));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        t = flat_kit_unpack(kit, 2);
        assert_int_equal(t.wrong, 0);
        flat_kit_expect_whole(kit);
    }
}

/* Another process asks while the files are taken away and made again under it. */
static void test_processes(void **state)
{
    struct flat_kit *kit = *state;
    pid_t child = fork();
    int status;

    if (child == 0) {
        struct probe *p;
        int wrong = probe_open(&p, kit->catalog, 1 << 20, NULL) != STATUS_OK;

        for (uint64_t i = 0; !wrong && i < table_layout(kit->table, 0)->positions; i++) {
            struct board b = flat_kit_board(kit, i);
            enum value v, want;

            wrong = probe_value(p, &b, &v, NULL) || probe_value(kit->plain, &b, &want, NULL) ||
                    v != want;
        }
        _exit(wrong);
    }
    for (int i = 0; i < 5; i++) {
        flat_kit_clear(kit);
        flat_kit_unpack(kit, 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* The directory is what it was: flat files are no tables. */
static void test_catalog(void **state)
{
    struct flat_kit *kit = *state;
    struct catalog *c;
    struct error e;

    flat_kit_unpack(kit, 2);
    assert_int_equal(catalog_open(&c, kit->dir.path, &e), STATUS_OK);
    assert_int_equal(catalog_check(c, &e), STATUS_OK);
    catalog_close(&c);
    assert_int_equal(catalog_open_to_build(&c, kit->dir.path, &e), STATUS_OK);
    catalog_close(&c);
    flat_kit_expect_whole(kit);
}

/* ------------------------------------------------------------------- the command -- */

static void test_command(void **state)
{
    struct flat_kit *kit = *state;
    const char *dir = kit->dir.path;

    run_expect(ARGS("unpack", "--dir", dir, "--remove"), 0, "files removed", "");
    run_expect(ARGS("unpack", "--dir", dir, "--slice", "1K1C-1C"), 0, "1 slice unpacked", "");
    run_expect(ARGS("unpack", "--dir", dir, "--pieces", "3"), 0, "(1 were there)", "");
    run_expect(ARGS("unpack", "--dir", dir, "--pieces", "3", "--max-side", "1"), 0,
               "all 3 flat files are there", "");
    flat_kit_put(kit, kit->bytes, kit->size - 1);
    run_expect(ARGS("unpack", "--dir", dir, "--pieces", "3"), 0, "made again: ", "");
    run_expect_json(ARGS("unpack", "--dir", dir, "--slice", "1K1C-1C", "--json"), "\"made\":false");
    run_expect_json(ARGS("unpack", "--dir", dir, "--remove", "--json"), "");
    run_expect(ARGS("unpack", "--dir", dir, "--form", "quick", "--pieces", "3"), 0,
               "bits per position", "");
    run_expect(ARGS("unpack", "--dir", dir, "--form", "quick", "--pieces", "3"), 0,
               "quick files are there and good", "");
    run_expect_json(ARGS("unpack", "--dir", dir, "--slice", "1K1C-1C", "--form", "quick", "--json"),
                    "\"form\":\"quick\",\"made\":false");
    run_expect(ARGS("probe", "--dir", dir, "B:W32:BK1"), 0, "", "");
    run_expect(ARGS("unpack", "--dir", dir, "--form", "flat", "--remove"), 0, "0 files", "");
    run_expect(ARGS("unpack", "--dir", dir, "--remove"), 0, "files removed", "");
    run_expect(ARGS("unpack", "--dir", dir, "--form", "round"), 2, "", "flat or quick");
    run_expect(ARGS("unpack", "--dir", dir, "--slice", "4K-4K"), 2, "", "no such table");
    run_expect(ARGS("unpack", "--dir", dir, "--slice", "x"), 2, "", "not a slice");
    run_expect(ARGS("unpack", "--dir", "/nowhere"), 2, "", "no tables");
    flat_kit_unpack(kit, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resume),  cmocka_unit_test(test_stop),
        cmocka_unit_test(test_lock),    cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_kill),    cmocka_unit_test(test_processes),
        cmocka_unit_test(test_catalog), cmocka_unit_test(test_command),
    };

    return cmocka_run_group_tests(tests, flat_kit_open, flat_kit_close);
}
