/* SPDX-License-Identifier: MIT
 *
 * The store and the manager: records survive, results agree with the tables, and a
 * manager that is killed again and again comes to the same end. */
#include "kit/run.h"
#include "kit/scratch.h"
#include "kit/built.h"
#include "kit/positions.h"
#include "kit/stores.h"
#include "kit/test.h"

#include "base/clock.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "kit/golden.h"
#include "proof/certificate.h"
#include "proof/manager.h"
#include "proof/roots.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct prover_limits small_limits = {.look_nodes = 1000, .solve_nodes = 60};

/* A short run on one position. */
static struct manager_options small_options(struct store *store, const struct tables *tables,
                                            struct provers *provers, const struct board *root)
{
    return (struct manager_options){.store = store,
                                    .tables = tables,
                                    .provers = provers,
                                    .limits = small_limits,
                                    .line = root,
                                    .plies = 1,
                                    .from = 125,
                                    .step = 25,
                                    .until = MANAGER_WIN,
                                    .searches = 40};
}

static int world_open(void **state)
{
    static struct built w;

    w = built_open_wld(test_is_sanitized() ? 4 : 5);
    *state = &w;
    return 0;
}

static int world_close(void **state)
{
    built_close(*state);
    return 0;
}

/* ----------------------------------------------------------------------- store -- */

static void test_records_are_kept(void **state)
{
    struct scratch dir = scratch_create();
    struct board b = golden_board(small_proof);
    struct store_record r = some_record, got;
    struct store *s, *other;
    struct error e = {0};
    char *text;

    (void)state;
    assert_int_equal(store_open(&s, dir.path, false, &e), STATUS_MISSING); /* nothing there */
    assert_int_equal(store_open(&s, dir.path, true, &e), STATUS_OK);
    assert_int_equal(store_open(&other, dir.path, true, &e), STATUS_LOCKED); /* one who writes */
    assert_non_null(strstr(e.text, dir.path));
    assert_int_equal(store_get(s, &b, &got, &e), STATUS_MISSING);
    assert_int_equal(store_put(s, &b, &r, &e), STATUS_OK);
    assert_int_equal(store_put_text(s, "roots", "one\n", &e), STATUS_OK);
    store_close(&s);
    assert_int_equal(store_open(&s, dir.path, true, &e), STATUS_OK);
    assert_int_equal(store_get(s, &b, &got, &e), STATUS_OK);
    assert_true(got.bounds.lower == VALUE_DRAW && got.bounds.upper == VALUE_WIN);
    assert_true(got.own.lower == VALUE_DRAW && got.own.upper == VALUE_WIN);
    assert_true(got.how == HOW_SOLVER && got.score == -37 && got.expanded);
    assert_true(got.threshold == 125 && got.searches == 3);
    assert_true(got.nodes == r.nodes && got.microseconds == r.microseconds);
    assert_int_equal(store_get_text(s, "roots", &text, &e), STATUS_OK);
    assert_string_equal(text, "one\n");
    free(text);
    r.bounds = r.own = (struct bounds){VALUE_LOSS, VALUE_DRAW}; /* joined: a draw */
    assert_int_equal(store_put(s, &b, &r, &e), STATUS_OK);
    assert_int_equal(store_get(s, &b, &got, &e), STATUS_OK);
    assert_true(got.bounds.lower == VALUE_DRAW && got.bounds.upper == VALUE_DRAW);
    r.bounds = (struct bounds){VALUE_WIN, VALUE_WIN}; /* a contradiction: refused */
    assert_int_equal(store_put(s, &b, &r, &e), STATUS_MISMATCH);
    assert_non_null(strstr(e.text, small_proof));
    assert_int_equal(store_get(s, &b, &got, &e), STATUS_OK);
    assert_int_equal(got.bounds.upper, VALUE_DRAW);
    store_close(&s);
    scratch_remove(&dir);
}

