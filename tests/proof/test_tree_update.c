/* SPDX-License-Identifier: MIT
 *
 * Sets and numbers of a tree that grows, result by result, against the slow evaluation of the
 * whole graph: the same after every step, through transpositions and repetitions. */
#include "kit/positions.h"
#include "kit/test.h"
#include "kit/world.h"

#include "proof/estimate.h"
#include "proof/numbers.h"

/* --------------------------------------------------------------- the slow twin -- */

/* Flags of each node, by side; passes over all nodes until nothing changes. */
struct slow {
    uint8_t (*exact)[2], (*likely)[2];
    uint64_t (*proof)[2], (*disproof)[2];
};

static bool slow_follows(const struct tree *t, uint8_t (*set)[2], uint32_t i, enum side side,
                         unsigned flag)
{
    const struct tree_node *n = &t->node[i];
    bool one = (n->board.turn == side) == (flag == TREE_WINS);
    uint32_t have = 0;

    for (uint32_t k = 0; k < n->count; k++)
        have += (set[t->edge[n->first + k].child][side] & flag) != 0;
    return one ? have > 0 : have == n->count;
}

static unsigned slow_bounds(const struct tree_node *n, enum side side)
{
    struct bounds b = n->record.own;

    if (n->board.turn != side)
        b = (struct bounds){value_negate(b.upper), value_negate(b.lower)};
    return (b.lower == VALUE_WIN ? TREE_WINS : 0) | (b.upper != VALUE_WIN ? TREE_HOLDS : 0);
}

static unsigned slow_score(const struct tree_node *n, enum side side, int threshold)
{
    int score = n->board.turn == side ? n->record.score : -n->record.score;

    if (!n->has_record || n->by_table || n->record.expanded)
        return 0;
    return score >= threshold ? TREE_WINS : score <= -threshold ? TREE_HOLDS : 0;
}

static void slow_set(const struct tree *t, uint8_t (*set)[2], uint8_t (*exact)[2], enum side side)
{
    bool changed = true;

    for (uint32_t i = 0; i < t->nodes; i++) {
        unsigned own = exact ? exact[i][side] : slow_bounds(&t->node[i], side);

        set[i][side] = (uint8_t)(own || !exact ? own : slow_score(&t->node[i], side, t->threshold));
    }
    while (changed) { /* the least set of wins */
        changed = false;
        for (uint32_t i = 0; i < t->nodes; i++)
            if (!(set[i][side] & (exact ? TREE_WINS | TREE_HOLDS : TREE_WINS)) &&
                t->node[i].record.expanded && slow_follows(t, set, i, side, TREE_WINS))
                changed = set[i][side] |= TREE_WINS;
    }
    for (uint32_t i = 0; i < t->nodes; i++) /* the largest of holds */
        if (t->node[i].record.expanded && !(set[i][side] & TREE_WINS))
            set[i][side] |= TREE_HOLDS;
    for (changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < t->nodes; i++)
            if (set[i][side] & TREE_HOLDS && t->node[i].record.expanded &&
                !(slow_bounds(&t->node[i], side) & TREE_HOLDS) &&
                !slow_follows(t, set, i, side, TREE_HOLDS)) {
                set[i][side] &= (uint8_t)~TREE_HOLDS;
                changed = true;
            }
    }
}

/* What node i counts for one at `level` that leads to it. */
static uint64_t slow_part(const struct tree *t, const struct slow *s, uint32_t i, enum side side,
                          uint32_t level, bool proof)
{
    unsigned flags = s->likely[i][side];

    if (flags)
        return proof == !(flags & TREE_WINS) ? NUMBER_MAX : 0;
    if (t->node[i].level <= level)
        return NUMBER_ELSEWHERE;
    return proof ? s->proof[i][side] : s->disproof[i][side];
}

