/* SPDX-License-Identifier: MIT
 *
 * Answers made of outcomes: (A1)-(A4) of answer.h, and the commands probe and line. */
#include "kit/golden.h"
#include "kit/run.h"
#include "kit/built.h"
#include "kit/test.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "db/answer.h"

struct kit {
    struct built built;
    struct source source;
    struct line line;
};

enum { PIECES = 4 };

static void ask(struct kit *kit, const struct board *b, struct answer *a)
{
    struct error e;

    if (answer_position(&kit->source, b, WANT_DTC | WANT_DTW, a, &e))
        fail_msg("%s", e.text);
}

/* ------------------------------------------------------------------- answers -- */

/* (A1): a move is worth what the position behind it says. */
static void check_move(struct kit *kit, const struct board *b, const struct ranked_move *m)
{
    struct board next = board_after(b, &m->move);
    struct outcome dtw, dtc;

    assert_int_equal(tables_outcome(kit->built.tables, &next, KIND_DTW, &dtw, NULL), STATUS_OK);
    assert_int_equal(tables_outcome(kit->built.tables, &next, KIND_DTC, &dtc, NULL), STATUS_OK);
    assert_int_equal(m->verdict.value, value_negate(dtw.value));
    if (dtw.value == VALUE_DRAW)
        return;
    assert_int_equal(m->verdict.of[KIND_DTW].plies, dtw.plies + 1);
    assert_int_equal(m->verdict.of[KIND_DTC].plies,
                     move_is_conversion(&m->move) ? 1 : dtc.plies + 1);
}

/* (A2), (A3), for every kind. */
static void test_ranks(void **state)
{
    struct rng r = rng_for_test("ranks");
    struct kit *kit = *state;

    for (int i = 0; i < 3000; i++) {
        struct board b = built_random(&r, PIECES);
        struct answer a;

        ask(kit, &b, &a);
        for (int m = 0; m < a.legal.count; m++)
            check_move(kit, &b, &a.move[m]);
        for (int k = 0; k < KINDS && a.legal.count; k++) {
            assert_int_equal(answer_rank(&a, (enum kind)k, NULL), STATUS_OK);
            assert_true(outcome_equal(a.move[0].verdict.of[k], a.verdict.of[k]));
            for (int m = 1; m < a.legal.count; m++)
                assert_false(outcome_better(a.move[m].verdict.of[k], a.move[m - 1].verdict.of[k]));
            assert_in_range(answer_ties(&a, (enum kind)k), 1, a.legal.count);
        }
        assert_int_equal(answer_rank_best(&a), KIND_DTW);
    }
}

/* (A4): a line by dtw takes exactly the plies announced, one by dtc never fewer. */
static void test_lines(void **state)
{
    struct rng r = rng_for_test("lines");
    struct kit *kit = *state;
    struct line *line = &kit->line;

    for (int i = 0; i < 300; i++) {
        struct board b = built_random(&r, PIECES);
        struct outcome o;

        assert_int_equal(tables_outcome(kit->built.tables, &b, KIND_DTW, &o, NULL), STATUS_OK);
        assert_int_equal(line_play(&kit->source, &b, KIND_DTW, line, NULL), STATUS_OK);
        assert_int_equal(line->end, o.value == VALUE_DRAW ? LINE_REPEATS : LINE_LOST);
        for (int p = 0; p < line->plies && o.value != VALUE_DRAW; p++)
            assert_int_equal(line->ply[p].outcome.plies, line->plies - p);
        assert_int_equal(line_play(&kit->source, &b, KIND_DTC, line, NULL), STATUS_OK);
        assert_int_equal(line->end, o.value == VALUE_DRAW ? LINE_REPEATS : LINE_LOST);
        assert_true(o.value == VALUE_DRAW || (line->plies - o.plies) % 2 == 0);
        assert_int_equal(line_play(&kit->source, &b, KIND_WLD, line, NULL), STATUS_OK);
        assert_int_not_equal(line->end, LINE_LONG);
    }
}

