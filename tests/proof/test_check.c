/* SPDX-License-Identifier: MIT
 *
 * The checker against liars.  It has tables of three pieces, we have larger ones: whatever a
 * certificate says that it accepts must be true.  The lies are built from proofs, so that each
 * is right but for one thing; and they are proofs with something changed at random. */
#include "kit/positions.h"
#include "kit/built.h"
#include "kit/test.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "proof/check.h"
#include "proof/extract.h"
#include "proof/resolve.h"

enum { SOLVE_NODES = 3000, RESOLVE_LIMIT = 3000 };

struct world {
    struct built truth, few;
    struct dfpn *dfpn;
};

static int world_open(void **state)
{
    static struct world w;
    struct dfpn_options o = {.memory = 16 << 20, .threads = 1, .knobs = dfpn_default};

    w.truth = built_open_wld(test_is_sanitized() ? 4 : 5);
    w.few = built_open_wld(3);
    o.tables = w.few.tables;
    assert_int_equal(dfpn_open(&w.dfpn, &o, NULL), STATUS_OK);
    *state = &w;
    return 0;
}

static int world_close(void **state)
{
    struct world *w = *state;

    dfpn_close(&w->dfpn);
    built_close(&w->few);
    built_close(&w->truth);
    return 0;
}

/* Something that can be claimed of a position. */
struct topic {
    struct board board;
    enum side attacker;
    bool wins;
};

static bool is_true(const struct world *w, const struct topic *t)
{
    enum value v;

    assert_int_equal(tables_value(w->truth.tables, &t->board, &v, NULL), STATUS_OK);
    return ((t->board.turn == t->attacker ? v : value_negate(v)) == VALUE_WIN) == t->wins;
}

static struct topic random_topic(const struct world *w, struct rng *r)
{
    struct topic t = {random_pieces(r, 4 + rng_below(r, w->truth.pieces - 3), 3),
                      (enum side)rng_below(r, 2), rng_below(r, 2) != 0};

    return tables_knows(w->few.tables, &t.board) ? random_topic(w, r) : t;
}

static struct topic topic_after(const struct topic *t, const struct move *m)
{
    return (struct topic){board_after(&t->board, m), t->attacker, t->wins};
}

static void say(struct certificate *c, const struct topic *t, bool by_solver, const struct move *m)
{
    struct claim claim = {.pieces = placement_of(&t->board),
                          .turn = (uint8_t)t->board.turn,
                          .attacker = (uint8_t)t->attacker,
                          .wins = t->wins,
                          .by_solver = by_solver,
                          .from = m ? (uint8_t)square_number(m->from) : 0,
                          .to = m ? (uint8_t)square_number(m->to) : 0};

    assert_int_equal(certificate_add(c, &claim, NULL), STATUS_OK);
}

/* The bounds of the root that a claim about it would establish. */
static void set_root(struct certificate *c, const struct topic *t)
{
    bool mover = t->board.turn == t->attacker;

    c->root = t->board;
    c->lower = t->wins && mover ? VALUE_WIN : !t->wins && !mover ? VALUE_DRAW : VALUE_LOSS;
    c->upper = t->wins && !mover ? VALUE_LOSS : !t->wins && mover ? VALUE_DRAW : VALUE_WIN;
}

/* A proof of what is true; false where it takes too long. */
static bool prove(const struct world *w, struct certificate *c, const struct topic *t)
{
    struct dfpn_limits limits = {.nodes = SOLVE_NODES};
    struct dfpn_work work = {0};
    enum pn_state verdict;

    assert_int_equal(dfpn_ask(w->dfpn, &t->board, t->attacker, limits, &verdict, &work, NULL),
                     STATUS_OK);
    return verdict == (t->wins ? PN_PROVEN : PN_DISPROVEN) &&
           !extract_question(w->dfpn, w->few.tables, &t->board, t->attacker, t->wins,
                             (struct extract_limits){.search = limits}, c, NULL);
}

static enum status check(const struct world *w, const struct certificate *c, uint64_t resolve)
{
    struct check_options o = {.tables = w->few.tables, .resolve_limit = resolve};
    struct check_result result;

    return check_certificate(c, &o, &result, NULL);
}

/* ----------------------------------------------------------------- built lies -- */

/* What stands in the place of a claim that cannot be shown. */
enum flaw {
    FLAW_TABLES,   /* nothing: the tables say otherwise */
    FLAW_MISSING,  /* nothing at all */
    FLAW_OPPOSITE, /* a proof of the opposite, in all ways */
    FLAW_WORD,     /* the solver's word */
    FLAW_LATER,    /* the claim, without a reason, behind what rests on it */
    FLAWS
};

static bool tell_lie(const struct world *w, struct rng *r, struct certificate *c,
                     const struct topic *t, int depth, enum flaw *flaw);