/* One node, after all deeper ones. */
static uint64_t slow_number(const struct tree *t, const struct slow *s, uint32_t i, enum side side,
                            bool proof)
{
    const struct tree_node *n = &t->node[i];
    struct estimate guess =
        estimate_numbers(&n->board, side, tables_distance(t->tables, &n->board));
    uint64_t min = NUMBER_MAX, sum = 0;

    if (s->likely[i][side])
        return slow_part(t, s, i, side, 0, proof);
    if (!n->record.expanded)
        return n->task ? NUMBER_ELSEWHERE : proof ? guess.proof : guess.disproof;
    for (uint32_t k = 0; k < n->count; k++) {
        uint64_t one = slow_part(t, s, t->edge[n->first + k].child, side, n->level, proof);

        min = one < min ? one : min;
        sum = sum + one < NUMBER_MAX ? sum + one : NUMBER_MAX;
    }
    return (n->board.turn == side) == proof ? min : sum;
}

static void slow_evaluate(const struct tree *t, bool numbers, struct slow *s)
{
    uint32_t deepest = 0;

    for (enum side side = BLACK; side <= WHITE; side++) {
        slow_set(t, s->exact, NULL, side);
        slow_set(t, s->likely, s->exact, side);
    }
    for (uint32_t i = 0; i < t->nodes; i++)
        deepest = t->node[i].level > deepest ? t->node[i].level : deepest;
    for (uint32_t level = numbers ? deepest + 1 : 0; level-- > 0;)
        for (uint32_t i = 0; i < t->nodes; i++)
            if (t->node[i].level == level)
                for (enum side side = BLACK; side <= WHITE; side++) {
                    s->proof[i][side] = slow_number(t, s, i, side, true);
                    s->disproof[i][side] = slow_number(t, s, i, side, false);
                }
}

/* ------------------------------------------------------------------ comparing -- */

struct counts {
    int steps, wins, holds, likely, cycles, choices;
    uint64_t evaluations;
};

static void compare(const struct tree *t, bool numbers, struct counts *c)
{
    struct slow s = {calloc(t->nodes, sizeof *s.exact), calloc(t->nodes, sizeof *s.likely),
                     calloc(t->nodes, sizeof *s.proof), calloc(t->nodes, sizeof *s.disproof)};

    slow_evaluate(t, numbers, &s);
    for (uint32_t i = 0; i < t->nodes; i++) {
        const struct tree_node *n = &t->node[i];

        for (enum side side = BLACK; side <= WHITE; side++) {
            assert_int_equal(n->exact[side], s.exact[i][side]);
            assert_int_equal(n->likely[side], s.likely[i][side]);
            assert_true(!numbers || n->proof[side] == s.proof[i][side]);
            assert_true(!numbers || n->disproof[side] == s.disproof[i][side]);
            c->wins += n->record.expanded && n->exact[side] & TREE_WINS;
            c->holds += n->record.expanded && n->exact[side] & TREE_HOLDS;
            c->likely += n->likely[side] && !n->exact[side];
        }
        for (uint32_t k = 0; k < n->count; k++)
            c->cycles += t->node[t->edge[n->first + k].child].level <= n->level;
    }
    free(s.exact);
    free(s.likely);
    free(s.proof);
    free(s.disproof);
}

/* A win rests on nodes of lower rank. */
static void ranks_check(const struct tree *t)
{
    for (uint32_t i = 0; i < t->nodes; i++)
        for (enum side side = BLACK; side <= WHITE; side++) {
            const struct tree_node *n = &t->node[i];
            bool one = n->board.turn == side;
            uint32_t before = 0;

            if (!n->rank[side])
                continue;
            for (uint32_t k = 0; k < n->count; k++) {
                const struct tree_node *c = &t->node[t->edge[n->first + k].child];

                before += c->exact[side] & TREE_WINS && c->rank[side] < n->rank[side];
            }
            assert_true(one ? before > 0 : before == n->count);
        }
}

/* ----------------------------------------------------------------------- growing -- */

static enum value truth(const struct world *w, const struct board *b)
{
    enum value v;

    assert_int_equal(tables_value(w->tables.tables, b, &v, NULL), STATUS_OK);
    return v;
}

/* A search of leaf i: some bounds, all true, and a score, true or not. */
static void leaf_search(const struct world *w, struct tree *t, struct rng *r, uint32_t i)
{
    struct tree_node *n = &t->node[i];
    enum value v = truth(w, &n->board);
    struct bounds b = {rng_below(r, 2) ? VALUE_LOSS : v, rng_below(r, 2) ? VALUE_WIN : v};

    bounds_join(&n->record.own, b);
    n->record.bounds = n->record.own;
    n->record.score = rng_below(r, 400) - 200;
    n->has_record = true;
}