static void test_numbers_are_kept(void **state)
{
    struct scratch dir = scratch_create();
    struct board b = golden_board(small_proof);
    struct solve_numbers some[3] = {{{1, 2}, {3, 4}}, {{0, 0}, {0, 0}}, {{1u << 28, 5}, {6, 7}}};
    struct solve_numbers got[MOVES_MAX];
    struct store *s;
    int count = -1;

    (void)state;
    assert_int_equal(store_open(&s, dir.path, true, NULL), STATUS_OK);
    assert_int_equal(store_get_numbers(s, &b, got, &count, NULL), STATUS_MISSING);
    assert_int_equal(store_put_numbers(s, &b, some, 2, NULL), STATUS_OK);
    assert_int_equal(store_put_numbers(s, &b, some, 3, NULL), STATUS_OK); /* instead */
    store_close(&s);
    assert_int_equal(store_open(&s, dir.path, false, NULL), STATUS_OK);
    assert_int_equal(store_get_numbers(s, &b, got, &count, NULL), STATUS_OK);
    assert_int_equal(count, 3);
    assert_memory_equal(got, some, sizeof some);
    b.turn = side_other(b.turn);
    assert_int_equal(store_get_numbers(s, &b, got, &count, NULL), STATUS_MISSING);
    store_close(&s);
    scratch_remove(&dir);
}

static void root_note(void *context, const struct board *b, const struct store_record *r)
{
    size_t length = strlen(context);

    snprintf((char *)context + length, 64 - length, "%d%s ",
             squares_count(b->side[BLACK] | b->side[WHITE]), r ? "r" : "");
}

/* (R1) each once, in the order asked, with or without a record. */
static void test_roots_are_listed_once(void **state)
{
    struct scratch dir = scratch_create();
    struct board a = golden_board(small_proof), b = golden_board("W:W28:B1,12");
    struct store_record r = {.bounds = bounds_unknown, .own = bounds_unknown};
    char seen[64] = "";
    struct store *s;

    (void)state;
    assert_int_equal(store_open(&s, dir.path, true, NULL), STATUS_OK);
    assert_int_equal(roots_each(s, root_note, seen, NULL), STATUS_OK);
    assert_string_equal(seen, "");
    assert_int_equal(roots_add(s, &a, NULL), STATUS_OK);
    assert_int_equal(roots_add(s, &b, NULL), STATUS_OK);
    assert_int_equal(roots_add(s, &a, NULL), STATUS_OK);
    assert_int_equal(store_put(s, &b, &r, NULL), STATUS_OK);
    assert_int_equal(roots_each(s, root_note, seen, NULL), STATUS_OK);
    assert_string_equal(seen, "6 3r ");
    store_close(&s);
    scratch_remove(&dir);
}

/* --------------------------------------------------------------------- manager -- */

/* A store that we fill, and a manager that comes upon it. */
struct bench {
    struct scratch dir;
    struct store *store;
    struct provers *provers;
    struct tables *few;
};

static void bench_open(struct bench *c, const struct built *w, int pieces)
{
    struct prover_options b = {.tables = c->few = built_few(w, pieces), .memory = 4 << 20};

    c->dir = scratch_create();
    assert_int_equal(provers_open(&c->provers, 1, true, &b, NULL), STATUS_OK);
    assert_int_equal(store_open(&c->store, c->dir.path, true, NULL), STATUS_OK);
}

static void bench_close(struct bench *c)
{
    provers_close(&c->provers);
    store_close(&c->store);
    tables_close(&c->few);
    scratch_remove(&c->dir);
}

static void put_bounds(struct bench *c, const struct board *b, enum value lower, enum value upper,
                       bool expanded)
{
    struct store_record r = {.bounds = {lower, upper}, .own = {lower, upper}, .how = HOW_SOLVER};

    r.expanded = expanded;
    assert_int_equal(store_put(c->store, b, &r, NULL), STATUS_OK);
}

/* The run ends, says where, and the store keeps it. */
static void must_be_found(struct bench *c, const struct board *root, const char *fen)
{
    struct manager_options o = small_options(c->store, c->few, c->provers, root);
    struct manager_report report;
    struct error e = {0};
    char *text;

    assert_int_equal(manager_run(&o, &report, &e), STATUS_MISMATCH);
    assert_non_null(strstr(e.text, fen));
    assert_int_equal(store_get_text(c->store, "contradiction", &text, NULL), STATUS_OK);
    assert_string_equal(text, e.text);
    free(text);
    bench_close(c);
}

