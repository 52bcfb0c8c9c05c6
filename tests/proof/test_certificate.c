/* SPDX-License-Identifier: MIT
 *
 * Certificates: what the search writes down stands; what is damaged is refused when it
 * is read, what lies when it is checked, with the claim named. */
#include "kit/scratch.h"
#include "kit/built.h"
#include "kit/positions.h"
#include "kit/test.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "proof/check.h"
#include "proof/extract.h"
#include "proof/resolve.h"

struct world {
    struct built tables;
    struct dfpn *dfpn;
};

static int world_open(void **state)
{
    static struct world w;
    struct dfpn_options o = {.memory = 16 << 20, .threads = 1, .knobs = dfpn_default};
    struct error e = {0};

    w.tables = built_open_wld(test_is_sanitized() ? 3 : 4);
    o.tables = w.tables.tables;
    assert_int_equal(dfpn_open(&w.dfpn, &o, &e), STATUS_OK);
    *state = &w;
    return 0;
}

static int world_close(void **state)
{
    struct world *w = *state;

    dfpn_close(&w->dfpn);
    built_close(&w->tables);
    return 0;
}

/* A position with one or two pieces more than the tables, half of them kings. */
static struct board random_board(const struct world *w, struct rng *r)
{
    return random_pieces(r, tables_complete(w->tables.tables) + 1 + rng_below(r, 2), 2);
}

/* Solve random positions until one has a proof of at least `claims` claims. */
static struct certificate random_certificate(const struct world *w, struct rng *r, size_t claims)
{
    for (;;) {
        struct board b = random_board(w, r);
        struct dfpn_limits limits = {.nodes = 20000};
        struct certificate c = {0};
        struct solution s;
        struct error e = {0};

        dfpn_clear(w->dfpn);
        if (solve_position(w->dfpn, &b, (struct solve_hint){.bounds = bounds_unknown}, limits, &s,
                           &e) ||
            extract_certificate(w->dfpn, w->tables.tables, &b, s.bounds,
                                (struct extract_limits){.search = limits}, &c, &e))
            fail_msg("%s", e.text);
        if (c.claims >= claims)
            return c;
        certificate_free(&c);
    }
}

static enum status check(const struct world *w, const struct certificate *c, struct error *e)
{
    struct check_options o = {.tables = w->tables.tables};
    struct check_result result;

    return check_certificate(c, &o, &result, e);
}

/* What is rare among random positions is waited for, but not for ever. */
enum { ENOUGH = 5000 };

static int rounds(void)
{
    return test_is_sanitized() ? 20 : 200;
}

static void test_proofs_stand(void **state)
{
    struct rng r = rng_for_test("stand");
    const struct world *w = *state;
    struct error e = {0};
    int wins = 0, holds = 0;

    for (int i = 0; i < rounds() || ((!wins || !holds) && i < ENOUGH); i++) {
        struct certificate c = random_certificate(w, &r, 1);

        if (check(w, &c, &e))
            fail_msg("%s", e.text);
        wins += c.claim[0].wins;
        holds += !c.claim[0].wins;
        certificate_free(&c);
    }
    printf("# %d wins, %d holds\n", wins, holds);
    assert_true(wins > 0 && holds > 0);
}

/* A proof put together from several says some things twice; the first time counts. */
static void test_claims_made_twice(void **state)
{
    struct rng r = rng_for_test("twice");
    const struct world *w = *state;
    int wins = 0;

    for (int i = 0; i < 200 && wins < 5; i++) {
        struct certificate c = random_certificate(w, &r, 10);
        size_t claims = c.claims;
        struct error e = {0};

        wins += c.claim[0].wins;
        for (size_t n = 0; n < 3 * claims; n++) {
            struct claim copy = c.claim[rng_below(&r, (int)claims)];

            assert_int_equal(certificate_add(&c, &copy, &e), STATUS_OK);
        }
        if (check(w, &c, &e))
            fail_msg("%s", e.text);
        assert_int_equal(certificate_unique(&c, &e), STATUS_OK);
        assert_int_equal(c.claims, claims);
        assert_int_equal(check(w, &c, &e), STATUS_OK);
        certificate_free(&c);
    }
    assert_true(wins > 0);
}