/* One thing that a manager may do to node i. */
static void step(const struct world *w, struct tree *t, struct numbers *x, struct rng *r,
                 uint32_t i)
{
    uint32_t fresh = (uint32_t)t->nodes;

    if (t->node[i].by_table || t->node[i].record.expanded)
        return;
    if (rng_below(r, 5) == 0) {
        t->node[i].task = !t->node[i].task;
    } else if (rng_below(r, 2)) {
        leaf_search(w, t, r, i);
        assert_int_equal(tree_update(t, i, fresh, NULL), STATUS_OK);
    } else {
        t->node[i].task = 0;
        assert_int_equal(tree_expand(t, i, NULL), STATUS_OK);
        assert_int_equal(tree_update(t, i, fresh, NULL), STATUS_OK);
    }
    assert_int_equal(numbers_update(x, i, fresh, NULL), STATUS_OK);
    tree_settled(t);
}

/* What following the least numbers reaches, read from the nodes themselves: a leaf to search, or
 * TREE_NONE if it comes to one under way or to where it has been. */
static uint32_t slow_choice(const struct tree *t, enum side attacker)
{
    uint32_t i = 0;

    for (uint32_t steps = 0; steps <= t->nodes; steps++) {
        const struct tree_node *n = &t->node[i];
        uint64_t least = UINT64_MAX;

        if (!n->record.expanded)
            return n->task ? TREE_NONE : i;
        for (uint32_t k = 0; k < n->count; k++) {
            uint32_t child = t->edge[n->first + k].child;
            const struct tree_node *c = &t->node[child];
            uint64_t one = c->level <= n->level        ? NUMBER_ELSEWHERE
                           : n->board.turn == attacker ? c->proof[attacker]
                                                       : c->disproof[attacker];

            if (!c->likely[attacker] && one < least) {
                least = one;
                i = child;
            }
        }
        if (least == UINT64_MAX)
            return TREE_NONE;
    }
    return TREE_NONE;
}

static void choice_check(struct tree *t, struct numbers *x, struct counts *c)
{
    for (enum side attacker = BLACK; attacker <= WHITE; attacker++) {
        uint32_t slow, leaf;

        if (t->node[0].likely[attacker])
            continue;
        assert_int_equal(numbers_choose(x, 0, attacker, &leaf, NULL), STATUS_OK);
        slow = slow_choice(t, attacker);
        assert_true(slow == TREE_NONE || slow == leaf);
        assert_true(leaf == TREE_NONE || (!t->node[leaf].record.expanded && !t->node[leaf].task));
        c->choices += slow != TREE_NONE;
    }
}

static void one_tree(const struct world *w, struct rng *r, int steps, struct counts *c)
{
    struct tree t = {.tables = w->known};
    struct numbers x = {.tree = &t};
    struct board root;
    uint32_t at;

    do
        root = random_pieces(r, 3 + rng_below(r, WORLD_PIECES - 2), 1 + rng_below(r, 6));
    while (tables_knows(w->known, &root));
    assert_int_equal(tree_add(&t, &root, 0, &at, NULL), STATUS_OK);
    assert_int_equal(tree_evaluate(&t, 150, NULL), STATUS_OK);
    assert_int_equal(numbers_reset(&x, NULL), STATUS_OK);
    tree_settled(&t);
    for (int i = 0; i < steps; i++) {
        /* near the root or anywhere: both wide and deep trees */
        uint32_t most = rng_below(r, 3) ? (uint32_t)(t.nodes + 3) / 4 : (uint32_t)t.nodes;

        bool settle = rng_below(r, 3); /* or gather more changes first */

        step(w, &t, &x, r, (uint32_t)rng_below(r, (int)most));
        if (settle)
            assert_int_equal(numbers_settle(&x, NULL), STATUS_OK);
        compare(&t, settle, c);
        if (rng_below(r, 3) == 0)
            choice_check(&t, &x, c);
        c->steps++;
    }
    ranks_check(&t);
    assert_int_equal(tree_evaluate(&t, 80, NULL), STATUS_OK);
    assert_int_equal(numbers_reset(&x, NULL), STATUS_OK);
    compare(&t, true, c);
    c->evaluations += t.evaluations;
    numbers_close(&x);
    tree_close(&t);
}

