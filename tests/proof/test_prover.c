/* SPDX-License-Identifier: MIT
 *
 * The tables that a prover's tasks begin with: a deep search continues where it stopped, whatever
 * was searched meanwhile. */
#include "kit/built.h"
#include "kit/positions.h"
#include "kit/test.h"

#include "proof/manager.h"
#include "proof/prover.h"

enum { NODES = 1500, TIMES = 4 };

/* With every page decoded in advance, searches repeat exactly. */
static int world_open(void **state)
{
    static struct built few;
    _Atomic uint64_t pages = 0;
    struct crew crew;

    few = built_open_wld(test_is_sanitized() ? 2 : 3);
    assert_int_equal(crew_open(&crew, 1, NULL), 0);
    assert_int_equal(tables_fill(few.tables, &crew, &pages, NULL), STATUS_OK);
    crew_close(&crew);
    *state = &few;
    return 0;
}

static int world_close(void **state)
{
    built_close(*state);
    return 0;
}

static struct prover *prover_of(const struct built *few)
{
    struct prover_options o = {.tables = few->tables, .memory = 32 << 20};
    struct prover *p;

    assert_int_equal(prover_open(&p, &o, NULL), STATUS_OK);
    return p;
}

/* Do so many expansions decide whether the side to move wins?  Only that is asked: which of both
 * questions comes first depends on what the player remembers. */
static bool finds(struct prover *p, const struct board *b, enum prover_table table, uint64_t nodes)
{
    struct prover_task task = {.board = *b,
                               .threshold = MANAGER_WIN,
                               .known = bounds_unknown,
                               .idle = {b->turn != BLACK, b->turn != WHITE},
                               .limits = {.look_nodes = 10, .solve_nodes = nodes},
                               .table = table};
    struct prover_result r;

    assert_int_equal(prover_run(p, &task, &r, NULL), STATUS_OK);
    return r.bounds.lower == VALUE_WIN || r.bounds.upper != VALUE_WIN;
}

/* A position that NODES expansions do not decide and some more do. */
static struct board hard_position(struct prover *p, struct rng *r, int pieces)
{
    for (;;) {
        struct board b = random_pieces(r, pieces, 3);

        if (finds(p, &b, PROVER_EMPTY, TIMES * NODES) && !finds(p, &b, PROVER_EMPTY, NODES))
            return b;
    }
}

static void test_deep_search_continues(void **state)
{
    const struct built *few = *state;
    struct rng r = rng_for_test("deep");
    struct prover *p = prover_of(few);
    int continued = 0;

    for (int i = 0; i < 6; i++) {
        struct board b = hard_position(p, &r, few->pieces + 2);
        struct board other = random_pieces(&r, few->pieces + 2, 3);
        bool found = finds(p, &b, PROVER_DEEP, NODES);

        assert_false(found); /* the deep search of the position before is forgotten */
        for (int n = 1; n < 2 * TIMES && !found; n++) {
            assert_false(finds(p, &b, PROVER_EMPTY, NODES));
            finds(p, &other, PROVER_SHARED, NODES);
            found = finds(p, &b, PROVER_DEEP, NODES);
        }
        continued += found;
        assert_int_equal(finds(p, &b, PROVER_DEEP, 1), found);
        finds(p, &other, PROVER_DEEP, 1);
        assert_false(finds(p, &b, PROVER_DEEP, NODES));
    }
    assert_true(continued >= 5); /* a search in pieces may take a little longer */
    prover_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deep_search_continues),
    };

    return cmocka_run_group_tests(tests, world_open, world_close);
}