/* Successors that are lost for the other side, and a position that is said to be no win. */
static void test_records_that_contradict_each_other(void **state)
{
    struct board root = golden_board("B:W30,31:BK1,12"), next;
    struct bench c;
    struct move_list list;

    bench_open(&c, *state, 2);
    put_bounds(&c, &root, VALUE_LOSS, VALUE_DRAW, true);
    moves_generate(&root, &list);
    next = board_after(&root, &list.move[0]);
    put_bounds(&c, &next, VALUE_LOSS, VALUE_LOSS, false);
    must_be_found(&c, &root, "B:W30,31:BK1,12");
}

/* A store that was made with fewer tables, and says what the tables of today do not. */
static void test_records_that_contradict_tables(void **state)
{
    struct board root = golden_board("W:WK1,K2:BK32");
    struct bench c;

    bench_open(&c, *state, 3);
    put_bounds(&c, &root, VALUE_LOSS, VALUE_DRAW, false);
    must_be_found(&c, &root, "W:WK1,K2:BK32");
}

/* Scores settle a position for the time being; they prove nothing, and nothing is saved. */
static void test_scores_prove_nothing(void **state)
{
    struct store_record scored = {
        .bounds = bounds_unknown, .own = bounds_unknown, .score = 500, .threshold = 125};
    struct board root = golden_board("B:W30,31:BK1,12");
    struct bench c;
    struct store_record got;
    struct tree t = {0};
    struct move_list list;
    uint32_t at;

    bench_open(&c, *state, 2);
    put_bounds(&c, &root, VALUE_LOSS, VALUE_WIN, true);
    moves_generate(&root, &list);
    for (int m = 0; m < list.count; m++) {
        struct board next = board_after(&root, &list.move[m]);

        assert_int_equal(store_put(c.store, &next, &scored, NULL), STATUS_OK);
    }
    t.store = c.store;
    t.tables = c.few;
    assert_int_equal(tree_add(&t, &root, 0, &at, NULL), STATUS_OK);
    for (int threshold = 500; threshold <= 501; threshold++) {
        bool likely = threshold == 500;

        assert_int_equal(tree_evaluate(&t, threshold, NULL), STATUS_OK);
        assert_int_equal(t.node[at].likely[WHITE], likely ? TREE_WINS : 0);
        assert_int_equal(t.node[at].likely[BLACK], likely ? TREE_HOLDS : 0);
        assert_true(!t.node[at].exact[WHITE] && !t.node[at].exact[BLACK]);
        assert_false(bounds_known(tree_bounds(&t.node[at])));
        assert_int_equal(tree_save(&t, NULL), STATUS_OK);
        assert_int_equal(store_get(c.store, &root, &got, NULL), STATUS_OK);
        assert_false(bounds_known(got.bounds) || bounds_known(got.own));
    }
    tree_close(&t);
    bench_close(&c);
}

/* ------------------------------------------------------------------- many proofs -- */

struct audit {
    struct tables *tables;
    int records, narrowed, wrong;
};

static void audit_record(void *context, const struct board *b, const struct store_record *r)
{
    struct audit *a = context;
    enum value v;

    a->records++;
    assert_int_equal(tables_value(a->tables, b, &v, NULL), STATUS_OK);
    a->narrowed += r->bounds.lower || r->bounds.upper != VALUE_WIN;
    a->wrong += v < r->bounds.lower || v > r->bounds.upper;
}

static struct board random_kings(struct rng *r, int pieces)
{
    return random_pieces(r, pieces, 3);
}

/* (M6) Positions that the deep search went on with after they had been expanded; what that proves
 * is true. */
static void test_deep_search(void **state)
{
    struct rng r = rng_for_test("deep");
    const struct built *w = *state;
    int full = test_is_sanitized() ? 4 : 5, again = 0, settled = 0;
    struct bench c;

    bench_open(&c, *state, full - 2);
    for (int i = 0; i < 60; i++) {
        struct board root = random_kings(&r, full);
        struct manager_options o = small_options(c.store, c.few, c.provers, &root);
        struct manager_report report;
        struct store_record got;
        enum status rc;
        enum value v;

        o.deepest = 64;
        o.searches = 200;
        rc = manager_run(&o, &report, NULL);
        assert_true(rc == STATUS_OK || rc == STATUS_INTERRUPTED);
        assert_int_equal(store_get(c.store, &root, &got, NULL), STATUS_OK);
        assert_int_equal(tables_value(w->tables, &root, &v, NULL), STATUS_OK);
        assert_true(got.own.lower <= v && v <= got.own.upper);
        assert_true(got.bounds.lower >= got.own.lower && got.bounds.upper <= got.own.upper);
        again += got.expanded && got.searches > 1;
        settled += got.expanded && got.searches > 1 && bounds_closed(got.own);
    }
    printf("# %d of 60 searched again, %d settled by that\n", again, settled);
    assert_true(again > 0);
    bench_close(&c);
}

