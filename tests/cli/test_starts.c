/* SPDX-License-Identifier: MIT
 *
 * Where the games of a match start: never twice from one position, and never a man behind. */
#include "kit/test.h"

#include "cli/starts.h"
#include "core/movegen.h"

#include <string.h>

enum { ROUNDS = 3 };

static void open_starts(struct starts *s, int plies, uint64_t seed)
{
    struct error e = {0};

    if (starts_open(s, false, plies, seed, &e))
        fail_msg("%s", e.text);
}

static struct start take(struct starts *s)
{
    struct start out;
    struct error e = {0};

    if (starts_take(s, &out, &e))
        fail_msg("%s", e.text);
    return out;
}

static bool is_legal(const struct board *b, const struct move *m)
{
    struct move_list list;

    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++)
        if (memcmp(&list.move[i], m, sizeof *m) == 0)
            return true;
    return false;
}

/* The moves are legal, lead to the position and begin with a ballot of the deck. */
static void check_moves(const struct starts *s, const struct start *start, int plies)
{
    struct board b = board_start;

    assert_true(start->plies >= OPENING_PLIES + plies);
    for (int i = 0; i < start->plies; i++) {
        assert_true(is_legal(&b, &start->move[i]));
        b = board_after(&b, &start->move[i]);
        if (i + 1 == OPENING_PLIES)
            assert_non_null(openings_at(&s->openings, &b));
    }
    assert_true(board_equal(&b, &start->after));
}

/* Minimax of material, captures played out, without anything clever. */
static int material_after(const struct board *b, int depth)
{
    struct move_list list;
    int best = -SCORE_INFINITE, n = moves_generate(b, &list);

    if (n == 0)
        return -SCORE_WIN;
    if (depth <= 0 && !board_must_capture(b))
        return network_material(b);
    for (int i = 0; i < n; i++) {
        struct board next = board_after(b, &list.move[i]);
        int score = -material_after(&next, depth - 1);

        best = score > best ? score : best;
    }
    return best;
}

/* (T1), (T3): all rounds, the first without random plies. */
static void test_all_different(void **state)
{
    struct starts s;
    struct start *all;
    int count;

    (void)state;
    open_starts(&s, 0, 1);
    count = ROUNDS * s.count;
    assert_int_equal(s.count, OPENINGS_PLAYED);
    assert_non_null(all = malloc((size_t)count * sizeof *all));
    for (int i = 0; i < count; i++) {
        bool first = i < s.count;

        all[i] = take(&s);
        check_moves(&s, &all[i], first ? 0 : STARTS_RANDOM);
        assert_true(!first || all[i].plies == OPENING_PLIES);
        assert_true(moves_count(&all[i].after) > 0);
        for (int k = 0; k < i; k++)
            assert_false(board_equal(&all[i].after, &all[k].after));
        if (i % 200 == 199)
            assert_true(abs(material_after(&all[i].after, STARTS_DEPTH)) < SCORE_MAN);
    }
    free(all);
    starts_close(&s);
}

/* (T2) */
static void test_seeds(void **state)
{
    struct starts a, b, c;
    int same = 0;

    (void)state;
    open_starts(&a, 4, 7);
    open_starts(&b, 4, 7);
    open_starts(&c, 4, 8);
    for (int i = 0; i < 40; i++) {
        struct start x = take(&a), y = take(&b), z = take(&c);

        check_moves(&a, &x, 4);
        assert_true(x.plies == y.plies && board_equal(&x.after, &y.after));
        same += board_equal(&x.after, &z.after);
    }
    assert_true(same < 20);
    starts_close(&a);
    starts_close(&b);
    starts_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_different),
                                       cmocka_unit_test(test_seeds)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
