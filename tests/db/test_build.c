/* SPDX-License-Identifier: MIT
 *
 * The builder's promises: the same bytes for any number of threads, any memory
 * budget and any instruction set; finished work is never redone, half-written work
 * never taken for finished; clear words when the machine says no. */
#include "kit/test.h"

#include "kit/run.h"
#include "kit/scratch.h"
#include "kit/built.h"

#include "db/catalog.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int pieces(void)
{
    return test_is_sanitized() ? 3 : 4;
}

/* Every file of a is in b with the same bytes, and the other way round; locks and
 * other hidden files aside. */
static void assert_same_directory(const struct scratch *a, const struct scratch *b)
{
    DIR *d = opendir(a->path);
    struct dirent *entry;
    int files = 0;

    assert_non_null(d);
    while ((entry = readdir(d))) {
        char path[2][SCRATCH_MAX];
        size_t size[2];
        uint8_t *bytes[2];

        if (entry->d_name[0] == '.')
            continue;
        for (int i = 0; i < 2; i++)
            bytes[i] = file_read(scratch_file(i ? b : a, entry->d_name, path[i]), &size[i]);
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(bytes[0], bytes[1], size[0]);
        free(bytes[0]);
        free(bytes[1]);
        files++;
    }
    closedir(d);
    assert_true(files > 3);
    assert_int_equal(scratch_count(a), scratch_count(b));
}

static uint64_t some_bytes(void)
{
    return test_is_sanitized() ? 10000 : 200000;
}

static enum status build_with(const char *dir, const char *scratch, int n, int threads,
                              uint64_t memory, struct error *e)
{
    struct build_plan plan;
    struct build_options o = {.dir = dir,
                              .scratch = scratch,
                              .kind = {true, true, true},
                              .threads = threads,
                              .memory = memory,
                              .isa = kernel_isa_best()};
    enum status rc = build_plan_all(&plan, n, PIECES_MAX, e);

    if (!rc)
        rc = build_run(&plan, &o, e);
    build_plan_free(&plan);
    return rc;
}

static enum status build_in(const char *dir, int n, int threads, uint64_t memory, struct error *e)
{
    return build_with(dir, NULL, n, threads, memory, e);
}

static void test_threads_make_no_difference(void **state)
{
    struct scratch a = scratch_create(), b = scratch_create();
    struct error e;

    (void)state;
    assert_int_equal(build_in(a.path, pieces(), 1, 1 << 30, &e), STATUS_OK);
    assert_int_equal(build_in(b.path, pieces(), 3, 1 << 30, &e), STATUS_OK);
    assert_same_directory(&a, &b);
    scratch_remove(&a);
    scratch_remove(&b);
}

/* A slice without men is one block, which all threads solve together. */
static void slice_build_in(const char *dir, struct slice slice, int threads)
{
    struct build_plan plan = {0};
    struct build_options o = {.dir = dir,
                              .kind = {[KIND_WLD] = true, [KIND_DTW] = !test_is_sanitized()},
                              .threads = threads,
                              .memory = 1 << 30,
                              .isa = kernel_isa_best()};
    struct error e = {0};

    assert_int_equal(build_plan_slice(&plan, slice, &e), STATUS_OK);
    assert_int_equal(build_run(&plan, &o, &e), STATUS_OK);
    build_plan_free(&plan);
}

static void test_joint_blocks_make_no_difference(void **state)
{
    struct slice slice = {3, 0, test_is_sanitized() ? 1 : 2, 0};
    struct scratch a = scratch_create();

    (void)state;
    slice_build_in(a.path, slice, 1);
    for (int threads = 2; threads <= 5; threads += 3) {
        struct scratch b = scratch_create();

        slice_build_in(b.path, slice, threads);
        assert_same_directory(&a, &b);
        scratch_remove(&b);
    }
    scratch_remove(&a);
}