/* What a move gives away is the difference of the distances around it. */
static void test_slips(void **state)
{
    struct rng r = rng_for_test("slips");
    struct kit *kit = *state;

    for (int i = 0; i < 1000; i++) {
        struct board b = built_random(&r, PIECES);
        struct answer a;
        struct slip s;
        int m;

        ask(kit, &b, &a);
        if (!a.legal.count)
            continue;
        m = rng_below(&r, a.legal.count);
        assert_int_equal(slip_of(&kit->source, &b, &a.legal.move[m], KIND_DTW, &s, NULL),
                         STATUS_OK);
        assert_true(outcome_equal(s.best_outcome, a.verdict.of[KIND_DTW]));
        assert_int_equal(s.changes_value, s.played.verdict.value != a.verdict.value);
        assert_true(s.plies >= 0 && s.plies % 2 == 0);
        if (!s.changes_value)
            assert_int_equal(s.plies, abs(s.played_outcome.plies - s.best_outcome.plies));
    }
}

/* Section 2.3 of Trice and Dodgen: conversion would rather crown than win. */
static void test_figure_4(void **state)
{
    struct kit *kit = *state;
    struct board b = golden_board("B:WK31:B25,K18");
    struct move quick = golden_move(&b, "18-23");

    assert_int_equal(line_play(&kit->source, &b, KIND_DTW, &kit->line, NULL), STATUS_OK);
    assert_int_equal(kit->line.plies, 3);
    assert_true(move_equal(&kit->line.ply[0].move, &quick));
    assert_int_equal(line_play(&kit->source, &b, KIND_DTC, &kit->line, NULL), STATUS_OK);
    assert_true(kit->line.ply[0].move.crowns);
    assert_true(kit->line.plies > 3);
}

/* A kind whose tables are missing is a gap, not an error; the value must be there. */
static enum status no_dtw(void *context, const struct board *b, enum kind kind, struct outcome *o,
                          struct error *e)
{
    if (kind == KIND_DTW)
        return error_set(e, STATUS_MISSING, "no such table");
    return tables_outcome(context, b, kind, o, e);
}

static void test_gaps(void **state)
{
    struct kit *kit = *state;
    struct source partly = {no_dtw, kit->built.tables}, all = kit->source;
    struct board b = golden_board("B:WK31:B25,K18"), outside = golden_board("B:W31,32:B1,2,3");
    struct answer a;
    struct error e;

    assert_int_equal(answer_position(&partly, &b, WANT_DTC | WANT_DTW, &a, &e), STATUS_OK);
    assert_false(a.verdict.known[KIND_DTW]);
    assert_int_equal(answer_rank(&a, KIND_DTW, &e), STATUS_MISSING);
    assert_string_equal(e.text, "no such table");
    assert_int_equal(answer_rank_best(&a), KIND_DTC);
    assert_true(a.move[0].move.crowns);
    assert_int_equal(line_play(&partly, &b, KIND_DTW, &kit->line, &e), STATUS_MISSING);
    assert_int_equal(answer_position(&all, &outside, WANT_DTW, &a, &e), STATUS_MISSING);
}

/* A source in which one position is unknown, and all others cannot be read. */
static enum status source_broken(void *context, const struct board *b, enum kind kind,
                                 struct outcome *o, struct error *e)
{
    (void)kind;
    *o = outcome_lost;
    if (board_equal(b, context))
        return error_set(e, STATUS_MISSING, "no table");
    return error_set(e, STATUS_DAMAGED, "a checksum does not match");
}

/* A gap is skipped, a fault is not, and its words come with it. */
static void test_gaps_are_not_faults(void **state)
{
    struct board b = golden_board("B:WK31:B25,K18");
    struct source source = {source_broken, &b};
    struct answer a;
    struct error e = {0};

    (void)state;
    assert_int_equal(answer_gaps(&source, &b, WANT_DTW, &a, &e), STATUS_DAMAGED);
    assert_int_equal(e.status, STATUS_DAMAGED);
    assert_string_equal(e.text, "a checksum does not match");
}

static void board_read(const void *board, size_t first, size_t count, const struct views *views)
{
    assert_true(first == 0 && count == 1);
    views_set(views, 0, view_of(board));
}

/* A batch that can do without a value leaves no words of it. */
static void test_batch_gap(void **state)
{
    struct kit *kit = *state;
    struct board outside = golden_board("B:W31,32:B1,2,3");
    struct view_source source = {board_read, &outside};
    struct error e = {0};
    int8_t value = 0;

    assert_int_equal(tables_batch(kit->built.tables, &source, 1, &value, &e), STATUS_OK);
    assert_int_equal(value, -1);
    assert_string_equal(e.text, "");
}

/* ------------------------------------------------------------------- commands -- */

