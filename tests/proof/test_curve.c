/* SPDX-License-Identifier: MIT
 *
 * The curve of a store: a point says what is in the store, and the history survives restarts. */
#include "kit/built.h"
#include "kit/golden.h"
#include "kit/run.h"
#include "kit/scratch.h"
#include "kit/stores.h"
#include "kit/test.h"

#include "proof/curve.h"
#include "proof/manager.h"

enum { POINTS_MAX = 256 };

struct points {
    struct curve_point at[POINTS_MAX];
    int count;
};

static void point_take(void *context, const struct curve_point *p)
{
    struct points *all = context;

    assert_true(all->count < POINTS_MAX);
    all->at[all->count++] = *p;
}

static void points_read(struct store *s, struct points *all)
{
    all->count = 0;
    assert_int_equal(curve_each(s, point_take, all, NULL), STATUS_OK);
}

/* The counts of one pass over the records, without the help of store_stats. */
struct tally {
    uint64_t searches, positions, proven, bounded;
};

static void record_tally(void *context, const struct board *b, const struct store_record *r)
{
    struct tally *t = context;
    bool closed = r->bounds.lower == r->bounds.upper;

    (void)b;
    t->positions++;
    t->searches += r->searches;
    t->proven += closed;
    t->bounded += !closed && (r->bounds.lower != VALUE_LOSS || r->bounds.upper != VALUE_WIN);
}

/* (C1) */
static void must_be_the_store(const struct curve_point *p, struct store *s,
                              const struct tables *tables)
{
    struct tally t = {0};
    struct store_stats all;

    assert_int_equal(store_each(s, record_tally, &t, NULL, NULL), STATUS_OK);
    assert_int_equal(p->searches, t.searches);
    assert_int_equal(p->positions, t.positions);
    assert_int_equal(p->proven, t.proven);
    assert_int_equal(p->bounded, t.bounded);
    assert_int_equal(store_stats_read(s, tables, NULL, &all, NULL), STATUS_OK);
    assert_int_equal(p->likely, all.likely);
    assert_int_equal(p->open, all.open);
    assert_int_equal(p->unsearched, all.unsearched);
    assert_int_equal(p->threshold, all.threshold);
    assert_int_equal(p->finished, all.finished);
}

/* A run of at most `searches` searches from the store; has it proven the root? */
static bool run_from(const char *dir, struct tables *few, uint64_t searches, struct points *after)
{
    struct board root = golden_board(small_proof);
    struct prover_options b = {.tables = few, .memory = 4 << 20};
    struct manager_options o = {.tables = few,
                                .limits = {.look_nodes = 1000, .solve_nodes = 2000},
                                .line = &root,
                                .plies = 1,
                                .from = 125,
                                .step = 25,
                                .until = MANAGER_WIN,
                                .searches = searches};
    struct manager_report report;
    struct error e = {0};
    enum status rc;

    assert_int_equal(store_open(&o.store, dir, true, NULL), STATUS_OK);
    assert_int_equal(provers_open(&o.provers, 1, true, &b, NULL), STATUS_OK);
    rc = manager_run(&o, &report, &e);
    if (rc && rc != STATUS_INTERRUPTED)
        fail_msg("%s", e.text);
    points_read(o.store, after);
    if (report.searches)
        must_be_the_store(&after->at[after->count - 1], o.store, few);
    provers_close(&o.provers);
    store_close(&o.store);
    return !rc;
}

/* (C1) (C2) Runs of three searches each: every run adds to the history and changes none of it. */
static void test_history_survives_restarts(void **state)
{
    const struct built *w = *state;
    struct tables *few = built_few(w, 4);
    struct scratch dir = scratch_create();
    struct points before = {.count = 0}, after;
    int runs = 0;
    bool proven = false;

    for (; !proven && runs < 30; runs++, before = after) {
        proven = run_from(dir.path, few, 3, &after);
        assert_true(after.count >= before.count);
        assert_memory_equal(after.at, before.at, (size_t)before.count * sizeof *before.at);
        for (int i = 1; i < after.count; i++)
            assert_true(after.at[i - 1].searches < after.at[i].searches);
    }
    printf("# %d runs, %d points, %d searches, %s\n", runs, after.count,
           (int)after.at[after.count - 1].searches, proven ? "proven" : "open");
    assert_true(after.count > 3 && runs > 3);
    run_from(dir.path, few, 0, &after); /* to its end in one run: points by growth, too */
    proven = run_from(dir.path, few, 3, &before);
    assert_true(proven);
    assert_int_equal(before.count, after.count); /* nothing left to search: no point */
    tables_close(&few);
    scratch_remove(&dir);
}

static void test_damage_is_named(void **state)
{
    struct scratch dir = scratch_create();
    struct points all = {.count = 0};
    struct error e = {0};
    struct store *s;

    (void)state;
    assert_int_equal(store_open(&s, dir.path, true, NULL), STATUS_OK);
    points_read(s, &all);
    assert_int_equal(all.count, 0);
    assert_int_equal(store_put_text(s, "curve", "7 1.5 125 9 1 2 3 4 5 1\n7 or eight\n", NULL),
                     STATUS_OK);
    assert_int_equal(curve_each(s, point_take, &all, &e), STATUS_DAMAGED);
    assert_non_null(strstr(e.text, "'7 or eight'"));
    assert_int_equal(all.count, 1);
    assert_true(all.at[0].searches == 7 && all.at[0].threshold == 125 && all.at[0].unsearched == 5);
    assert_true(all.at[0].finished);
    store_close(&s);
    scratch_remove(&dir);
}

static void test_command(void **state)
{
    const struct built *w = *state;
    struct scratch dir;

    if (test_is_sanitized() || !getenv("KELSO_BINARY"))
        skip();
    dir = scratch_create();
    run_expect(ARGS("proof", "curve", "--store", dir.path), 2, "", "no store");
    run_expect(ARGS("prove", "--store", dir.path, "W:W28:B1", "--dir", w->dir.path), 0, "", "");
    run_expect(ARGS("proof", "curve", "--store", dir.path), 0, "no curve", "");
    run_expect(ARGS("prove", "--store", dir.path, small_proof, "--dir", w->dir.path, "--pieces",
                    "3", "--nodes", "300", "--workers", "1", "--searches", "5"),
               1, "", "");
    run_expect(ARGS("proof", "curve", "--store", dir.path), 0, "not searched", "");
    run_expect_json(ARGS("proof", "curve", "--store", dir.path, "--json"),
                    "\"searches\":5,\"search_time\":");
    run_expect(ARGS("proof", "curve", "--store", dir.path, "more"), 2, "", "unexpected argument");
    scratch_remove(&dir);
}

static int world_open(void **state)
{
    static struct built w;

    w = built_open_wld(4);
    *state = &w;
    return 0;
}

static int world_close(void **state)
{
    built_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history_survives_restarts),
        cmocka_unit_test(test_damage_is_named),
        cmocka_unit_test(test_command),
    };

    return cmocka_run_group_tests(tests, world_open, world_close);
}
