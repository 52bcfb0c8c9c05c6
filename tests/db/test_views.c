/* SPDX-License-Identifier: MIT
 *
 * Views side by side against boards one by one: turning, jumpers, captures (J1). */
#include "kit/positions.h"
#include "kit/test.h"

#include "core/movegen.h"
#include "db/views.h"

enum { COUNT = 1001 }; /* of no vector a multiple */

/* Columns, each with a guard behind it. */
struct columns {
    uint32_t of[4][COUNT + 1];
    struct views views;
};

static void columns_open(struct columns *c)
{
    memset(c->of, 0x99, sizeof c->of);
    c->views = (struct views){c->of[0], c->of[1], c->of[2], c->of[3]};
}

static void columns_check(const struct columns *c)
{
    for (int i = 0; i < 4; i++)
        assert_int_equal(c->of[i][COUNT], 0x99999999);
}

static bool view_equal(struct view a, struct view b)
{
    return a.men == b.men && a.kings == b.kings && a.opp_men == b.opp_men &&
           a.opp_kings == b.opp_kings;
}

/* Few pieces and many; either colour to move. */
static void boards_random(struct rng *r, struct board boards[COUNT])
{
    for (int i = 0; i < COUNT; i++)
        boards[i] = i % 2 ? random_pieces(r, 2 + rng_below(r, 8), 2) : random_position(r);
}

/* The mover's pieces turned or not, the twin: view_of, which turns White's. */
static void test_turn(void **state)
{
    static struct board boards[COUNT];
    static struct columns c;
    static uint32_t turn[COUNT];
    struct rng r = rng_for_test("turn");

    (void)state;
    boards_random(&r, boards);
    columns_open(&c);
    for (int i = 0; i < COUNT; i++) {
        const struct board *b = &boards[i];

        turn[i] = b->turn == WHITE ? UINT32_MAX : 0;
        views_set(&c.views, (size_t)i,
                  (struct view){squares_pack(board_men(b, b->turn)),
                                squares_pack(board_kings(b, b->turn)),
                                squares_pack(board_men(b, side_other(b->turn))),
                                squares_pack(board_kings(b, side_other(b->turn)))});
    }
    views_turn(&c.views, COUNT, turn);
    for (int i = 0; i < COUNT; i++)
        assert_true(view_equal(views_get(&c.views, (size_t)i), view_of(&boards[i])));
    views_pass(&c.views, COUNT);
    for (int i = 0; i < COUNT; i++) {
        boards[i].turn = side_other(boards[i].turn);
        assert_true(view_equal(views_get(&c.views, (size_t)i), view_of(&boards[i])));
    }
    columns_check(&c);
}

/* Each move of the board is one of the `n` views, and there are no others.  Equal views may come
 * from different paths: each view is used once. */
static void captures_compare(const struct board *b, struct columns *c, uint32_t n)
{
    bool used[MOVES_MAX] = {false};
    struct move_list list;

    views_pass(&c->views, n);
    moves_generate(b, &list);
    assert_int_equal(list.count, n);
    for (int m = 0; m < list.count; m++) {
        struct board next = board_after(b, &list.move[m]);
        struct view expected = view_of(&next);
        uint32_t k = 0;

        while (k < n && (used[k] || !view_equal(views_get(&c->views, k), expected)))
            k++;
        assert_true(k < n);
        used[k] = true;
    }
}

static void test_captures(void **state)
{
    static struct board boards[COUNT];
    static struct columns c, after;
    static uint32_t jumpers[COUNT];
    struct rng r = rng_for_test("captures");
    int captures = 0, several = 0;

    (void)state;
    for (int round = 0; round < 100; round++) {
        boards_random(&r, boards);
        columns_open(&c);
        for (int i = 0; i < COUNT; i++)
            views_set(&c.views, (size_t)i, view_of(&boards[i]));
        views_jumpers(&c.views, COUNT, jumpers);
        for (int i = 0; i < COUNT; i++) {
            squares expected = board_jumpers(&boards[i], boards[i].turn);
            struct view view = views_get(&c.views, (size_t)i);
            uint32_t n;

            if (boards[i].turn == WHITE)
                expected = squares_flip(expected);
            assert_int_equal(jumpers[i], squares_pack(expected));
            if (!jumpers[i])
                continue;
            columns_open(&after);
            n = views_capture(&view, jumpers[i], &after.views);
            captures_compare(&boards[i], &after, n);
            captures++;
            several += n > 1;
        }
        columns_check(&c);
    }
    assert_true(captures > 5000 && several > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turn),
        cmocka_unit_test(test_captures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