static void expect_run(const char *const *args, const char *input, int status, const char *out,
                       const char *err)
{
    struct run r = run_kelso(args, input, strlen(input));

    if (r.status != status || (out && strcmp(r.out, out) != 0) || (err && !strstr(r.err, err)))
        fail_msg("exit %d, '%s', '%s'", r.status, r.out, r.err);
    run_free(&r);
}

static const char figure_4_json[] =
    "{\"fen\":\"B:WK31:BK18,25\",\"value\":\"win\",\"dtw\":3,\"dtc\":1,\"moves\":["
    "{\"move\":\"18-23\",\"value\":\"win\",\"dtw\":3,\"dtc\":3},"
    "{\"move\":\"25-30\",\"value\":\"win\",\"dtw\":21,\"dtc\":1},"
    "{\"move\":\"18-22\",\"value\":\"win\",\"dtw\":25,\"dtc\":3},"
    "{\"move\":\"18-15\",\"value\":\"win\",\"dtw\":29,\"dtc\":3},"
    "{\"move\":\"18-14\",\"value\":\"win\",\"dtw\":29,\"dtc\":3},"
    "{\"move\":\"25-29\",\"value\":\"win\",\"dtw\":33,\"dtc\":1}]}\n";

static void test_probe_json(void **state)
{
    (void)state;
    assert_true(json_is_valid(figure_4_json));
    expect_run(ARGS("probe", "--json", "B:WK31:B25,K18"), "", 0, figure_4_json, "");
    expect_run(ARGS("probe", "--json"), "\nB:WK31:B25,K18\r\n\n", 0, figure_4_json, "");
    expect_run(ARGS("probe", "--json"), "\xEF\xBB\xBF# one\nB:WK31:B25,K18", 0, figure_4_json, "");
    expect_run(ARGS("probe", "--json", "-"), "B:WK31:B25,K18\nB:W1\nB:W31,32:B1,2,3\n", 2,
               figure_4_json, "standard input, line 2, column ");
    expect_run(ARGS("probe", "--json"), "B:W31,32:B1,2,3\n", 2, "", "no table 3C-2C.wld");
    expect_run(ARGS("probe", "--json", "B:WK32:BK1"), "", 0, NULL, "");
    expect_run(ARGS("probe", "--json", "B:WK2:BK1"), "", 0, NULL, "");
    expect_run(ARGS("probe", "--json", "W:W21:B17,14"), "", 0,
               "{\"fen\":\"W:W21:B14,17\",\"value\":\"loss\",\"dtw\":0,\"dtc\":0,\"moves\":[]}\n",
               "");
    expect_run(ARGS("probe", "--json", "B:WK31,K32:BK1"), "", 0, NULL, "");
}

static void test_probe_text(void **state)
{
    struct kit *kit = *state;
    char expected[SCRATCH_MAX + 400];

    snprintf(expected, sizeof expected,
             "W:WK31:BK18,25\n  loss for White, dtw 26, dtc 2\n"
             "  answered by 1K1C-1K wld dtc dtw in %s\n"
             "  move         value   dtw   dtc\n"
             "  31-27        loss     26     2\n"
             "  31-26        loss      6     2\n",
             kit->built.dir.path);
    expect_run(ARGS("probe", "W:WK31:BK18,25"), "", 0, expected, "");
}

static void test_longest_and_diff(void **state)
{
    (void)state;
    expect_run(ARGS("longest", "--slice", "1C-1C"), "", 0,
               "1C-1C      win   13  B:W30:B25\n"
               "   1. 25-29 30-26       2. 29-25 26-23       3. 25-22 23-19       4. 22-18 19-16\n"
               "   5. 18-15 16-12       6. 15-11 12-8        7. 11x4\n\n"
               "1C-1C      loss   6  B:W27:B3\n"
               "   1. 3-7 27-23         2. 7-10 23-18        3. 10-14 18x9\n\n",
               "");
    expect_run(ARGS("longest", "--slice", "3C-2C"), "", 2, "", "3C-2C");
    expect_run(ARGS("diff", "--slice", "1K1C-1K", "--threads", "1", "--json"), "", 0, NULL, "");
    expect_run(ARGS("diff"), "", 2, "", "expected --slice");
    expect_run(ARGS("diff", "--slice", "2K-1K", "--play", "dtw"), "", 2, "", "the same");
    expect_run(ARGS("diff", "--slice", "3C-2C"), "", 2, "", "3C-2C");
}

