/* SPDX-License-Identifier: MIT
 *
 * reads.h: what the move generator finds is in the list, and the list is not all there is. */
#include "kit/positions.h"
#include "kit/test.h"

#include "core/movegen.h"
#include "db/reads.h"

enum { LIST_MAX = 1 << 14 };

struct list {
    int n;
    struct read read[LIST_MAX];
};

static void list_add(void *context, const struct read *r)
{
    struct list *l = context;

    assert_in_range(l->n, 0, LIST_MAX - 1);
    l->read[l->n++] = *r;
}

/* Is the position after a move in a block of the list? */
static const struct read *list_find(const struct list *l, const struct board *after)
{
    struct view v = view_of(after);
    struct slice s = view_slice(&v);

    for (int i = 0; i < l->n; i++)
        if (slice_equal(l->read[i].table, s) && packed_flip(l->read[i].opp_men) == v.men &&
            packed_flip(l->read[i].men) == v.opp_men)
            return &l->read[i];
    return NULL;
}

static void position_check(const struct board *b)
{
    static struct list all, captures;
    struct view v = view_of(b);
    struct slice s = view_slice(&v);
    struct move_list moves;

    all.n = captures.n = 0;
    reads_each(s, v.men, v.opp_men, false, list_add, &all);
    reads_each(s, v.men, v.opp_men, true, list_add, &captures);
    for (int i = 0, n = moves_generate(b, &moves); i < n; i++) {
        struct board after = board_after(b, &moves.move[i]);
        const struct read *found;

        if (!after.side[after.turn])
            continue;
        found = list_find(&all, &after);
        v = view_of(&after);
        if (slice_equal(view_slice(&v), slice_flip(s)) && packed_flip(v.opp_men) == view_of(b).men)
            continue; /* a king moved within the block */
        assert_non_null(found);
        assert_int_equal(found->same, slice_equal(found->table, slice_flip(s)));
        if (move_is_capture(&moves.move[i]))
            assert_non_null(list_find(&captures, &after));
    }
}

static void test_moves_lead_into_the_list(void **state)
{
    struct rng r = rng_for_test("reads");

    (void)state;
    for (int i = 0; i < (test_is_sanitized() ? 4000 : 40000); i++) {
        struct board b = random_pieces(&r, 2 + rng_below(&r, PIECES_MAX - 1), 1 + i % 3);

        position_check(&b);
    }
}

/* Captures need squares: a man on the edge stays, and so does one with a man behind it. */
static void test_what_cannot_be_is_left_out(void **state)
{
    static struct list l;

    (void)state;
    l.n = 0;
    reads_each((struct slice){1, 0, 1, 1}, 0, UINT32_C(1) << 20 /* square 21, at the edge */, true,
               list_add, &l);
    assert_int_equal(l.n, 1); /* the king is taken */
    l.n = 0;
    reads_each((struct slice){1, 0, 0, 2}, 0, UINT32_C(1) << 13 | UINT32_C(1) << 17, true, list_add,
               &l);
    for (int i = 0; i < l.n; i++)
        assert_int_not_equal(__builtin_popcount(l.read[i].opp_men), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves_lead_into_the_list),
        cmocka_unit_test(test_what_cannot_be_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