/* Everything true of a position that is not the lie. */
static bool prove_opposite(const struct world *w, struct certificate *c, const struct topic *lie)
{
    for (int i = 0; i < 8; i++) {
        struct topic t = {lie->board, (enum side)(i & 1), (i & 2) != 0};

        if (i & 4)
            t.board.turn = side_other(t.board.turn);
        if (!tables_knows(w->few.tables, &t.board) && is_true(w, &t) && !prove(w, c, &t))
            return false;
    }
    return true;
}

/* After a move that the lie needs: more of the same, or the flaw. */
static bool lie_on(const struct world *w, struct rng *r, struct certificate *c,
                   const struct topic *t, int depth, enum flaw *flaw)
{
    if (tables_knows(w->few.tables, &t->board)) {
        *flaw = FLAW_TABLES;
        return true;
    }
    if (depth > 0)
        return tell_lie(w, r, c, t, depth - 1, flaw);
    *flaw = (enum flaw)(FLAW_MISSING + rng_below(r, FLAWS - FLAW_MISSING));
    if (*flaw == FLAW_OPPOSITE)
        return prove_opposite(w, c, t);
    if (*flaw == FLAW_WORD)
        say(c, t, true, NULL);
    return true;
}

/* Claim what is not so, and show all of it that can be shown.  False where that takes too
 * long. */
static bool tell_lie(const struct world *w, struct rng *r, struct certificate *c,
                     const struct topic *t, int depth, enum flaw *flaw)
{
    bool chooses = (t->board.turn == t->attacker) == t->wins, told = false;
    struct move_list list;
    int n = moves_generate(&t->board, &list), only = n ? rng_below(r, n) : 0;

    for (int m = 0; m < n; m++) {
        struct topic next = topic_after(t, &list.move[m]);

        if (chooses && m != only)
            continue;
        if (!chooses && is_true(w, &next)) {
            if (!tables_knows(w->few.tables, &next.board) && !prove(w, c, &next))
                return false;
            continue;
        }
        if (!lie_on(w, r, c, &next, depth, flaw))
            return false;
        told = true;
    }
    say(c, t, false, chooses && n ? &list.move[only] : NULL);
    for (int m = 0; m < n && *flaw == FLAW_LATER; m++) {
        struct topic next = topic_after(t, &list.move[m]);

        if (!is_true(w, &next))
            say(c, &next, false, NULL);
    }
    return told;
}

static void test_lies_with_one_flaw(void **state)
{
    struct rng r = rng_for_test("flaws");
    const struct world *w = *state;
    int wanted = test_is_sanitized() ? 5 : 25, told[FLAWS][2] = {{0}};

    for (int k = 0; k < 2 * FLAWS; k++)
        for (int tries = 0; told[k / 2][k % 2] < wanted && tries < 20000; tries++) {
            struct topic t = random_topic(w, &r);
            struct certificate c = {0};
            enum flaw flaw = FLAWS;
            char fen[FEN_TEXT_MAX];

            dfpn_clear(w->dfpn);
            if (!is_true(w, &t) && tell_lie(w, &r, &c, &t, rng_below(&r, 3), &flaw)) {
                set_root(&c, &t);
                fen_format(&t.board, fen);
                if (check(w, &c, RESOLVE_LIMIT) != STATUS_MISMATCH ||
                    check(w, &c, 0) != STATUS_MISMATCH)
                    fail_msg("%s, flaw %d: believed", fen, (int)flaw);
                told[flaw][t.wins]++;
            }
            certificate_free(&c);
        }
    for (int k = 0; k < FLAWS; k++) {
        printf("# flaw %d: %d wins, %d holds\n", k, told[k][1], told[k][0]);
        assert_true(told[k][0] && told[k][1]);
    }
}

/* --------------------------------------------------------------- random changes -- */

static void claim_remove(struct certificate *c, size_t i)
{
    memmove(&c->claim[i], &c->claim[i + 1], (--c->claims - i) * sizeof *c->claim);
}

static void claim_swap(struct certificate *c, size_t a, size_t b)
{
    struct claim t = c->claim[a];

    c->claim[a] = c->claim[b];
    c->claim[b] = t;
}

static void move_change(struct claim *claim, struct rng *r)
{
    struct board b = claim_board(claim);
    struct move_list list;
    int n = moves_generate(&b, &list);
    const struct move *m = n ? &list.move[rng_below(r, n)] : NULL;

    claim->from = m ? (uint8_t)square_number(m->from) : 0;
    claim->to = m ? (uint8_t)square_number(m->to) : 0;
}