/* Random positions with fewer tables than there are: every record in the store, backed up
 * through repetitions or not, agrees with the tables. */
static void test_records_agree_with_tables(void **state)
{
    struct rng r = rng_for_test("records");
    const struct built *w = *state;
    struct scratch dir = scratch_create();
    int full = test_is_sanitized() ? 4 : 5, rounds = test_is_long() ? 200 : 20;
    struct tables *few = built_few(w, full - 2);
    struct prover_options b = {.tables = few, .memory = 16 << 20};
    struct audit audit = {.tables = w->tables};
    struct provers *provers;
    struct store *store;
    struct error e = {0};
    int closed = 0;

    if (provers_open(&provers, 2, true, &b, &e) || store_open(&store, dir.path, true, &e))
        fail_msg("%s", e.text);
    for (int i = 0; i < rounds; i++) {
        struct board root = random_kings(&r, full);
        struct manager_options o = small_options(store, few, provers, &root);
        struct manager_report report;
        enum status rc;

        o.deepest = i % 2 ? 16 : 0;
        rc = manager_run(&o, &report, &e);
        if (rc && rc != STATUS_INTERRUPTED)
            fail_msg("%s", e.text);
        if (!rc && !bounds_closed(report.root))
            fail_msg("given up after %d searches", (int)report.searches);
        closed += bounds_closed(report.root);
    }
    assert_int_equal(store_each(store, audit_record, &audit, NULL, &e), STATUS_OK);
    printf("# %d of %d proven; %d records, %d with bounds, %d wrong\n", closed, rounds,
           audit.records, audit.narrowed, audit.wrong);
    assert_int_equal(audit.wrong, 0);
    assert_true(audit.narrowed > 0);
    provers_close(&provers);
    tables_close(&few);
    store_close(&store);
    scratch_remove(&dir);
}

/* ------------------------------------------------------------------------ kills -- */

static pid_t prove_start(const struct built *w, const char *store)
{
    pid_t child = fork();

    if (child == 0) {
        freopen("/dev/null", "w", stdout);
        execl(getenv("KELSO_BINARY"), "kelso", "prove", "--store", store, small_proof, "--dir",
              w->dir.path, "--nodes", "300", "--workers", "2", "--memory", "16M", "--cache", "32M",
              "--progress", "none", (char *)NULL);
        _exit(127);
    }
    assert_true(child > 0);
    return child;
}

static struct bounds store_bounds(const char *dir)
{
    struct board b = golden_board(small_proof);
    struct store_record r;
    struct store *s;
    struct error e;

    assert_int_equal(store_open(&s, dir, false, &e), STATUS_OK);
    assert_int_equal(store_get(s, &b, &r, &e), STATUS_OK);
    store_close(&s);
    return r.bounds;
}

/* Whatever was killed on the way, the store has the claims of each leaf. */
static void export_is_whole(const struct built *w, const struct scratch *dir)
{
    char proof[SCRATCH_MAX];

    scratch_file(dir, "draw.proof", proof);
    run_expect(ARGS("proof", "export", "--store", dir->path, small_proof, "--output", proof,
                    "--dir", w->dir.path),
               0, " 0 were solved again", "");
    run_expect(ARGS("proof", "check", proof, "--dir", w->dir.path), 0, "stands", "");
}

