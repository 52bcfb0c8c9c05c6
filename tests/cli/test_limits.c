/* SPDX-License-Identifier: MIT
 *
 * The limits that a system sets to a process: a file that may not grow is an error with a name,
 * not a signal; files that may be open are taken as far as the system allows. */
#include "kit/run.h"
#include "kit/scratch.h"
#include "kit/test.h"

#include <sys/resource.h>

/* Run with a limit.  Output goes through files and is limited as well. */
static struct run run_limited(int which, rlim_t most, const char *const *args)
{
    struct rlimit old, less;
    struct run r;

    assert_int_equal(getrlimit((__rlimit_resource_t)which, &old), 0);
    less = (struct rlimit){most, old.rlim_max};
    assert_int_equal(setrlimit((__rlimit_resource_t)which, &less), 0);
    r = run_kelso(args, NULL, 0);
    assert_int_equal(setrlimit((__rlimit_resource_t)which, &old), 0);
    return r;
}

/* Whatever the limit, there is an answer or one line that names a file. */
static void expect_refused(const char *const *args, rlim_t most)
{
    struct run r = run_limited(RLIMIT_FSIZE, most, args);

    if (r.status != 2 || !strstr(r.err, "File too large"))
        fail_msg("kelso %s with files of %lu bytes: status %d, '%s'", args[0], (unsigned long)most,
                 r.status, r.err);
    run_free(&r);
}

static void test_files_that_may_not_grow(void **state)
{
    static const rlim_t most[] = {512, 700, 4096};
    struct scratch dir = scratch_create();

    (void)state;
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        expect_refused(ARGS("build", "--pieces", "3", "--dir", dir.path, "--progress", "none"),
                       most[i]);
        expect_refused(ARGS("census", "--plies", "9", "--dir", dir.path, "--progress", "none"),
                       most[i]);
        expect_refused(ARGS("prove", "--store", dir.path, "--dir", dir.path, "--pieces", "2",
                            "B:W9,23,28:B7,15,16", "--progress", "none"),
                       most[i]);
    }
    scratch_remove(&dir);
}

static void test_many_tables_with_few_descriptors(void **state)
{
    struct scratch dir = scratch_create();
    struct run r;

    (void)state;
    run_expect(ARGS("build", "--pieces", "4", "--dir", dir.path, "--progress", "none"), 0, "", "");
    r = run_limited(RLIMIT_NOFILE, 16, ARGS("stats", "--dir", dir.path));
    if (r.status != 0)
        fail_msg("status %d, '%s'", r.status, r.err);
    run_free(&r);
    scratch_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_that_may_not_grow),
        cmocka_unit_test(test_many_tables_with_few_descriptors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
