/* SPDX-License-Identifier: MIT
 *
 * The bounds behind `kelso shortest`, attacked by brute force: (E1)-(E5) of deep.h,
 * the home-edge bound of shortest.h, and the look-ahead as a whole. */
#include "kit/test.h"

#include "core/movegen.h"
#include "games/deep.h"
#include "games/shortest.h"
#include "kit/games_brute.h"
#include "kit/positions.h"

static struct board any_position(struct rng *r)
{
    switch (rng_below(r, 3)) {
    case 0:
        return random_position(r);
    case 1:
        return brute_crowded(r);
    default:
        return brute_walk(r, 5 + rng_below(r, 60));
    }
}

/* The definition again, square by square. */
static bool is_own(const struct board *b, enum side us, int row, int column)
{
    int number = 4 * row + column / 2 + 1;

    return b->side[us] & squares_of(square_from_number(number));
}

static bool is_firm_at(const struct board *b, enum side us, int row, int column)
{
    int back = us == BLACK ? row - 1 : row + 1;

    if (row == 0 || row == 7 || column == 0 || column == 7)
        return true;
    return is_own(b, us, back, column - 1) && is_own(b, us, back, column + 1);
}

/* Rows count from square 1; columns as in the picture of board.h, from the left. */
static void place_of(square s, int *row, int *column)
{
    int index = square_number(s) - 1;

    *row = index / 4;
    *column = index % 4 * 2 + (*row % 2 == 0 ? 1 : 0);
}

static square square_at(int row, int column)
{
    return square_from_number(4 * row + column / 2 + 1);
}

static squares slow_open(const struct board *b, enum side us)
{
    squares open = 0;

    for (squares left = b->side[us]; left; left &= left - 1) {
        int row, column, front;

        place_of(square_first(left), &row, &column);
        front = us == BLACK ? row + 1 : row - 1;
        if (!is_firm_at(b, us, row, column) || front < 0 || front > 7)
            continue;
        for (int side = -1; side <= 1; side += 2)
            if (column + side >= 0 && column + side <= 7)
                open |= squares_of(square_at(front, column + side)) & board_empty(b);
    }
    return open;
}

static void test_open(void **state)
{
    struct rng r = rng_for_test("open");

    (void)state;
    for (int i = 0; i < 50000; i++) {
        struct board b = any_position(&r);

        assert_int_equal(deep_open(&b, BLACK), squares_count(slow_open(&b, BLACK)));
        assert_int_equal(deep_open(&b, WHITE), squares_count(slow_open(&b, WHITE)));
    }
}

/* (E1), (E3), (E4) on every move of a position. */
static void check_moves(const struct board *b)
{
    enum side us = b->turn, them = side_other(us);
    struct move_list list;
    int n = moves_generate(b, &list);

    if (n == 0)
        assert_int_equal(deep_open(b, us), 0); /* (E2) */
    for (int i = 0; i < n; i++) {
        struct board after = board_after(b, &list.move[i]);

        assert_true(deep_open(b, us) - deep_open(&after, us) <= deep_drop(b));
        if (!move_is_capture(&list.move[i]))
            assert_true(deep_open(b, them) - deep_open(&after, them) <= 1);
        for (squares left = list.move[i].captured; left; left &= left - 1) {
            int row, column;

            place_of(square_first(left), &row, &column);
            assert_false(is_firm_at(b, them, row, column));
        }
        if (moves_count(&after) == 0)
            assert_true(deep_open(b, them) <= 1); /* (E5) */
    }
}

static void test_moves(void **state)
{
    struct rng r = rng_for_test("moves");
    int n = test_is_sanitized() ? 50000 : 500000;

    (void)state;
    for (int i = 0; i < n; i++) {
        struct board b = any_position(&r);
        check_moves(&b);
    }
}

/* deep_reaches agrees with brute force. */
static void test_look_ahead(void **state)
{
    struct rng r = rng_for_test("look_ahead");
    int n = test_is_sanitized() ? 2000 : 20000, found = 0;

    (void)state;
    for (int i = 0; i < n; i++) {
        struct board b = any_position(&r);

        for (int plies = 0; plies <= DEEP_PLIES; plies++) {
            struct brute_counts brute = {0};

            if (plies == DEEP_PLIES && i % 10)
                continue;
            brute_games(&b, plies, &brute);
            assert_int_equal(deep_reaches(&b, plies), brute.deep > 0);
            found += brute.deep > 0;
        }
    }
    assert_true(found > n / 200); /* or the test shows nothing */
}

/* No game that ends with an empty home edge breaks the bound on its way. */
static bool bound_holds(const struct board *b, enum side loser, int plies)
{
    struct move_list list;
    int home = squares_count(b->side[loser] & home_edge(loser));
    bool ends = false;

    moves_generate(b, &list);
    if (plies == 0)
        return list.count == 0 && b->turn == loser && home == 0;
    for (int i = 0; i < list.count; i++) {
        struct board after = board_after(b, &list.move[i]);
        ends = bound_holds(&after, loser, plies - 1) || ends;
    }
    if (ends)
        assert_true(home <= moves_left(loser, b->turn, plies));
    return ends;
}

static void test_home_edge(void **state)
{
    struct rng r = rng_for_test("home_edge");
    int n = test_is_sanitized() ? 2000 : 20000;
    int ended = 0;

    (void)state;
    for (int i = 0; i < n; i++) {
        struct board b = any_position(&r);

        for (int plies = 0; plies <= 3; plies++)
            ended += bound_holds(&b, (enum side)(b.turn ^ (plies & 1)), plies);
    }
    assert_true(ended > n / 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open),
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_look_ahead),
        cmocka_unit_test(test_home_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
