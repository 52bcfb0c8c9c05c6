/* SPDX-License-Identifier: MIT
 *
 * What the server works on and keeps: jobs, endings, tables that appear, proofs.  (J1) of
 * jobs.h, (O2), (O3) of sources.h. */
#include "kit/golden.h"
#include "kit/run.h"
#include "kit/serve_kit.h"
#include "kit/built.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "proof/store.h"
#include "serve/proofs.h"
#include "serve/sources.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unistd.h>

/* ----------------------------------------------------------------------- jobs -- */

static void test_jobs(void **state)
{
    struct kit *k = *state;
    struct response r;

    expect_post(&k->server, "/api/v1/estimate?fen=B:WK32,K31:BK1,K2,3", 200, "\"fits\":true");
    expect_post(&k->server, "/api/v1/solve?fen=B:WK32,K31:BK1,K2,3", 202, "\"job\":");
    job_wait(&k->server, "/api/v1/jobs/1", "done");
    expect(&k->server, "/api/v1/position?fen=B:WK32,K31:BK1,K2,3", 200, "\"dtw\":");
    expect(&k->server, "/api/v1/state", 200, "\"endings\":1");
    /* The player knows it, too: at once, where it took many plies to see the win. */
    expect_post(&k->server, "/api/v1/analysis?time=10s&fen=B:WK32,K31:BK1,K2,3", 200,
                "\"depth\":1,");
    expect_post(&k->server, "/api/v1/build?pieces=3&kinds=wld", 202, "\"job\":");
    job_wait(&k->server, "/api/v1/jobs/2", "done");
    r = request(&k->server, "DELETE", "/api/v1/jobs/2", NULL, NULL);
    assert_int_equal(r.status, 200);
    response_free(&r);
    expect_post(&k->server, "/api/v1/build?kinds=abc", 400, "kinds");
}

/* (O3) endings are kept within their bytes, the latest first. */
static void test_sources(void **state)
{
    struct kit *k = *state;
    struct sources *h = sources_open(k->tables.path, 1 << 20, 1000);
    const struct snapshot *old, *s;
    struct board b[3] = {golden_board("B:WK32,K31:BK1,K2,3"), golden_board("B:WK32,K31:BK1,K2,4"),
                         golden_board("B:WK32,K31:BK1,K2,K4")};
    struct outcome o;

    assert_int_equal(sources_refresh(h, NULL), STATUS_OK);
    old = sources_take(h);
    for (int i = 0; i < 3; i++) {
        struct ondemand *ending;

        assert_int_equal(ondemand_open(&ending, &b[i], false, NULL), STATUS_OK);
        assert_int_equal(ondemand_solve(ending, 1, UINT64_C(4) << 30, NULL, NULL, NULL), STATUS_OK);
        sources_add(h, &ending, 400);
        assert_null(ending);
    }
    s = sources_take(h);
    assert_int_equal(s->endings, 2);
    assert_int_equal(old->endings, 0);
    for (int i = 0; i < 3; i++) /* the first is forgotten */
        assert_int_equal(s->source.outcome(s->source.context, &b[i], KIND_DTW, &o, NULL),
                         i ? STATUS_OK : STATUS_MISSING);
    assert_int_equal(old->source.outcome(old->source.context, &b[2], KIND_DTW, &o, NULL),
                     STATUS_MISSING);
    sources_trim(h, 400);
    sources_release(h, s);
    s = sources_take(h);
    assert_int_equal(s->endings, 1);
    assert_int_equal(s->source.outcome(s->source.context, &b[2], KIND_DTW, &o, NULL), STATUS_OK);
    assert_int_equal(s->source.outcome(s->source.context, &b[0], KIND_DTW, &o, NULL),
                     STATUS_MISSING);
    sources_release(h, s);
    sources_release(h, old);
    sources_close(&h);
}

