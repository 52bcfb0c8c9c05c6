/* SPDX-License-Identifier: MIT
 *
 * What is published about the endgames: Table 2 of Trice and Dodgen, row by row, and
 * the number of positions that Schaeffer et al. count.  To five pieces; to six in
 * `make check-long`. */
#include "kit/golden.h"
#include "kit/run.h"
#include "kit/built.h"
#include "kit/test.h"

#include "db/probe.h"

struct published {      /* one row */
    struct slice slice; /* Black, White */
    uint64_t positions;
    int win, loss; /* -1: not known */
    char fen[64];
};

/* "1,0,1,0,992,11,10,,"B:WK29:BK4"": false for what is no row. */
static bool published_parse(const char *line, struct published *p)
{
    unsigned bk, bm, wk, wm;
    unsigned long positions;
    int used;
    const char *quote = strchr(line, '"');

    p->win = p->loss = -1;
    p->fen[0] = 0;
    if (sscanf(line, "%u,%u,%u,%u,%lu,%n", &bk, &bm, &wk, &wm, &positions, &used) != 5)
        return false;
    sscanf(line + used, "%d,%d", &p->win, &p->loss);
    if (quote)
        sscanf(quote, "\"%63[^\"]\"", p->fen);
    p->slice = (struct slice){(uint8_t)bk, (uint8_t)bm, (uint8_t)wk, (uint8_t)wm};
    p->positions = positions;
    return true;
}

static const struct table_stats *stats_of(struct built *built, struct slice mover)
{
    const struct table *t;
    struct error e;

    if (catalog_table(tables_catalog(built->tables), mover, KIND_DTW, &t, &e))
        fail_msg("%s", e.text);
    return table_stats(t, !slice_equal(mover, slice_canonical(mover)));
}

/* Over both sides to move, without captures. */
static int longest(struct built *built, struct slice s, enum value v)
{
    int black = stats_of(built, s)->quiet.longest[v].plies;
    int white = stats_of(built, slice_flip(s))->quiet.longest[v].plies;

    return black > white ? black : white;
}

/* Printed examples that are something else (docs/errata.md). */
static const struct {
    const char *fen;
    struct outcome is;
} misprints[] = {
    {"B:WK20,29:BK17,K25,K26,19", {VALUE_WIN, 7}},
    {"B:WK30,K31:BK14,K29,5,26", {VALUE_WIN, 67}},
};

static bool is_printed(const struct published *p, struct outcome o)
{
    for (size_t i = 0; i < sizeof misprints / sizeof *misprints; i++)
        if (strcmp(misprints[i].fen, p->fen) == 0)
            return outcome_equal(o, misprints[i].is);
    return (o.value == VALUE_WIN && o.plies == p->win) ||
           (o.value == VALUE_LOSS && o.plies == p->loss);
}

/* Some examples are right with the other side to move. */
static void check_example(struct built *built, const struct published *p)
{
    struct board b = golden_board(p->fen);
    struct outcome o, other;

    assert_int_equal(tables_outcome(built->tables, &b, KIND_DTW, &o, NULL), STATUS_OK);
    b.turn = side_other(b.turn);
    assert_int_equal(tables_outcome(built->tables, &b, KIND_DTW, &other, NULL), STATUS_OK);
    if (!is_printed(p, o) && !is_printed(p, other))
        fail_msg("%s: value %d in %d, printed win in %d, loss in %d", p->fen, o.value, o.plies,
                 p->win, p->loss);
}

static void check_row(struct built *built, const struct published *p)
{
    const uint64_t *count = stats_of(built, p->slice)->all.count;
    int win = longest(built, p->slice, VALUE_WIN), loss = longest(built, p->slice, VALUE_LOSS);
    char name[SLICE_NAME_MAX];

    if (count[0] + count[1] + count[2] != p->positions)
        fail_msg("%s: another number of positions", slice_name(p->slice, name));
    if (p->win < 0)
        return;
    if (win != p->win || loss != p->loss)
        fail_msg("%s: published %d/%d, found %d/%d", slice_name(p->slice, name), p->win, p->loss,
                 win, loss);
    if (p->fen[0])
        check_example(built, p);
}

static void test_table2(void **state)
{
    static const int rows_to[] = {0, 0, 4, 10, 24, 46, 78}; /* pieces */
    struct built *built = *state;
    char *text = golden_read("data/table2.csv", NULL), *rest = text, *line;
    int rows = 0;

    while ((line = strsep(&rest, "\n"))) {
        struct published p;

        if (!published_parse(line, &p) || slice_pieces(p.slice) > built->pieces)
            continue;
        check_row(built, &p);
        rows++;
    }
    assert_int_equal(rows, rows_to[built->pieces]);
    free(text);
}

/* ------------------------------------------------------------- the commands -- */

static struct run run_in(struct built *built, const char *command, const char *option)
{
    struct run r = run_kelso(ARGS(command, "--dir", built->dir.path, option), NULL, 0);

    if (r.status != 0)
        fail_msg("%s", r.err);
    return r;
}

static const char csv_columns[] =
    "bk,bm,wk,wm,stm,positions,wins,losses,draws,dtw_win,dtw_loss,dtc_win,dtc_loss,"
    "dtw_win_quiet,dtw_loss_quiet,dtc_win_quiet,dtc_loss_quiet,";

/* A row for each slice, colours and side to move; its counts add up. */
static void test_csv(void **state)
{
    struct built *built = *state;
    struct run r = run_in(built, "stats", "--csv");
    struct slice list[SLICE_CODES];
    int n = slice_order(built->pieces, PIECES_MAX, list), expected = 0, rows = 0;
    char *rest = r.out, *line = strsep(&rest, "\n");

    assert_memory_equal(line, csv_columns, strlen(csv_columns));
    for (int i = 0; i < n; i++)
        expected += slice_symmetric(list[i]) ? 2 : 4;
    while ((line = strsep(&rest, "\n")) && *line) {
        unsigned long all, win, loss, draw;

        assert_int_equal(
            sscanf(line, "%*u,%*u,%*u,%*u,%*[BW],%lu,%lu,%lu,%lu", &all, &win, &loss, &draw), 4);
        assert_int_equal(all, win + loss + draw);
        rows++;
    }
    assert_int_equal(rows, expected);
    run_free(&r);
}

static void test_totals(void **state)
{
    struct built *built = *state;
    struct run r = run_in(built, "stats", NULL);

    assert_non_null(strstr(r.out, "261,224  equal"));
    assert_null(strstr(r.out, "DIFFERENT"));
    run_free(&r);
}

static void test_json(void **state)
{
    struct built *built = *state;
    const char *const command[] = {"stats", "slices"};

    for (int i = 0; i < 2; i++) {
        struct run r = run_in(built, command[i], "--json");
        int lines = 0;

        for (char *line = r.out, *end; (end = strchr(line, '\n')); line = end + 1, lines++) {
            char *copy = strndup(line, (size_t)(end + 1 - line));

            assert_true(json_is_valid(copy));
            free(copy);
        }
        assert_true(lines >= 9);
        run_free(&r);
    }
}

static int setup(void **state)
{
    return built_setup(state, test_is_sanitized() ? 3 : test_is_long() ? 6 : 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table2),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_totals),
        cmocka_unit_test(test_json),
    };
    return cmocka_run_group_tests(tests, setup, built_teardown);
}