static void test_instruction_sets_make_no_difference(void **state)
{
    struct scratch a = scratch_create();

    (void)state;
    build_tables_in(a.path, pieces(), ISA_PLAIN, 2);
    for (int isa = ISA_PLAIN + 1; isa < ISAS; isa++) {
        struct scratch b = scratch_create();

        if (kernel_get(KERNEL_TYPE_WLD, (enum kernel_isa)isa)) {
            build_tables_in(b.path, pieces(), (enum kernel_isa)isa, 2);
            assert_same_directory(&a, &b);
        }
        scratch_remove(&b);
    }
    scratch_remove(&a);
}

static enum status build_nine(const char *dir, const char *scratch, enum kernel_isa isa,
                              uint64_t memory, uint64_t part_bytes, struct error *e)
{
    struct build_plan plan;
    struct build_options o = {.dir = dir,
                              .scratch = scratch,
                              .part_bytes = part_bytes,
                              .kind = {true, true, true},
                              .nine = true,
                              .threads = 2,
                              .memory = memory,
                              .isa = isa};
    enum status rc = build_plan_all(&plan, pieces(), PIECES_MAX, e);

    if (!rc)
        rc = build_run(&plan, &o, e);
    build_plan_free(&plan);
    return rc;
}

/* Nor do distances of nine bits in memory, as eight pieces have them: with any instruction set;
 * in little memory, so that tables are read back; in parts. */
static void test_nine_bits_make_no_difference(void **state)
{
    struct scratch a = scratch_create();
    struct error e = {0};

    (void)state;
    assert_int_equal(build_in(a.path, pieces(), 2, 1 << 30, &e), STATUS_OK);
    for (int way = 0; way < ISAS + 2; way++) {
        struct scratch b = scratch_create(), aside = scratch_create();
        enum kernel_isa isa = way < ISAS ? (enum kernel_isa)way : kernel_isa_best();
        uint64_t memory = way == ISAS ? UINT64_C(1) << 21 : 1 << 30;

        while (kernel_get(KERNEL_TYPE_DTW9, isa) &&
               build_nine(b.path, way > ISAS ? aside.path : NULL, isa, memory,
                          way > ISAS ? some_bytes() : 0, &e)) {
            assert_int_equal(e.status, STATUS_NO_MEMORY);
            memory += memory / 4;
        }
        if (kernel_get(KERNEL_TYPE_DTW9, isa))
            assert_same_directory(&a, &b);
        scratch_remove(&b);
        scratch_remove(&aside);
    }
    scratch_remove(&a);
}

/* With little memory tables are dropped and read back; the values are the same. */
static void test_memory_makes_no_difference(void **state)
{
    struct scratch a = scratch_create(), b = scratch_create();
    struct error e = {0};
    uint64_t memory = UINT64_C(1) << 30, least = memory;

    (void)state;
    assert_int_equal(build_in(a.path, pieces(), 2, memory, &e), STATUS_OK);
    for (; memory > 1 << 16; memory /= 3) {
        struct scratch c = scratch_create();
        enum status rc = build_in(c.path, pieces(), 2, memory, &e);

        if (rc) {
            assert_int_equal(rc, STATUS_NO_MEMORY);
            assert_non_null(strstr(e.text, "--memory"));
            scratch_remove(&c);
            break;
        }
        least = memory;
        scratch_remove(&b);
        b = c;
    }
    assert_true(least < UINT64_C(1) << 30);
    assert_same_directory(&a, &b);
    scratch_remove(&a);
    scratch_remove(&b);
}

/* Nor does a scratch directory, which is empty afterwards. */
static void test_scratch_makes_no_difference(void **state)
{
    struct scratch a = scratch_create(), b = scratch_create(), aside = scratch_create();
    struct error e = {0};
    uint64_t memory = UINT64_C(1) << 21;

    (void)state;
    assert_int_equal(build_in(a.path, pieces(), 2, 1 << 30, &e), STATUS_OK);
    while (build_with(b.path, aside.path, pieces(), 2, memory, &e)) {
        assert_int_equal(e.status, STATUS_NO_MEMORY);
        memory += memory / 4;
    }
    assert_same_directory(&a, &b);
    assert_int_equal(scratch_count(&aside), 0);
    scratch_remove(&a);
    scratch_remove(&b);
    scratch_remove(&aside);
}

