/* SPDX-License-Identifier: MIT
 *
 * libkelso-solve through its public header: against the tables, at its limits, cancelled, and
 * with arguments that make no sense. */
#include "kit/built.h"
#include "kit/run.h"

#include "core/notation.h"
#include "kelso_solve.h"

#include <limits.h>
#include <unistd.h>

enum { PIECES = 4 };

static const char branching[] = "B:W9,23:B7,15,16"; /* five pieces, a win for Black */
static const char start[] = "B:W21-32:B1-12";

struct kit {
    struct built built;
    kelso_tables *tables, *few; /* of PIECES, of 3 */
    struct scratch few_dir;
};

static int kit_open(void **state)
{
    static struct kit kit;
    kelso_error e;

    kit.built = built_open_wld(PIECES);
    kit.few_dir = scratch_create();
    build_tables_in(kit.few_dir.path, 3, kernel_isa_best(), 1);
    if (kelso_open(&kit.tables, kit.built.dir.path, 16 << 20, &e) ||
        kelso_open(&kit.few, kit.few_dir.path, 16 << 20, &e))
        fail_msg("%s", e.text);
    *state = &kit;
    return 0;
}

static int kit_close(void **state)
{
    struct kit *kit = *state;

    kelso_close(&kit->tables);
    kelso_close(&kit->few);
    built_close(&kit->built);
    scratch_remove(&kit->few_dir);
    return 0;
}

static kelso_position position(const char *fen)
{
    kelso_position p;

    assert_int_equal(kelso_position_parse(fen, &p, NULL), KELSO_OK);
    return p;
}

static kelso_position random_position(struct rng *r)
{
    struct board b = built_random(r, PIECES);
    char fen[FEN_TEXT_MAX];

    fen_format(&b, fen);
    return position(fen);
}

/* (V1) with tables of three pieces, against tables of four. */
static void test_solve_agrees(void **state)
{
    struct kit *kit = *state;
    struct rng r = rng_for_test("solve");
    kelso_limits limits = {.nodes = 20000};
    kelso_solver *s;
    int closed = 0;

    assert_int_equal(kelso_solver_open(&s, kit->few, &(kelso_resources){.memory = 1 << 24}, NULL),
                     KELSO_OK);
    for (int i = 0; i < 200; i++) {
        kelso_position p = random_position(&r);
        kelso_solution found;
        kelso_value truth;

        if (kelso_probe_wld(kit->tables, &p, &truth, NULL))
            continue; /* one side has no pieces */
        assert_int_equal(kelso_solver_solve(s, &p, &limits, NULL, NULL, &found, NULL), KELSO_OK);
        assert_true(found.lower <= truth && truth <= found.upper);
        closed += found.lower == found.upper;
    }
    assert_true(closed > 100);
    kelso_solver_close(&s);
    assert_null(s);
}

/* The line is legal and ends where the tables know the value; the proof stands, and no other. */
static void test_line_and_proof(void **state)
{
    struct kit *kit = *state;
    kelso_position p = position(branching), at = p, root;
    kelso_move line[128], one[1];
    kelso_solution found;
    kelso_value lower, upper;
    kelso_solver *s;
    kelso_error e;
    char path[PATH_MAX];
    int count;

    snprintf(path, sizeof path, "%s/win.proof", kit->few_dir.path);
    assert_int_equal(kelso_solver_open(&s, kit->few, NULL, &e), KELSO_OK);
    assert_int_equal(kelso_solver_line(s, line, 128, &count, &e), KELSO_MISSING);
    assert_int_equal(kelso_solver_write_proof(s, path, &e), KELSO_MISSING);
    assert_int_equal(
        kelso_solver_solve(s, &p, &(kelso_limits){.seconds = 600}, NULL, NULL, &found, &e),
        KELSO_OK);
    assert_true(found.lower == KELSO_WIN && found.upper == KELSO_WIN && found.nodes > 0);
    assert_int_equal(kelso_solver_line(s, line, 128, &count, &e), KELSO_OK);
    assert_true(count > 1);
    for (int i = 0; i < count; i++)
        assert_int_equal(kelso_play(&at, &line[i], &at, &e), KELSO_OK);
    assert_int_equal(kelso_solver_line(s, one, 1, &count, &e), KELSO_NO_ROOM);
    assert_memory_equal(&one[0], &line[0], sizeof *one);
    assert_int_equal(kelso_solver_write_proof(s, path, &e), KELSO_OK);
    assert_int_equal(kelso_proof_check(kit->few, path, &root, &lower, &upper, &e), KELSO_OK);
    assert_memory_equal(&root, &p, sizeof p);
    assert_true(lower == KELSO_WIN && upper == KELSO_WIN);
    assert_int_equal(truncate(path, 1000), 0);
    assert_int_equal(kelso_proof_check(kit->few, path, &root, &lower, &upper, &e), KELSO_DAMAGED);
    assert_int_equal(kelso_proof_check(kit->few, "no such file", &root, &lower, &upper, &e),
                     KELSO_IO);
    kelso_solver_close(&s);
}