static void test_kills_lose_nothing(void **state)
{
    struct rng r = rng_for_test("kills");
    const struct built *w = *state;
    int kills = 0, wanted = test_is_long() ? 100 : 10, proofs = 0;

    if (test_is_sanitized() || !getenv("KELSO_BINARY"))
        skip();
    while (kills < wanted) {
        struct scratch dir = scratch_create();
        uint64_t before = 0;
        int status = -1;

        while (status != 0) {
            pid_t child = prove_start(w, dir.path);
            uint64_t after;

            usleep((useconds_t)(20000 + rng_below(&r, 400000)));
            if (kills < wanted)
                kill(child, SIGKILL);
            waitpid(child, &status, 0);
            kills += WIFSIGNALED(status);
            after = store_searches(dir.path);
            assert_true(after >= before); /* what was saved is there */
            before = after;
            if (WIFEXITED(status))
                assert_int_equal(WEXITSTATUS(status), 0);
        }
        assert_true(store_bounds(dir.path).lower == VALUE_DRAW);
        assert_true(store_bounds(dir.path).upper == VALUE_DRAW);
        export_is_whole(w, &dir);
        proofs++;
        scratch_remove(&dir);
    }
    printf("# %d kills, %d proofs\n", kills, proofs);
}

/* --------------------------------------------------------------------- commands -- */

/* --limit ends a proof that takes longer, and says so (longjob.h, W4). */
static void test_time_limit(void **state)
{
    const char *tables = ((const struct built *)*state)->dir.path;
    struct scratch dir;
    struct run r;

    if (test_is_sanitized() || !getenv("KELSO_BINARY"))
        skip();
    dir = scratch_create();
    r = run_kelso(ARGS("prove", "--store", dir.path, "B:W21-32:B1-12", "--dir", tables, "--limit",
                       "200ms", "--memory", "16M", "--json"),
                  NULL, 0);
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.out, "\"stopped\":true"));
    run_free(&r);
    scratch_remove(&dir);
}

static void test_commands(void **state)
{
    const char *tables = ((const struct built *)*state)->dir.path;
    struct scratch dir;
    const char *store = dir.path;
    char proof[SCRATCH_MAX];
    struct run r;

    if (test_is_sanitized() || !getenv("KELSO_BINARY"))
        skip();
    dir = scratch_create();
    scratch_file(&dir, "draw.proof", proof);
    run_expect_json(ARGS("solve", small_proof, "--dir", tables, "--json", "--memory", "16M"),
                    "\"value\":\"draw\"");
    run_expect(ARGS("solve", "nonsense", "--dir", tables), 2, "", "");
    run_expect_json(ARGS("prove", "--store", store, small_proof, "--dir", tables, "--nodes", "300",
                         "--workers", "2", "--memory", "16M", "--json"),
                    "\"value\":\"draw\"");
    r = run_kelso(ARGS("prove", "--store", store, small_proof, "W:W9,23,28:B7,15,16", "--dir",
                       tables, "--nodes", "3000", "--warm", "--json"),
                  NULL, 0);
    assert_int_equal(r.status, 0); /* both, in this order */
    assert_non_null(strstr(r.out, small_proof));
    assert_non_null(strstr(strstr(r.out, "}\n"), "W:W9,23,28:B7,15,16"));
    run_free(&r);
    r = run_kelso(ARGS("prove", "--store", store, small_proof, "nonsense", "--dir", tables), NULL,
                  0);
    assert_int_equal(r.status, 2);
    assert_string_equal(r.out, "");
    run_free(&r);
    run_expect_json(ARGS("proof", "status", "--store", store, "--json"), "\"value\":\"draw\"");
    run_expect_json(ARGS("proof", "status", "--store", store, "--json"), "\"left\":");
    run_expect_json(ARGS("proof", "status", "--store", store, "--json"),
                    "\"searches_per_second\":");
    run_expect(ARGS("prove", "--store", store, "W:W28:B1,12", "W:W28:B1", "--dir", tables), 0, "",
               "");
    /* the one is listed though the other begins with it */
    run_expect_json(ARGS("proof", "status", "--store", store, "--json"),
                    "\"fen\":\"W:W28:B1,12\",\"value\":\"");
    run_expect_json(ARGS("proof", "status", "--store", store, "--json"),
                    "\"fen\":\"W:W28:B1\",\"value\":\"");
    run_expect(ARGS("proof", "export", "--store", store, "W:W9,23,28,30:B1,2,7,15", "--output",
                    proof, "--dir", tables),
               1, "", "nothing is proven");
    run_expect(ARGS("proof", "minimal", "--store", store, small_proof, "--dir", tables), 0,
               "draw: ", "");
    run_expect_json(
        ARGS("proof", "query", "--store", store, small_proof, "--dir", tables, "--json"), "");
    run_expect(ARGS("proof", "export", "--store", store, small_proof, "--output", proof, "--dir",
                    tables, "--time", "5m"),
               0, " 0 were solved again", "");
    run_expect(ARGS("proof", "check", proof, "--dir", tables), 0, "stands", "");
    scratch_remove(&dir);
}

