/* SPDX-License-Identifier: MIT
 *
 * The oracle in front of tables that have a gap: all of 2 against 2, and of 4 pieces
 * nothing else. */
#include "kit/positions.h"
#include "kit/tables.h"
#include "kit/test.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "proof/oracle.h"

#include <limits.h>

struct world {
    struct tables all; /* of at most 4 pieces */
    struct tables gap; /* of these, at most 2 a side */
    struct oracle oracle;
};

static struct tables gap_open(void)
{
    struct build_options o = {.kind = {[KIND_WLD] = true}, .threads = 2, .isa = kernel_isa_best()};
    struct tables t = {.dir = scratch_create()};
    struct build_plan plan;
    struct error e = {0};

    o.dir = t.dir.path;
    o.memory = UINT64_C(1) << 30;
    if (build_plan_all(&plan, 4, 2, &e) || build_run(&plan, &o, &e))
        fail_msg("%s", e.text);
    build_plan_free(&plan);
    build_plan_all(&plan, 3, 3, &e);
    if (build_run(&plan, &o, &e) || catalog_open(&t.catalog, t.dir.path, &e) ||
        probe_open(&t.probe, t.catalog, UINT64_C(16) << 20, &e))
        fail_msg("%s", e.text);
    build_plan_free(&plan);
    return t;
}

static int world_open(void **state)
{
    static struct world w;

    w.all = tables_open(4);
    w.gap = gap_open();
    oracle_open(&w.oracle, w.gap.catalog, w.gap.probe, 0);
    *state = &w;
    return 0;
}

static int world_close(void **state)
{
    struct world *w = *state;

    tables_close(&w->all);
    tables_close(&w->gap);
    return 0;
}

static void test_what_is_there(void **state)
{
    const struct oracle *o = &((struct world *)*state)->oracle;

    assert_int_equal(o->complete, 3);
    assert_int_equal(o->most, 4);
    assert_true(o->whole[2][2] && o->whole[2][1] && o->whole[1][2]);
    assert_false(o->whole[3][1] || o->whole[1][3] || o->whole[3][2] || o->whole[2][3]);
}

/* The distance is that of a walk which takes one piece after the other, of either side. */
static int distance_slowly(const struct oracle *o, int us, int them)
{
    int less = INT_MAX, more = INT_MAX;

    if (us <= PIECES_MAX && them <= PIECES_MAX && o->whole[us][them])
        return 0;
    if (us)
        less = distance_slowly(o, us - 1, them);
    if (them)
        more = distance_slowly(o, us, them - 1);
    return 1 + (less < more ? less : more);
}

static void test_distance(void **state)
{
    const struct world *w = *state;
    struct rng r = rng_for_test("distance");

    for (int i = 0; i < 200; i++) {
        struct board b = random_pieces(&r, 2 + rng_below(&r, 7), 2);
        int us = squares_count(b.side[BLACK]), them = squares_count(b.side[WHITE]);

        assert_int_equal(oracle_distance(&w->oracle, &b), distance_slowly(&w->oracle, us, them));
    }
    assert_int_equal(w->oracle.above[3][3], 2); /* to 2 against 2 */
    assert_int_equal(w->oracle.above[3][1], 1);
    assert_int_equal(w->oracle.above[12][12], 20);
}

/* Does a walk through the captures meet only tables that are there? */
static bool knows_slowly(const struct world *w, const struct board *b)
{
    enum value v;

    return probe_value(w->gap.probe, b, &v, NULL) == STATUS_OK;
}

/* What the oracle says it knows it can answer, and rightly; it says so of all quiet positions
 * that are there, and of captures into 2 against 2. */
static void test_answers(void **state)
{
    const struct world *w = *state;
    struct rng r = rng_for_test("answers");
    int known[6] = {0};

    for (int i = 0; i < 40000; i++) {
        int pieces = 3 + rng_below(&r, 3);
        struct board b = random_pieces(&r, pieces, 2);
        bool captures = board_must_capture(&b), knows = oracle_knows(&w->oracle, &b);
        enum value v, right;
        char fen[FEN_TEXT_MAX];

        fen_format(&b, fen);
        if (knows) {
            assert_int_equal(oracle_value(&w->oracle, &b, &v, NULL), STATUS_OK);
            assert_int_equal(probe_value(w->all.probe, &b, &right, NULL), STATUS_OK);
            if (v != right)
                fail_msg("%s: %d instead of %d", fen, v, right);
            known[pieces]++;
        } else if (!captures && knows_slowly(w, &b)) {
            fail_msg("%s is in a table", fen);
        }
        if (pieces == 5 && captures && squares_count(b.side[b.turn]) == 2 && !knows)
            fail_msg("%s: a capture leads to 2 against 2, or less", fen);
    }
    assert_true(known[3] && known[4] && known[5]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_there),
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_answers),
    };

    return cmocka_run_group_tests(tests, world_open, world_close);
}