/* Asked again, a solver resumes its search, until it has the answer. */
static void test_goes_on(void **state)
{
    struct kit *kit = *state;
    kelso_position p = position(branching);
    kelso_solution found = {0};
    kelso_solver *s;
    int rounds = 0;

    assert_int_equal(kelso_solver_open(&s, kit->few, NULL, NULL), KELSO_OK);
    while (found.lower != KELSO_WIN && rounds++ < 10000)
        assert_int_equal(
            kelso_solver_solve(s, &p, &(kelso_limits){.nodes = 300}, NULL, NULL, &found, NULL),
            KELSO_OK);
    assert_true(rounds > 1 && rounds < 10000);
    kelso_solver_close(&s);
}

struct watch {
    int calls, stop_after;
    double last;
};

static int watch_share(void *context, double share)
{
    struct watch *w = context;

    assert_true(share >= w->last && share <= 1);
    w->last = share;
    return ++w->calls < w->stop_after;
}

static void test_cancelled(void **state)
{
    static kelso_found found;
    struct kit *kit = *state;
    kelso_position p = position(start);
    struct watch w = {.stop_after = 2};
    kelso_limits hour = {.seconds = 3600};
    kelso_solution solution;
    kelso_search *search;
    kelso_solver *s;
    kelso_error e;

    assert_int_equal(kelso_solver_open(&s, kit->few, &(kelso_resources){.threads = 2}, &e),
                     KELSO_OK);
    assert_int_equal(kelso_solver_solve(s, &p, &hour, watch_share, &w, &solution, &e),
                     KELSO_CANCELLED);
    assert_true(w.calls >= 2 && solution.lower == KELSO_LOSS && solution.upper == KELSO_WIN);
    kelso_solver_close(&s);
    w = (struct watch){.stop_after = 5};
    assert_int_equal(kelso_search_open(&search, kit->few, NULL, &e), KELSO_OK);
    assert_int_equal(kelso_search_run(search, &p, &hour, watch_share, &w, &found, &e),
                     KELSO_CANCELLED);
    kelso_search_close(&search);
}

/* (V2) what a search calls proven is so; its first move keeps the value. */
static void test_search_agrees(void **state)
{
    static kelso_found found;
    struct kit *kit = *state;
    struct rng r = rng_for_test("search");
    kelso_search *s;
    int proven = 0;

    assert_int_equal(kelso_search_open(&s, kit->few, &(kelso_resources){.memory = 1 << 20}, NULL),
                     KELSO_OK);
    for (int i = 0; i < 200; i++) {
        kelso_position p = random_position(&r), after;
        kelso_value truth, next;

        if (kelso_probe_wld(kit->tables, &p, &truth, NULL))
            continue;
        assert_int_equal(
            kelso_search_run(s, &p, &(kelso_limits){.depth = 7}, NULL, NULL, &found, NULL),
            KELSO_OK);
        if (!found.proven)
            continue;
        proven++;
        assert_int_equal(found.value, truth);
        if (found.length == 0)
            continue;
        assert_int_equal(kelso_play(&p, &found.line[0], &after, NULL), KELSO_OK);
        if (!kelso_probe_wld(kit->tables, &after, &next, NULL))
            assert_int_equal(next, KELSO_WIN - truth);
    }
    assert_true(proven > 100);
    kelso_search_close(&s);
}

