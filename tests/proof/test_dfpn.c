/* SPDX-License-Identifier: MIT
 *
 * The solver against the tables: positions with many kings, so that play goes round,
 * solved with tables of fewer pieces than they have.  Every bound must agree with the
 * full tables; with the check of repetitions switched off some must not.  KELSO_TABLES is a
 * directory with larger tables than those that are built here. */
#include "kit/positions.h"
#include "kit/built.h"
#include "kit/test.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "proof/solve.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int world_open(void **state)
{
    static struct built w;

    if (getenv("KELSO_TABLES"))
        w = built_open_at(getenv("KELSO_TABLES"));
    else
        w = built_open_wld(test_is_long() ? 6 : test_is_sanitized() ? 4 : 5);
    printf("# %d pieces\n", w.pieces);
    *state = &w;
    return 0;
}

static int world_close(void **state)
{
    built_close(*state);
    return 0;
}

/* Three in four are kings. */
static struct board many_kings(struct rng *r, int pieces)
{
    return random_pieces(r, pieces, 4);
}

struct tally {
    int known, positions, closed, half, wrong, lines; /* lines: of wins and losses */
    uint64_t checks;
};

static bool bounds_hold(struct bounds b, enum value v)
{
    return b.lower <= v && v <= b.upper;
}

/* Along the best line both sides keep the value, no position comes back, and a line that is won
 * ends in the tables or with the game. */
static int check_line(const struct built *w, struct dfpn *d, const struct tables *o, struct board b,
                      enum value v)
{
    struct board seen[SOLVE_LINE_MAX + 1] = {b};
    struct move line[SOLVE_LINE_MAX];
    bool decided = v != VALUE_DRAW;
    int n = solve_line(d, o, &b, v, line);

    for (int i = 0; i < n; i++) {
        enum value now;

        b = board_after(&b, &line[i]);
        v = value_negate(v);
        assert_int_equal(tables_value(w->tables, &b, &now, NULL), STATUS_OK);
        assert_int_equal(now, v);
        for (int k = 0; k <= i; k++)
            assert_false(board_equal(&seen[k], &b));
        seen[i + 1] = b;
    }
    assert_true(n == 0 || !decided || n == SOLVE_LINE_MAX || tables_knows(o, &b) ||
                moves_count(&b) == 0);
    return n;
}

/* A random move, or a new position where the game is over or too few pieces are left. */
static struct board wander(struct rng *r, const struct board *b, int pieces, int known)
{
    struct move_list list;
    struct board next;
    int n = moves_generate(b, &list);

    if (!n)
        return many_kings(r, pieces);
    next = board_after(b, &list.move[rng_below(r, n)]);
    return squares_count(next.side[BLACK] | next.side[WHITE]) > known ? next
                                                                      : many_kings(r, pieces);
}

/* Solve positions of random games with the tables of `known` pieces and fewer.  The
 * solver keeps what it found from one position to the next: what it wrongly takes from
 * one path to another would show. */
static struct tally compare_with(const struct built *w, const struct tables_options *use,
                                 struct rng *r, int positions, struct dfpn_options o)
{
    int known = use->pieces;
    struct tally t = {.known = known};
    struct tables *few;
    struct board b;
    struct dfpn *d;
    struct error e = {0};

    assert_int_equal(tables_open(&few, use, &e), STATUS_OK);
    assert_int_equal(tables_complete(few), known);
    o.tables = few;
    assert_int_equal(dfpn_open(&d, &o, &e), STATUS_OK);
    b = many_kings(r, w->pieces);
    for (; t.positions < positions; t.positions++, b = wander(r, &b, w->pieces, known)) {
        struct dfpn_limits limits = {.nodes = 3000};
        struct solution s;
        enum value v;
        char fen[FEN_TEXT_MAX];

        assert_int_equal(tables_value(w->tables, &b, &v, &e), STATUS_OK);
        assert_int_equal(
            solve_position(d, &b, (struct solve_hint){.bounds = bounds_unknown}, limits, &s, &e),
            STATUS_OK);
        fen_format(&b, fen);
        if (!bounds_hold(s.bounds, v) && !t.wrong++ && !o.knobs.trust_repetitions)
            fail_msg("%s: %s, but the tables say %d", fen, bounds_name(s.bounds), (int)v);
        t.closed += bounds_closed(s.bounds);
        if (bounds_closed(s.bounds) && !o.knobs.trust_repetitions && v != VALUE_DRAW)
            t.lines += check_line(w, d, few, b, v) > 0;
        t.half += !bounds_closed(s.bounds) && (s.bounds.lower || s.bounds.upper != VALUE_WIN);
        t.checks += s.work.checks;
    }
    dfpn_close(&d);
    tables_close(&few);
    return t;
}

