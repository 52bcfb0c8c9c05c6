/* SPDX-License-Identifier: MIT
 *
 * What a build is said to take, against what it took. */
#include "kit/built.h"
#include "kit/run.h"
#include "kit/test.h"

#include "db/catalog.h"
#include "db/forecast.h"
#include "db/ondemand.h"

static struct build_forecast forecast_of(const char *dir, int pieces, bool all)
{
    struct build_options o = {.dir = dir, .kind = {true, all, all}, .threads = 2};
    struct build_plan plan;
    struct build_forecast f;
    struct error e;

    assert_int_equal(build_plan_all(&plan, pieces, pieces, &e), STATUS_OK);
    forecast_build(&plan, &o, &f);
    assert_int_equal(f.slices + f.there, plan.count);
    build_plan_free(&plan);
    return f;
}

static uint64_t file_bytes(const char *dir, int pieces, enum kind kind)
{
    struct slice list[256];
    int n = slice_order(pieces, pieces, list);
    uint64_t sum = 0;
    struct catalog *c;
    struct error e;

    assert_in_range(n, 1, 256);
    assert_int_equal(catalog_open(&c, dir, &e), STATUS_OK);
    for (int i = 0; i < n; i++) {
        const struct table *t;

        assert_int_equal(catalog_table(c, list[i], kind, &t, &e), STATUS_OK);
        sum += table_size(t);
    }
    catalog_close(&c);
    return sum;
}

static void compare(const char *dir, int pieces, int kinds)
{
    struct build_forecast f = forecast_of("no such directory", pieces, kinds == KINDS);

    for (int k = 0; k < kinds; k++) {
        uint64_t found = file_bytes(dir, pieces, (enum kind)k);

        print_message("%d pieces, %s: %llu bytes, forecast %llu\n", pieces, kind_name((enum kind)k),
                      (unsigned long long)found, (unsigned long long)f.bytes[k]);
        assert_in_range(f.bytes[k], found / 2, found * 2);
    }
}

/* (F2) disk within a factor of two, and (F1) nothing for what is there. */
static void test_disk(void **state)
{
    int pieces = test_is_sanitized() ? 3 : test_is_long() ? 5 : 4;
    struct built t = built_open(pieces);
    struct build_forecast f = forecast_of(t.dir.path, pieces, true), more, fresh;

    (void)state;
    compare(t.dir.path, pieces, KINDS);
    assert_int_equal(f.slices, 0);
    assert_true(forecast_bytes(&f) == 0 && f.cpu_seconds == 0);
    more = forecast_of(t.dir.path, pieces + 1, true);
    fresh = forecast_of("no such directory", pieces + 1, true);
    assert_true(more.slices > 0 && more.there == f.there);
    assert_true(more.cpu_seconds < fresh.cpu_seconds);
    assert_true(forecast_bytes(&more) < forecast_bytes(&fresh));
    built_close(&t);
}

/* Only the kinds that are missing count. */
static void test_kinds(void **state)
{
    struct built t = built_open_wld(3);
    struct build_forecast f = forecast_of(t.dir.path, 3, false);

    (void)state;
    assert_int_equal(f.slices, 0);
    f = forecast_of(t.dir.path, 3, true);
    assert_true(f.slices > 0 && f.there == 0);
    assert_true(f.bytes[KIND_WLD] == 0 && f.bytes[KIND_DTC] > 0 && f.bytes[KIND_DTW] > 0);
    built_close(&t);
}

/* Every slice that can be built has a forecast, and larger ones a larger one. */
static void test_table(void **state)
{
    double before = 0;

    (void)state;
    for (int pieces = 2; pieces <= BUILD_PIECES_MAX; pieces++) {
        struct build_forecast f = forecast_of("no such directory", pieces, true);

        assert_true(f.cpu_seconds > before);
        before = f.cpu_seconds;
        for (int k = 0; k < KINDS; k++)
            assert_true(f.bytes[k] > f.values / 10000);
    }
    assert_true(before > 3600);
    assert_true(forecast_pace() > 0);
}

/* On a terminal a job of hours needs --yes; --dry-run builds nothing. */
static void test_command(void **state)
{
    struct scratch dir = scratch_create();
    struct run r = run_kelso_on_terminal(
        ARGS("build", "--pieces", "8", "--threads", "1", "--dir", dir.path, "--progress", "none"));

    (void)state;
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "slices to build (0 are there): about "));
    assert_non_null(strstr(r.err, "give --yes to start"));
    run_free(&r);
    run_expect(ARGS("build", "--pieces", "8", "--dry-run", "--dir", dir.path), 0, " of disk", "");
    run_expect_json(ARGS("build", "--pieces", "3", "--dry-run", "--json", "--dir", dir.path),
                    "\"slices\":9,\"there\":0,");
    run_expect(ARGS("build", "--pieces", "2", "--dir", dir.path, "--progress", "plain"), 0,
               "3 slices built", "3 slices to build (0 are there): about 1.0 s, 1 MB of disk");
    run_expect(ARGS("build", "--pieces", "3", "--dry-run", "--dir", dir.path), 0,
               "6 slices to build (3 are there)", "");
    scratch_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disk),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_command),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
