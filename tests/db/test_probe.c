/* SPDX-License-Identifier: MIT
 *
 * The tables against a brute-force solution, through the probe: (Q1)-(Q3), and what
 * DESIGN says of distances: a win to the end is odd, a loss even. */
#include "kit/brute.h"
#include "kit/built.h"
#include "kit/test.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "db/probe.h"

static void expect(const struct tables *t, const struct board *b, enum kind kind,
                   struct outcome want)
{
    struct outcome got = {0};
    struct error e = {0};
    char fen[FEN_TEXT_MAX];

    if (tables_outcome(t, b, kind, &got, &e) == STATUS_OK && outcome_equal(got, want))
        return;
    fen_format(b, fen);
    fail_msg("%s %s: expected value %d in %d, found value %d in %d; %s", fen, kind_name(kind),
             want.value, want.plies, got.value, got.plies, e.text);
}

static void compare_all(struct built *t, struct brute *brute)
{
    for (size_t i = 0; i < brute_count(brute); i++) {
        struct board b = brute_board(brute, i);
        struct outcome dtw = brute_dtw(brute, i), wld = {dtw.value, 0};
        enum value v;

        expect(t->tables, &b, KIND_WLD, wld);
        expect(t->tables, &b, KIND_DTW, dtw);
        expect(t->tables, &b, KIND_DTC, brute_dtc(brute, i));
        assert_int_equal(tables_value(t->tables, &b, &v, NULL), STATUS_OK);
        assert_int_equal(v, dtw.value);
        if (dtw.value != VALUE_DRAW)
            assert_int_equal(dtw.plies % 2, dtw.value == VALUE_WIN);
    }
}

static void compare_few(struct built *t, int men)
{
    struct brute *brute = brute_solve(men);

    print_message("# %zu positions by brute force\n", brute_count(brute));
    compare_all(t, brute);
    brute_free(brute);
}

static void test_three_pieces(void **state)
{
    compare_few(*state, -1);
}

static void test_four_pieces(void **state)
{
    if (test_is_sanitized())
        skip();
    compare_few(*state, test_is_long() ? 1 : 0);
}

/* Random positions of four pieces with men, and all that can arise from them. */
static void test_samples(void **state)
{
    struct rng r = rng_for_test("samples");
    size_t limit = test_is_sanitized() ? 20000 : test_is_long() ? 2000000 : 200000, positions = 0;
    int wanted = test_is_sanitized() ? 2 : test_is_long() ? 100 : 12, samples = 0;

    while (samples < wanted) {
        struct board b = built_random(&r, 4);
        squares all = b.side[BLACK] | b.side[WHITE];
        struct brute *brute;

        if (squares_count(all) < 4 || !(all & ~b.kings) || !(brute = brute_solve_from(&b, limit)))
            continue;
        compare_all(*state, brute);
        positions += brute_count(brute);
        brute_free(brute);
        samples++;
    }
    print_message("# %d samples, %zu positions by brute force\n", samples, positions);
}

/* (Q3), and that distances agree with each other. */
static void test_colours(void **state)
{
    struct rng r = rng_for_test("colours");
    struct built *t = *state;

    for (int i = 0; i < 20000; i++) {
        struct board b = built_random(&r, 4), flipped = board_flip(&b);
        struct outcome o[KINDS];

        for (int k = 0; k < KINDS; k++) {
            assert_int_equal(tables_outcome(t->tables, &b, (enum kind)k, &o[k], NULL), STATUS_OK);
            expect(t->tables, &flipped, (enum kind)k, o[k]);
        }
        assert_int_equal(o[KIND_DTC].value, o[KIND_DTW].value);
        assert_int_equal(o[KIND_DTC].plies > 0, o[KIND_DTW].plies > 0);
        assert_true(o[KIND_DTC].plies <= o[KIND_DTW].plies);
    }
}

static struct board board_from(const char *fen)
{
    struct text_error error;
    struct board b;

    if (!fen_parse(fen, strlen(fen), &b, &error))
        fail_msg("%s: %s", fen, error.what);
    return b;
}