/* A record that lies is found, a good store passes; more tables make a proof shorter. */
static void test_audit(void **state)
{
    const char *tables = ((const struct built *)*state)->dir.path;
    struct store_record lie = {.bounds = {VALUE_WIN, VALUE_WIN}, .own = {VALUE_WIN, VALUE_WIN}};
    struct board b = golden_board("B:W30,31:BK1,12");
    struct scratch dir;
    struct store *s;

    if (test_is_sanitized() || !getenv("KELSO_BINARY"))
        skip();
    dir = scratch_create();
    run_expect(ARGS("prove", "--store", dir.path, "B:W30:B7,16", "--dir", tables, "--pieces", "2",
                    "--nodes", "20", "--workers", "1", "--progress", "none"),
               0, "win for Black", "");
    run_expect(ARGS("proof", "audit", "--store", dir.path, "--share", "1", "--dir", tables,
                    "--pieces", "2", "--memory", "16M"),
               0, " 0 undecided in the time, 0 wrong", "");
    run_expect(ARGS("proof", "minimal", "--store", dir.path, "B:W30:B7,16", "--dir", tables), 0,
               "win: 0 claims, 0 of them proven by the solver, and 1 in the tables", "");
    run_expect(ARGS("proof", "audit", "--store", dir.path, "--share", "2", "--dir", tables), 2, "",
               "--share expects a number from 0 to 1, found '2'");
    assert_int_equal(store_open(&s, dir.path, true, NULL), STATUS_OK);
    assert_int_equal(store_put(s, &b, &lie, NULL), STATUS_OK);
    store_close(&s);
    run_expect(ARGS("proof", "audit", "--store", dir.path, "--share", "1", "--dir", tables,
                    "--memory", "16M"),
               1, "B:W30,31:BK1,12: the store says win, solved again it is ", "");
    scratch_remove(&dir);
}

/* Ctrl-C ends the search of a record, which then does not count. */
static void test_audit_stops(void **state)
{
    const char *tables = ((const struct built *)*state)->dir.path;
    struct store_record claim = {.bounds = {VALUE_DRAW, VALUE_WIN}, .own = {VALUE_DRAW, VALUE_WIN}};
    struct scratch dir;
    double start = clock_seconds();
    struct store *s;
    struct run r;

    if (test_is_sanitized() || !getenv("KELSO_BINARY"))
        skip();
    dir = scratch_create();
    assert_int_equal(store_open(&s, dir.path, true, NULL), STATUS_OK);
    assert_int_equal(store_put(s, &board_start, &claim, NULL), STATUS_OK);
    store_close(&s);
    r = run_kelso_stopped(ARGS("proof", "audit", "--store", dir.path, "--share", "1", "--time",
                               "10m", "--dir", tables, "--memory", "16M", "--progress=bar"));
    assert_int_equal(r.status, 130);
    assert_non_null(strstr(r.out, "0 of 1 records solved again"));
    assert_true(clock_seconds() - start < 60);
    run_free(&r);
    scratch_remove(&dir);
}

/* Ctrl-C ends a check, while a claim is solved again as well, and the files that follow wait. */
static void test_check_stops(void **state)
{
    const char *tables = ((const struct built *)*state)->dir.path, *stopped;
    struct claim word = {placement_of(&board_start), (uint8_t)board_start.turn, BLACK, true,
                         .by_solver = true};
    struct certificate c = {board_start, VALUE_LOSS, VALUE_WIN, 1, 1, &word};
    char file[SCRATCH_MAX];
    struct scratch dir;
    struct run r;

    if (test_is_sanitized() || !getenv("KELSO_BINARY"))
        skip();
    dir = scratch_create();
    assert_int_equal(certificate_write(&c, scratch_file(&dir, "x.proof", file), NULL), STATUS_OK);
    r = run_kelso_stopped(
        ARGS("proof", "check", file, file, "--resolve", "1G", "--dir", tables, "--progress=bar"));
    assert_int_equal(r.status, 130);
    assert_string_equal(r.out, "");
    stopped = strstr(r.err, "x.proof: stopped\n");
    assert_non_null(stopped);
    assert_null(strstr(stopped + 1, "x.proof: stopped"));
    run_free(&r);
    scratch_remove(&dir);
}

