/* SPDX-License-Identifier: MIT
 *
 * The shape of a proof against what a plain recursion counts: (O1) to (O3) of outline.h. */
#include "kit/test.h"

#include "kit/golden.h"

#include "core/movegen.h"
#include "core/position.h"
#include "proof/outline.h"

/* A made-up proof: a part of all positions, chosen by their hash. */
struct part {
    uint64_t seed;
    int keep; /* of 16 */
};

static bool part_ask(void *context, const struct board *b, struct outline_fact *fact)
{
    const struct part *p = context;
    uint64_t h = (position_hash(position_of(b)) ^ p->seed) * UINT64_C(0x9E3779B97F4A7C15) >> 40;

    *fact = (struct outline_fact){.bounds = bounds_unknown, .expanded = h & 256, .open = h & 512};
    return (int)(h % 16) < p->keep;
}

static void check_node(const struct outline *o, uint32_t i)
{
    const struct outline_node *n = &o->node[i];
    uint32_t size = 1, open = n->fact.open;
    struct move_list legal;

    moves_generate(&o->node[n->parent].board, &legal);
    if (i) {
        struct board next = board_after(&o->node[n->parent].board, &legal.move[n->move]);

        assert_true(board_equal(&next, &n->board));
        assert_true(n->parent < i);
        assert_int_equal(n->level, o->node[n->parent].level + 1);
        assert_in_range(i, o->node[n->parent].first,
                        o->node[n->parent].first + o->node[n->parent].children - 1);
    }
    for (uint32_t k = 0; k < n->children; k++) {
        size += o->node[n->first + k].size;
        open += o->node[n->first + k].open;
    }
    assert_int_equal(n->size, size);
    assert_int_equal(n->open, open);
    assert_true(n->fact.expanded || n->children == 0);
}

static void check_least(const struct outline *o, uint32_t most)
{
    uint32_t least = outline_least_size(o, most), count = 0, below = 0;

    for (uint32_t i = 0; i < o->count; i++) {
        count += o->node[i].size >= least;
        below += o->node[i].size >= least - 1;
    }
    assert_true(count <= most);
    assert_true(least == 1 || below > most);
}

static void test_outlines(void **state)
{
    struct rng r = rng_for_test("outline");
    int large = 0, small = 0;

    (void)state;
    for (int i = 0; i < 60; i++) {
        struct part p = {rng_next(&r), 6 + rng_below(&r, 11)};
        struct board root = i % 2 ? board_start : golden_board("W:W20,24,28,K10:B8,11,12");
        struct outline o;
        struct error e;
        enum status rc = outline_make(&o, &root, part_ask, &p, NULL, &e);

        assert_true(rc == STATUS_OK || (rc == STATUS_MISSING && o.count == 0));
        for (uint32_t k = 0; k < o.count; k++)
            check_node(&o, k);
        assert_true(o.whole || o.count == OUTLINE_MAX);
        if (o.count) {
            assert_int_equal(o.node[0].size, o.count);
            check_least(&o, 1);
            check_least(&o, 50);
            check_least(&o, OUTLINE_MAX);
        }
        large += !o.whole;
        small += o.whole && o.count > 1;
        outline_free(&o);
    }
    assert_true(large > 0 && small > 0);
}

static void test_stops(void **state)
{
    atomic_bool stop = true;
    struct part p = {0, 16};
    struct outline o;
    struct error e;

    (void)state;
    assert_int_equal(outline_make(&o, &board_start, part_ask, &p, &stop, &e), STATUS_INTERRUPTED);
    outline_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outlines),
        cmocka_unit_test(test_stops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
