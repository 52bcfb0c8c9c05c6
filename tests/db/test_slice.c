/* SPDX-License-Identifier: MIT
 *
 * Slices and the numbering of their positions: (L1)-(L3), names, and the order. */
#include "kit/test.h"

#include "core/movegen.h"
#include "db/sets.h"
#include "db/slice.h"

static bool view_equal(const struct view *a, const struct view *b)
{
    return a->men == b->men && a->kings == b->kings && a->opp_men == b->opp_men &&
           a->opp_kings == b->opp_kings;
}

/* (L1) for one index, through the board as well. */
static void check_index(const struct layout *l, uint64_t index)
{
    struct view v, again;
    struct board b;

    layout_view(l, index, &v);
    assert_int_equal(layout_index(l, &v), index);
    assert_true(slice_equal(view_slice(&v), l->slice));
    for (int turn = BLACK; turn <= WHITE; turn++) {
        b = view_board(&v, (enum side)turn);
        assert_true(board_valid(&b));
        assert_int_equal(b.turn, turn);
        again = view_of(&b);
        assert_true(view_equal(&v, &again));
    }
}

static void check_slice(struct slice s, struct rng *r)
{
    struct layout l;

    assert_int_equal(layout_create(&l, s), 0);
    if (l.positions < (test_is_sanitized() ? 20000u : 400000u))
        for (uint64_t i = 0; i < l.positions; i++)
            check_index(&l, i);
    for (int i = 0; i < 2000; i++)
        check_index(&l, rng_next(r) % l.positions);
    check_index(&l, l.positions - 1);
    layout_free(&l);
}

static void test_numbering(void **state)
{
    struct rng r = rng_for_test("numbering");
    struct slice list[SLICE_CODES];
    int n = slice_order(test_is_sanitized() ? 4 : PIECES_MAX, PIECES_MAX, list);

    (void)state;
    for (int i = 0; i < n; i++) {
        if (slice_men(list[i]) > 6 && !test_is_long())
            continue; /* their layouts take a while to make */
        check_slice(list[i], &r);
        check_slice(slice_flip(list[i]), &r);
    }
}

/* Block numbers that need all 32 bits, and as many of one thing as there can be. */
static void test_numbering_large(void **state)
{
    static const struct slice large[] = {{0, 5, 0, 5}, {0, 6, 0, 4}, {0, 4, 0, 6}, {1, 4, 1, 4},
                                         {0, 9, 1, 0}, {9, 0, 0, 1}, {5, 0, 5, 0}, {3, 2, 2, 3}};
    struct rng r = rng_for_test("numbering");

    (void)state;
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        check_slice(large[i], &r);
}

/* Table 1 of "Checkers is solved" (2007): positions of one colour or both, side to move left
 * out.  With both colours they are our values; those of one colour are counted here. */
static void test_published(void **state)
{
    static const uint64_t published[] = {
        0,          120,         6972,         261224,        7092774,       148688232,
        2503611964, 34779531480, 406309208481, 4048627642976, 34778882769216};
    uint64_t count[PIECES_MAX + 1] = {0};
    struct slice list[SLICE_CODES];
    int most = test_is_sanitized() ? 6 : PIECES_MAX, n = slice_order(most, most, list);

    (void)state;
    for (int i = 0; i < n; i++) {
        struct layout l;

        assert_int_equal(layout_create(&l, list[i]), 0);
        count[slice_pieces(list[i])] += l.positions * (slice_symmetric(list[i]) ? 1 : 2);
        layout_free(&l);
    }
    for (int pieces = 1; pieces <= most; pieces++) {
        for (int men = 0; men <= pieces; men++)
            count[pieces] += 2 * binomial(28, men) * binomial(32 - men, pieces - men);
        assert_int_equal(count[pieces], published[pieces]);
    }
}

/* (L3) */
static void test_mirrors(void **state)
{
    struct slice list[SLICE_CODES];
    int n = slice_order(6, 6, list);

    (void)state;
    for (int i = 0; i < n; i++) {
        struct layout a, b;

        assert_true(slice_equal(slice_flip(slice_flip(list[i])), list[i]));
        assert_true(slice_equal(slice_canonical(slice_flip(list[i])), list[i]));
        assert_int_equal(layout_create(&a, list[i]), 0);
        assert_int_equal(layout_create(&b, slice_flip(list[i])), 0);
        assert_int_equal(a.positions, b.positions);
        layout_free(&a);
        layout_free(&b);
    }
}