/* Leaves that nobody has looked at: after two searches the root has seven successors, and one
 * of them a record. */
static void test_status_counts_successors(void **state)
{
    const struct built *w = *state;
    struct scratch dir;

    if (test_is_sanitized() || !getenv("KELSO_BINARY"))
        skip();
    dir = scratch_create();
    for (int i = 0; i < 2; i++)
        run_expect(ARGS("prove", "--store", dir.path, "11-15", "--dir", w->dir.path, "--searches=1",
                        "--nodes=100", "--workers=1"),
                   1, "unknown for White", "");
    run_expect_json(ARGS("proof", "status", "--store", dir.path, "--json"),
                    "\"positions\":2,\"proven\":0,\"bounded\":0,\"expanded\":1,\"likely\":0,"
                    "\"open\":1,\"unsearched\":6,\"tree\":8");
    scratch_remove(&dir);
}

/* The number after a key in JSON. */
static long long json_number(const char *json, const char *key)
{
    const char *at = strstr(json, key);

    assert_non_null(at);
    return atoll(at + strlen(key));
}

/* `prove` and `status` count the same, and say that it is finished. */
static void test_counts_agree(void **state)
{
    const struct built *w = *state;
    struct scratch dir;
    struct run prove, status;

    if (test_is_sanitized() || !getenv("KELSO_BINARY"))
        skip();
    dir = scratch_create();
    prove = run_kelso(ARGS("prove", "--store", dir.path, small_proof, "--dir", w->dir.path,
                           "--nodes", "300", "--workers", "1", "--memory", "16M", "--json"),
                      NULL, 0);
    status = run_kelso(ARGS("proof", "status", "--store", dir.path, "--dir", w->dir.path, "--json"),
                       NULL, 0);
    assert_int_equal(prove.status, 0);
    assert_int_equal(json_number(prove.out, "\"positions\":"),
                     json_number(status.out, "\"positions\":"));
    assert_int_equal(json_number(prove.out, "\"tree\":"), json_number(status.out, "\"tree\":"));
    assert_int_equal(json_number(prove.out, "\"searches\":"),
                     json_number(status.out, "\"searches\":"));
    assert_true(json_number(prove.out, "\"positions\":") < json_number(prove.out, "\"tree\":"));
    assert_non_null(strstr(status.out, "\"finished\":true"));
    assert_int_equal(json_number(status.out, "\"left\":"), 0);
    assert_true(json_number(status.out, "\"bytes\":") > 0);
    run_free(&prove);
    run_free(&status);
    run_expect(ARGS("proof", "status", "--store", dir.path, "--dir", w->dir.path), 0,
               "proven: draw", "");
    run_expect(ARGS("prove", "--store", dir.path, small_proof, "--dir", w->dir.path), 0,
               "proven: draw for Black", "");
    scratch_remove(&dir);
}

/* A picture replaces a file as a whole. */
static void test_picture_file(void **state)
{
    const struct built *w = *state;
    char file[SCRATCH_MAX], old[SCRATCH_MAX], none[SCRATCH_MAX];
    struct scratch dir;
    uint8_t *bytes;
    size_t size;

    if (test_is_sanitized() || !getenv("KELSO_BINARY"))
        skip();
    dir = scratch_create();
    file_write(scratch_file(&dir, "x.svg", file), "old", 3);
    assert_int_equal(link(file, scratch_file(&dir, "old.svg", old)), 0);
    scratch_file(&dir, "no/x.svg", none);
    run_expect(ARGS("prove", "--store", dir.path, "B:W30:B7,16", "--dir", w->dir.path, "--pieces",
                    "2", "--nodes", "20", "--workers", "1", "--progress", "none"),
               0, "win for Black", "");
    run_expect(ARGS("proof", "picture", "--store", dir.path, "B:W30:B7,16", "--dir", w->dir.path,
                    "--pieces", "2", "--output", none),
               2, "", "no/x.svg: cannot be written");
    run_expect(ARGS("proof", "picture", "--store", dir.path, "B:W30:B7,16", "--dir", w->dir.path,
                    "--pieces", "2", "--output", file),
               0, "", "");
    bytes = file_read(file, &size);
    assert_true(size > 100 && memcmp(bytes, "<svg", 4) == 0);
    free(bytes);
    bytes = file_read(old, &size);
    assert_true(size == 3 && memcmp(bytes, "old", 3) == 0);
    free(bytes);
    scratch_remove(&dir);
}