/* A table that has forgotten everything: the search finds its wins again. */
static void test_wins_are_found_again(void **state)
{
    struct rng r = rng_for_test("again");
    const struct world *w = *state;
    int wins = 0;

    for (int i = 0; i < ENOUGH && wins < rounds() / 10; i++) {
        struct certificate c = random_certificate(w, &r, 5), again = {0};
        struct bounds b = {c.lower, c.upper};
        struct error e = {0};

        if (c.claim[0].wins) {
            wins++;
            dfpn_clear(w->dfpn);
            if (extract_certificate(w->dfpn, w->tables.tables, &c.root, b,
                                    (struct extract_limits){.search = {.nodes = 1000000}}, &again,
                                    &e) ||
                check(w, &again, &e))
                fail_msg("%s", e.text);
        }
        certificate_free(&again);
        certificate_free(&c);
    }
    assert_true(wins > 0);
}

static void test_files_are_read_back(void **state)
{
    struct rng r = rng_for_test("files");
    const struct world *w = *state;
    struct certificate c = random_certificate(w, &r, 3), again;
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX];
    struct error e = {0};

    scratch_file(&dir, "a.proof", path);
    assert_int_equal(certificate_write(&c, path, &e), STATUS_OK);
    assert_int_equal(certificate_read(&again, path, &e), STATUS_OK);
    assert_true(board_equal(&c.root, &again.root));
    assert_int_equal(c.claims, again.claims);
    assert_int_equal(check(w, &again, &e), STATUS_OK);
    certificate_free(&c);
    certificate_free(&again);
    scratch_remove(&dir);
}

/* Any byte changed, any cut: refused when read, with the file named. */
static void test_damage_is_refused(void **state)
{
    struct rng r = rng_for_test("damage");
    const struct world *w = *state;
    struct certificate c = random_certificate(w, &r, 3);
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX], other[SCRATCH_MAX];
    struct error e = {0};
    size_t size;
    uint8_t *bytes;

    scratch_file(&dir, "a.proof", path);
    scratch_file(&dir, "b.proof", other);
    assert_int_equal(certificate_write(&c, path, &e), STATUS_OK);
    bytes = file_read(path, &size);
    for (size_t i = 0; i < size && i < 300; i++) {
        struct certificate d;

        bytes[i] ^= (uint8_t)(1 << rng_below(&r, 8));
        file_write(other, bytes, size);
        assert_int_not_equal(certificate_read(&d, other, &e), STATUS_OK);
        assert_non_null(strstr(e.text, "b.proof"));
        free(bytes);
        bytes = file_read(path, &size);
        file_write(other, bytes, i);
        assert_int_not_equal(certificate_read(&d, other, &e), STATUS_OK);
    }
    free(bytes);
    certificate_free(&c);
    scratch_remove(&dir);
}

enum lie { LIE_MOVE, LIE_MISSING, LIE_CLAIM, LIE_BOUND, LIE_ORDER, LIES };

/* Turn a right certificate into a wrong one; false if this one does not lend itself. */
static bool tell_lie(struct certificate *c, enum lie lie, struct rng *r)
{
    size_t i = (size_t)rng_below(r, (int)c->claims);
    struct claim *claim = &c->claim[i];
    struct board b = claim_board(claim);

    switch (lie) {
    case LIE_MOVE: /* a move that is none */
        claim->to = 0;
        return claim->from != 0;
    case LIE_MISSING:                                            /* a reply left out */
        if (board_equal(&b, &c->root) || board_must_capture(&b)) /* the tables may know it */
            return false;
        memmove(claim, claim + 1, (c->claims - i - 1) * sizeof *claim);
        c->claims--;
        return true;
    case LIE_CLAIM: /* the opposite of the truth */
        claim->wins = !claim->wins;
        return true;
    case LIE_BOUND: /* more than was proven */
        if (c->lower == VALUE_WIN)
            c->lower = c->upper = VALUE_LOSS;
        else
            c->lower = c->upper = VALUE_WIN;
        return !board_must_capture(&c->root);
    default: /* wins that rest on later ones */
        for (size_t a = 0, z = c->claims - 1; a < z; a++, z--) {
            struct claim t = c->claim[a];

            c->claim[a] = c->claim[z];
            c->claim[z] = t;
        }
        return c->claim[0].wins && c->claims > 2;
    }
}

