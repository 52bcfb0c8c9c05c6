/* SPDX-License-Identifier: MIT
 *
 * The wall of wall.h attacked: every legal move must be a move of the relaxed game (W2),
 * every deep block closed (W3), passes free (W4); and what it forbids, brute force must
 * not find. */
#include "kit/test.h"

#include "core/movegen.h"
#include "games/deep.h"
#include "games/wall.h"
#include "kit/games_brute.h"
#include "kit/positions.h"

enum { PLIES = 5 };

static struct board any_position(struct rng *r)
{
    switch (rng_below(r, 4)) {
    case 0:
        return random_position(r);
    case 1:
        return brute_crowded(r);
    case 2:
        return brute_walk(r, 5 + rng_below(r, 20));
    default:
        return brute_walk(r, 20 + rng_below(r, 60));
    }
}

/* One move, seen with either side as the loser. */
static void check_move(const struct wall *w, const struct board *b, const struct move *m)
{
    struct board after = board_after(b, m);

    for (enum side loser = BLACK; loser <= WHITE; loser++)
        assert_true(wall_leads(w, placement_of(b), placement_of(&after), loser, loser == b->turn));
}

/* (W2), move by move: four rows as well, as no levels are needed. */
static void check_moves(int rows, int n)
{
    struct wall *w = wall_build(rows, 0, 2);
    struct rng r = rng_for_test("moves");

    assert_non_null(w);
    for (int i = 0; i < n; i++) {
        struct board b = any_position(&r);
        struct move_list list;

        moves_generate(&b, &list);
        for (int k = 0; k < list.count; k++)
            if (move_is_conversion(&list.move[k]) || rng_below(&r, 4) == 0)
                check_move(w, &b, &list.move[k]);
    }
    wall_free(&w);
}

static void test_moves(void **state)
{
    int n = test_is_long() ? 400000 : test_is_sanitized() ? 1000 : 20000;

    (void)state;
    check_moves(2, n);
    check_moves(3, n);
    check_moves(4, n / 4);
}

/* What is no move is no move of the relaxed game either, or the wall would allow all:
 * pieces that jump over nothing, men that go back, two moves at once. */
static void test_no_moves(void **state)
{
    static const struct {
        uint32_t black[2], white[2], kings[2];
        bool loser_moves;
    } none[] = {
        {{0x001, 0x100}, {0, 0}, {0, 0}, true},                   /* 1 to 9 over nothing */
        {{0x010, 0x001}, {0, 0}, {0, 0}, true},                   /* a man goes back */
        {{0x003, 0x030}, {0, 0}, {0, 0}, true},                   /* two moves */
        {{0x001, 0x001}, {0, 0x100}, {0, 0}, false},              /* comes in two rows deep */
        {{0x002, 0x000}, {0x040, 0x040}, {0, 0}, false},          /* a piece on the edge is gone */
        {{0x000, 0x000}, {0x020, 0x200}, {0, 0}, false},          /* the winner's man goes back */
        {{0x001, 0x001}, {0x000, 0xC000}, {0, 0}, false},         /* two come in at once */
        {{0x000, 0x1000}, {0, 0}, {0, 0}, true},                  /* the loser's man comes in */
        {{0x000, 0x0100}, {0, 0}, {0x80000000, 0x80000000}, true} /* its king, too deep */
    };
    struct wall *w = wall_build(4, 0, 2);

    (void)state;
    assert_non_null(w);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        uint32_t away = none[i].kings[0];
        struct placement before = {none[i].black[0] | away, none[i].white[0], away};
        struct placement after = {none[i].black[1] | away, none[i].white[1], away};

        assert_false(wall_leads(w, before, after, BLACK, none[i].loser_moves));
    }
    wall_free(&w);
}

/* (W2), (W4) in the levels. */
static void check_levels(const struct wall *w, const struct board *b, enum side loser)
{
    struct move_list list;

    moves_generate(b, &list);
    for (int n = loser == b->turn ? 0 : 1; n <= PLIES; n += 2) {
        bool allowed = wall_allows(w, placement_of(b), loser, n);

        if (n >= 2 && wall_allows(w, placement_of(b), loser, n - 2))
            assert_true(allowed);
        for (int k = 0; n > 0 && !allowed && k < list.count; k++) {
            struct board after = board_after(b, &list.move[k]);

            assert_false(wall_allows(w, placement_of(&after), loser, n - 1));
        }
    }
}

/* wall_allows_step agrees with wall_allows on the position after the step. */
static void check_steps(const struct wall *w, const struct board *b, enum side loser)
{
    struct move_list list;

    moves_generate(b, &list);
    for (int n = loser == b->turn ? 2 : 1; n <= PLIES && !b->kings; n += 2) {
        struct wall_steps f = wall_steps_from(w, placement_of(b), b->turn, loser, n);

        for (int k = 0; k < list.count; k++) {
            struct board after = board_after(b, &list.move[k]);

            if (!move_is_conversion(&list.move[k]))
                assert_int_equal(wall_allows_step(&f, list.move[k].from, list.move[k].to),
                                 wall_allows(w, placement_of(&after), loser, n - 1));
        }
    }
}

static void test_levels(void **state)
{
    struct wall *w = wall_build(test_is_long() ? 4 : 3, PLIES, 2);
    struct rng r = rng_for_test("levels");
    int n = test_is_long() ? 2000000 : test_is_sanitized() ? 5000 : 100000;

    (void)state;
    assert_non_null(w);
    for (int i = 0; i < n; i++) {
        struct board b = any_position(&r);

        check_levels(w, &b, BLACK);
        check_levels(w, &b, WHITE);
        check_steps(w, &b, BLACK);
        check_steps(w, &b, WHITE);
    }
    wall_free(&w);
}

/* Where brute force finds a deep block in n plies, n plies are allowed; and a wall that
 * asked for two plies more would be refuted here. */
static void check_brute(int rows, int n, int *found, int *tight)
{
    struct wall *w = wall_build(rows, PLIES, 2);
    struct rng r = rng_for_test("brute");

    assert_non_null(w);
    for (int i = 0; i < n; i++) {
        struct board b = any_position(&r);

        for (int plies = 0; plies <= 3; plies++) {
            enum side loser = (enum side)(b.turn ^ (plies & 1));
            struct brute_counts brute = {0};

            brute_games(&b, plies, &brute);
            if (brute.deep == 0)
                continue;
            ++*found;
            assert_true(wall_allows(w, placement_of(&b), loser, plies)); /* (W3) for 0 */
            *tight += plies >= 2 && !wall_allows(w, placement_of(&b), loser, plies - 2);
        }
    }
    wall_free(&w);
}

static void test_brute(void **state)
{
    int n = test_is_sanitized() ? 2000 : 20000, found = 0, tight = 0;

    (void)state;
    check_brute(2, n, &found, &tight);
    check_brute(3, n, &found, &tight);
    assert_true(found > n / 50 && tight > n / 1000); /* or the test shows nothing */
}

/* The same levels for one thread and for more. */
static void test_threads(void **state)
{
    struct wall *one = wall_build(3, PLIES, 1), *three = wall_build(3, PLIES, 3);

    (void)state;
    assert_non_null(one);
    assert_non_null(three);
    assert_int_equal(wall_states(one), 531441);
    for (int n = 0; n <= PLIES; n++)
        assert_int_equal(wall_count(one, n), wall_count(three, n));
    wall_free(&one);
    wall_free(&three);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves),   cmocka_unit_test(test_no_moves),
        cmocka_unit_test(test_levels),  cmocka_unit_test(test_brute),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
