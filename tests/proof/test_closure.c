/* SPDX-License-Identifier: MIT
 *
 * The check of tentative disproofs against its slow twin and against the tables: a table of the
 * search is filled with what may be right or wrong, and what the check confirms must be the
 * largest set that holds itself up, and true. */
#include "kit/positions.h"
#include "kit/test.h"
#include "kit/world.h"

#include "core/movegen.h"
#include "proof/closure.h"
#include "proof/position_map.h"

enum { NODES = 600 };

/* Positions that a root leads to, and what the search's table is told of them. */
struct graph {
    struct board board[NODES];
    enum pn_state before[NODES];
    bool reached[NODES], holds[NODES]; /* by the slow twin */
    int count;
    struct position_map map;
    enum side attacker;
};

/* Its number, or g->count. */
static int graph_find(const struct graph *g, const struct board *b)
{
    int64_t at = position_map_get(&g->map, position_of(b));

    return at == POSITION_MAP_NONE ? g->count : (int)at;
}

static void graph_add(struct graph *g, const struct board *b)
{
    assert_true(position_map_put(&g->map, position_of(b), (uint32_t)g->count));
    g->board[g->count++] = *b;
}

/* Breadth first, as far as there is room. */
static void graph_fill(struct graph *g, const struct tables *o)
{
    for (int i = 0; i < g->count; i++) {
        struct move_list list;

        moves_generate(&g->board[i], &list);
        for (int m = 0; m < list.count && g->count < NODES; m++) {
            struct board next = board_after(&g->board[i], &list.move[m]);

            if (!tables_knows(o, &next) && graph_find(g, &next) == g->count)
                graph_add(g, &next);
        }
    }
}

static bool attacker_wins(const struct tables *p, const struct board *b, enum side attacker)
{
    enum value v;

    assert_int_equal(tables_value(p, b, &v, NULL), STATUS_OK);
    return (b->turn == attacker ? v : value_negate(v)) == VALUE_WIN;
}

/* Decided entries are true, as those of a search are; tentative ones are anything. */
static void graph_guess(struct graph *g, const struct tables *p, struct rng *r, int open,
                        int decided)
{
    for (int i = 0; i < g->count; i++)
        g->before[i] = i && rng_below(r, 100) < open ? PN_OPEN
                       : i && rng_below(r, 100) < decided
                           ? attacker_wins(p, &g->board[i], g->attacker) ? PN_PROVEN : PN_DISPROVEN
                           : PN_TENTATIVE;
}

static bool child_safe(const struct graph *g, const struct tables *o, const struct board *b)
{
    int at = graph_find(g, b);

    if (tables_knows(o, b))
        return !attacker_wins(o, b, g->attacker);
    return at < g->count && (g->before[at] == PN_DISPROVEN || g->holds[at]);
}

/* Is position i held by what holds so far? */
static bool held(const struct graph *g, const struct tables *o, int i)
{
    bool all = true, some = false;
    struct move_list list;

    moves_generate(&g->board[i], &list);
    for (int m = 0; m < list.count; m++) {
        struct board next = board_after(&g->board[i], &list.move[m]);
        bool safe = child_safe(g, o, &next);

        all = all && safe;
        some = some || safe;
    }
    return g->board[i].turn == g->attacker ? all : some;
}

static void close_slowly(struct graph *g, const struct tables *o)
{
    bool changed = true;

    for (int i = 0; i < g->count; i++)
        g->holds[i] = g->before[i] == PN_TENTATIVE;
    while (changed) {
        changed = false;
        for (int i = 0; i < g->count; i++)
            if (g->holds[i] && !held(g, o, i)) {
                g->holds[i] = false;
                changed = true;
            }
    }
}

/* What the root can rest on: through tentative positions alone. */
static void reach(struct graph *g, int i)
{
    struct move_list list;

    g->reached[i] = true;
    moves_generate(&g->board[i], &list);
    for (int m = 0; m < list.count; m++) {
        struct board next = board_after(&g->board[i], &list.move[m]);
        int at = graph_find(g, &next);

        if (at < g->count && g->before[at] == PN_TENTATIVE && !g->reached[at])
            reach(g, at);
    }
}

static struct pn_table *table_of(const struct graph *g)
{
    struct pn_table *t = pn_table_create(UINT64_C(16) << 20, false);

    assert_non_null(t);
    for (int i = 0; i < g->count; i++) {
        struct pn_key key = pn_key_of(&g->board[i], g->attacker);
        struct pn_numbers n = {1, 1, g->before[i], 0};

        pn_table_put(t, &key, &n, 1000);
    }
    return t;
}

static void compare(struct graph *g, const struct world *w, int *confirmed, int *struck)
{
    struct pn_table *t = table_of(g);
    struct closure_result result;

    close_slowly(g, w->known);
    memset(g->reached, 0, sizeof g->reached);
    reach(g, 0);
    assert_int_equal(closure_check(t, w->known, &g->board[0], g->attacker, NULL, &result, NULL),
                     STATUS_OK);
    assert_int_equal(result.root, g->holds[0] ? PN_DISPROVEN : PN_OPEN);
    for (int i = 0; i < g->count; i++) {
        struct pn_key key = pn_key_of(&g->board[i], g->attacker);
        const struct pn_entry *e = pn_table_entry(t, &key);
        bool ours = g->before[i] == PN_TENTATIVE && g->reached[i];

        assert_non_null(e);
        assert_int_equal(e->mark, 0);
        assert_int_equal(e->state, !ours ? g->before[i] : g->holds[i] ? PN_DISPROVEN : PN_OPEN);
        if (e->state == PN_DISPROVEN)
            assert_false(attacker_wins(w->tables.tables, &g->board[i], g->attacker));
        *confirmed += ours && g->holds[i];
        *struck += ours && !g->holds[i];
    }
    pn_table_free(&t);
}

static void test_closures(void **state)
{
    static const int open[] = {0, 1, 5, 20}, decided[] = {0, 10, 50, 90};
    struct rng r = rng_for_test("closures");
    const struct world *w = *state;
    struct graph *g = calloc(1, sizeof *g);
    int confirmed = 0, struck = 0, rounds = test_is_sanitized() ? 32 : 256;

    for (int i = 0; i < rounds; i++) {
        struct board root;

        g->count = 0;
        g->attacker = (enum side)rng_below(&r, 2);
        do
            root = random_pieces(&r, 3 + rng_below(&r, WORLD_PIECES - 2), 4);
        while (tables_knows(w->known, &root));
        graph_add(g, &root);
        graph_fill(g, w->known);
        graph_guess(g, w->tables.tables, &r, open[i % 4], decided[i / 4 % 4]);
        compare(g, w, &confirmed, &struck);
        position_map_free(&g->map);
    }
    printf("# %d confirmed, %d struck out\n", confirmed, struck);
    assert_true(confirmed > rounds && struck > rounds);
    free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closures),
    };

    return cmocka_run_group_tests(tests, world_open, world_close);
}
