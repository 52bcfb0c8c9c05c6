/* SPDX-License-Identifier: MIT
 *
 * Endings on demand against the tables: every position that play reaches has the
 * same value and distances; and two endings of the perfect-play paper from nothing. */
#include "kit/positions.h"
#include "kit/run.h"
#include "kit/built.h"
#include "kit/test.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "db/ondemand.h"
#include "db/probe.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int pieces(void)
{
    return test_is_sanitized() ? 3 : 4;
}

static int set_up(void **state)
{
    static struct built kit;

    kit = built_open(pieces());
    *state = &kit;
    return 0;
}

static int tear_down(void **state)
{
    built_close(*state);
    return 0;
}

static void compare(struct built *kit, const struct ondemand *o, const struct board *b)
{
    for (int k = 0; k < KINDS; k++) {
        struct outcome want, got;
        struct error e = {0};

        assert_int_equal(tables_outcome(kit->tables, b, (enum kind)k, &want, &e), STATUS_OK);
        if (ondemand_outcome(o, b, (enum kind)k, &got, &e) || got.value != want.value ||
            got.plies != want.plies) {
            char fen[FEN_TEXT_MAX];

            fen_format(b, fen);
            fail_msg("%s %s: expected %d in %d, found %d in %d; %s", fen, kind_name((enum kind)k),
                     want.value, want.plies, got.value, got.plies, e.text);
        }
    }
}

/* Random play from b to the end, or for a while. */
static void compare_game(struct built *kit, const struct ondemand *o, struct board b,
                         struct rng *rng)
{
    struct move_list list;

    for (int ply = 0; ply < 60; ply++) {
        compare(kit, o, &b);
        if (!moves_generate(&b, &list))
            return;
        b = board_after(&b, &list.move[rng_below(rng, list.count)]);
        if (!b.side[BLACK] || !b.side[WHITE])
            return;
    }
}

static bool few_pieces(const struct board *b)
{
    int black = squares_count(b->side[BLACK]), white = squares_count(b->side[WHITE]);

    return black && white && black + white <= pieces();
}

/* Half of them with distances of nine bits, as eight pieces have them. */
static void test_same_as_tables(void **state)
{
    struct rng rng = rng_for_test("ondemand");
    int endings = test_is_sanitized() ? 10 : 40;

    while (endings > 0) {
        struct board b = random_position(&rng);
        struct ondemand *o = NULL;
        struct error e;
        _Atomic uint64_t done = 0;

        if (!few_pieces(&b))
            continue;
        assert_int_equal(ondemand_open(&o, &b, true, &e), STATUS_OK);
        if (endings % 2)
            ondemand_use_nine(o);
        assert_int_equal(ondemand_solve(o, 2, UINT64_C(1) << 30, NULL, &done, &e), STATUS_OK);
        assert_int_equal(done, ondemand_work(o));
        for (int game = 0; game < 20; game++)
            compare_game(*state, o, b, &rng);
        ondemand_close(&o);
        endings--;
    }
}

static struct board board_of(const char *fen)
{
    struct board b;

    assert_true(fen_parse(fen, strlen(fen), &b, NULL));
    return b;
}

/* From two kings against one all positions of that kind can arise, either side to move; one of
 * the two tables is kept. */
static void test_everywhere(void **state)
{
    struct board b = board_of("B:WK31:BK5,K18");
    struct ondemand *o = NULL;
    struct error e;

    assert_int_equal(ondemand_open(&o, &b, true, &e), STATUS_OK);
    assert_int_equal(ondemand_solve(o, 2, UINT64_C(1) << 30, NULL, NULL, &e), STATUS_OK);
    for (uint32_t black = 3; black; black = set_next_in(black, UINT32_MAX))
        for (int white = 0; white < 32; white++)
            for (int turn = 0; turn < 2; turn++) {
                struct view v = {.kings = black, .opp_kings = UINT32_C(1) << white};

                if (black >> white & 1)
                    continue;
                b = view_board(&v, turn ? WHITE : BLACK);
                compare(*state, o, &b);
                b.turn = side_other(b.turn);
                compare(*state, o, &b);
            }
    ondemand_close(&o);
}

static void test_refuses_with_the_figure(void **state)
{
    struct board b = board_of("B:WK9,K21,12:BK4,1,8,10"), crowd = board_start;
    struct ondemand *o = NULL;
    struct error e;

    (void)state;
    assert_int_equal(ondemand_open(&o, &crowd, false, &e), STATUS_MISSING);
    assert_null(o);
    assert_int_equal(ondemand_open(&o, &b, false, &e), STATUS_OK);
    assert_int_equal(ondemand_solve(o, 2, 1 << 20, NULL, NULL, &e), STATUS_NO_MEMORY);
    assert_non_null(strstr(e.text, "MiB"));
    assert_int_equal(ondemand_outcome(o, &b, KIND_DTW, &(struct outcome){0}, &e), STATUS_MISSING);
    ondemand_close(&o);
}