/* (O2) tables that are built by another program are used. */
static void test_tables_appear(void **state)
{
    struct scratch dir = scratch_create(), logs = scratch_create();
    struct server s = server_start(dir.path, &logs, NULL);
    bool known = false;

    (void)state;
    expect(&s, "/api/v1/position?fen=B:WK31:BK1", 200, "\"value\":null");
    build_tables_in(dir.path, 2, kernel_isa_best(), 1);
    for (int i = 0; i < 100 && !known; i++) {
        struct response r = get(&s, "/api/v1/position?fen=B:WK31:BK1");

        known = strstr(r.body, "\"dtw\":") && !strstr(r.body, "\"value\":null");
        response_free(&r);
        usleep(50000);
    }
    assert_true(known);
    assert_int_equal(server_stop(&s), 0);
    scratch_remove(&dir);
    scratch_remove(&logs);
}

/* --------------------------------------------------------------------- proofs -- */

/* A proof that is found here can be walked through. */
static void test_proofs(void **state)
{
    struct kit *k = *state;

    expect(&k->server, "/api/v1/proofs", 200, "{\"proofs\":[]}");
    expect(&k->server, "/api/v1/proof?fen=W:W20,24,28:B8,11,12", 200, "\"not in the tree\"");
    expect_post(&k->server, "/api/v1/prove?time=20s&fen=W:W20,24,28:B8,11,12", 202, "\"job\":");
    job_wait(&k->server, "/api/v1/jobs/3", "done");
    expect(&k->server, "/api/v1/proofs", 200, "\"class\":\"win\",\"claims\":");
    expect(&k->server, "/api/v1/proof?fen=W:W20,24,28:B8,11,12", 200,
           "\"lower\":\"win\",\"upper\":\"win\",\"class\":\"win\",\"leaf\":false,\"size\":");
    expect(&k->server, "/api/v1/tree?fen=W:W20,24,28:B8,11,12", 200, "{\"store\":false,");
    expect(&k->server, "/api/v1/proof?fen=W:W20,24,28:B8,11,12", 200, "\"class\":\"loss\"");
    expect(&k->server, "/api/v1/proof?fen=" FIGURE_4, 200, "\"leaf\":true");
}

/* Proofs of a directory are shown if they stand; a damaged one stops the server's start. */
static void test_proof_files(void **state)
{
    struct kit *k = *state;
    struct scratch dir = scratch_create(), logs = scratch_create();
    char path[SCRATCH_MAX];
    struct server s;
    struct run r;
    size_t size;
    uint8_t *bytes;

    scratch_file(&dir, "win.proof", path);
    r = run_kelso(ARGS("solve", "--json", "--dir", k->tables.path, "--memory", "64M", "--tree",
                       path, "W:W20,24,28:B8,11,12"),
                  "", 0);
    assert_int_equal(r.status, 0);
    run_free(&r);
    s = server_start(k->tables.path, &logs, ARGS("--proofs", dir.path));
    expect(&s, "/api/v1/proofs", 200, "\"class\":\"win\"");
    assert_int_equal(server_stop(&s), 0);
    bytes = file_read(path, &size);
    bytes[size - 4] ^= 1;
    file_write(path, bytes, size);
    free(bytes);
    r = run_kelso(
        ARGS("serve", "--listen", "127.0.0.1:0", "--dir", k->tables.path, "--proofs", dir.path), "",
        0);
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "win.proof"));
    run_free(&r);
    scratch_remove(&dir);
    scratch_remove(&logs);
}