static struct tally compare(const struct built *w, struct rng *r, int known, int positions,
                            struct dfpn_options o)
{
    struct tables_options use = {.dir = tables_dir(w->tables), .pieces = known};

    return compare_with(w, &use, r, positions, o);
}

/* Where nobody asks whether White wins, nothing is learnt of that: either Black is found to
 * win, or not to win, or nothing. */
static void test_questions_nobody_asks(void **state)
{
    struct rng r = rng_for_test("idle");
    const struct built *w = *state;
    struct dfpn_options o = {.memory = 16 << 20, .threads = 1, .knobs = dfpn_default};
    struct tables *few = built_few(w, w->pieces - 2);
    struct dfpn *d;
    int wins = 0, holds = 0;

    o.tables = few;
    assert_int_equal(dfpn_open(&d, &o, NULL), STATUS_OK);
    for (int i = 0; i < 5000 && (i < 100 || !wins || !holds); i++) {
        struct board b = many_kings(&r, w->pieces);
        struct bounds black; /* as Black sees them */
        struct solution s;

        dfpn_clear(d);
        assert_int_equal(solve_position(d, &b,
                                        (struct solve_hint){bounds_unknown, 0, {[WHITE] = true}},
                                        (struct dfpn_limits){.nodes = 1000}, &s, NULL),
                         STATUS_OK);
        black = b.turn == BLACK
                    ? s.bounds
                    : (struct bounds){value_negate(s.bounds.upper), value_negate(s.bounds.lower)};
        wins += bounds_closed(black);
        holds += black.upper == VALUE_DRAW;
        assert_true(black.lower == VALUE_LOSS || black.lower == VALUE_WIN);
        assert_true(black.upper == VALUE_WIN || black.upper == VALUE_DRAW);
    }
    assert_true(wins && holds);
    dfpn_close(&d);
    tables_close(&few);
}

/* A search that is asked to stop does not begin another round, however short the rounds are. */
static void test_rounds_stop(void **state)
{
    struct rng r = rng_for_test("rounds");
    const struct built *w = *state;
    atomic_bool stop = false;
    struct dfpn_options o = {
        .memory = 16 << 20, .threads = 1, .knobs = dfpn_default, .stop = &stop};
    struct tables *few = built_few(w, 2);
    struct dfpn *d;
    int many = 0;

    o.tables = few;
    assert_int_equal(dfpn_open(&d, &o, NULL), STATUS_OK);
    for (int i = 0; i < 20000 && (i < 100 || !many); i++) {
        struct board b = many_kings(&r, 3);

        for (int stopped = 0; stopped < 2; stopped++) {
            struct dfpn_work work = {0};
            enum pn_state verdict;

            atomic_store(&stop, stopped);
            dfpn_clear(d);
            assert_int_equal(
                dfpn_ask(d, &b, BLACK, (struct dfpn_limits){.nodes = 1000}, &verdict, &work, NULL),
                STATUS_OK);
            many += !stopped && work.checks > 1;
            assert_true(!stopped || work.checks <= 1);
        }
    }
    assert_true(many > 0);
    dfpn_close(&d);
    tables_close(&few);
}

static int positions_wanted(void)
{
    return test_is_long() ? 5000 : test_is_sanitized() ? 100 : 1000;
}

/* So few pieces in the tables that the search has to go a long way. */
static int fewest(const struct built *w)
{
    return w->pieces > 5 ? w->pieces - 3 : 2;
}

static void print_tally(const char *what, struct tally t)
{
    printf("# %s, <= %d: %d positions, %d values, %d lines, %d bounds, %llu checks, %d wrong\n",
           what, t.known, t.positions, t.closed, t.lines, t.half, (unsigned long long)t.checks,
           t.wrong);
}

static struct dfpn_options usual(void)
{
    return (struct dfpn_options){.memory = 16 << 20, .threads = 1, .knobs = dfpn_default};
}

