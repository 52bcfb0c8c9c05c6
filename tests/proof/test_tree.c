/* SPDX-License-Identifier: MIT
 *
 * The tree of a proof, and the part of it that is needed, against the tables: where all leaves
 * are known every value follows, through repetitions or not; where some are not, nothing that
 * follows is wrong. */
#include "kit/positions.h"
#include "kit/test.h"
#include "kit/world.h"

#include "proof/minimal.h"

enum { NODES = 400 };

static enum value truth(const struct world *w, const struct board *b)
{
    enum value v;

    assert_int_equal(tables_value(w->tables.tables, b, &v, NULL), STATUS_OK);
    return v;
}

/* A random position and what it leads to; `unknown` per cent of the leaves are not known, or only
 * from one side. */
static struct tree tree_random(const struct world *w, struct rng *r, int unknown)
{
    struct tree t = {.tables = w->known};
    struct board root;
    uint32_t at;

    do
        root = random_pieces(r, 3 + rng_below(r, WORLD_PIECES - 2), 4);
    while (tables_knows(w->known, &root));
    assert_int_equal(tree_add(&t, &root, 0, &at, NULL), STATUS_OK);
    for (uint32_t i = 0; i < t.nodes && t.nodes < NODES; i++)
        if (!t.node[i].by_table)
            assert_int_equal(tree_expand(&t, i, NULL), STATUS_OK);
    for (uint32_t i = 0; i < t.nodes; i++) {
        struct tree_node *n = &t.node[i];
        enum value v = truth(w, &n->board);
        struct bounds b = {v, v};

        if (n->by_table || n->record.expanded)
            continue;
        if (rng_below(r, 100) < unknown)
            b.lower = VALUE_LOSS;
        if (rng_below(r, 100) < unknown)
            b.upper = VALUE_WIN;
        n->record.bounds = n->record.own = b;
        n->has_record = true;
    }
    assert_int_equal(tree_evaluate(&t, 0, NULL), STATUS_OK);
    return t;
}

/* Where in a minimal tree before `end` a question about a node is answered; `end` if nowhere. */
static size_t item_find(const struct minimal *m, size_t end, uint32_t node,
                        const struct minimal_item *like)
{
    size_t i = 0;

    while (i < end && (m->item[i].node != node || m->item[i].attacker != like->attacker ||
                       m->item[i].wins != like->wins))
        i++;
    return i;
}

/* Does item i rest on what it should: the answer, or all successors, and wins on earlier ones? */
static void check_item(const struct tree *t, const struct minimal *m, size_t i)
{
    const struct minimal_item *item = &m->item[i];
    const struct tree_node *n = &t->node[item->node];
    bool one = (n->board.turn == item->attacker) == item->wins;
    size_t end = item->wins ? i : m->items;
    int answers = 0;

    for (uint32_t k = 0; !item->leaf && k < n->count; k++) {
        uint32_t child = t->edge[n->first + k].child;

        if (one && child != item->answer)
            continue;
        answers++;
        assert_true(t->node[child].by_table || item_find(m, end, child, item) < end);
    }
    assert_true(item->leaf || !one || answers);
}

/* What the root rests on is there, in order, true, and nothing twice. */
static void check_minimal(const struct world *w, struct tree *t, const struct minimal *m)
{
    for (size_t i = 0; i < m->items; i++) {
        const struct minimal_item *item = &m->item[i];
        const struct board *b = &t->node[item->node].board;
        enum value v = truth(w, b);

        v = b->turn == item->attacker ? v : value_negate(v);
        assert_int_equal(v == VALUE_WIN, item->wins);
        assert_int_equal(item_find(m, m->items, item->node, item), i);
        check_item(t, m, i);
    }
}

/* Questions about the root that the tree answers. */
static int root_items(const struct minimal *m)
{
    int n = 0;

    for (size_t i = 0; i < m->items; i++)
        n += m->item[i].ply == 0;
    return n;
}

static void test_trees(void **state)
{
    static const int unknown[] = {0, 5, 30};
    struct rng r = rng_for_test("trees");
    const struct world *w = *state;
    int rounds = test_is_sanitized() ? 30 : 300, proven[3] = {0};
    size_t items = 0;

    for (int i = 0; i < rounds; i++) {
        struct tree t = tree_random(w, &r, unknown[i % 3]);
        struct bounds root = tree_bounds(&t.node[0]);
        struct minimal m;

        for (uint32_t k = 0; k < t.nodes; k++) {
            struct bounds b = tree_bounds(&t.node[k]);
            enum value v = truth(w, &t.node[k].board);

            assert_true(b.lower <= v && v <= b.upper);
            assert_true(unknown[i % 3] || bounds_closed(b));
        }
        assert_int_equal(minimal_make(&t, 0, &m, NULL), STATUS_OK);
        assert_int_equal(m.items > 0, bounds_known(root));
        assert_int_equal(root_items(&m), bounds_closed(root) && root.lower == VALUE_DRAW
                                             ? 2 /* a draw has two sides */
                                             : bounds_known(root));
        check_minimal(w, &t, &m);
        proven[root.lower] += bounds_closed(root);
        items += m.items;
        minimal_free(&m);
        tree_close(&t);
    }
    printf("# %d wins, %d draws, %d losses; %zu positions needed\n", proven[VALUE_WIN],
           proven[VALUE_DRAW], proven[VALUE_LOSS], items);
    assert_true(proven[VALUE_WIN] && proven[VALUE_DRAW] && items > (size_t)rounds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees),
    };

    return cmocka_run_group_tests(tests, world_open, world_close);
}
