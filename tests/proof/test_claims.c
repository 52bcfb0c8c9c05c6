/* SPDX-License-Identifier: MIT
 *
 * What a search leaves of its reasons: packed and read back they are the same and stand; a proof
 * is written down from them without solving anything, and where they are missing, too large or
 * damaged the leaf is solved again. */
#include "kit/built.h"
#include "kit/positions.h"
#include "kit/scratch.h"
#include "kit/test.h"

#include "core/notation.h"
#include "proof/certificate_prune.h"
#include "proof/check.h"
#include "proof/export.h"
#include "proof/extract.h"
#include "proof/manager.h"
#include "proof/store_codec.h"

#include <lmdb.h>

struct world {
    struct built tables, few_built;
    struct tables *few; /* in a directory of their own: the checker asks all that there are */
    struct dfpn *dfpn;
};

static int world_open(void **state)
{
    static struct world w;
    struct dfpn_options o = {.memory = 16 << 20, .threads = 1, .knobs = dfpn_default};

    w.tables = built_open_wld(test_is_sanitized() ? 4 : 5);
    w.few_built = built_open_wld(w.tables.pieces - 2);
    o.tables = w.few = w.few_built.tables;
    assert_int_equal(dfpn_open(&w.dfpn, &o, NULL), STATUS_OK);
    *state = &w;
    return 0;
}

static int world_close(void **state)
{
    struct world *w = *state;

    dfpn_close(&w->dfpn);
    built_close(&w->few_built);
    built_close(&w->tables);
    return 0;
}

/* ----------------------------------------------------------------------- packs -- */

static int claim_order(const void *a, const void *b)
{
    return claim_compare(a, b);
}

/* The same claims with the same moves, in whatever order. */
static void same_claims(const struct certificate *a, const struct certificate *b)
{
    struct claim *x = malloc((a->claims + 1) * sizeof *x), *y = malloc((b->claims + 1) * sizeof *y);

    assert_int_equal(a->claims, b->claims);
    memcpy(x, a->claim, a->claims * sizeof *x);
    memcpy(y, b->claim, b->claims * sizeof *y);
    qsort(x, a->claims, sizeof *x, claim_order);
    qsort(y, b->claims, sizeof *y, claim_order);
    for (size_t i = 0; i < a->claims; i++) {
        assert_int_equal(claim_compare(&x[i], &y[i]), 0);
        assert_true(x[i].from == y[i].from && x[i].to == y[i].to);
    }
    free(x);
    free(y);
}

static enum status check(const struct tables *t, const struct certificate *c)
{
    struct check_options o = {.tables = t};
    struct check_result result;

    return check_certificate(c, &o, &result, NULL);
}

/* One question about a random position that has an answer with claims; false: this one has not. */
static bool random_proof(const struct world *w, struct rng *r, struct pack_question *q,
                         struct certificate *c)
{
    struct dfpn_limits limits = {.nodes = 3000};
    struct dfpn_work work = {0};
    enum pn_state verdict;

    *c = (struct certificate){0};
    *q = (struct pack_question){random_pieces(r, w->tables.pieces, 2),
                                rng_below(r, 2) ? WHITE : BLACK, false};
    assert_int_equal(dfpn_ask(w->dfpn, &q->root, q->attacker, limits, &verdict, &work, NULL),
                     STATUS_OK);
    if (verdict != PN_PROVEN && verdict != PN_DISPROVEN)
        return false;
    q->wins = verdict == PN_PROVEN;
    assert_int_equal(extract_question(w->dfpn, w->few, &q->root, q->attacker, q->wins,
                                      (struct extract_limits){.search = limits}, c, NULL),
                     STATUS_OK);
    c->root = q->root;
    c->lower = VALUE_LOSS;
    c->upper = VALUE_WIN;
    if (q->wins)
        *(q->attacker == q->root.turn ? &c->lower : &c->upper) =
            q->attacker == q->root.turn ? VALUE_WIN : VALUE_LOSS;
    else
        *(q->attacker == q->root.turn ? &c->upper : &c->lower) = VALUE_DRAW;
    return c->claims > 0;
}