/* Has every case come up? */
static bool all_met(const struct counts *c)
{
    return c->wins && c->holds && c->likely && c->cycles && c->choices;
}

static void test_updates(void **state)
{
    struct rng r = rng_for_test("updates");
    int rounds = test_is_sanitized() ? 6 : test_is_long() ? 1000 : 60;
    struct counts c = {0};

    for (int i = 0; i < rounds || (i < 20 * rounds && !all_met(&c)); i++)
        one_tree(*state, &r, 40 + rng_below(&r, 200), &c);
    printf("# %d steps, %d wins, %d holds, %d likely, %d edges back, %d choices, %d whole "
           "evaluations\n",
           c.steps, c.wins, c.holds, c.likely, c.cycles, c.choices, (int)c.evaluations);
    assert_true(all_met(&c));
    assert_true(c.evaluations < (uint64_t)c.steps / 2); /* most were updates */
}

/* ------------------------------------------------------------------ any graphs -- */

enum { GRAPH = 24 };

/* Edges from node i to any nodes whatever: a tree of no game, with cycles everywhere. */
static void graph_expand(struct tree *t, struct rng *r, uint32_t i)
{
    struct tree_node *n = &t->node[i];

    n->first = (uint32_t)t->edges;
    n->count = (uint32_t)rng_below(r, 4);
    n->record.expanded = true;
    for (uint32_t k = 0; k < n->count; k++) {
        uint32_t child = (uint32_t)rng_below(r, GRAPH);

        t->edge[t->edges] = (struct tree_edge){child, i, t->node[child].parents, {0}, {0}};
        t->node[child].parents = (uint32_t)t->edges++;
    }
}

static void graph_search(struct tree_node *n, struct rng *r)
{
    struct bounds b = {(enum value)rng_below(r, 3), (enum value)rng_below(r, 3)};

    if (b.lower <= b.upper && bounds_join(&n->record.own, b))
        n->record.bounds = n->record.own;
    n->record.score = rng_below(r, 400) - 200;
    n->has_record = true;
}

static void one_graph(struct rng *r, struct counts *c)
{
    struct tree_node node[GRAPH] = {0};
    struct tree_edge edge[4 * GRAPH];
    struct tree t = {.node = node, .nodes = GRAPH, .edge = edge};

    for (uint32_t i = 0; i < GRAPH; i++) {
        node[i].board.turn = (enum side)rng_below(r, 2);
        node[i].parents = TREE_NONE;
        node[i].record.own = node[i].record.bounds = bounds_unknown;
    }
    assert_int_equal(tree_evaluate(&t, 150, NULL), STATUS_OK);
    for (int k = 0; k < 3 * GRAPH; k++) {
        uint32_t i = (uint32_t)rng_below(r, GRAPH);

        if (node[i].record.expanded)
            continue;
        if (rng_below(r, 3) && !bounds_known(node[i].record.own))
            graph_expand(&t, r, i);
        else
            graph_search(&node[i], r);
        assert_int_equal(tree_update(&t, i, GRAPH, NULL), STATUS_OK);
        compare(&t, false, c);
        c->steps++;
    }
    ranks_check(&t);
    c->evaluations += t.evaluations;
    free(t.touched.node);
    free(t.work.node);
    free(t.suspects.node);
}

static void test_graphs(void **state)
{
    struct rng r = rng_for_test("graphs");
    int rounds = test_is_sanitized() ? 200 : test_is_long() ? 100000 : 2000;
    struct counts c = {0};

    (void)state;
    for (int i = 0; i < rounds; i++)
        one_graph(&r, &c);
    printf("# %d steps, %d wins, %d holds, %d likely, %d whole evaluations\n", c.steps, c.wins,
           c.holds, c.likely, (int)c.evaluations);
    assert_true(c.wins && c.holds && c.likely);
    assert_true(c.evaluations < (uint64_t)c.steps / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_updates),
        cmocka_unit_test(test_graphs),
    };

    return cmocka_run_group_tests(tests, world_open, world_close);
}
