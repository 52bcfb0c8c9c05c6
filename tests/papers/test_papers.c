/* SPDX-License-Identifier: MIT
 *
 * The claims of the papers that take seconds, and what happens when a row differs. */
#include "kit/run.h"
#include "kit/scratch.h"
#include "kit/test.h"

#include "kit/built.h"

#include "core/notation.h"
#include "papers/papers.h"
#include "proof/certificate.h"

struct seen {
    int rows;
    struct paper_row last;
};

static void note_row(void *context, const struct paper_row *row)
{
    struct seen *s = context;

    s->rows++;
    s->last = *row;
}

static void test_marks(void **state)
{
    struct seen seen = {0};
    struct paper_run r = {.upto = 5, .row = note_row, .context = &seen};

    (void)state;
    paper_compare(&r, "a", "12", "12");
    assert_int_equal(seen.last.mark, ROW_AGREES);
    paper_compare(&r, "a", "12", "13");
    assert_int_equal(seen.last.mark, ROW_DIFFERS);
    assert_string_equal(seen.last.found, "13");
    assert_false(paper_skip(&r, "b", "1", 5));
    assert_true(paper_skip(&r, "b", "1", 6));
    assert_int_equal(seen.last.mark, ROW_SKIPPED);
    assert_int_equal(seen.rows, 3);
    assert_int_equal(r.rows[ROW_AGREES], 1);
    assert_int_equal(r.rows[ROW_DIFFERS], 1);
    assert_null(paper_claim_find("nonsense"));
}

static void test_list(void **state)
{
    struct run r = run_kelso(ARGS("papers"), "", 0);

    (void)state;
    assert_int_equal(r.status, 0);
    for (const struct paper_claim *c = paper_claims; c->name; c++) {
        assert_non_null(strstr(r.out, c->what));
        assert_ptr_equal(paper_claim_find(c->name), c);
        assert_true(c->seconds > 0 && c->memory > 0);
    }
    run_free(&r);
}

/* docs/papers.md is what the command makes. */
static void test_document(void **state)
{
    struct run r = run_kelso(ARGS("papers", "--markdown"), "", 0);
    char text[16384] = "";
    FILE *f = fopen("docs/papers.md", "r");

    (void)state;
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    assert_string_equal(r.out, text);
    run_free(&r);
}

static void claim(const char *name, const char *upto, const char *last)
{
    struct scratch dir = scratch_create();
    struct run r = run_kelso(ARGS("papers", "run", name, "--upto", upto, "--dir", dir.path,
                                  "--threads", "1", "--progress", "none"),
                             "", 0);

    assert_string_equal(r.err, "");
    assert_int_equal(r.status, 0);
    if (!strstr(r.out, last))
        fail_msg("%s: expected '%s' in\n%s", name, last, r.out);
    run_free(&r);
    scratch_remove(&dir);
}

static void test_claims(void **state)
{
    (void)state;
    claim("positions", "1s", "positions: 24 agree, 0 known errata, 0 differ, 0 left out");
    claim("census", "1s", "census: 11 agree, 0 known errata, 0 differ, 8 left out");
    claim("figures", "1s", "figures: 1 agree, 0 known errata, 0 differ, 5 left out");
    claim("listings", "1s", "listings: 0 agree, 0 known errata, 0 differ, 4 left out");
    if (test_is_sanitized())
        return;
    claim("table2", "1s", "table2: 7 agree, 3 known errata, 0 differ, 88 left out");
    claim("games", "1m", "games: 6 agree, 0 known errata, 0 differ, 0 left out");
    claim("proof", "1m", "proof: 4 agree, 0 known errata, 0 differ, 0 left out");
    if (!test_is_long())
        return;
    claim("table2", "1m", "table2: 43 agree, 3 known errata, 0 differ, 52 left out");
    claim("listing4", "1m", "listing4: 5 agree, 7 known errata, 0 differ, 0 left out");
    claim("figures", "1m", "figures: 8 agree, 0 known errata, 0 differ, 0 left out");
    claim("listings", "1m", "listings: 8 agree, 0 known errata, 0 differ, 0 left out");
}

/* A certificate that proves nothing makes a row that differs, not an error. */
static void test_certificate(void **state)
{
    static const char fen[] = "B:W23:B7,15,16";
    struct built t = built_open_wld(3);
    struct seen seen = {0};
    struct paper_run r = {.row = note_row, .context = &seen};
    struct certificate c = {.lower = VALUE_LOSS, .upper = VALUE_LOSS};
    struct error e;

    (void)state;
    assert_true(fen_parse(fen, strlen(fen), &c.root, NULL));
    assert_int_equal(paper_certificate(&r, &c, t.tables, &e), STATUS_OK);
    assert_int_equal(seen.rows, 1);
    assert_int_equal(seen.last.mark, ROW_DIFFERS);
    assert_string_equal(seen.last.printed, "stands");
    assert_non_null(strstr(seen.last.found, "the root"));
    built_close(&t);
}

static void test_refusals(void **state)
{
    static const char *const bad[][4] = {
        {"papers", "run"}, {"papers", "run", "table3"}, {"papers", "x"}};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct run r = run_kelso(bad[i], "", 0);

        assert_int_equal(r.status, 2);
        run_free(&r);
    }
    run_expect(ARGS("papers", "run", "tabel2"), 2, "", "did you mean 'table2'?");
    run_expect(ARGS("papers", "run", "everything"), 2, "", "'kelso papers' lists them");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks),       cmocka_unit_test(test_list),
        cmocka_unit_test(test_document),    cmocka_unit_test(test_claims),
        cmocka_unit_test(test_certificate), cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
