/* SPDX-License-Identifier: MIT
 *
 * The endings of kings against one king: every position against the tables, and the player that
 * has only them wins. */
#include "kit/test.h"

#include "kit/built.h"

#include "core/movegen.h"
#include "search/kings.h"
#include "search/search.h"

#include <stdlib.h>

enum { PIECES = 3 };

static struct outcome outcome_at(const struct tables *t, const struct board *b)
{
    struct outcome o;
    struct error e;

    if (tables_outcome(t, b, KIND_DTW, &o, &e))
        fail_msg("%s", e.text);
    return o;
}

static struct kings *make(void)
{
    struct kings *k = malloc(sizeof *k);

    assert_non_null(k);
    assert_true(kings_make(k));
    return k;
}

/* Kings of `us` on two squares (or one, twice), the other's on a third. */
static bool place(struct board *b, enum side us, enum side turn, int one, int two, int other)
{
    squares hunters = squares_of(square_from_number(one)) | squares_of(square_from_number(two));
    squares hunted = squares_of(square_from_number(other));

    *b = (struct board){.turn = turn, .kings = hunters | hunted};
    b->side[us] = hunters;
    b->side[side_other(us)] = hunted;
    return !(hunters & hunted);
}

static void check(const struct kings *k, const struct tables *t, const struct board *b, int *won)
{
    struct outcome o = outcome_at(t, b);
    enum side winner;
    int plies;
    bool lone = squares_count(b->side[BLACK]) == 1 && squares_count(b->side[WHITE]) == 1;

    if (kings_find(k, b, &winner, &plies)) {
        assert_int_equal(o.value, winner == b->turn ? VALUE_WIN : VALUE_LOSS);
        assert_int_equal(o.plies, plies);
        (*won)++;
    } else if (o.value != VALUE_DRAW) { /* only the one that is hunted may win unnoticed */
        enum side lost = o.value == VALUE_WIN ? side_other(b->turn) : b->turn;

        assert_false(lone);
        assert_int_equal(squares_count(b->side[lost]), 2);
    }
}

/* (K1) */
static void every_position_agrees(void **state)
{
    const struct tables *t = ((struct built *)*state)->tables;
    struct kings *k = make();
    int won = 0;

    for (int side = 0; side < 4; side++)
        for (int one = 1; one <= 32; one++)
            for (int two = one; two <= 32; two++)
                for (int other = 1; other <= 32; other++) {
                    struct board b;

                    if (place(&b, side & 1 ? WHITE : BLACK, side & 2 ? WHITE : BLACK, one, two,
                              other))
                        check(k, t, &b, &won);
                }
    print_message("%d wins\n", won);
    assert_true(won > 50000);
    free(k);
}

/* Other positions are not its business. */
static void others_are_unknown(void **state)
{
    struct kings *k = make();
    enum side winner;
    struct board b;
    int plies;

    (void)state;
    assert_false(kings_find(k, &board_start, &winner, &plies));
    place(&b, BLACK, BLACK, 10, 14, 28);
    assert_true(kings_find(k, &b, &winner, &plies));
    b.kings &= ~squares_of(square_from_number(10));
    assert_false(kings_find(k, &b, &winner, &plies));
    place(&b, BLACK, BLACK, 10, 14, 28);
    b.side[WHITE] |= squares_of(square_from_number(32));
    b.kings |= squares_of(square_from_number(32));
    assert_false(kings_find(k, &b, &winner, &plies));
    free(k);
}

/* Without any table, to depth 3, against the defence that holds out longest: each
 * move is the shortest win's. */
static void two_kings_win(void **state)
{
    const struct tables *t = ((struct built *)*state)->tables;
    struct search *s;
    struct search_result r;
    struct error e;
    struct board b;

    if (search_open(&s, &(struct search_options){.hash = 1 << 20}, &e))
        fail_msg("%s", e.text);
    place(&b, WHITE, WHITE, 7, 10, 28);
    assert_int_equal(outcome_at(t, &b).plies, 27);
    for (int left = 27; left > 0; left--) {
        assert_int_equal(outcome_at(t, &b).plies, left);
        if (search_run(s, &b, NULL, 0, &(struct search_limits){.depth = 3}, &r, &e))
            fail_msg("%s", e.text);
        assert_int_equal(score_plies(r.line[0].score), left);
        assert_true(r.line[0].proven);
        b = board_after(&b, &r.line[0].pv[0]);
    }
    assert_int_equal(moves_count(&b), 0);
    search_close(&s);
}

static int set_up(void **state)
{
    return built_setup(state, PIECES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_position_agrees),
        cmocka_unit_test(others_are_unknown),
        cmocka_unit_test(two_kings_win),
    };

    return cmocka_run_group_tests(tests, set_up, built_teardown);
}