/* (Y1) */
static void test_packs_come_back(void **state)
{
    struct rng r = rng_for_test("packs");
    struct world *w = *state;
    int wanted = test_is_long() ? 2000 : 100, wins = 0, holds = 0;
    uint64_t claims = 0, bytes = 0;

    for (int n = 0; n < wanted;) {
        struct certificate c, back = {0};
        struct pack_question q;
        struct pack p = {0};

        if (random_proof(w, &r, &q, &c)) {
            struct error e = {0};

            assert_int_equal(certificate_prune(&c, w->few, NULL), STATUS_OK); /* as pack_write */
            if (pack_write(&p, &q, &c, &e) || pack_read(p.bytes, p.size, &q, &back, &e))
                fail_msg("%s", e.text);
            assert_int_equal(pack_claims(p.bytes, p.size), c.claims);
            same_claims(&c, &back);
            back.root = c.root;
            back.lower = c.lower;
            back.upper = c.upper;
            assert_int_equal(check(w->few, &back), STATUS_OK);
            n++;
            wins += q.wins;
            holds += !q.wins;
            claims += c.claims;
            bytes += p.size;
        }
        certificate_free(&c);
        certificate_free(&back);
        pack_free(&p);
    }
    printf("# %d wins, %d holds, %d claims in %d bytes\n", wins, holds, (int)claims, (int)bytes);
    assert_true(wins && holds);
}

/* (Y2) No changed byte, no cut and no other position gives other claims. */
static void test_damaged_packs_are_refused(void **state)
{
    struct rng r = rng_for_test("damaged packs");
    struct world *w = *state;
    struct certificate c, back = {0};
    struct pack_question q, other;
    struct pack p = {0};

    do
        if (random_proof(w, &r, &q, &c) && c.claims > 50)
            break;
        else
            certificate_free(&c);
    while (true);
    assert_int_equal(certificate_prune(&c, w->few, NULL), STATUS_OK);
    assert_int_equal(pack_write(&p, &q, &c, NULL), STATUS_OK);
    for (size_t i = 0; i < p.size; i++) {
        uint8_t good = p.bytes[i];

        p.bytes[i] ^= (uint8_t)(1 + rng_below(&r, 255));
        if (!pack_read(p.bytes, p.size, &q, &back, NULL)) /* zstd has bits that do not matter */
            same_claims(&c, &back);
        else
            assert_int_equal(back.claims, 0);
        back.claims = 0;
        p.bytes[i] = good;
        assert_int_equal(pack_read(p.bytes, i, &q, &back, NULL), STATUS_DAMAGED);
    }
    other = q;
    other.root.turn = side_other(other.root.turn);
    assert_int_equal(pack_read(p.bytes, p.size, &other, &back, NULL), STATUS_DAMAGED);
    assert_int_equal(back.claims, 0);
    pack_free(&p);
    certificate_free(&c);
    certificate_free(&back);
}

/* -------------------------------------------------------------------- exporting -- */

/* A store of its own, and a manager that works in it. */
struct lab {
    const struct world *w;
    struct scratch dir;
    struct store *store;
    struct provers *provers;
    uint64_t nodes; /* for the solver at a position */
};

static struct lab lab_open(const struct world *w, uint64_t memory, uint64_t nodes)
{
    struct prover_options o = {.tables = w->few, .memory = memory};
    struct lab l = {.w = w, .dir = scratch_create(), .nodes = nodes};

    assert_int_equal(provers_open(&l.provers, 1, true, &o, NULL), STATUS_OK);
    assert_int_equal(store_open(&l.store, l.dir.path, true, NULL), STATUS_OK);
    return l;
}

static void lab_close(struct lab *l)
{
    provers_close(&l->provers);
    store_close(&l->store);
    scratch_remove(&l->dir);
}

/* False: it has no value after that many searches. */
static bool lab_prove(struct lab *l, const struct board *root, int searches)
{
    struct manager_options o = {.store = l->store,
                                .tables = l->w->few,
                                .provers = l->provers,
                                .limits = {.look_nodes = 1000, .solve_nodes = l->nodes},
                                .line = root,
                                .plies = 1,
                                .from = 125,
                                .step = 25,
                                .until = MANAGER_WIN,
                                .searches = (uint64_t)searches};
    struct manager_report report;
    struct error e = {0};
    enum status rc = manager_run(&o, &report, &e);

    if (rc && rc != STATUS_INTERRUPTED)
        fail_msg("%s", e.text);
    return bounds_closed(report.root);
}