static double cpu_of(const struct rusage *u)
{
    return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
           1e-6 * (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

/* Does the process wait for signals, instead of being ended by them? */
static bool signals_are_blocked(pid_t pid)
{
    char path[64], line[256];
    unsigned long long mask = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    if (!(f = fopen(path, "r")))
        return false;
    while (fgets(line, sizeof line, f))
        sscanf(line, "SigBlk: %llx", &mask);
    fclose(f);
    return mask >> (SIGTERM - 1) & 1;
}

/* Start a server on these proofs and stop it, at once or when it serves; its CPU seconds. */
static double load_and_stop(const struct kit *k, const char *proofs, bool at_once)
{
    const char *binary = getenv("KELSO_BINARY");
    struct rusage usage;
    int status, ends[2];
    char said;
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    if ((pid = fork()) == 0) {
        dup2(ends[1], 1);
        execl(binary ? binary : "build/check/kelso", "kelso", "serve", "--listen", "127.0.0.1:0",
              "--dir", k->tables.path, "--proofs", proofs, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    while (at_once && !signals_are_blocked(pid))
        usleep(1000);
    if (!at_once)
        assert_int_equal(read(ends[0], &said, 1), 1);
    kill(pid, SIGTERM);
    assert_int_equal(wait4(pid, &status, 0, &usage), pid);
    close(ends[0]);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return cpu_of(&usage);
}

/* SIGTERM is heard while proofs are being checked: a server that is stopped at once takes less CPU
 * time for ten times as many than loading all of them would. */
static void test_stop_loading(void **state)
{
    enum { FEW = 2000, MANY = 10 * FEW };
    struct kit *k = *state;
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX], name[32], other[SCRATCH_MAX];
    struct run r;
    double whole = 0, stopped;

    scratch_file(&dir, "0.proof", path);
    r = run_kelso(ARGS("solve", "--json", "--dir", k->tables.path, "--memory", "64M", "--tree",
                       path, "W:W20,24,28:B8,11,12"),
                  "", 0);
    assert_int_equal(r.status, 0);
    run_free(&r);
    for (int i = 1; i < MANY; i++) {
        if (i == FEW)
            whole = load_and_stop(k, dir.path, false);
        snprintf(name, sizeof name, "%d.proof", i);
        assert_int_equal(link(path, scratch_file(&dir, name, other)), 0);
    }
    stopped = load_and_stop(k, dir.path, true);
    print_message("%d proofs %.3f s, %d proofs and stopped %.3f s\n", FEW, whole, MANY, stopped);
    assert_true(stopped < 4 * whole);
    scratch_remove(&dir);
}

/* The tree of a proof under way: bounds, leaves, what is unresolved. */
static void test_store(void **state)
{
    struct kit *k = *state;
    struct scratch dir = scratch_create(), logs = scratch_create();
    struct move_list legal;
    struct store_record r = {.bounds = {VALUE_DRAW, VALUE_WIN}, .expanded = true, .searches = 3};
    struct store *store;
    struct server s;
    struct board next;

    assert_int_equal(store_open(&store, dir.path, true, NULL), STATUS_OK);
    assert_int_equal(store_put(store, &board_start, &r, NULL), STATUS_OK);
    moves_generate(&board_start, &legal);
    next = board_after(&board_start, &legal.move[0]);
    r = (struct store_record){.bounds = bounds_unknown, .searches = 1, .nodes = 77};
    assert_int_equal(store_put(store, &next, &r, NULL), STATUS_OK);
    assert_int_equal(store_put_text(store, "roots", "B:W21-32:B1-12\n", NULL), STATUS_OK);
    store_close(&store);
    s = server_start(k->tables.path, &logs, ARGS("--store", dir.path));
    expect(&s, "/api/v1/proofs", 200,
           "B1,2,3,4,5,6,7,8,9,10,11,12\",\"lower\":\"draw\",\"upper\":\"win\"");
    expect(&s, "/api/v1/proofs", 200, "\"positions\":2}"); /* as `kelso proof status` */
    expect(&s, "/api/v1/proof?fen=B:W21-32:B1-12", 200,
           "\"class\":\"draw or win\",\"leaf\":false,");
    expect(&s, "/api/v1/proof?fen=B:W21-32:B1-12", 200,
           "\"class\":\"leaf\",\"leaf\":true,\"size\":0,"
           "\"store\":{\"score\":0,\"searches\":1,\"nodes\":77}");
    expect(&s, "/api/v1/proof?fen=B:W21-32:B1-12", 200, "\"class\":\"not in the tree\"");
    expect(&s, "/api/v1/tree?fen=B:W21-32:B1-12", 200,
           "{\"store\":true,\"whole\":true,\"nodes\":[{\"id\":0,\"parent\":null,\"move\":null,");
    expect(&s, "/api/v1/tree?fen=B:W21-32:B1-12", 200,
           "\"level\":0,\"size\":2,\"open\":1,\"searches\":3,\"more\":0},"
           "{\"id\":1,\"parent\":0,\"move\":\"9-13\",");
    expect(&s, "/api/v1/tree?nodes=1&fen=B:W21-32:B1-12", 200, "\"more\":1}]}");
    expect(&s, "/api/v1/tree?fen=W:W21-32:B1-12", 404, "no proof here");
    expect(&s, "/api/v1/store", 200, "\"positions\":2,");
    expect(&s, "/api/v1/state", 200, "\"store\":true");
    assert_int_equal(server_stop(&s), 0);
    scratch_remove(&dir);
    scratch_remove(&logs);
}

/* Counting the records of a store stops when its request does, and what was half counted is not
 * kept. */
static void test_store_stops(void **state)
{
    struct scratch dir = scratch_create();
    struct store_record r = {.bounds = bounds_unknown};
    const atomic_bool stopped = true, running = false;
    const struct snapshot none = {0};
    struct proofs *p = proofs_open();
    struct store *store;
    struct error e;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    struct json j = json_open(out);

    (void)state;
    assert_int_equal(store_open(&store, dir.path, true, NULL), STATUS_OK);
    assert_int_equal(store_put(store, &board_start, &r, NULL), STATUS_OK);
    store_close(&store);
    assert_int_equal(proofs_use_store(p, dir.path, NULL), STATUS_OK);
    assert_int_equal(proofs_write_store(p, &none, &stopped, &j, &e), STATUS_INTERRUPTED);
    assert_non_null(strstr(e.text, "longer than a request may take"));
    assert_int_equal(proofs_write_store(p, &none, &running, &j, &e), STATUS_OK);
    fflush(out);
    assert_non_null(strstr(text, "\"positions\":1,"));
    assert_int_equal(proofs_write_store(p, &none, &stopped, &j, &e), STATUS_OK); /* from before */
    proofs_close(&p);
    fclose(out);
    free(text);
    scratch_remove(&dir);
}

/* A store that is truncated while it is served: an error that does not tell where it is, and the
 * server goes on. */
static void test_cut_store(void **state)
{
    struct kit *k = *state;
    struct scratch dir = scratch_create(), logs = scratch_create();
    static const char *const questions[] = {"/api/v1/proof?fen=B:W21-32:B1-12",
                                            "/api/v1/tree?fen=B:W21-32:B1-12", "/api/v1/proofs",
                                            "/api/v1/store"};
    struct store_record r = {.bounds = bounds_unknown};
    char path[SCRATCH_MAX];
    struct store *store;
    struct server s;

    assert_int_equal(store_open(&store, dir.path, true, NULL), STATUS_OK);
    assert_int_equal(store_put(store, &board_start, &r, NULL), STATUS_OK);
    assert_int_equal(store_put_text(store, "roots", "B:W21-32:B1-12\n", NULL), STATUS_OK);
    store_close(&store);
    s = server_start(k->tables.path, &logs, ARGS("--store", dir.path));
    expect(&s, questions[0], 200, "\"class\":\"leaf\"");
    assert_int_equal(truncate(scratch_file(&dir, "data.mdb", path), 0), 0);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        expect(&s, questions[i], 500,
               "\"message\":\"the store cannot be read: 'kelso proof status' tells why\"");
    expect(&s, "/api/v1/position?fen=" FIGURE_4, 200, "\"value\":\"win\"");
    assert_int_equal(server_stop(&s), 0);
    scratch_remove(&dir);
    scratch_remove(&logs);
}

static int set_up(void **state)
{
    return kit_open(state, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jobs),          cmocka_unit_test(test_sources),
        cmocka_unit_test(test_tables_appear), cmocka_unit_test(test_proofs),
        cmocka_unit_test(test_stop_loading),  cmocka_unit_test(test_proof_files),
        cmocka_unit_test(test_store),         cmocka_unit_test(test_cut_store),
        cmocka_unit_test(test_store_stops),
    };

    return cmocka_run_group_tests(tests, set_up, kit_close);
}