static void test_bounds_agree_with_tables(void **state)
{
    struct rng r = rng_for_test("bounds");
    const struct built *w = *state;

    for (int known = fewest(w); known < w->pieces; known++) {
        struct tally t = {0};

        for (int round = 0; round < 20 && t.closed <= t.positions / 20; round++) {
            t = compare(w, &r, known, positions_wanted(), usual());
            print_tally("agree", t);
            assert_int_equal(t.wrong, 0);
        }
        assert_true(t.closed > t.positions / 20);
    }
}

/* So little memory for decoded pages that most positions of the tables are asked for later. */
static void test_bounds_agree_without_pages(void **state)
{
    struct rng r = rng_for_test("pages");
    const struct built *w = *state;
    struct tables_options few = {.dir = tables_dir(w->tables),
                                 .cache = 1, /* the least that is taken */
                                 .pieces = w->pieces - 1,
                                 .without_flat = true};
    struct tally t;

    t = compare_with(w, &few, &r, positions_wanted() / 10, usual());
    print_tally("pages", t);
    assert_int_equal(t.wrong, 0);
    assert_true(t.closed > 0);
}

/* A table so small that entries vanish all the time. */
static void test_bounds_agree_when_full(void **state)
{
    struct rng r = rng_for_test("full");
    struct dfpn_options o = usual();
    const struct built *w = *state;
    struct tally t;

    o.memory = 0;
    t = compare(w, &r, fewest(w), positions_wanted() / 4, o);
    print_tally("full", t);
    assert_int_equal(t.wrong, 0);
}

static void test_bounds_agree_on_threads(void **state)
{
    struct rng r = rng_for_test("threads");
    struct dfpn_options o = usual();
    const struct built *w = *state;
    int closed = 0;

    o.threads = 3;
    for (int round = 0; round < 50 && closed == 0; round++) { /* a game may be hard throughout */
        struct tally t = compare(w, &r, fewest(w), positions_wanted() / 4, o);

        print_tally("threads", t);
        assert_int_equal(t.wrong, 0);
        closed = t.closed;
    }
    assert_true(closed > 0);
}

/* Expansions that `threads` together need for a drawn position, at most `most`. */
static uint64_t work_of(const struct built *w, int threads, uint64_t most)
{
    static const char fen[] = "B:W9,23,28:B7,15,16";
    struct dfpn_options o = usual();
    struct tables *few = built_few(w, 4);
    struct solution s;
    struct dfpn *d;
    struct board b;

    o.tables = few;
    o.threads = threads;
    assert_true(fen_parse(fen, strlen(fen), &b, NULL));
    assert_int_equal(dfpn_open(&d, &o, NULL), STATUS_OK);
    assert_int_equal(solve_position(d, &b, (struct solve_hint){.bounds = bounds_unknown},
                                    (struct dfpn_limits){.nodes = most}, &s, NULL),
                     STATUS_OK);
    assert_true(bounds_closed(s.bounds) && s.bounds.lower == VALUE_DRAW);
    dfpn_close(&d);
    tables_close(&few);
    return s.work.nodes;
}

/* Threads that keep out of each other's way need not wait for each other by searching
 * the same position again and again. */
static void test_threads_do_not_waste_work(void **state)
{
    uint64_t one, many;

    if (test_is_sanitized())
        skip();
    one = work_of(*state, 1, 0);
    many = work_of(*state, 3, 20 * one);
    printf("# one thread: %llu expansions, three: %llu\n", (unsigned long long)one,
           (unsigned long long)many);
}

/* What is shown as progress: each expansion counts once. */
static void test_progress_counts_expansions(void **state)
{
    _Atomic uint64_t done = 0;
    struct tables *few = built_few(*state, 3);
    struct rng r = rng_for_test("progress");
    struct dfpn_options o = usual();
    struct dfpn_work work = {0};
    struct dfpn *d;

    o.tables = few;
    o.done = &done;
    assert_int_equal(dfpn_open(&d, &o, NULL), STATUS_OK);
    while (work.nodes < 50000) {
        struct board b = many_kings(&r, 6);
        enum pn_state verdict;

        assert_int_equal(
            dfpn_ask(d, &b, b.turn, (struct dfpn_limits){.nodes = 5000}, &verdict, &work, NULL),
            STATUS_OK);
        assert_int_equal(atomic_load(&done), work.nodes);
    }
    dfpn_close(&d);
    tables_close(&few);
}