/* The same figures for any number of threads, and none lost by the kind measured with. */
static void test_diff_threads(void **state)
{
    struct run one = run_kelso(ARGS("diff", "--slice", "1K1C-1K", "--threads", "1"), "", 0);
    struct run three = run_kelso(ARGS("diff", "--slice", "1K1C-1K", "--threads", "3"), "", 0);

    (void)state;
    assert_int_equal(one.status, 0);
    assert_string_equal(one.out, three.out);
    run_free(&one);
    run_free(&three);
}

static void test_line_text(void **state)
{
    (void)state;
    expect_run(ARGS("line", "B:WK31:B25,K18"), "", 0,
               "B:WK31:BK18,25\nBlack wins in 3 plies.\n\n"
               "   1. 18-23 31-27       2. 23x32\n"
               "White has no move left: Black wins after 3 plies.\n",
               "");
    expect_run(ARGS("line", "--ties", "W:WK31:BK23,25"), "", 0,
               "W:WK31:BK23,25\nWhite loses in 2 plies.\n\n"
               "   1. ... 31-27[1]      2. 23x32\n"
               "White has no move left: Black wins after 2 plies.\n\n"
               "[1] 31-27 or 31-26\n",
               "");
    expect_run(ARGS("line", "--kind", "wld", "B:WK31:B25,K18"), "", 0, NULL, "");
    expect_run(ARGS("line"), "", 2, "", "expected a FEN");
    expect_run(ARGS("line", "--pdn", "--json", "B:WK31:B25,K18"), "", 2, "", "not both");
    expect_run(ARGS("line", "B:W31,32:B1,2,3"), "", 2, "",
               "no table 3C-2C.wld; --on-demand solves");
}

/* What line writes, line --check reads: no move gives anything away. */
static void check_again(struct kit *kit, const char *const *args)
{
    char path[SCRATCH_MAX];
    struct run line = run_kelso(args, "", 0), again;

    assert_int_equal(line.status, 0);
    file_write(scratch_file(&kit->built.dir, "line", path), line.out, line.out_length);
    again = run_kelso(ARGS("line", "--check", path), "", 0);
    if (again.status != 0 || !strstr(again.out, "Black gave away 0 plies in 0 moves."))
        fail_msg("exit %d, '%s', '%s'", again.status, again.out, again.err);
    run_free(&line);
    run_free(&again);
}

static void test_line_check(void **state)
{
    struct kit *kit = *state;

    check_again(kit, ARGS("line", "B:WK8,31:BK10,5"));
    check_again(kit, ARGS("line", "--ties", "W:WK8,31:BK10,5"));
    check_again(kit, ARGS("line", "--pdn", "B:WK31:B25,K18"));
    expect_run(ARGS("line", "--check", "-", "B:WK31:B25,K18"), "25-29 31-27\n", 1,
               "B:WK31:BK18,25\n"
               "   1. 25-29[1] 31-27[2]\n"
               "[1] 18-23 wins in 3, but 25-29 allows White 30 additional plies. Cumulative slip = "
               "30 plies.\n"
               "[2] 31-26 loses in 32, but 31-27 spares Black 8 plies. Cumulative slip = 8 plies.\n"
               "Black gave away 30 plies in 1 move.\n"
               "White gave away 8 plies in 1 move.\n",
               "");
    expect_run(ARGS("line", "--check", "-"), "11-15 23-19 8-11\n", 1,
               "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12\n"
               "   1. 11-15 23-19       2. 8-11\n"
               "None of the 3 moves is in the tables: nothing was checked.\n",
               "");
    expect_run(ARGS("line", "--check", "-", "B:W21,K31,K32:B13,K1"), "13-17 21x14 1-5 31-26\n", 0,
               "B:W21,K31,K32:BK1,13\n"
               "   1. 13-17 21x14       2. 1-5 31-26\n"
               "Black gave away 0 plies in 0 moves.\n"
               "White gave away 0 plies in 0 moves.\n"
               "1 of 4 moves is not in the tables.\n",
               "");
    expect_run(ARGS("line", "--check", "-"), "25-29\n", 2, "",
               "standard input:1:1: game 1: expected a legal move (9-13, ");
    expect_run(ARGS("line", "--check", "-"), "B:WK31:B25,K18 25-29\n31-20", 2, NULL,
               "standard input:2:1: ");
    expect_run(ARGS("line", "--check", "-"), "nothing", 2, "",
               "expected tags or moves, found 'nothing'");
}

/* --------------------------------------------------------------- seven pieces -- */

