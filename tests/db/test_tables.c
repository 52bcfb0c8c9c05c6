/* SPDX-License-Identifier: MIT
 *
 * Tables that have a gap: of four pieces all of 2 against 2, and nothing else. */
#include "kit/positions.h"
#include "kit/built.h"
#include "kit/test.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "db/tables.h"

#include <limits.h>

struct world {
    struct built all; /* of at most 4 pieces */
    struct built gap; /* of these, at most 2 a side */
};

static struct built gap_open(void)
{
    struct build_options o = {.kind = {[KIND_WLD] = true}, .threads = 2, .isa = kernel_isa_best()};
    struct built t = {.dir = scratch_create()};
    struct build_plan plan;
    struct error e = {0};

    o.dir = t.dir.path;
    o.memory = UINT64_C(1) << 30;
    if (build_plan_all(&plan, 4, 2, &e) || build_run(&plan, &o, &e))
        fail_msg("%s", e.text);
    build_plan_free(&plan);
    build_plan_all(&plan, 3, 3, &e);
    if (build_run(&plan, &o, &e) ||
        tables_open(&t.tables, &(struct tables_options){.dir = o.dir, .cache = 16 << 20}, &e))
        fail_msg("%s", e.text);
    build_plan_free(&plan);
    return t;
}

static int world_open(void **state)
{
    static struct world w;

    w.all = built_open(4);
    w.gap = gap_open();
    *state = &w;
    return 0;
}

static int world_close(void **state)
{
    struct world *w = *state;

    built_close(&w->all);
    built_close(&w->gap);
    return 0;
}

/* Is every slice there that has at most this many pieces on each side? */
static bool whole(const struct tables *t, int us, int them)
{
    struct slice list[SLICE_CODES];
    int n = slice_order(tables_most(t), PIECES_MAX, list);

    if (us + them > tables_most(t))
        return false;
    for (int i = 0; i < n; i++) {
        int a = list[i].kings + list[i].men, b = list[i].opp_kings + list[i].opp_men;

        if (((a <= us && b <= them) || (a <= them && b <= us)) &&
            !catalog_has(tables_catalog(t), list[i], KIND_WLD))
            return false;
    }
    return true;
}

static void test_what_is_there(void **state)
{
    const struct tables *t = ((struct world *)*state)->gap.tables;

    assert_int_equal(tables_complete(t), 3);
    assert_int_equal(tables_most(t), 4);
    assert_true(whole(t, 2, 2) && whole(t, 2, 1) && whole(t, 1, 2));
    assert_false(whole(t, 3, 1) || whole(t, 1, 3) || whole(t, 3, 2) || whole(t, 2, 3));
}

/* The distance is that of a walk which takes one piece after the other, of either side. */
static int distance_slowly(const struct tables *t, int us, int them)
{
    int less = INT_MAX, more = INT_MAX;

    if (whole(t, us, them))
        return 0;
    if (us)
        less = distance_slowly(t, us - 1, them);
    if (them)
        more = distance_slowly(t, us, them - 1);
    return 1 + (less < more ? less : more);
}

static void test_distance(void **state)
{
    const struct tables *t = ((struct world *)*state)->gap.tables;
    struct rng r = rng_for_test("distance");

    for (int i = 0; i < 200; i++) {
        struct board b = random_pieces(&r, 2 + rng_below(&r, 5), 2);
        int us = squares_count(b.side[BLACK]), them = squares_count(b.side[WHITE]);

        assert_int_equal(tables_distance(t, &b), distance_slowly(t, us, them));
    }
    assert_int_equal(tables_distance(t, &board_start), 20); /* to 2 against 2 */
}

/* A handle opened for fewer pieces than there are tables for knows only those. */
static void test_fewer_pieces(void **state)
{
    const struct world *w = *state;
    struct tables *few = built_few(&w->all, 3);
    struct rng r = rng_for_test("fewer");

    assert_int_equal(tables_complete(few), 3);
    assert_int_equal(tables_most(few), 3);
    for (int i = 0; i < 1000; i++) {
        struct board b = random_pieces(&r, 2 + rng_below(&r, 4), 2);
        int pieces = squares_count(b.side[BLACK] | b.side[WHITE]);

        assert_int_equal(tables_has(few, &b), pieces <= 3);
        assert_int_equal(tables_knows(few, &b),
                         pieces <= 3 || (pieces == 4 && board_must_capture(&b)));
    }
    tables_close(&few);
    assert_null(few);
}

static void test_no_directory(void **state)
{
    struct tables *t;
    struct error e;

    (void)state;
    assert_int_equal(tables_open(&t, &(struct tables_options){.dir = "/nonexistent"}, &e),
                     STATUS_MISSING);
    assert_null(t);
    assert_non_null(strstr(e.text, "/nonexistent"));
    assert_false(tables_exist("/nonexistent"));
}

/* Does a walk through the captures meet only tables that are there? */
static bool knows_slowly(const struct world *w, const struct board *b)
{
    enum value v;

    return tables_value(w->gap.tables, b, &v, NULL) == STATUS_OK;
}

/* What the tables are said to know they can answer, and rightly; it is said of all quiet positions
 * that are there, and of captures into 2 against 2. */
static void test_answers(void **state)
{
    const struct world *w = *state;
    struct rng r = rng_for_test("answers");
    int known[6] = {0};

    for (int i = 0; i < 40000; i++) {
        int pieces = 3 + rng_below(&r, 3);
        struct board b = random_pieces(&r, pieces, 2);
        bool captures = board_must_capture(&b), knows = tables_knows(w->gap.tables, &b);
        enum value v, right;
        char fen[FEN_TEXT_MAX];

        fen_format(&b, fen);
        if (knows) {
            assert_int_equal(tables_value(w->gap.tables, &b, &v, NULL), STATUS_OK);
            assert_int_equal(tables_value(w->all.tables, &b, &right, NULL), STATUS_OK);
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
        cmocka_unit_test(test_what_is_there), cmocka_unit_test(test_distance),
        cmocka_unit_test(test_answers),       cmocka_unit_test(test_fewer_pieces),
        cmocka_unit_test(test_no_directory),
    };

    return cmocka_run_group_tests(tests, world_open, world_close);
}