/* With little memory fewer threads work; with less than one needs, none. */
static void test_fits_into_memory(void **state)
{
    struct board b = board_of("B:WK31,30:BK18,25");
    uint64_t memory[2];
    struct ondemand *o = NULL;
    struct error e;

    (void)state;
    assert_int_equal(ondemand_open(&o, &b, true, &e), STATUS_OK);
    memory[0] = ondemand_bytes(o, 1);
    memory[1] = ondemand_bytes(o, 8);
    assert_true(memory[0] < memory[1]);
    assert_int_equal(ondemand_threads(o, 8, memory[1]), 8);
    assert_true(ondemand_threads(o, 8, memory[1] - 1) < 8);
    assert_int_equal(ondemand_threads(o, 8, memory[0]), 1);
    assert_int_equal(ondemand_solve(o, 8, memory[0] - 1, NULL, NULL, &e), STATUS_NO_MEMORY);
    assert_int_equal(ondemand_solve(o, 8, memory[0], NULL, NULL, &e), STATUS_OK);
    ondemand_close(&o);
}

static uint64_t peak_bytes(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss << 10;
}

/* In a process of its own: solve, and say whether (E4) holds. */
static int child_solve(const char *fen, bool conversions, int threads)
{
    struct board b = board_of(fen);
    uint64_t before = peak_bytes(), said, taken;
    struct ondemand *o = NULL;
    struct error e;

    if (ondemand_open(&o, &b, conversions, &e))
        return 1;
    said = ondemand_bytes(o, threads);
    if (ondemand_solve(o, threads, said, NULL, NULL, &e))
        return 1;
    taken = peak_bytes() - before;
    print_message("# %s: %.1f MiB were said, %.1f taken\n", fen, (double)said / (1 << 20),
                  (double)taken / (1 << 20));
    return taken > said + (2 << 20) || 2 * taken < said ? 1 : 0;
}

/* (E4): what is said is enough, and not much too much. */
static void test_memory_is_as_said(void **state)
{
    static const char *const fen[] = {"B:WK31,K32:BK1,K2,3", "B:WK31,30:BK18,25,21"};

    (void)state;
    if (test_is_sanitized())
        skip();
    for (int i = 0; i < 2; i++) {
        pid_t pid = fork();
        int status;

        assert_true(pid >= 0);
        if (pid == 0)
            _exit(child_solve(fen[i], i == 1, 2));
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

/* Figure 4 of the paper, without a table anywhere: 18-23 wins in 3, but a player that
 * looks no further than the next conversion crowns. */
static void test_from_the_shell(void **state)
{
    static const char *const fen = "B:WK31:B25,K18";
    struct run r;

    (void)state;
    r = run_kelso(ARGS("probe", "--json", "--on-demand", "--dir", "/nonexistent", fen), NULL, 0);
    assert_int_equal(r.status, 0);
    assert_true(json_is_valid(r.out));
    assert_non_null(strstr(r.out,
                           "\"value\":\"win\",\"dtw\":3,\"dtc\":1,\"moves\":[{\"move\":\"18-23\","
                           "\"value\":\"win\",\"dtw\":3,\"dtc\":3}"));
    run_free(&r);
    r = run_kelso(ARGS("line", "--kind", "dtc", "--on-demand", "--dir", "/nonexistent", fen), NULL,
                  0);
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "25-29"));
    run_free(&r);
    r = run_kelso(ARGS("probe", "--on-demand", "--dir", "/nonexistent", "--memory", "1M",
                       "B:WK9,K21,12:BK4,1,8,10"),
                  NULL, 0);
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "MiB"));
    run_free(&r);
    r = run_kelso(ARGS("probe", "--on-demand", "--dir", "/nonexistent", "B:W21-32:B1-12"), NULL, 0);
    assert_int_equal(r.status, 2);
    run_free(&r);
}

/* Fourth Position (81 plies, 22-25 first) and the longest win of seven pieces. */
static void test_endings_of_the_paper(void **state)
{
    static const struct {
        const char *fen;
        int plies;
    } ending[] = {{"B:WK31,K32,30:BK20,K22,K23,21", 81}, {"B:WK9,K21,12:BK4,1,8,10", 253}};

    (void)state;
    if (!test_is_long())
        skip();
    for (int i = 0; i < 4; i++) {
        struct board b = board_of(ending[i % 2].fen);
        struct ondemand *o = NULL;
        struct outcome out;
        struct error e;

        assert_int_equal(ondemand_open(&o, &b, false, &e), STATUS_OK);
        if (i >= 2) /* the same in nine bits */
            ondemand_use_nine(o);
        assert_int_equal(ondemand_solve(o, 2, UINT64_C(8) << 30, NULL, NULL, &e), STATUS_OK);
        assert_int_equal(ondemand_outcome(o, &b, KIND_DTW, &out, &e), STATUS_OK);
        assert_int_equal(out.value, VALUE_WIN);
        assert_int_equal(out.plies, ending[i % 2].plies);
        ondemand_close(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_tables),          cmocka_unit_test(test_everywhere),
        cmocka_unit_test(test_refuses_with_the_figure), cmocka_unit_test(test_fits_into_memory),
        cmocka_unit_test(test_memory_is_as_said),       cmocka_unit_test(test_from_the_shell),
        cmocka_unit_test(test_endings_of_the_paper),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
