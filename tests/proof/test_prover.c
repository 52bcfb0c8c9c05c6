/* SPDX-License-Identifier: MIT
 *
 * The tables that a prover's tasks begin with: a deep search continues where it stopped, whatever
 * was searched meanwhile and whichever prover goes on. */
#include "kit/built.h"
#include "kit/positions.h"
#include "kit/test.h"

#include "proof/manager.h"
#include "proof/prover.h"

#include <pthread.h>

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

static struct prover *prover_of(const struct built *few, struct deep_search *deep)
{
    struct prover_options o = {.tables = few->tables, .memory = 16 << 20, .deep = deep};
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
    struct prover *p[2];
    struct deep_search *deep;
    int continued = 0;

    assert_int_equal(deep_search_open(&deep, few->tables, 16 << 20, NULL), STATUS_OK);
    for (int i = 0; i < 2; i++)
        p[i] = prover_of(few, deep);
    for (int i = 0; i < 6; i++) {
        struct board b = hard_position(p[0], &r, few->pieces + 2);
        struct board other = random_pieces(&r, few->pieces + 2, 3);
        bool found = finds(p[0], &b, PROVER_DEEP, NODES);

        assert_false(found); /* the deep search of the position before is forgotten */
        for (int n = 1; n < 2 * TIMES && !found; n++) {
            assert_false(finds(p[0], &b, PROVER_EMPTY, NODES));
            finds(p[0], &other, PROVER_SHARED, NODES);
            found = finds(p[n % 2], &b, PROVER_DEEP, NODES); /* whoever gets it */
        }
        continued += found;
        assert_int_equal(finds(p[0], &b, PROVER_DEEP, 1), found);
        finds(p[0], &other, PROVER_DEEP, 1);
        assert_false(finds(p[0], &b, PROVER_DEEP, NODES));
    }
    assert_true(continued >= 5); /* a search in pieces may take a little longer */
    for (int i = 0; i < 2; i++)
        prover_close(&p[i]);
    deep_search_close(&deep);
}

/* What the deep search has found before is written down by a part that has no time of its own. */
static void test_short_parts_keep_claims(void **state)
{
    const struct built *few = *state;
    struct rng r = rng_for_test("short");
    struct deep_search *deep;
    struct prover *p;

    assert_int_equal(deep_search_open(&deep, few->tables, 16 << 20, NULL), STATUS_OK);
    p = prover_of(few, deep);
    for (int i = 0; i < 6; i++) {
        struct board b = hard_position(p, &r, few->pieces + 2);
        struct prover_task task = {.board = b,
                                   .threshold = MANAGER_WIN,
                                   .known = bounds_unknown,
                                   .idle = {b.turn != BLACK, b.turn != WHITE},
                                   .limits = {.look_nodes = 10, .solve = 1e-9},
                                   .table = PROVER_DEEP,
                                   .claims = 1 << 20};
        struct prover_result found;

        assert_true(finds(p, &b, PROVER_DEEP, TIMES * NODES));
        assert_int_equal(prover_run(p, &task, &found, NULL), STATUS_OK);
        assert_true(bounds_narrower(found.bounds, bounds_unknown));
        assert_int_equal(found.claims[b.turn].kept, CLAIMS_KEPT);
    }
    prover_close(&p);
    deep_search_close(&deep);
}

struct taker {
    struct deep_search *deep;
    const struct board *board;
    struct dfpn *got;
};

static void *take(void *arg)
{
    struct taker *t = arg;

    t->got = deep_search_borrow(t->deep, t->board, NULL);
    if (t->got)
        deep_search_return(t->deep);
    return NULL;
}

/* (D1) While one thread has the deep search another does not get it, and a prover does without. */
static void test_one_at_a_time(void **state)
{
    const struct built *few = *state;
    struct rng r = rng_for_test("one");
    struct board b = random_pieces(&r, few->pieces + 2, 3);
    struct taker t = {.board = &b};
    struct prover *p;
    pthread_t other;

    assert_int_equal(deep_search_open(&t.deep, few->tables, 16 << 20, NULL), STATUS_OK);
    p = prover_of(few, t.deep);
    for (int held = 1; held >= 0; held--) {
        if (held)
            assert_non_null(deep_search_borrow(t.deep, &b, NULL));
        assert_int_equal(pthread_create(&other, NULL, take, &t), 0);
        pthread_join(other, NULL);
        assert_int_equal(t.got == NULL, held);
        finds(p, &b, PROVER_DEEP, NODES);
        if (held)
            deep_search_return(t.deep);
    }
    prover_close(&p);
    deep_search_close(&t.deep);
}

/* How many parts of NODES expansions decide a position, at most `most`; 0 if they do not. */
static int parts_needed(struct prover *p, const struct board *b, int most)
{
    for (int n = 1; n <= most; n++)
        if (finds(p, b, PROVER_DEEP, NODES))
            return n;
    return 0;
}

/* Without a deep search, or while another prover has it, a task for it keeps the table of the short
 * searches: it goes on there, and they find what they left. */
static void test_table_is_kept(void **state)
{
    const struct built *few = *state;
    struct rng r = rng_for_test("kept");
    struct deep_search *deep;
    struct board holder;
    int decided = 0;

    assert_int_equal(deep_search_open(&deep, few->tables, 16 << 20, NULL), STATUS_OK);
    holder = random_pieces(&r, few->pieces + 2, 3);
    assert_non_null(deep_search_borrow(deep, &holder, NULL));
    for (int i = 0; i < 6; i++) {
        struct prover *p = prover_of(few, i % 2 ? deep : NULL);
        struct board b = hard_position(p, &r, few->pieces + 2);

        assert_false(finds(p, &b, PROVER_EMPTY, NODES));
        if (parts_needed(p, &b, 2 * TIMES)) {
            decided++;
            assert_true(finds(p, &b, PROVER_SHARED, 1));
            assert_true(finds(p, &b, PROVER_DEEP, 1));
            assert_true(finds(p, &b, PROVER_SHARED, 1));
        }
        prover_close(&p);
    }
    assert_true(decided >= 5); /* a search in pieces may take a little longer */
    deep_search_return(deep);
    deep_search_close(&deep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deep_search_continues),
        cmocka_unit_test(test_short_parts_keep_claims),
        cmocka_unit_test(test_one_at_a_time),
        cmocka_unit_test(test_table_is_kept),
    };

    return cmocka_run_group_tests(tests, world_open, world_close);
}