/* The name of a file in the directory that ends so. */
static bool file_find(const struct scratch *dir, const char *end, char path[SCRATCH_MAX])
{
    DIR *d = opendir(dir->path);
    struct dirent *entry;
    bool found = false;

    while (!found && (entry = readdir(d))) {
        size_t n = strlen(entry->d_name), m = strlen(end);

        found = n > m && strcmp(entry->d_name + n - m, end) == 0;
        if (found)
            scratch_file(dir, entry->d_name, path);
    }
    closedir(d);
    return found;
}

/* What a builder that ran out of memory packed is of no use to one with another form. */
static void test_nine_bits_after_eight(void **state)
{
    struct scratch a = scratch_create(), b = scratch_create(), aside = scratch_create();
    char path[SCRATCH_MAX];
    struct error e = {0};
    bool found = false;

    (void)state;
    assert_int_equal(build_in(a.path, pieces(), 2, 1 << 30, &e), STATUS_OK);
    for (uint64_t memory = 1 << 20; !found && memory < 1 << 30; memory += memory / 8)
        if (build_with(b.path, aside.path, pieces(), 2, memory, &e))
            found = file_find(&aside, ".dtw.packed", path);
    assert_true(found);
    assert_int_equal(build_nine(b.path, aside.path, kernel_isa_best(), 1 << 30, 0, &e), STATUS_OK);
    assert_same_directory(&a, &b);
    assert_int_equal(scratch_count(&aside), 0);
    scratch_remove(&a);
    scratch_remove(&b);
    scratch_remove(&aside);
}

/* ------------------------------------------------------------------------- parts -- */

static enum status build_parts(const char *dir, const char *scratch, uint64_t part_bytes,
                               const atomic_bool *stop, struct error *e)
{
    struct build_plan plan;
    struct build_options o = {.dir = dir,
                              .scratch = scratch,
                              .stop = stop,
                              .part_bytes = part_bytes,
                              .kind = {true, true, true},
                              .threads = 2,
                              .memory = 1 << 30,
                              .isa = kernel_isa_best()};
    enum status rc = build_plan_all(&plan, pieces(), PIECES_MAX, e);

    if (!rc)
        rc = build_run(&plan, &o, e);
    build_plan_free(&plan);
    return rc;
}

/* A builder in parts, killed after a while; true if it was done before. */
static bool build_parts_killed(const char *dir, const char *scratch, int microseconds)
{
    pid_t pid = fork();
    struct error e;
    int status;

    if (pid == 0)
        _exit(build_parts(dir, scratch, some_bytes(), NULL, &e) ? 1 : 0);
    usleep((useconds_t)microseconds);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(!WIFEXITED(status) || WEXITSTATUS(status) == 0);
    return WIFEXITED(status);
}

static void test_parts_killed_at_any_time(void **state)
{
    struct scratch a = scratch_create(), b = scratch_create(), aside = scratch_create();
    struct rng rng = rng_for_test("parts_killed");
    char path[SCRATCH_MAX];
    struct error e = {0};
    int kills = 0, resumed = 0;

    (void)state;
    assert_int_equal(build_in(a.path, pieces(), 2, 1 << 30, &e), STATUS_OK);
    for (int round = 0; round < 12; round++) {
        resumed += file_find(&aside, ".parts", path);
        if (build_parts_killed(b.path, aside.path, rng_below(&rng, 60000 * (1 + round / 4))))
            break;
        kills++;
    }
    print_message("killed %d times, %d times with parts\n", kills, resumed);
    assert_int_equal(build_parts(b.path, aside.path, some_bytes(), NULL, &e), STATUS_OK);
    assert_same_directory(&a, &b);
    assert_int_equal(scratch_count(&aside), 0);
    scratch_remove(&a);
    scratch_remove(&b);
    scratch_remove(&aside);
}

