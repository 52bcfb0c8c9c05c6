/* SPDX-License-Identifier: MIT
 *
 * Un-moves: every move undone is found, and nothing else. */
#include "kit/test.h"

#include "core/movegen.h"
#include "core/unmove.h"
#include "kit/positions.h"

struct pair {
    struct board before;
    struct move move;
};

struct collection {
    int pieces_max; /* pairs with more pieces before are left out; 0 leaves out none */
    int count, capacity;
    struct pair *pair;
};

static int pieces(const struct board *b)
{
    return squares_count(b->side[BLACK] | b->side[WHITE]);
}

static bool collect(void *context, const struct board *before, const struct move *m)
{
    struct collection *c = context;

    if (c->pieces_max && pieces(before) > c->pieces_max)
        return true;
    if (c->count == c->capacity) {
        c->capacity = 2 * c->capacity + 100;
        c->pair = realloc(c->pair, (size_t)c->capacity * sizeof *c->pair);
        assert_non_null(c->pair);
    }
    c->pair[c->count++] = (struct pair){*before, *m};
    return true;
}

static bool list_has(const struct board *b, const struct move *m)
{
    struct move_list list;

    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++)
        if (move_equal(&list.move[i], m))
            return true;
    return false;
}

/* (U1): the pair is legal and leads here. */
static void check_pair(const struct pair *p, const struct board *after)
{
    struct board next = board_after(&p->before, &p->move);

    assert_true(board_valid(&p->before));
    assert_true(board_equal(&next, after));
    assert_true(list_has(&p->before, &p->move));
}

/* An order over all fields, to bring equal pairs together. */
static int compare_pairs(const void *a, const void *b)
{
    const struct pair *p = a, *q = b;
    int c = memcmp(p->before.side, q->before.side, sizeof p->before.side);

    if (!c)
        c = memcmp(&p->before.kings, &q->before.kings, sizeof p->before.kings);
    if (!c)
        c = memcmp(&p->move.captured, &q->move.captured, sizeof p->move.captured);
    if (!c)
        c = (p->move.from - q->move.from) * 64 + p->move.to - q->move.to;
    return c ? c : memcmp(p->move.via, q->move.via, sizeof p->move.via);
}

static void collect_all(const struct board *after, struct collection *c)
{
    int given;

    c->count = 0;
    given = unmoves_visit(after, UNMOVE_ALL, collect, c);
    assert_true(c->pieces_max || given == c->count);
    if (c->count)
        qsort(c->pair, (size_t)c->count, sizeof *c->pair, compare_pairs);
    for (int i = 0; i < c->count; i++) {
        check_pair(&c->pair[i], after);
        if (i) /* each pair once */
            assert_int_not_equal(compare_pairs(&c->pair[i - 1], &c->pair[i]), 0);
    }
}

static int find_pair(const struct collection *c, const struct board *before, const struct move *m)
{
    int found = 0;

    for (int i = 0; i < c->count; i++)
        found += board_equal(&c->pair[i].before, before) && move_equal(&c->pair[i].move, m);
    return found;
}

/* Forward from random positions, then back. */
static void test_moves_are_found(void **state)
{
    struct rng r = rng_for_test("moves are found");
    struct collection c = {0};

    (void)state;
    for (int i = 0; i < (test_is_sanitized() ? 50 : 2000); i++) {
        struct board b = random_position(&r);
        struct move_list list;

        moves_generate(&b, &list);
        for (int k = 0; k < list.count; k++) {
            struct board after = board_after(&b, &list.move[k]);

            collect_all(&after, &c);
            assert_int_equal(find_pair(&c, &b, &list.move[k]), 1);
        }
    }
    free(c.pair);
}

/* Over all positions with at most N pieces the moves that stay among them are as many
 * as the un-moves; as each un-move is legal and given once, none is missing. */
struct totals {
    uint64_t moves, unmoves;
    struct collection c;
};

static void add_position(void *context, const struct board *b)
{
    struct totals *t = context;

    t->moves += (uint64_t)moves_count(b);
    collect_all(b, &t->c);
    t->unmoves += (uint64_t)t->c.count;
}

static void test_totals(void **state)
{
    struct totals t = {.c.pieces_max = test_is_sanitized() ? 2 : 3};

    (void)state;
    for (int n = 0; n <= t.c.pieces_max; n++)
        each_position(n, add_position, &t);
    printf("# %llu moves\n", (unsigned long long)t.moves);
    assert_int_equal(t.moves, t.unmoves);
    free(t.c.pair);
}

static void test_kinds(void **state)
{
    struct rng r = rng_for_test("kinds");
    struct collection all = {0}, quiet = {0}, captures = {0};

    (void)state;
    for (int i = 0; i < (test_is_sanitized() ? 200 : 2000); i++) {
        struct board b = random_position(&r);

        all.count = quiet.count = captures.count = 0;
        unmoves_visit(&b, UNMOVE_ALL, collect, &all);
        unmoves_visit(&b, UNMOVE_QUIET, collect, &quiet);
        unmoves_visit(&b, UNMOVE_CAPTURES, collect, &captures);
        assert_int_equal(all.count, quiet.count + captures.count);
        for (int k = 0; k < quiet.count; k++)
            assert_false(move_is_capture(&quiet.pair[k].move));
        for (int k = 0; k < captures.count; k++)
            assert_true(move_is_capture(&captures.pair[k].move));
    }
    free(all.pair);
    free(quiet.pair);
    free(captures.pair);
}

static bool stop_at_third(void *context, const struct board *before, const struct move *m)
{
    (void)before, (void)m;
    return ++*(int *)context < 3;
}

static void test_stop(void **state)
{
    struct rng r = rng_for_test("stop");
    struct collection c = {0};

    (void)state;
    for (int i = 0; i < 1000; i++) {
        struct board b = random_position(&r);
        int seen = 0, given = unmoves_visit(&b, UNMOVE_ALL, stop_at_third, &seen);

        c.count = 0;
        unmoves_visit(&b, UNMOVE_ALL, collect, &c);
        assert_int_equal(given, c.count < 3 ? c.count : 3);
        assert_int_equal(seen, given);
    }
    free(c.pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves_are_found),
        cmocka_unit_test(test_totals),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