/* Run the program; its status, and a word that must be in what it says. */
static void expect(const char *const *args, int status, const char *word)
{
    struct run r = run_kelso(args, NULL, 0);

    if (r.status != status || !(strstr(r.out, word) || strstr(r.err, word)))
        fail_msg("status %d, expected %d and '%s': %s%s", r.status, status, word, r.out, r.err);
    run_free(&r);
}

/* What is asked of a proof that is not there, or not yet, gets a plain no. */
static void test_refusals(void **state)
{
    const struct built *w = *state;
    struct scratch dir;
    const char *db = w->dir.path, *at = dir.path;
    char proof[SCRATCH_MAX], none[SCRATCH_MAX];
    struct store *s;
    struct error e;

    if (test_is_sanitized() || !getenv("KELSO_BINARY"))
        skip();
    dir = scratch_create();
    scratch_file(&dir, "x.proof", proof);
    scratch_file(&dir, "no/x.proof", none);
    expect(ARGS("proof", "status"), 2, "proof status: give --store DIR");
    expect(ARGS("proof", "status", "--store", db), 2, "no store there; 'kelso prove' makes one");
    expect(ARGS("prove", "--store", at, "11-15", "--dir", db, "--searches=1", "--nodes=100"), 1,
           "unknown for White");
    expect(ARGS("proof", "status", "--store", at, "more"), 2, "unexpected argument 'more'");
    expect(ARGS("proof", "minimal", "--store", at, "11-15", "--dir", db), 1, "nothing is proven");
    expect(ARGS("proof", "picture", "--store", at, "11-15", "--dir", db), 1, "nothing is proven");
    expect(ARGS("proof", "export", "--store", at, "11-15", "--dir", db, "--output", proof), 1,
           "nothing is proven");
    expect(ARGS("proof", "check", proof, "--dir", db), 2, "No such file"); /* none was written */
    expect(ARGS("proof", "export", "--store", at, "11-15", "--dir", db, "--output", none), 2,
           "cannot be written");
    expect(ARGS("proof", "check", "x", "--pieces=3", "--dir", db), 2, "--pieces does not apply");
    expect(ARGS("solve", "B:W21-32:B1-12", "--nodes=100", "--dir", db, "--tree", proof), 1,
           "is not written");
    expect(ARGS("solve", "B:W21-32:B1-12", "--dir", db, "--tree", none), 2, "cannot be written");
    expect(ARGS("solve", "-", "--dir", db, "--tree", proof), 2, "--tree writes one proof");
    expect(ARGS("solve", "--dir", db, "--knobs", "x=1", small_proof), 2, "slack, patience or sum");
    expect(ARGS("prove", "--store", at, "11-15", "--until=100"), 2, "from 125 to 10001, or win");
    expect(ARGS("prove", "--store", at, "11-15", "--seed-line", "22-18 1-2"), 2,
           "--seed-line, column 7: expected a legal move (15x22), found '1-2'");
    assert_int_equal(store_open(&s, at, true, &e), STATUS_OK);
    expect(ARGS("prove", "--store", at, "11-15", "--dir", db), 2, "another 'kelso prove'");
    store_close(&s);
    scratch_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records_are_kept),
        cmocka_unit_test(test_numbers_are_kept),
        cmocka_unit_test(test_roots_are_listed_once),
        cmocka_unit_test(test_records_that_contradict_each_other),
        cmocka_unit_test(test_records_that_contradict_tables),
        cmocka_unit_test(test_scores_prove_nothing),
        cmocka_unit_test(test_records_agree_with_tables),
        cmocka_unit_test(test_kills_lose_nothing),
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_time_limit),
        cmocka_unit_test(test_deep_search),
        cmocka_unit_test(test_audit),
        cmocka_unit_test(test_audit_stops),
        cmocka_unit_test(test_check_stops),
        cmocka_unit_test(test_status_counts_successors),
        cmocka_unit_test(test_counts_agree),
        cmocka_unit_test(test_picture_file),
        cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, world_open, world_close);
}