/* Stops a builder as soon as there is a journal. */
struct watch {
    const struct scratch *dir;
    const char *journal; /* how its name ends */
    atomic_bool stop, end;
};

static void *watch_run(void *arg)
{
    struct watch *w = arg;
    char path[SCRATCH_MAX];

    while (!w->end) {
        if (file_find(w->dir, w->journal, path))
            w->stop = true;
        usleep(200);
    }
    return NULL;
}

typedef enum status builder(const char *dir, const char *scratch, const atomic_bool *stop,
                            struct error *e);

static enum status watch_build(struct watch *w, const struct scratch *dir, builder *build,
                               struct error *e)
{
    pthread_t thread;
    enum status rc;

    assert_int_equal(pthread_create(&thread, NULL, watch_run, w), 0);
    rc = build(dir->path, w->dir->path, &w->stop, e);
    w->end = true;
    pthread_join(thread, NULL);
    return rc;
}

static enum status build_small_parts(const char *dir, const char *scratch, const atomic_bool *stop,
                                     struct error *e)
{
    return build_parts(dir, scratch, 10000, stop, e);
}

/* Build until some slice is done in part. */
static void build_partly(const struct scratch *dir, const struct scratch *aside,
                         char journal[SCRATCH_MAX])
{
    for (int round = 0; round < 20; round++) {
        struct watch w = {.dir = aside, .journal = ".parts"};
        struct error e = {0};
        enum status rc = watch_build(&w, dir, build_small_parts, &e);

        assert_true(rc == STATUS_OK || rc == STATUS_INTERRUPTED);
        if (file_find(aside, ".parts", journal))
            return;
    }
    fail();
}

/* Values of a part that change while no builder looks. */
static void test_parts_damaged(void **state)
{
    struct scratch a = scratch_create(), b = scratch_create(), aside = scratch_create();
    char path[SCRATCH_MAX], journal[SCRATCH_MAX];
    struct error e = {0};
    uint8_t *bytes;
    size_t size;

    (void)state;
    assert_int_equal(build_in(a.path, pieces(), 2, 1 << 30, &e), STATUS_OK);
    build_partly(&b, &aside, journal);
    strcpy(path, journal);
    strcpy(strrchr(path, '.'), ".raw");
    bytes = file_read(path, &size);
    for (size_t i = 0; i < size; i++)
        bytes[i] ^= 1;
    file_write(path, bytes, size);
    free(bytes);
    assert_int_equal(build_parts(b.path, aside.path, 10000, NULL, &e), STATUS_DAMAGED);
    assert_non_null(strstr(e.text, journal));
    unlink(journal);
    assert_int_equal(build_parts(b.path, aside.path, some_bytes(), NULL, &e), STATUS_OK);
    assert_same_directory(&a, &b);
    scratch_remove(&a);
    scratch_remove(&b);
    scratch_remove(&aside);
}

static enum status build_slice_parts(const char *dir, const char *scratch, const atomic_bool *stop,
                                     struct error *e)
{
    struct build_plan plan = {0};
    struct build_options o = {.dir = dir,
                              .scratch = scratch,
                              .stop = stop,
                              .part_bytes = 10000,
                              .kind = {true, false, false},
                              .threads = 1,
                              .memory = 1 << 30,
                              .isa = ISA_PLAIN};
    enum status rc = build_plan_slice(&plan, (struct slice){1, 2, 1, 0}, e);

    if (!rc)
        rc = build_run(&plan, &o, e);
    build_plan_free(&plan);
    return rc;
}