static size_t resident_bytes(void)
{
    unsigned long all, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    if (f && fscanf(f, "%lu %lu", &all, &resident) != 2)
        resident = 0;
    if (f)
        fclose(f);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

/* A table that threads share begins small, too: to clear a whole GiB takes longer than most
 * searches. */
static void test_threads_take_little_memory(void **state)
{
    struct tables *few;
    struct rng r = rng_for_test("memory");
    struct dfpn_options o = usual();
    struct dfpn_work work = {0};
    size_t before = resident_bytes();
    enum pn_state verdict;
    struct dfpn *d;
    struct error e;

    if (test_is_sanitized() || before == 0)
        skip();
    few = built_few(*state, 3);
    o.tables = few;
    o.threads = 2;
    o.memory = UINT64_C(1) << 30;
    assert_int_equal(dfpn_open(&d, &o, &e), STATUS_OK);
    for (int i = 0; i < 100 && work.nodes < 20000; i++) {
        struct board b = many_kings(&r, 8);

        assert_int_equal(
            dfpn_ask(d, &b, b.turn, (struct dfpn_limits){0, 10000}, &verdict, &work, &e),
            STATUS_OK);
    }
    assert_true(work.nodes >= 20000);
    assert_true(resident_bytes() < before + (UINT64_C(1) << 28));
    dfpn_close(&d);
    tables_close(&few);
}

/* What is kept about moves changes nothing: a search that finds out everything again takes the same
 * way, position by position. */
static void test_recall_changes_nothing(void **state)
{
    struct rng r = rng_for_test("recall");
    const struct built *w = *state;
    struct tables_options use = {.dir = tables_dir(w->tables), .pieces = fewest(w)};
    struct dfpn *d[2];
    struct tables *few;
    struct crew crew;

    assert_int_equal(tables_open(&few, &use, NULL), STATUS_OK);
    assert_int_equal(crew_open(&crew, 1, NULL), 0);
    assert_int_equal(tables_fill(few, &crew, NULL, NULL), STATUS_OK); /* all pages are at hand */
    crew_close(&crew);
    for (int i = 0; i < 2; i++) {
        struct dfpn_options o = usual();

        o.tables = few;
        o.knobs.forgetful = i;
        assert_int_equal(dfpn_open(&d[i], &o, NULL), STATUS_OK);
    }
    for (int n = 0; n < (test_is_sanitized() ? 10 : 60); n++) {
        struct board b = random_pieces(&r, 8, n % 4 + 1);
        struct dfpn_work work[2] = {{0}};
        enum pn_state verdict[2];

        for (int i = 0; i < 2; i++)
            assert_int_equal(dfpn_ask(d[i], &b, n % 2 ? WHITE : BLACK,
                                      (struct dfpn_limits){.nodes = 5000}, &verdict[i], &work[i],
                                      NULL),
                             STATUS_OK);
        assert_int_equal(verdict[0], verdict[1]);
        assert_int_equal(work[0].nodes, work[1].nodes);
        assert_int_equal(work[0].moves, work[1].moves);
        assert_true(work[0].probes <= work[1].probes);
    }
    dfpn_close(&d[0]);
    dfpn_close(&d[1]);
    tables_close(&few);
}

/* The treatment of repetitions is needed: without it there are wrong results. */
static void test_unchecked_repetitions_are_wrong(void **state)
{
    struct rng r = {.state = 1};
    struct dfpn_options o = usual();
    const struct built *w = *state;
    int wrong = 0;

    if (test_is_sanitized())
        skip();
    o.knobs.trust_repetitions = true;
    for (int round = 0; round < 20 && wrong == 0; round++) {
        struct tally t = compare(w, &r, fewest(w), 1000, o);

        print_tally("unchecked", t);
        wrong += t.wrong;
    }
    assert_true(wrong > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds_agree_with_tables),
        cmocka_unit_test(test_questions_nobody_asks),
        cmocka_unit_test(test_rounds_stop),
        cmocka_unit_test(test_bounds_agree_without_pages),
        cmocka_unit_test(test_bounds_agree_when_full),
        cmocka_unit_test(test_bounds_agree_on_threads),
        cmocka_unit_test(test_threads_do_not_waste_work),
        cmocka_unit_test(test_progress_counts_expansions),
        cmocka_unit_test(test_threads_take_little_memory),
        cmocka_unit_test(test_recall_changes_nothing),
        cmocka_unit_test(test_unchecked_repetitions_are_wrong),
    };

    return cmocka_run_group_tests(tests, world_open, world_close);
}