static void note(void *context, const char *what)
{
    snprintf(context, 400, "%s", what);
}

/* The proof of root, with tables as many as they are; it stands, and the value is the tables'.
 * Fails if a search has lost it. */
static enum status lab_try_export(const struct lab *l, const struct tables *t,
                                  const struct board *root, char said[400],
                                  struct export_report *out, struct error *e)
{
    struct export_options o = {.dfpn = l->w->dfpn, .seconds = 100, .tell = note, .context = said};
    struct tree tree = {.store = l->store, .tables = t};
    struct certificate c = {0};
    struct export_report report;
    struct minimal m;
    enum status rc;
    enum value v;
    uint32_t at;

    if (tree_add(&tree, root, 0, &at, e) || tree_evaluate(&tree, 0, e) ||
        minimal_make(&tree, at, &m, e))
        fail_msg("%s", e->text);
    if ((rc = export_certificate(&tree, at, &m, &o, &c, &report, e))) {
        assert_int_equal(rc, STATUS_MISMATCH);
        certificate_free(&c);
        minimal_free(&m);
        tree_close(&tree);
        return rc;
    }
    assert_int_equal(report.kept + report.solved, m.leaves);
    assert_int_equal(check(t, &c), STATUS_OK);
    assert_int_equal(tables_value(l->w->tables.tables, root, &v, NULL), STATUS_OK);
    assert_true(c.lower == v && c.upper == v);
    for (size_t i = 0; i < c.claims; i++) { /* (E2) */
        struct board b = claim_board(&c.claim[i]);

        assert_false(tables_knows(t, &b));
    }
    certificate_free(&c);
    minimal_free(&m);
    tree_close(&tree);
    *out = report;
    return STATUS_OK;
}

static struct export_report lab_export(const struct lab *l, const struct tables *t,
                                       const struct board *root, char said[400])
{
    struct export_report report;
    struct error e = {0};

    if (lab_try_export(l, t, root, said, &report, &e))
        fail_msg("%s", e.text);
    return report;
}

/* Every leaf comes from the store. */
static void test_exports_solve_nothing(void **state)
{
    struct rng r = rng_for_test("exports");
    struct world *w = *state;
    struct lab l = lab_open(w, 16 << 20, 100);
    int wanted = test_is_long() ? 200 : 12, leaves = 0;

    for (int n = 0; n < wanted;) {
        struct board root = random_pieces(&r, w->tables.pieces, 3);
        struct export_report report;
        char said[400] = "";

        if (tables_knows(w->few, &root) || !lab_prove(&l, &root, 40))
            continue;
        n++;
        report = lab_export(&l, w->few, &root, said);
        assert_string_equal(said, "");
        assert_int_equal(report.solved, 0);
        leaves += (int)report.kept;
    }
    printf("# %d proofs, %d leaves\n", wanted, leaves);
    assert_true(leaves >= wanted);
    lab_close(&l);
}

static void lost_count(void *context, const struct pack_question *q, const struct prover_claims *c)
{
    (void)q;
    ((int *)context)[c->kept]++;
}

/* Where the table of the search has no room for the whole proof. */
static void test_forgetful_searches(void **state)
{
    struct rng r = rng_for_test("forgetful");
    struct world *w = *state;
    struct lab l = lab_open(w, 64 << 10, 20000);
    int wanted = test_is_long() ? 100 : 4;
    size_t kept = 0, solved = 0;
    int lost[CLAIMS_LOST + 1] = {0}, failed = 0;
    const atomic_bool stopped = true;

    for (int n = 0; n < wanted || !kept;) {
        struct board root = random_pieces(&r, w->tables.pieces, 3);
        struct export_report report;
        struct error e = {0};
        char said[400] = "";

        if (tables_knows(w->few, &root) || !lab_prove(&l, &root, 40))
            continue;
        n++;
        if (lab_try_export(&l, w->few, &root, said, &report, &e)) {
            failed++; /* an error, never a certificate that does not stand */
            continue;
        }
        kept += report.kept;
        solved += report.solved;
    }
    assert_true(2 * failed <= wanted);
    assert_int_equal(store_each_claims(l.store, lost_count, lost, &stopped, NULL),
                     STATUS_INTERRUPTED);
    assert_int_equal(store_each_claims(l.store, lost_count, lost, NULL, NULL), STATUS_OK);
    printf("# %d leaves from the store, %d solved again; %d too large, %d forgotten\n", (int)kept,
           (int)solved, lost[CLAIMS_LARGE], lost[CLAIMS_LOST]);
    lab_close(&l);
}

