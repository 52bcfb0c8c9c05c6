/* SPDX-License-Identifier: MIT
 *
 * Proofs on a queue, with a real server: workers, the server and the manager are killed at random
 * and the value is the same; what does not belong there is refused or passed over. */
#include "nats/lab.h"

#include "proof/store.h"

/* -------------------------------------------------------------------- refusals -- */

static void test_no_server(void **state)
{
    struct lab *l = *state;

    if (!l)
        skip();
    run_expect(ARGS("worker", "--queue", l->url, "--dir", l->tables.dir.path), 2, "",
               "no server answers; start one with");
    run_expect(ARGS("proof", "status", "--queue", l->url), 2, "", "no server answers");
    run_expect(ARGS("prove", "--queue", l->url, "--store", l->store, "--dir", l->tables.dir.path,
                    small_proof),
               2, "", "no server answers");
    run_expect(ARGS("worker"), 2, "", "give --queue URL");
    run_expect(ARGS("prove", "--store", l->store, "--audit", "2", small_proof), 2, "",
               "--audit expects a share from 0 to 1, found '2'");
}

static void test_token(void **state)
{
    struct lab *l = *state;
    char file[SCRATCH_MAX];

    if (!l)
        skip();
    queue_start(l, "--auth", "sesame");
    run_expect(ARGS("proof", "status", "--queue", l->url), 2, "", "refuses access");
    scratch_file(&l->dir, "token", file);
    file_write(file, "sesame\n", 7);
    run_expect(ARGS("proof", "status", "--queue", l->url, "--token-file", file), 0,
               "there is no manager", "");
    setenv("KELSO_QUEUE_TOKEN", "sesame", 1);
    run_expect_json(ARGS("proof", "status", "--queue", l->url, "--json"), "\"manager\":null");
    unsetenv("KELSO_QUEUE_TOKEN");
    finish(&l->server, SIGKILL);
}

/* A notice as another manager would publish it. */
static void notice_put(struct queue_link *k, const char *program, uint64_t tables)
{
    struct wire_notice n = {.run = 1, .tables = tables, .place = "elsewhere"};
    uint8_t bytes[WIRE_MAX];

    snprintf(n.program, sizeof n.program, "%s", program);
    assert_int_equal(
        link_publish(k, "kelso.state.manager", NULL, bytes, wire_put_notice(bytes, &n), NULL),
        STATUS_OK);
}

static void test_other_versions_and_tables(void **state)
{
    struct lab *l = *state;
    struct queue_access a;
    struct queue_link k;
    struct error e;

    if (!l)
        skip();
    queue_start(l, NULL, NULL);
    a = (struct queue_access){.url = l->url};
    assert_int_equal(link_open(&k, &a, NULL, &e), STATUS_OK);
    notice_put(&k, "9.9", 0);
    run_expect(ARGS("worker", "--queue", l->url, "--dir", l->tables.dir.path), 2, "",
               "the manager (elsewhere) is kelso 9.9, this is kelso " KELSO_VERSION);
    notice_put(&k, KELSO_VERSION, 12345);
    run_expect(ARGS("worker", "--queue", l->url, "--dir", l->tables.dir.path), 2, "",
               "are not those of the manager, elsewhere (0000000000003039)");
    js_PurgeStream(k.js, "KELSO_STATE", NULL, NULL);
    link_close(&k);
}

/* ----------------------------------------------------------------------- kills -- */

/* What is no message of ours, and what belongs to nobody. */
static void garbage_put(const struct lab *l)
{
    struct queue_access a = {.url = l->url};
    struct queue_link k;
    struct error e;
    struct wire_result late = {.run = 5, .id = 1, .status = STATUS_IO};
    uint8_t bytes[WIRE_MAX];

    if (link_open(&k, &a, NULL, &e))
        fail_msg("%s", e.text);
    link_publish(&k, "kelso.task", NULL, "garbage", 7, NULL);
    link_publish(&k, "kelso.result", NULL, "garbage", 7, NULL);
    link_publish(&k, "kelso.result", NULL, bytes, wire_put_result(bytes, &late), NULL);
    link_close(&k);
}

enum { KILL_WORKER, KILL_SERVER, KILL_MANAGER, KILLS, KILLS_MAX = 10 };