static void test_ends(void **state)
{
    struct built *t = *state;
    struct board b = board_from("B:W32:B1");
    struct outcome o = {VALUE_WIN, 9};
    enum value v;

    b.side[BLACK] = 0; /* nothing left to move */
    expect(t->tables, &b, KIND_DTW, outcome_lost);
    b = board_from("B:W32:B1");
    b.side[WHITE] = 0;
    assert_int_equal(tables_value(t->tables, &b, &v, NULL), STATUS_POSITION);
    assert_int_equal(tables_outcome(t->tables, &b, KIND_DTC, &o, NULL), STATUS_POSITION);
    b = board_from("W:W17:B13,10"); /* no move: 13 is behind, 14 would be taken */
    expect(t->tables, &b, KIND_WLD, (struct outcome){VALUE_LOSS, 0});
    b = board_from("B:W31,32:B1,2,3"); /* not built */
    assert_int_equal(tables_value(t->tables, &b, &v, NULL), STATUS_MISSING);
    assert_int_equal(tables_value(t->tables, &board_start, &v, NULL), STATUS_MISSING);
}

/* ------------------------------------------------------------------- threads -- */

struct reader {
    struct built *t;
    struct probe *probe;
    uint64_t seed;
    int wrong;
};

static void *read_much(void *arg)
{
    struct reader *reader = arg;
    struct rng r = {reader->seed};

    for (int i = 0; i < 400; i++) {
        struct board b = built_random(&r, 4), flipped = board_flip(&b);
        enum kind kind = (enum kind)rng_below(&r, KINDS);
        struct outcome a, f;

        if (probe_outcome(reader->probe, &b, kind, &a, NULL) ||
            tables_outcome(reader->t->tables, &flipped, kind, &f, NULL) || !outcome_equal(a, f))
            reader->wrong++;
    }
    return NULL;
}

/* Eight threads on one handle whose cache holds a few pages only. */
static void test_threads(void **state)
{
    struct rng r = rng_for_test("threads");
    struct built *t = *state;
    struct reader reader[8];
    pthread_t thread[8];
    struct probe *tiny;

    assert_int_equal(probe_open(&tiny, tables_catalog(t->tables), 0, NULL), STATUS_OK);
    for (int i = 0; i < 8; i++) {
        reader[i] = (struct reader){t, tiny, rng_next(&r), 0};
        assert_int_equal(pthread_create(&thread[i], NULL, read_much, &reader[i]), 0);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(reader[i].wrong, 0);
    }
    probe_close(&tiny);
}

/* Decoding everything beforehand changes no answer, with or without room for all of it. */
static void test_fill(void **state)
{
    static const uint64_t room[] = {UINT64_C(1) << 18, UINT64_C(64) << 20};
    struct rng r = rng_for_test("fill");
    struct built *t = *state;
    atomic_bool stop = false;

    for (int i = 0; i < 2; i++) {
        _Atomic uint64_t done = 0;
        struct probe *filled;
        struct crew crew;
        uint64_t pages;

        assert_int_equal(crew_open(&crew, 3, &stop), 0);
        assert_int_equal(probe_open(&filled, tables_catalog(t->tables), room[i], NULL), STATUS_OK);
        assert_int_equal(probe_pages(filled, 4, &pages, NULL), STATUS_OK);
        assert_true(pages > 300);
        assert_int_equal(probe_fill(filled, 4, &crew, &done, NULL), STATUS_OK);
        assert_true(i == 0 ? done < pages : done == pages);
        for (int n = 0; n < 20000; n++) {
            struct board b = built_random(&r, 4);
            enum value v, want;

            assert_int_equal(tables_value(t->tables, &b, &want, NULL), STATUS_OK);
            assert_int_equal(probe_value(filled, &b, &v, NULL), STATUS_OK);
            assert_int_equal(v, want);
        }
        atomic_store(&stop, true);
        assert_int_equal(probe_fill(filled, 4, &crew, NULL, NULL), STATUS_INTERRUPTED);
        atomic_store(&stop, false);
        probe_close(&filled);
        crew_close(&crew);
    }
}

/* What is at hand is right, with room for all pages or for a few; nothing is at first; with room
 * for all everything is once it has been asked for, and a position that is not there never. */
static void test_at_hand(void **state)
{
    static const uint64_t room[] = {0, UINT64_C(64) << 20};
    struct rng r = rng_for_test("at hand");
    struct built *t = *state;

    for (int i = 0; i < 2; i++) {
        int here[2] = {0}; /* not at hand, at hand */
        struct probe *p;
        struct board b = board_from("B:W31,32:B1,2,3"); /* not built */
        enum value v, want;

        assert_int_equal(probe_open(&p, tables_catalog(t->tables), room[i], NULL), STATUS_OK);
        for (int n = 0; n < 20000; n++) {
            struct board a = built_random(&r, 4);
            bool hand = probe_at_hand(p, &a, &v);

            here[hand]++;
            assert_int_equal(tables_value(t->tables, &a, &want, NULL), STATUS_OK);
            assert_true(!hand || v == want);
            assert_int_equal(probe_value(p, &a, &v, NULL), STATUS_OK);
            assert_int_equal(v, want);
            if (room[i])
                assert_true(probe_at_hand(p, &a, &v) && v == want);
        }
        assert_true(here[false] > 100 && here[true] > 100);
        assert_false(probe_at_hand(p, &b, &v) || probe_at_hand(p, &board_start, &v));
        b.side[BLACK] = 0;
        assert_true(probe_at_hand(p, &b, &v) && v == VALUE_LOSS); /* nothing left to move */
        probe_close(&p);
    }
}