/* Lose entries of the table at random. */
static void entries_lose(struct dfpn *d, struct rng *r, int one_in)
{
    struct pn_table *t = dfpn_table(d);

    for (uint64_t i = 0; i < pn_table_places(t); i++) {
        const struct pn_entry *entry = pn_table_at(t, i);

        if (entry && rng_below(r, one_in) == 0) {
            struct board b = pn_entry_board(entry);
            struct pn_key key = pn_key_of(&b, (enum side)entry->attacker);

            pn_table_forget(t, &key);
            assert_null(pn_table_entry(t, &key));
        }
    }
}

/* Whatever a table has lost of a win is found again, even where the moves that are left lead in
 * circles. */
static void test_lost_wins_are_repaired(void **state)
{
    struct rng r = rng_for_test("repaired");
    struct world *w = *state;
    int wanted = test_is_sanitized() ? 20 : 300, large = 0;

    for (int n = 0; n < wanted;) {
        struct dfpn_limits limits = {.nodes = 100000};
        struct certificate c = {0};
        struct pack_question q;
        struct error e = {0};
        enum status rc;

        dfpn_clear(w->dfpn);
        if (!random_proof(w, &r, &q, &c) || !q.wins) {
            certificate_free(&c);
            continue;
        }
        n++;
        large += c.claims > 100;
        c.claims = 0;
        entries_lose(w->dfpn, &r, 2 + rng_below(&r, 8));
        rc = extract_question(w->dfpn, w->few, &q.root, q.attacker, true,
                              (struct extract_limits){.search = limits, .together = true}, &c, &e);
        if (rc)
            fail_msg("%s", e.text);
        assert_int_equal(check(w->few, &c), STATUS_OK);
        certificate_free(&c);
    }
    assert_true(test_is_sanitized() || large > 0);
}

/* (X2) All of an extraction counts, not only what it searches: when the time is over or it is to
 * stop, it ends, and leaves the table as it was. */
static void test_extraction_ends(void **state)
{
    struct rng r = rng_for_test("ends");
    struct world *w = *state;
    atomic_bool stop = true;

    for (int n = 0; n < 20;) {
        struct extract_limits none = {{0}}, brief = {.seconds = 1e-9};
        struct extract_limits stopped = {.stop = &stop};
        struct certificate c = {0};
        struct pack_question q;
        struct error e = {0};
        size_t claims;

        if (!random_proof(w, &r, &q, &c))
            continue;
        n++;
        claims = c.claims;
        c.claims = 0;
        assert_int_equal(
            extract_question(w->dfpn, w->few, &q.root, q.attacker, q.wins, brief, &c, &e),
            STATUS_MISMATCH);
        assert_non_null(strstr(e.text, "the time is too short"));
        assert_int_equal(
            extract_question(w->dfpn, w->few, &q.root, q.attacker, q.wins, stopped, &c, &e),
            STATUS_INTERRUPTED);
        assert_int_equal(c.claims, 0);
        assert_int_equal(
            extract_question(w->dfpn, w->few, &q.root, q.attacker, q.wins, none, &c, &e),
            STATUS_OK);
        assert_int_equal(c.claims, claims);
        certificate_free(&c);
    }
}

/* A proven root that takes several leaves, in a store of its own. */
static struct lab lab_with_proof(const struct world *w, struct rng *r, struct board *root)
{
    for (;;) {
        struct lab l = lab_open(w, 16 << 20, 100);

        *root = random_pieces(r, w->tables.pieces, 3);
        if (!tables_knows(w->few, root) && lab_prove(&l, root, 40)) {
            struct export_report report = lab_export(&l, w->few, root, (char[400]){""});

            if (report.kept > 2)
                return l;
        }
        lab_close(&l);
    }
}

/* The root as the record of a search that proved it and lost the claims.  False if it is a draw:
 * positions that hold may do so by repetition, which is not followed. */