static void test_bad_arguments(void **state)
{
    static kelso_found found;
    struct kit *kit = *state;
    kelso_position p = position(start), bad = {.black_men = 1, .white_men = 1};
    kelso_limits second = {.seconds = 1};
    kelso_solution solution;
    kelso_solver *s;
    kelso_search *search;
    kelso_error e;

    assert_int_equal(kelso_solver_open(&s, NULL, NULL, &e), KELSO_BAD_INPUT);
    assert_null(s);
    assert_int_equal(kelso_solver_open(&s, kit->few, &(kelso_resources){.reserved = {1}}, &e),
                     KELSO_BAD_INPUT);
    assert_int_equal(kelso_search_open(&search, NULL, &(kelso_resources){.threads = -1}, &e),
                     KELSO_BAD_INPUT);
    assert_null(search);
    assert_int_equal(kelso_solver_open(&s, kit->few, NULL, &e), KELSO_OK);
    assert_int_equal(kelso_search_open(&search, NULL, NULL, &e), KELSO_OK);
    assert_int_equal(kelso_solver_solve(s, &bad, &second, NULL, NULL, &solution, &e),
                     KELSO_BAD_INPUT);
    assert_int_equal(kelso_solver_solve(s, &p, &(kelso_limits){0}, NULL, NULL, &solution, &e),
                     KELSO_BAD_INPUT);
    assert_int_equal(kelso_solver_solve(s, &p, NULL, NULL, NULL, &solution, &e), KELSO_BAD_INPUT);
    assert_int_equal(
        kelso_solver_solve(s, &p, &(kelso_limits){.depth = 3}, NULL, NULL, &solution, &e),
        KELSO_BAD_INPUT);
    assert_int_equal(kelso_search_run(search, &bad, &second, NULL, NULL, &found, &e),
                     KELSO_BAD_INPUT);
    assert_int_equal(
        kelso_search_run(search, &p, &(kelso_limits){.depth = 1000}, NULL, NULL, &found, &e),
        KELSO_BAD_INPUT);
    assert_int_equal(
        kelso_search_run(search, &p, &(kelso_limits){.seconds = -1}, NULL, NULL, &found, &e),
        KELSO_BAD_INPUT);
    kelso_solver_close(&s);
    kelso_search_close(&search);
    kelso_solver_close(&s); /* NULL is fine */
    kelso_search_close(&search);
}

/* The example beside the program: it solves, and where it cannot it searches. */
static void test_example(void **state)
{
    struct kit *kit = *state;
    char proof[PATH_MAX];
    struct run r;

    snprintf(proof, sizeof proof, "%s/example.proof", kit->few_dir.path);
    r = run_example("solve", ARGS(kit->few_dir.path, branching, "600", proof));
    if (r.status != 0 || !strstr(r.out, "win, ") || !strstr(r.out, "example.proof proves it\n"))
        fail_msg("exit %d, out '%s', err '%s'", r.status, r.out, r.err);
    run_free(&r);
    r = run_example("solve", ARGS(kit->few_dir.path, start, "0.2", proof));
    if (r.status != 0 || !strstr(r.out, "not solved; the player, at depth "))
        fail_msg("exit %d, out '%s', err '%s'", r.status, r.out, r.err);
    run_free(&r);
    r = run_example("solve", ARGS(kit->few_dir.path, "nonsense", "1", proof));
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.err, "solve: "));
    run_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solve_agrees),  cmocka_unit_test(test_line_and_proof),
        cmocka_unit_test(test_goes_on),       cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_search_agrees), cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_example),
    };

    return cmocka_run_group_tests(tests, kit_open, kit_close);
}