/* The next run goes on with what is done of a slice that no later one reads. */
static void test_parts_of_the_last_slice_are_kept(void **state)
{
    struct scratch a = scratch_create(), aside = scratch_create();
    atomic_bool stop = true;
    char path[SCRATCH_MAX];
    struct error e = {0};
    enum status rc = STATUS_OK;

    (void)state;
    for (int round = 0; round < 20 && rc != STATUS_INTERRUPTED; round++) {
        struct watch w = {.dir = &aside, .journal = "K2C-1K.wld.parts"};

        scratch_remove(&a);
        a = scratch_create();
        rc = watch_build(&w, &a, build_slice_parts, &e);
    }
    assert_int_equal(rc, STATUS_INTERRUPTED);
    assert_true(file_find(&aside, "K2C-1K.wld.parts", path));
    assert_int_equal(build_slice_parts(a.path, aside.path, &stop, &e), STATUS_INTERRUPTED);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(build_slice_parts(a.path, aside.path, NULL, &e), STATUS_OK);
    assert_int_equal(scratch_count(&aside), 0);
    scratch_remove(&a);
    scratch_remove(&aside);
}

/* Take files away, as if they had never been written: the rest is read back. */
static void test_missing_files_come_back(void **state)
{
    struct scratch a = scratch_create(), b = scratch_create();
    struct rng rng = rng_for_test("missing_files");
    struct error e;
    DIR *d;
    struct dirent *entry;

    (void)state;
    assert_int_equal(build_in(a.path, pieces(), 2, 1 << 30, &e), STATUS_OK);
    assert_int_equal(build_in(b.path, pieces(), 2, 1 << 30, &e), STATUS_OK);
    for (int round = 0; round < 2; round++) {
        d = opendir(b.path);
        while ((entry = readdir(d))) {
            char path[SCRATCH_MAX];

            if (strchr(entry->d_name, '-') && rng_below(&rng, 3) == 0)
                unlink(scratch_file(&b, entry->d_name, path));
        }
        closedir(d);
        assert_int_equal(build_in(b.path, pieces(), 2, 1 << 30, &e), STATUS_OK);
        assert_same_directory(&a, &b);
    }
    scratch_remove(&a);
    scratch_remove(&b);
}

/* A run that was killed may have come to its last file, but not to MANIFEST.  What was wrong with
 * it is not the next run's error. */
static void test_manifest_comes_back(void **state)
{
    struct scratch a = scratch_create(), b = scratch_create();
    struct error e = {0};
    char path[SCRATCH_MAX];

    (void)state;
    assert_int_equal(build_in(a.path, 2, 2, 1 << 30, &e), STATUS_OK);
    assert_int_equal(build_in(b.path, 2, 2, 1 << 30, &e), STATUS_OK);
    unlink(scratch_file(&b, "MANIFEST", path));
    assert_int_equal(build_in(b.path, 2, 2, 1 << 30, &e), STATUS_OK);
    assert_string_equal(e.text, "");
    assert_same_directory(&a, &b);
    scratch_remove(&a);
    scratch_remove(&b);
}

/* ------------------------------------------------------------ the program itself -- */

static pid_t start_build(const char *dir, const char *n)
{
    pid_t pid = fork();

    if (pid == 0) {
        const char *program = getenv("KELSO_BINARY");

        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
            _exit(99);
        execl(program, program, "build", "--pieces", n, "--dir", dir, "--threads", "2",
              (char *)NULL);
        _exit(99);
    }
    assert_true(pid > 0);
    return pid;
}