static bool root_lost(struct lab *l, const struct board *root)
{
    struct prover_claims lost = {.kept = CLAIMS_LOST};
    struct pack_question q = {*root, root->turn, true};
    struct store_record r;

    assert_int_equal(store_get(l->store, root, &r, NULL), STATUS_OK);
    if (r.bounds.lower == VALUE_DRAW)
        return false;
    if (r.bounds.lower == VALUE_LOSS)
        q.attacker = side_other(root->turn);
    lost.wins = true;
    r.own = r.bounds;
    r.how = HOW_SOLVER;
    assert_int_equal(store_put(l->store, root, &r, NULL), STATUS_OK);
    assert_int_equal(store_put_claims(l->store, &q, &lost, NULL), STATUS_OK);
    return true;
}

/* What a search found but could not write down follows from the positions below it. */
static void test_lost_claims_follow_from_others(void **state)
{
    struct rng r = rng_for_test("lost claims");
    struct world *w = *state;

    for (int n = 0; n < 3;) {
        struct board root;
        struct lab l = lab_with_proof(w, &r, &root);

        if (root_lost(&l, &root)) {
            char said[400] = "";
            struct export_report report = lab_export(&l, w->few, &root, said);

            assert_int_equal(report.kept, 1); /* the root is the only leaf now */
            assert_int_equal(report.solved, 0);
            n++;
        }
        lab_close(&l);
    }
}

/* New tables know all of it. */
static void test_new_tables_need_no_claims(void **state)
{
    struct rng r = rng_for_test("new tables");
    struct world *w = *state;
    struct tables *more = built_few(&w->tables, w->tables.pieces - 1);
    struct board root;
    struct lab l = lab_with_proof(w, &r, &root);
    char said[400] = "";

    lab_export(&l, more, &root, said);
    assert_string_equal(said, "");
    assert_int_equal(lab_export(&l, w->tables.tables, &root, said).kept, 0);
    tables_close(&more);
    lab_close(&l);
}

/* ---------------------------------------------------------------------- damage -- */

/* Open the tree of claims as the store has it, while it is closed. */
static MDB_txn *claims_open(MDB_env **env, const char *dir, MDB_dbi *tree)
{
    MDB_txn *txn;

    assert_int_equal(mdb_env_create(env), 0);
    assert_int_equal(mdb_env_set_maxdbs(*env, 4), 0);
    assert_int_equal(mdb_env_set_mapsize(*env, 64 << 20), 0);
    assert_int_equal(mdb_env_open(*env, dir, 0, 0644), 0);
    assert_int_equal(mdb_txn_begin(*env, NULL, 0, &txn), 0);
    assert_int_equal(mdb_dbi_open(txn, "claims", 0, tree), 0);
    return txn;
}

/* A store of the time before claims. */
static void test_stores_without_claims(void **state)
{
    struct rng r = rng_for_test("old stores");
    struct world *w = *state;
    struct board root;
    struct lab l = lab_with_proof(w, &r, &root);
    struct export_report report;
    char said[400] = "";
    MDB_env *env;
    MDB_dbi tree;
    MDB_txn *txn;

    store_close(&l.store);
    txn = claims_open(&env, l.dir.path, &tree);
    assert_int_equal(mdb_drop(txn, tree, 1), 0);
    assert_int_equal(mdb_txn_commit(txn), 0);
    mdb_env_close(env);
    for (int write = 0; write < 2; write++) {
        assert_int_equal(store_open(&l.store, l.dir.path, write, NULL), STATUS_OK);
        assert_int_equal(store_check(l.store, note, said, NULL), STATUS_OK);
        report = lab_export(&l, w->few, &root, said);
        assert_true(report.kept + report.solved > 2); /* some may follow from the tables */
        assert_string_equal(said, "");
        if (!write)
            store_close(&l.store);
    }
    lab_close(&l);
}

