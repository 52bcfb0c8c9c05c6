/* SPDX-License-Identifier: MIT
 *
 * The misprints of Table 2 stand in three places: data/errata.csv for the page, docs/errata.md for
 * people, data/table2.csv for `kelso papers`.  They are the same misprints. */
#include "kit/golden.h"
#include "kit/test.h"

#include "core/notation.h"

#include <stdlib.h>
#include <string.h>

struct erratum {
    int bk, bm, wk, wm;
    char printed[16], found[16], witnesses[256];
};

static const char errata_csv[] = "data/errata.csv", table2_csv[] = "data/table2.csv";

/* A row of data/errata.csv; the witnesses are its last field, in quotes. */
static struct erratum erratum_parse(const char *line)
{
    struct erratum r = {0};
    const char *quote = strrchr(line, ',');

    while (quote && quote > line && quote[1] != '"') /* FENs have commas of their own */
        quote = memrchr(line, ',', (size_t)(quote - line));
    if (sscanf(line, "%d,%d,%d,%d,%15[0-9/],%15[0-9/],", &r.bk, &r.bm, &r.wk, &r.wm, r.printed,
               r.found) != 6 ||
        !quote || sscanf(quote, ",\"%255[^\"]\"", r.witnesses) != 1)
        fail_msg("%s: not a row: %s", errata_csv, line);
    return r;
}

static size_t side_write(char *out, int kings, int men)
{
    size_t n = 0;

    if (kings)
        n += (size_t)sprintf(out, "%dK", kings);
    if (men)
        n += (size_t)sprintf(out + n, "%dC", men);
    return n;
}

/* How the row begins in the document: "| 4K v 2K1C | 149/142 | 143/142 |". */
static void document_start(const struct erratum *r, char out[80])
{
    size_t n = (size_t)sprintf(out, "| ");

    n += side_write(out + n, r->bk, r->bm);
    n += (size_t)sprintf(out + n, " v ");
    n += side_write(out + n, r->wk, r->wm);
    sprintf(out + n, " | %s | %s |", r->printed, r->found);
}

/* The line of `text` that begins so, in `out`. */
static void line_find(const char *path, const char *text, const char *start, char out[512])
{
    size_t n = strlen(start);
    const char *at = text;

    while (at && strncmp(at, start, n) != 0)
        at = (at = strchr(at, '\n')) ? at + 1 : NULL;
    if (!at)
        fail_msg("%s has no line that begins with '%s'", path, start);
    snprintf(out, 512, "%.*s", (int)strcspn(at, "\n"), at);
}

/* The last column has the witnesses and nothing else: "`FEN`, `FEN` |". */
static void witnesses_check(const struct erratum *r, const char *line)
{
    char list[256], expected[512] = "", *save = NULL;
    struct board b;

    strcpy(list, r->witnesses);
    for (char *fen = strtok_r(list, " ", &save); fen; fen = strtok_r(NULL, " ", &save)) {
        assert_true(fen_parse(fen, strlen(fen), &b, NULL));
        sprintf(expected + strlen(expected), "%s`%s`", *expected ? ", " : "| ", fen);
    }
    strcat(expected, " |");
    if (strlen(line) < strlen(expected) ||
        strcmp(line + strlen(line) - strlen(expected), expected) != 0)
        fail_msg("docs/errata.md has\n%s\nbut the witnesses of %s are\n%s", line, errata_csv,
                 expected);
}

/* "1,0,0,1,868,11,12,11/10,": the right figures, then the printed ones. */
static void table2_check(const struct erratum *r, const char *table2)
{
    char start[80], line[512], rest[80];
    int used = 0;

    sprintf(start, "%d,%d,%d,%d,", r->bk, r->bm, r->wk, r->wm);
    line_find(table2_csv, table2, start, line);
    sscanf(line + strlen(start), "%*u,%n", &used);
    snprintf(rest, sizeof rest, "%.*s,%s,%s,", (int)strcspn(r->found, "/"), r->found,
             strchr(r->found, '/') + 1, r->printed);
    if (!used || strncmp(line + strlen(start) + used, rest, strlen(rest)) != 0)
        fail_msg("%s has\n%s\nbut %s has %s for %s", table2_csv, line, errata_csv, r->found,
                 r->printed);
}

/* Rows of the document's first table. */
static int document_rows_count(const char *text)
{
    const char *at = strstr(text, "\n|---"), *end;
    int rows = 0;

    assert_non_null(at);
    assert_non_null(end = strstr(at, "\n\n"));
    for (at = strchr(at + 1, '\n'); at && at < end; at = strchr(at + 1, '\n'))
        rows++;
    return rows;
}

/* Rows of Table 2 that have something printed beside what is right. */
static int misprints_count(const char *text)
{
    int rows = 0, used;

    for (const char *at = strchr(text, '\n'); at; at = strchr(at + 1, '\n')) {
        used = 0;
        sscanf(at + 1, "%*d,%*d,%*d,%*d,%*u,%*d,%*d,%n", &used);
        rows += used && at[1 + used] != ',';
    }
    return rows;
}

static void test_same_misprints(void **state)
{
    char *csv = golden_read(errata_csv, NULL), *table2 = golden_read(table2_csv, NULL);
    char *document = golden_read("docs/errata.md", NULL), *save = NULL;
    int rows = 0;

    (void)state;
    strtok_r(csv, "\n", &save); /* the names of the columns */
    for (char *line; (line = strtok_r(NULL, "\n", &save)); rows++) {
        struct erratum r = erratum_parse(line);
        char start[80], there[512];

        document_start(&r, start);
        line_find("docs/errata.md", document, start, there);
        witnesses_check(&r, there);
        table2_check(&r, table2);
    }
    assert_true(rows > 10);
    assert_int_equal(document_rows_count(document), rows);
    assert_int_equal(misprints_count(table2), rows);
    free(csv);
    free(table2);
    free(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_misprints)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