static struct slice slice_of(const struct board *b)
{
    struct view v = view_of(b);

    return view_slice(&v);
}

/* (L2) by the move generator: a move stays, in a block further on, or leads to a slice
 * that is listed as a successor and built before. */
static void check_moves(const struct board *b, const bool *built)
{
    struct slice from = slice_canonical(slice_of(b)), need[SLICE_CODES];
    struct view before = view_of(b);
    int rows = men_advancement(before.men, before.opp_men), n = slice_successors(from, need);
    struct move_list list;

    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++) {
        struct board next = board_after(b, &list.move[i]);
        struct view after = view_of(&next);
        struct slice to = slice_canonical(slice_of(&next));
        bool listed = false;

        if (!next.side[next.turn])
            continue;
        for (int k = 0; k < n; k++)
            listed |= slice_equal(need[k], to);
        if (slice_equal(to, from))
            assert_true(men_advancement(after.men, after.opp_men) >= rows);
        else
            assert_true(listed && built[slice_code(to)]);
    }
}

static void test_order(void **state)
{
    struct rng r = rng_for_test("order");
    struct slice list[SLICE_CODES];
    int n = slice_order(6, 6, list);
    static bool built[SLICE_CODES];

    (void)state;
    assert_int_equal(slice_order(6, 6, NULL), n);
    for (int i = 0; i < n; i++) {
        struct layout l;
        struct view v;

        assert_int_equal(layout_create(&l, list[i]), 0);
        for (int k = 0; k < 500; k++) {
            struct board b;

            layout_view(&l, rng_next(&r) % l.positions, &v);
            b = view_board(&v, BLACK);
            check_moves(&b, built);
            b.turn = WHITE;
            check_moves(&b, built);
        }
        built[slice_code(list[i])] = true;
        layout_free(&l);
    }
}

static void test_names(void **state)
{
    static const char *const good[] = {"3K1C-2K1C", "3k1c v 2k1c", "1c+3k-2K1M", "3K1C vs. 2K1C"};
    static const char *const bad[] = {"",         "3K",     "3K-",      "-3K",    "3K-0K",  "6K-5K",
                                      "3K1C-2K1", "3K3K-K", "3K1C2K1C", "10K-1K", "3K-2K x"};
    struct slice want = {3, 1, 2, 1}, list[SLICE_CODES], s;
    int n = slice_order(PIECES_MAX, PIECES_MAX, list);

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!slice_parse(good[i], &s) || !slice_equal(s, want))
            fail_msg("'%s' is not read as 3K1C-2K1C", good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (slice_parse(bad[i], &s))
            fail_msg("'%s' is read as a slice", bad[i]);
    for (int i = 0; i < n; i++) {
        char name[SLICE_NAME_MAX];

        assert_true(slice_parse(slice_name(list[i], name), &s) && slice_equal(s, list[i]));
    }
}

/* (S1), and that ranks among free squares go with them. */
static void test_sets(void **state)
{
    struct rng r = rng_for_test("sets");
    struct sets *sets = sets_create(4);

    (void)state;
    for (int k = 0; k <= 4; k++)
        for (uint32_t i = 0; i < sets->family[k].count; i++)
            assert_int_equal(set_rank(sets->family[k].set[i]), i);
    for (int i = 0; i < 20000; i++) {
        uint32_t room = (uint32_t)rng_next(&r) | (uint32_t)rng_next(&r);
        int k = rng_below(&r, 7), n = __builtin_popcount(room);
        uint32_t count = k <= n ? (uint32_t)binomial(n, k) : 0, set;

        if (!count)
            continue;
        set = set_unrank_in((uint32_t)(rng_next(&r) % count), k, room);
        assert_int_equal(set & ~room, 0);
        assert_int_equal(__builtin_popcount(set), k);
        assert_int_equal(set_unrank_in(set_rank_in(set, room), k, room), set);
        assert_int_equal(set_rank_in_down(set, room),
                         set_rank_in(packed_flip(set), packed_flip(room)));
    }
    sets_free(&sets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbering), cmocka_unit_test(test_numbering_large),
        cmocka_unit_test(test_published), cmocka_unit_test(test_mirrors),
        cmocka_unit_test(test_order),     cmocka_unit_test(test_names),
        cmocka_unit_test(test_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