/* Each kind once, then mostly workers. */
static int kill_choose(struct rng *r, const int kills[KILLS])
{
    for (int kind = KILLS - 1; kind >= 0; kind--)
        if (!kills[kind])
            return kind;
    return kills[KILL_SERVER] + kills[KILL_MANAGER] < 4 ? rng_below(r, KILLS) : KILL_WORKER;
}

/* A process that is killed is started again. */
static void kill_one(struct lab *l, struct rng *r, int kills[KILLS])
{
    int kind = kill_choose(r, kills), i = rng_below(r, WORKERS);

    kills[kind]++;
    if (kind == KILL_SERVER) {
        finish(&l->server, SIGKILL);
        usleep(200000);
        queue_start(l, NULL, NULL);
    } else if (kind == KILL_MANAGER) {
        uint64_t before = store_searches(l->store);

        finish(&l->manager, SIGKILL);
        assert_true(store_searches(l->store) >= before);
        l->manager = manager_start(l);
    } else {
        finish(&l->worker[i], SIGKILL);
        l->worker[i] = worker_start(l);
    }
}

static void proof_is_good(const struct lab *l)
{
    char proof[SCRATCH_MAX];

    scratch_file(&l->dir, "draw.proof", proof);
    run_expect_json(ARGS("proof", "status", "--store", l->store, "--json"), "\"value\":\"draw\"");
    run_expect(ARGS("proof", "export", "--store", l->store, small_proof, "--output", proof, "--dir",
                    l->tables.dir.path, "--memory", "64M"),
               0, " 0 were solved again", ""); /* the claims came over the queue */
    run_expect(ARGS("proof", "check", proof, "--dir", l->tables.dir.path), 0, "stands", "");
}

/* Wait until the status tells of all workers: each has found the manager. */
static void workers_wait(const struct lab *l)
{
    for (int tries = 0; tries < 60; tries++) {
        struct run r = run_kelso(ARGS("proof", "status", "--queue", l->url, "--json"), NULL, 0);
        bool all = strstr(r.out, "\"threads\":3") != NULL;

        run_free(&r);
        if (all)
            return;
        usleep(200000);
    }
    fail_msg("the status does not tell of %d workers", WORKERS);
}

/* What a proof under way answers others, and what it ignores. */
static void manager_answers(struct lab *l)
{
    scratch_file(&l->dir, "endless", l->store);
    l->manager = endless_start(l, NULL);
    workers_wait(l);
    garbage_put(l);
    run_expect(ARGS("prove", "--queue", l->url, "--store", l->dir.path, small_proof, "--dir",
                    l->tables.dir.path),
               2, "", "another manager is at work on this queue");
    workers_wait(l); /* all go on */
    finish(&l->manager, SIGTERM);
}

/* One proof in a store of its own, with kills on the way. */
static void proof_with_kills(struct lab *l, struct rng *r, int round, int kills[KILLS])
{
    char name[32];
    int status = -1;

    snprintf(name, sizeof name, "store-%d", round);
    scratch_file(&l->dir, name, l->store);
    l->manager = manager_start(l);
    for (int n = 0; waitpid(l->manager, &status, WNOHANG) == 0; n++) {
        int sum = kills[KILL_WORKER] + kills[KILL_SERVER] + kills[KILL_MANAGER];

        assert_true(n < 1000);
        if (n % 4 == 3 && sum < KILLS_MAX)
            kill_one(l, r, kills);
        usleep(100000);
    }
    l->manager = 0;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    printf("# killed so far: %d workers, %d servers, %d managers; %d searches kept\n",
           kills[KILL_WORKER], kills[KILL_SERVER], kills[KILL_MANAGER],
           (int)store_searches(l->store));
    proof_is_good(l);
}

/* A quick machine proves it before all kinds were killed: then again. */
static void test_kills(void **state)
{
    struct rng r = rng_for_test("queue kills");
    struct lab *l = *state;
    int kills[KILLS] = {0};

    if (!l)
        skip();
    for (int i = 0; i < WORKERS; i++)
        l->worker[i] = worker_start(l);
    manager_answers(l);
    for (int round = 0; !kills[KILL_WORKER] || !kills[KILL_SERVER] || !kills[KILL_MANAGER];
         round++) {
        assert_true(round < 10);
        proof_with_kills(l, &r, round, kills);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_server),
        cmocka_unit_test(test_token),
        cmocka_unit_test(test_other_versions_and_tables),
        cmocka_unit_test(test_kills),
    };

    return cmocka_run_group_tests(tests, lab_open, lab_close);
}