static void test_lies_are_refused(void **state)
{
    struct rng r = rng_for_test("lies");
    const struct world *w = *state;
    int told[LIES] = {0};

    for (int i = 0; i < ENOUGH; i++) {
        struct certificate c;
        enum lie lie = (enum lie)(i % LIES);
        struct error e = {0};

        if (i >= LIES * rounds() && told[lie])
            continue;
        c = random_certificate(w, &r, 2);
        if (tell_lie(&c, lie, &r)) {
            told[lie]++;
            if (check(w, &c, &e) != STATUS_MISMATCH)
                fail_msg("lie %d was believed", (int)lie);
            assert_non_null(strstr(e.text, lie == LIE_BOUND ? "root" : ":"));
        }
        certificate_free(&c);
    }
    for (int k = 0; k < LIES; k++)
        assert_true(told[k] > 0);
}

/* Two positions that lead to each other may hold each other up, but not as a win. */
static void test_no_win_holds_itself_up(void **state)
{
    const struct world *w = *state;
    struct rng r = rng_for_test("cycle");
    struct certificate c;
    struct error e = {0};

    for (;;) { /* a hold that goes round: some claim rests on an earlier one */
        bool wins = false;

        c = random_certificate(w, &r, 4);
        for (size_t i = 0; i < c.claims; i++)
            wins |= c.claim[i].wins;
        if (!wins)
            break;
        certificate_free(&c);
    }
    assert_int_equal(check(w, &c, &e), STATUS_OK);
    for (size_t i = 0; i < c.claims; i++) { /* the same, turned into wins of the defender */
        c.claim[i].wins = true;
        c.claim[i].attacker = !c.claim[i].attacker;
    }
    assert_int_equal(check(w, &c, &e), STATUS_MISMATCH);
    certificate_free(&c);
}

/* Claims without reasons are solved again, right ones and wrong ones. */
static void test_words_are_not_taken(void **state)
{
    struct rng r = rng_for_test("words");
    const struct world *w = *state;
    int right = 0;

    for (int i = 0; i < rounds() / 4 || (right == 0 && i < ENOUGH); i++) {
        struct certificate c = random_certificate(w, &r, 1), only = {0};
        struct check_options o = {.tables = w->tables.tables, .resolve_limit = 20000};
        struct check_result result;
        struct claim claim = {0};
        struct error e = {0};

        for (size_t k = 0; k < c.claims; k++) {
            struct board b = claim_board(&c.claim[k]);

            if (board_equal(&b, &c.root))
                claim = c.claim[k];
        }
        only.root = c.root;
        only.lower = c.lower;
        only.upper = c.upper;
        claim.by_solver = true;
        certificate_add(&only, &claim, &e);
        right += check_certificate(&only, &o, &result, &e) == STATUS_OK;
        assert_int_equal(check(w, &only, &e), STATUS_MISMATCH); /* without a limit: refused */
        only.claim[0].wins = !claim.wins;
        assert_int_equal(check_certificate(&only, &o, &result, &e), STATUS_MISMATCH);
        certificate_free(&only);
        certificate_free(&c);
    }
    printf("# %d solved again\n", right);
    assert_true(right > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_proofs_stand),           cmocka_unit_test(test_claims_made_twice),
        cmocka_unit_test(test_wins_are_found_again),   cmocka_unit_test(test_files_are_read_back),
        cmocka_unit_test(test_damage_is_refused),      cmocka_unit_test(test_lies_are_refused),
        cmocka_unit_test(test_no_win_holds_itself_up), cmocka_unit_test(test_words_are_not_taken),
    };

    return cmocka_run_group_tests(tests, world_open, world_close);
}