static void change(struct certificate *c, struct rng *r)
{
    size_t i = (size_t)rng_below(r, (int)c->claims);
    struct claim *claim = &c->claim[i];

    switch (rng_below(r, 11)) {
    case 0:
        claim->wins = !claim->wins;
        break;
    case 1:
        claim->attacker ^= 1;
        break;
    case 2:
        claim->turn ^= 1;
        break;
    case 3:
        claim_swap(c, i, (size_t)rng_below(r, (int)c->claims));
        break;
    case 4:
        move_change(claim, r);
        break;
    case 5:
        claim->by_solver = !claim->by_solver;
        break;
    case 6:
        if (c->claims > 1)
            claim_remove(c, i);
        break;
    case 7: /* the other side wins instead */
        for (size_t k = 0; k < c->claims; k++) {
            c->claim[k].wins = !c->claim[k].wins;
            c->claim[k].attacker ^= 1;
        }
        break;
    case 8:
        c->lower = (enum value)rng_below(r, 3);
        c->upper = (enum value)(c->lower + rng_below(r, 3 - (int)c->lower));
        break;
    case 9: /* about another position */
        c->root = claim_board(claim);
        break;
    default:
        claim->pieces.kings ^= claim->pieces.black & (uint32_t)rng_next(r);
        break;
    }
}

static void must_be_true(const struct world *w, const struct certificate *c)
{
    enum value v;

    assert_int_equal(tables_value(w->truth.tables, &c->root, &v, NULL), STATUS_OK);
    assert_true(c->lower <= v && v <= c->upper);
    for (size_t i = 0; i < c->claims; i++) {
        struct topic t = {claim_board(&c->claim[i]), (enum side)c->claim[i].attacker,
                          c->claim[i].wins};

        assert_true(is_true(w, &t));
    }
}

static bool all_valid(const struct certificate *c)
{
    bool valid = true;

    for (size_t i = 0; i < c->claims; i++) {
        struct board b = claim_board(&c->claim[i]);

        valid = valid && board_valid(&b);
    }
    return valid;
}

static void test_what_is_accepted_is_true(void **state)
{
    struct rng r = rng_for_test("changes");
    const struct world *w = *state;
    int rounds = test_is_sanitized() ? 30 : 200, accepted = 0, refused = 0;

    for (int i = 0; i < rounds || (!accepted && i < 20000); i++) {
        struct topic t = random_topic(w, &r);
        struct certificate c = {0};

        dfpn_clear(w->dfpn);
        set_root(&c, &t);
        if (is_true(w, &t) && prove(w, &c, &t) && c.claims) {
            assert_int_equal(check(w, &c, 0), STATUS_OK);
            must_be_true(w, &c);
            for (int k = 0; k < 20; k++) {
                change(&c, &r);
                if (!all_valid(&c))
                    break; /* certificate_read would refuse it */
                if (check(w, &c, rng_below(&r, 2) ? RESOLVE_LIMIT : 0)) {
                    refused++;
                } else {
                    accepted++;
                    must_be_true(w, &c);
                }
            }
        }
        certificate_free(&c);
    }
    printf("# %d accepted, %d refused\n", accepted, refused);
    assert_true(accepted && refused);
}

/* --------------------------------------------------------------------- resolve -- */

static void test_resolve_agrees_with_tables(void **state)
{
    struct rng r = rng_for_test("resolve");
    const struct world *w = *state;
    int rounds = test_is_sanitized() ? 100 : 500, answers[3] = {0};

    for (int i = 0; i < rounds; i++) {
        struct topic t = random_topic(w, &r);
        enum resolve_answer answer;
        char fen[FEN_TEXT_MAX];

        t.wins = true;
        fen_format(&t.board, fen);
        assert_int_equal(resolve_position(w->few.tables, &t.board, t.attacker, RESOLVE_LIMIT, NULL,
                                          &answer, NULL),
                         STATUS_OK);
        if (answer != RESOLVE_OPEN && (answer == RESOLVE_WINS) != is_true(w, &t))
            fail_msg("%s: %d, and it is not so", fen, (int)answer);
        answers[answer]++;
    }
    printf("# %d open, %d hold, %d win\n", answers[0], answers[1], answers[2]);
    assert_true(answers[RESOLVE_HOLDS] && answers[RESOLVE_WINS]);
}

/* A search without end for a claim that has no proof hears `stop`, and says nothing of the claim.
 */
static void test_resolve_stops(void **state)
{
    const struct world *w = *state;
    struct claim word = {.pieces = placement_of(&board_start),
                         .turn = (uint8_t)board_start.turn,
                         .attacker = BLACK,
                         .wins = true,
                         .by_solver = true};
    struct certificate c = {
        .root = board_start, .lower = VALUE_LOSS, .upper = VALUE_WIN, .claims = 1, .claim = &word};
    atomic_bool stop = true;
    struct check_options o = {.tables = w->few.tables, .resolve_limit = 1000000, .stop = &stop};
    struct check_result result;
    struct error e;

    assert_int_equal(check_certificate(&c, &o, &result, &e), STATUS_INTERRUPTED);
    o.stop = NULL;
    o.resolve_limit = 1000;
    assert_int_equal(check_certificate(&c, &o, &result, &e), STATUS_MISMATCH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lies_with_one_flaw),
        cmocka_unit_test(test_what_is_accepted_is_true),
        cmocka_unit_test(test_resolve_agrees_with_tables),
        cmocka_unit_test(test_resolve_stops),
    };

    return cmocka_run_group_tests(tests, world_open, world_close);
}