/* The note with the number n of a check's output, without its number. */
static char *next_note(char **rest)
{
    char *line;

    while ((line = strsep(rest, "\n")))
        if (line[0] == '[')
            return strchr(line, ' ') + 1;
    return NULL;
}

/* Everything but the name of the best move, which need not be the only one. */
static const char *note_figures(const char *note)
{
    return strchr(note, ' ');
}

/* A move that is wrong is found wherever it stands: in a listing and in PDN. */
static void test_long_games(void **state)
{
    enum { ROUNDS = 1100 }; /* of four plies */
    static const char *const head[] = {"B:WK32:BK1\n", "[FEN \"B:WK32:BK1\"]\n\n"};
    static char text[ROUNDS * 32];
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX];

    (void)state;
    scratch_file(&dir, "long.txt", path);
    for (int pdn = 0; pdn < 2; pdn++) {
        int n = sprintf(text, "%s", head[pdn]);
        struct run r;

        for (int i = 0; i < ROUNDS; i++)
            n += sprintf(text + n, "1-5 32-28 5-1 28-32\n");
        n += sprintf(text + n, "1-9 *\n");
        file_write(path, text, (size_t)n);
        r = run_kelso(ARGS("line", "--on-demand", "--dir", dir.path, "--check", path), "", 0);
        assert_int_equal(r.status, 2);
        assert_non_null(strstr(r.err, path));
        run_free(&r);
    }
    scratch_remove(&dir);
}

/* "4,7,16-12,185,16-20,2,16-12 185 16-20 4": the last field is what the note should say.  The words
 * that `line --check` has for it, up to the sum. */
static bool note_expect(const char *row, char *out, size_t size)
{
    char better[16], played[16];
    int listing, wins, more;
    const char *right = strrchr(row, ',') + 1;

    if (sscanf(row, "%d,%*d,%15[^,],%d,%15[^,],%d", &listing, better, &wins, played, &more) != 5 ||
        listing != 4)
        return false;
    if (*right)
        assert_int_equal(sscanf(right, "%15s %d %15s %d", better, &wins, played, &more), 4);
    snprintf(out, size, "%s wins in %d, but %s allows White %d additional plies.", better, wins,
             played, more);
    return true;
}

static void test_listing_4(void **state)
{
    char *notes, *rest, *out, *line, expected[128];
    struct run r;

    (void)state;
    if (!test_is_long())
        skip();
    r = run_kelso(ARGS("line", "--on-demand", "--check", "data/listing4.txt"), "", 0);
    assert_int_equal(r.status, 1);
    rest = notes = golden_read("data/listing_notes.csv", NULL);
    out = r.out;
    while ((line = strsep(&rest, "\n")) && *line) {
        const char *note;

        if (!note_expect(line, expected, sizeof expected))
            continue;
        note = next_note(&out);
        assert_non_null(note);
        assert_memory_equal(note_figures(note), note_figures(expected),
                            strlen(note_figures(expected)));
    }
    assert_null(next_note(&out));
    free(notes);
    run_free(&r);
}

static void test_listings(void **state)
{
    struct run r;

    (void)state;
    if (!test_is_long())
        skip();
    r = run_kelso(ARGS("line", "--on-demand", "--check", "data/listings.txt"), "", 0);
    if (r.status != 0)
        fail_msg("'%s', '%s'", r.out, r.err);
    run_free(&r);
}

static int kit_open(void **state)
{
    struct kit *kit = malloc(sizeof *kit);

    *state = kit;
    kit->built = built_open(PIECES);
    setenv("KELSO_DB", kit->built.dir.path, 1);
    kit->source = source_from_tables(kit->built.tables);
    return 0;
}

static int kit_close(void **state)
{
    struct kit *kit = *state;

    built_close(&kit->built);
    free(kit);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_slips),
        cmocka_unit_test(test_figure_4),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_gaps_are_not_faults),
        cmocka_unit_test(test_batch_gap),
        cmocka_unit_test(test_probe_json),
        cmocka_unit_test(test_probe_text),
        cmocka_unit_test(test_line_text),
        cmocka_unit_test(test_line_check),
        cmocka_unit_test(test_listing_4),
        cmocka_unit_test(test_long_games),
        cmocka_unit_test(test_listings),
        cmocka_unit_test(test_longest_and_diff),
        cmocka_unit_test(test_diff_threads),
    };
    return cmocka_run_group_tests(tests, kit_open, kit_close);
}