static void test_killed_at_any_time(void **state)
{
    struct scratch a = scratch_create(), b = scratch_create();
    struct rng rng = rng_for_test("killed");
    char n[2] = {(char)('0' + pieces()), 0};
    struct error e;
    int status = 0, kills = 0;

    (void)state;
    assert_int_equal(build_in(a.path, pieces(), 2, 1 << 30, &e), STATUS_OK);
    for (int round = 0; round < 40; round++) {
        pid_t pid = start_build(b.path, n);

        usleep((useconds_t)rng_below(&rng, 60000 * (1 + round / 4)));
        kill(pid, round % 3 == 2 ? SIGINT : SIGKILL);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            break;
        kills++;
    }
    print_message("killed %d times\n", kills);
    assert_int_equal(build_in(b.path, pieces(), 2, 1 << 30, &e), STATUS_OK);
    assert_same_directory(&a, &b);
    scratch_remove(&a);
    scratch_remove(&b);
}

static void test_two_builders(void **state)
{
    struct scratch a = scratch_create();
    struct catalog *c = NULL;
    struct error e;
    struct run r;

    (void)state;
    assert_int_equal(catalog_open_to_build(&c, a.path, &e), STATUS_OK);
    r = run_kelso(ARGS("build", "--pieces", "2", "--dir", a.path), NULL, 0);
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, a.path));
    run_free(&r);
    catalog_close(&c);
    r = run_kelso(ARGS("build", "--pieces", "2", "--dir", a.path), NULL, 0);
    assert_int_equal(r.status, 0);
    run_free(&r);
    r = run_kelso(ARGS("build", "--pieces", "2", "--dir", a.path), NULL, 0);
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "nothing to do"));
    run_free(&r);
    scratch_remove(&a);
}

/* A limit on file sizes stands in for a full disk: write() fails half-way. */
static void test_disk_full(void **state)
{
    struct scratch a = scratch_create();
    pid_t pid;
    int status;
    char path[SCRATCH_MAX];
    struct run r;

    (void)state;
    pid = fork();
    if (pid == 0) {
        struct rlimit limit = {2000, 2000};
        const char *program = getenv("KELSO_BINARY");

        signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &limit))
            _exit(98);
        execl(program, program, "build", "--pieces", "3", "--dir", a.path, (char *)NULL);
        _exit(99);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 2);
    assert_int_equal(access(scratch_file(&a, "2K-1K.dtw", path), F_OK), -1);
    r = run_kelso(ARGS("build", "--pieces", "3", "--dir", a.path), NULL, 0);
    assert_int_equal(r.status, 0);
    run_free(&r);
    r = run_kelso(ARGS("build", "--pieces", "2", "--dir", "/dev/null/tables"), NULL, 0);
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "/dev/null/tables"));
    run_free(&r);
    scratch_remove(&a);
}

static void test_bad_options(void **state)
{
    static const char *const bad[][4] = {
        {"build", "--slice", "9K-2K", NULL}, {"build", "--slice", "3K1C", NULL},
        {"build", "--kinds", "dtm", NULL},   {"build", "--pieces", "11", NULL},
        {"build", "--pieces", "1", NULL},    {"build", "--memory", "lots", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct run r = run_kelso(bad[i], NULL, 0);

        assert_int_equal(r.status, 2);
        assert_ptr_equal(strchr(r.err, '\n'), r.err + r.err_length - 1); /* one line */
        run_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_make_no_difference),
        cmocka_unit_test(test_joint_blocks_make_no_difference),
        cmocka_unit_test(test_instruction_sets_make_no_difference),
        cmocka_unit_test(test_nine_bits_make_no_difference),
        cmocka_unit_test(test_memory_makes_no_difference),
        cmocka_unit_test(test_scratch_makes_no_difference),
        cmocka_unit_test(test_nine_bits_after_eight),
        cmocka_unit_test(test_parts_killed_at_any_time),
        cmocka_unit_test(test_parts_damaged),
        cmocka_unit_test(test_parts_of_the_last_slice_are_kept),
        cmocka_unit_test(test_missing_files_come_back),
        cmocka_unit_test(test_manifest_comes_back),
        cmocka_unit_test(test_killed_at_any_time),
        cmocka_unit_test(test_two_builders),
        cmocka_unit_test(test_disk_full),
        cmocka_unit_test(test_bad_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