/* One bit of each set of claims in turn: it is named, and the leaf proven in another way. */
static void test_damaged_claims_are_named(void **state)
{
    struct rng r = rng_for_test("damaged claims");
    struct world *w = *state;
    struct board root;
    struct lab l = lab_with_proof(w, &r, &root);
    size_t leaves = lab_export(&l, w->few, &root, (char[400]){""}).kept;
    struct export_report report;
    char said[400] = "", fen[FEN_TEXT_MAX], expected[FEN_TEXT_MAX + 32];
    struct pack_question q;
    MDB_val key, value;
    MDB_cursor *cursor;
    struct error e = {0};
    MDB_env *env;
    MDB_dbi tree;
    MDB_txn *txn;

    store_close(&l.store);
    txn = claims_open(&env, l.dir.path, &tree);
    assert_int_equal(mdb_cursor_open(txn, tree, &cursor), 0);
    while (!mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) {
        uint8_t bytes[65536];
        MDB_val changed = {value.mv_size, bytes};

        assert_true(value.mv_size <= sizeof bytes);
        memcpy(bytes, value.mv_data, value.mv_size);
        bytes[rng_below(&r, (int)value.mv_size)] ^= (uint8_t)(1 << rng_below(&r, 8));
        assert_true(store_claims_key_decode(key.mv_data, key.mv_size, &q));
        assert_int_equal(mdb_cursor_put(cursor, &key, &changed, MDB_CURRENT), 0);
    }
    mdb_cursor_close(cursor);
    assert_int_equal(mdb_txn_commit(txn), 0);
    mdb_env_close(env);
    assert_int_equal(store_open(&l.store, l.dir.path, false, NULL), STATUS_OK);
    assert_int_equal(store_check(l.store, note, said, &e), STATUS_DAMAGED);
    assert_non_null(strstr(e.text, "sets of claims are damaged"));
    fen_format(&q.root, fen);
    snprintf(expected, sizeof expected, "the claims of %s", fen);
    assert_string_equal(said, expected); /* the last one */
    report = lab_export(&l, w->few, &root, said);
    assert_non_null(strstr(said, "cannot be used: "));
    assert_non_null(strstr(said, "damaged"));
    assert_int_equal(report.kept + report.solved, leaves); /* some may follow from the tables */
    lab_close(&l);
}

/* Claims that are whole and do not prove what they should: those of another answer. */
static void test_claims_that_lie(void **state)
{
    struct rng r = rng_for_test("lies");
    struct world *w = *state;
    struct prover_options o = {.tables = w->few, .memory = 16 << 20};
    struct prover_task task = {.threshold = MANAGER_WIN,
                               .known = bounds_unknown,
                               .limits = {.look_nodes = 1000, .solve_nodes = 3000},
                               .claims = 1 << 20};
    struct lab l = lab_open(w, 16 << 20, 100);
    struct prover_result found;
    struct export_report report;
    struct prover *prover;
    struct pack_question q;
    struct certificate c = {0};
    struct pack p = {0};
    char said[400] = "";

    assert_int_equal(prover_open(&prover, &o, NULL), STATUS_OK);
    do { /* a win of the side to move of which the first claim alone does not stand */
        const struct prover_claims *k = found.claims;

        task.board = random_pieces(&r, w->tables.pieces, 3);
        q = (struct pack_question){task.board, task.board.turn, true};
        c.claims = 0;
        assert_int_equal(prover_run(prover, &task, &found, NULL), STATUS_OK);
        if (found.bounds.lower != VALUE_WIN || k[q.attacker].kept != CLAIMS_KEPT)
            continue;
        assert_int_equal(pack_read(k[q.attacker].bytes, k[q.attacker].size, &q, &c, NULL),
                         STATUS_OK);
        c.root = q.root;
        c.lower = c.upper = VALUE_WIN;
        c.claim[0] = c.claim[c.claims - 1];
        c.claims = 1;
    } while (c.claims == 0 || check(w->few, &c) == STATUS_OK);
    assert_int_equal(pack_write(&p, &q, &c, NULL), STATUS_OK);
    found.claims[q.attacker].bytes = p.bytes;
    found.claims[q.attacker].size = p.size;
    assert_int_equal(store_put(l.store, &task.board,
                               &(struct store_record){.bounds = found.bounds, .own = found.bounds},
                               NULL),
                     STATUS_OK);
    assert_int_equal(store_put_claims(l.store, &q, &found.claims[q.attacker], NULL), STATUS_OK);
    report = lab_export(&l, w->few, &task.board, said);
    assert_int_equal(report.kept + report.solved, 1); /* kept: another move wins into the tables */
    assert_non_null(strstr(said, "cannot be used: claim 0"));
    pack_free(&p);
    certificate_free(&c);
    prover_close(&prover);
    lab_close(&l);
}