/* Whether a draw or a win is reached is what the value says, at hand or not, from the first lookup
 * on, with room for all pages or for a few. */
static void test_reaches(void **state)
{
    static const uint64_t room[] = {0, UINT64_C(64) << 20};
    struct rng r = rng_for_test("reaches");
    struct built *t = *state;

    for (int i = 0; i < 2; i++) {
        int here[2] = {0}; /* not at hand, at hand */
        struct probe *p;
        struct board b = board_from("B:W31,32:B1,2,3"); /* not built */
        bool yes;

        assert_int_equal(probe_open(&p, tables_catalog(t->tables), room[i], NULL), STATUS_OK);
        for (int n = 0; n < 20000; n++) {
            struct board a = built_random(&r, 4);
            enum value want, enough = rng_below(&r, 2) ? VALUE_WIN : VALUE_DRAW;
            bool hand = probe_reaches_at_hand(p, &a, enough, &yes);

            here[hand]++;
            assert_int_equal(tables_value(t->tables, &a, &want, NULL), STATUS_OK);
            assert_true(!hand || yes == (want >= enough));
            assert_int_equal(probe_reaches(p, &a, enough, &yes, NULL), STATUS_OK);
            assert_int_equal(yes, want >= enough);
        }
        assert_true(here[false] > 100 && here[true] > 100);
        assert_false(probe_reaches_at_hand(p, &b, VALUE_DRAW, &yes));
        assert_int_equal(probe_reaches(p, &b, VALUE_DRAW, &yes, NULL), STATUS_MISSING);
        b.side[BLACK] = 0;
        assert_true(probe_reaches_at_hand(p, &b, VALUE_DRAW, &yes) && !yes);
        probe_close(&p);
    }
}

/* Does a capture lead to a position that the tables do not have? */
static bool capture_missing(struct probe *p, const struct board *b)
{
    struct move_list list;
    enum value v;

    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++) {
        struct board next = board_after(b, &list.move[i]);

        if (probe_value(p, &next, &v, NULL) == STATUS_MISSING)
            return true;
    }
    return false;
}

/* A capture that is enough decides although the table of another is missing; then there is no
 * error, and otherwise the error is that of the status. */
static void test_recovers(void **state)
{
    struct rng r = rng_for_test("recovers");
    struct built *t = *state;
    int recovered = 0, failed = 0;
    struct probe *p;

    assert_int_equal(probe_open(&p, tables_catalog(t->tables), 0, NULL), STATUS_OK);
    for (int n = 0; n < 1000000 && (recovered < 20 || failed < 20); n++) {
        struct board b = built_random(&r, 6);
        struct error e[2] = {{0}, {0}};
        enum value v;
        bool yes;
        enum status rc[2] = {probe_value(p, &b, &v, &e[0]),
                             probe_reaches(p, &b, VALUE_WIN, &yes, &e[1])};

        for (int i = 0; i < 2; i++)
            assert_int_equal(e[i].status, rc[i]);
        recovered += !rc[0] && !rc[1] && capture_missing(p, &b);
        failed += rc[0] && board_must_capture(&b);
    }
    assert_true(recovered >= 20 && failed >= 20);
    probe_close(&p);
}

static int kit_open(void **state)
{
    struct built *t = malloc(sizeof *t);

    *state = t;
    *t = built_open(4);
    return 0;
}

static int kit_close(void **state)
{
    struct built *t = *state;

    built_close(t);
    free(t);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_pieces), cmocka_unit_test(test_four_pieces),
        cmocka_unit_test(test_samples),      cmocka_unit_test(test_colours),
        cmocka_unit_test(test_ends),         cmocka_unit_test(test_threads),
        cmocka_unit_test(test_fill),         cmocka_unit_test(test_at_hand),
        cmocka_unit_test(test_reaches),      cmocka_unit_test(test_recovers),
    };
    return cmocka_run_group_tests(tests, kit_open, kit_close);
}
