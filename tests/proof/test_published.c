/* SPDX-License-Identifier: MIT
 *
 * The certificates of data/proofs stand.  Those that need tables of at most five pieces are checked
 * with tables built here; for the others KELSO_TABLES is a directory of tables. */
#include "kit/built.h"
#include "kit/golden.h"
#include "kit/test.h"

#include "core/notation.h"
#include "proof/check.h"

enum { BUILT = 5 };

static const struct published {
    const char *file, *fen;
    enum value lower, upper;
    int pieces; /* the tables that it needs */
} published[] = {
    {"ladder-8", "W:W13,27,28,30:B15,19,20,21", VALUE_DRAW, VALUE_DRAW, 5},
    {"opening-15", "W:W12,13,19,21,22,25,27,29,30,32:B2,3,4,5,8,11,14,18,20", VALUE_WIN, VALUE_WIN,
     7},
};

enum { PUBLISHED = sizeof published / sizeof *published };

static struct certificate published_read(const struct published *p)
{
    char path[64], fen[FEN_TEXT_MAX];
    struct certificate c;
    struct error e = {0};

    snprintf(path, sizeof path, "data/proofs/%s.proof", p->file);
    if (certificate_read(&c, path, &e))
        fail_msg("%s", e.text);
    fen_format(&c.root, fen);
    assert_string_equal(fen, p->fen);
    assert_true(c.lower == p->lower && c.upper == p->upper);
    return c;
}

static enum status check(const struct certificate *c, const struct tables *t, struct error *e)
{
    struct check_options o = {.tables = t}; /* claims without a proof are refused */
    struct check_result r;

    return check_certificate(c, &o, &r, e);
}

static void test_published_proofs_stand(void **state)
{
    const struct built *w = *state;
    int checked = 0;

    for (int i = 0; i < PUBLISHED; i++) {
        struct certificate c = published_read(&published[i]);
        struct error e = {0};

        if (published[i].pieces <= w->pieces) {
            if (check(&c, w->tables, &e))
                fail_msg("%s: %s", published[i].file, e.text);
            checked++;
        }
        certificate_free(&c);
    }
    printf("# %d of %d checked\n", checked, PUBLISHED);
    assert_true(checked > 0 || test_is_sanitized());
}

/* A proof of the same size with a claim that is not in it. */
static void test_a_changed_claim_is_found(void **state)
{
    const struct built *w = *state;
    struct certificate c = published_read(&published[0]);
    struct claim *claim = &c.claim[c.claims / 2];
    struct error e = {0};

    if (w->pieces < published[0].pieces) {
        certificate_free(&c);
        skip();
    }
    claim->wins = !claim->wins;
    assert_int_equal(check(&c, w->tables, &e), STATUS_MISMATCH);
    certificate_free(&c);
}

static int world_open(void **state)
{
    static struct built w;

    w = getenv("KELSO_TABLES") ? built_open_at(getenv("KELSO_TABLES"))
                               : built_open_wld(test_is_sanitized() ? 3 : BUILT);
    *state = &w;
    return 0;
}

static int world_close(void **state)
{
    built_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_proofs_stand),
        cmocka_unit_test(test_a_changed_claim_is_found),
    };

    return cmocka_run_group_tests(tests, world_open, world_close);
}