/* ---------------------------------------------------------------------- limits -- */

static void test_claims_too_large(void **state)
{
    struct rng r = rng_for_test("large");
    struct world *w = *state;
    struct prover_options o = {.tables = w->few, .memory = 16 << 20};
    struct prover_task task = {.threshold = MANAGER_WIN,
                               .known = bounds_unknown,
                               .limits = {.look_nodes = 1000, .solve_nodes = 3000}};
    struct prover_result found;
    struct prover *prover;
    enum side s;

    for (;;) { /* a new prover each time: the next one searches in the same way */
        assert_int_equal(prover_open(&prover, &o, NULL), STATUS_OK);
        task.board = random_pieces(&r, w->tables.pieces, 3);
        task.claims = 1 << 20;
        assert_int_equal(prover_run(prover, &task, &found, NULL), STATUS_OK);
        s = found.claims[WHITE].kept == CLAIMS_KEPT;
        if (found.claims[s].kept == CLAIMS_KEPT)
            break;
        prover_close(&prover);
    }
    task.claims = (uint32_t)found.claims[s].size - 1;
    prover_close(&prover);
    assert_int_equal(prover_open(&prover, &o, NULL), STATUS_OK);
    assert_int_equal(prover_run(prover, &task, &found, NULL), STATUS_OK);
    assert_int_equal(found.claims[s].kept, CLAIMS_LARGE);
    assert_int_equal(found.claims[s].size, 0);
    task.claims = 0; /* nobody wants them */
    assert_int_equal(prover_run(prover, &task, &found, NULL), STATUS_OK);
    assert_int_equal(found.claims[s].kept, CLAIMS_NONE);
    prover_close(&prover);
}

/* Claims that are kept stay, even if a later answer says that they were too large. */
static void test_kept_claims_stay(void **state)
{
    struct prover_claims kept = {CLAIMS_KEPT, true, (const uint8_t *)"claims", 6},
                         large = {CLAIMS_LARGE, true, NULL, 0}, got;
    struct pack_question q = {board_start, WHITE, true};
    struct scratch dir = scratch_create();
    struct store *s;
    uint8_t *bytes;

    (void)state;
    assert_int_equal(store_open(&s, dir.path, true, NULL), STATUS_OK);
    assert_int_equal(store_get_claims(s, &q, &got, &bytes, NULL), STATUS_MISSING);
    assert_int_equal(store_put_claims(s, &q, &large, NULL), STATUS_OK);
    assert_int_equal(store_get_claims(s, &q, &got, &bytes, NULL), STATUS_OK);
    free(bytes);
    assert_int_equal(got.kept, CLAIMS_LARGE);
    assert_int_equal(store_put_claims(s, &q, &kept, NULL), STATUS_OK);
    assert_int_equal(store_put_claims(s, &q, &large, NULL), STATUS_OK);
    assert_int_equal(store_get_claims(s, &q, &got, &bytes, NULL), STATUS_OK);
    assert_true(got.kept == CLAIMS_KEPT && got.wins && got.size == 6);
    assert_memory_equal(got.bytes, "claims", 6);
    free(bytes);
    q.wins = false;
    assert_int_equal(store_get_claims(s, &q, &got, &bytes, NULL), STATUS_MISSING);
    store_close(&s);
    scratch_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packs_come_back),
        cmocka_unit_test(test_damaged_packs_are_refused),
        cmocka_unit_test(test_exports_solve_nothing),
        cmocka_unit_test(test_forgetful_searches),
        cmocka_unit_test(test_lost_wins_are_repaired),
        cmocka_unit_test(test_extraction_ends),
        cmocka_unit_test(test_lost_claims_follow_from_others),
        cmocka_unit_test(test_new_tables_need_no_claims),
        cmocka_unit_test(test_stores_without_claims),
        cmocka_unit_test(test_damaged_claims_are_named),
        cmocka_unit_test(test_claims_that_lie),
        cmocka_unit_test(test_claims_too_large),
        cmocka_unit_test(test_kept_claims_stay),
    };

    return cmocka_run_group_tests(tests, world_open, world_close);
}
