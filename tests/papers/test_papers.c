/* SPDX-License-Identifier: MIT
 *
 * The claims of the papers that take seconds, and what happens when a row differs. */
#include "kit/run.h"
#include "kit/scratch.h"
#include "kit/test.h"

#include "kit/built.h"

#include "core/notation.h"
#include "papers/ending.h"
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
    claim("figures", "1s", "figures: 3 agree, 0 known errata, 0 differ, 17 left out");
    claim("listings", "1s", "listings: 0 agree, 0 known errata, 0 differ, 8 left out");
    claim("solver", "1s", "solver: 0 agree, 0 known errata, 0 differ, 2 left out");
    if (test_is_sanitized())
        return;
    claim("table2", "1s", "table2: 7 agree, 3 known errata, 0 differ, 88 left out");
    claim("games", "1m", "games: 6 agree, 0 known errata, 0 differ, 0 left out");
    claim("proof", "1m", "proof: 4 agree, 0 known errata, 0 differ, 0 left out");
    if (!test_is_long())
        return;
    claim("table2", "1m", "table2: 43 agree, 3 known errata, 0 differ, 52 left out");
    claim("solver", "10m", "solver: 6 agree, 0 known errata, 0 differ, 0 left out");
    claim("figures", "1m", "figures: 20 agree, 0 known errata, 0 differ, 0 left out");
    claim("listings", "1m", "errata, 0 differ, 0 left out");
}

/* What does not fit into the memory allowed is left out, and says so. */
static void test_memory(void **state)
{
    struct run r = run_kelso(
        ARGS("papers", "run", "listings", "--memory", "100M", "--progress", "none"), "", 0);

    (void)state;
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "GiB of memory: more than --memory"));
    assert_non_null(strstr(r.out, "listings: 0 agree, 0 known errata, 0 differ, 8 left out"));
    run_free(&r);
}

struct walked {
    int steps;
    struct paper_step step[8];
};

static enum status note_step(void *context, const struct paper_step *s, struct error *e)
{
    struct walked *w = context;

    (void)e;
    w->step[w->steps++] = *s;
    return STATUS_OK;
}

static void no_stage(void *context, const char *label, const char *unit, uint64_t total)
{
    (void)context, (void)label, (void)unit, (void)total;
}

/* A walk sees what was best, what was played, and which note belongs to a move. */
static void test_walk(void **state)
{
    static const char fen[] = "B:WK31:B25,K18", text[] = "25-30, ^[7] 31-27, 18-23 ^[9] and so on";
    struct paper_run r = {.upto = 5, .memory = 1 << 30, .threads = 1, .stage = no_stage};
    struct walked w = {0};
    char why[ROW_TEXT_MAX];
    struct ondemand *o;
    struct board b, end;
    struct error e;
    int plies;

    (void)state;
    assert_int_equal(paper_board(fen, strlen(fen), &b, &e), STATUS_OK);
    assert_int_equal(paper_ending(&r, "", &b, 6, false, &o, why, &e), STATUS_OK);
    assert_null(o); /* takes longer than allowed */
    assert_int_equal(paper_ending(&r, "", &b, 5, true, &o, why, &e), STATUS_OK);
    assert_non_null(o);
    assert_int_equal(paper_walk(o, &b, text, note_step, &w, &plies, &end, &e), STATUS_OK);
    assert_int_equal(plies, 3);
    assert_int_equal(w.steps, 3);
    assert_int_equal(w.step[0].note, 7);
    assert_int_equal(w.step[0].best.plies, 3);
    assert_int_equal(w.step[0].played.plies, 21);
    assert_int_equal(w.step[1].note, 0);
    assert_int_equal(w.step[1].ply, 2);
    assert_int_equal(w.step[2].note, 9);
    assert_int_equal(w.step[2].before.turn, BLACK);
    assert_int_equal(end.turn, WHITE);
    assert_int_equal(paper_walk(o, &b, "25-30 1-5", NULL, NULL, &plies, &end, &e), STATUS_FORMAT);
    assert_non_null(strstr(e.text, "ply 2: '1-5'"));
    ondemand_close(&o);
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
        cmocka_unit_test(test_memory),      cmocka_unit_test(test_walk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
