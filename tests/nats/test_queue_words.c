/* SPDX-License-Identifier: MIT
 *
 * A queue where something is not as it should be: foreign messages, a second manager, a server that
 * restarts, clocks that differ.  Those at work say what it is in a line that tells what to do, and
 * go on, or end if they cannot. */
#include "nats/lab.h"

#include "proof/wire.h"

static const char old_message[] = "of version 5, expected 4: give all machines the same kelso";

/* A server, a manager with endless work and a worker, each with a log of its own. */
struct scene {
    struct lab *l;
    char manager[SCRATCH_MAX], worker[SCRATCH_MAX];
};

static struct scene scene_open(struct lab *l, const char *name)
{
    struct scene s = {.l = l};
    char file[64];

    scratch_file(&l->dir, name, l->store);
    snprintf(file, sizeof file, "%s.manager", name);
    scratch_file(&l->dir, file, s.manager);
    snprintf(file, sizeof file, "%s.worker", name);
    scratch_file(&l->dir, file, s.worker);
    queue_start(l, NULL, NULL);
    l->manager = endless_start(l, s.manager);
    l->worker[0] = worker_start_logged(l, s.worker);
    wait_searches(l, 2);
    return s;
}

static void scene_close(struct scene *s)
{
    finish(&s->l->manager, SIGKILL);
    finish(&s->l->worker[0], SIGKILL);
    finish(&s->l->server, SIGKILL);
}

static void wait_words(const char *log, const char *text)
{
    for (int n = 0; !lab_log_has(log, text); n++) {
        if (n == 600)
            fail_msg("%s does not say: %s", log, text);
        usleep(100000);
    }
}

/* -------------------------------------------------------------- foreign messages -- */

/* The same bytes from a kelso of the next version. */
static void put_newer(struct queue_link *k, const char *subject, uint8_t *bytes, size_t n)
{
    bytes[3] = WIRE_VERSION + 1;
    assert_int_equal(link_publish(k, subject, NULL, bytes, n, NULL), STATUS_OK);
}

static void foreign_put(const struct lab *l)
{
    struct queue_access a = {.url = l->url};
    struct wire_task task = {.run = 1, .id = 1, .task = {.board = board_start}};
    struct wire_result result = {.run = 1, .id = 1, .status = STATUS_IO};
    uint8_t bytes[WIRE_MAX];
    struct queue_link k;
    struct error e;

    assert_int_equal(link_open(&k, &a, NULL, &e), STATUS_OK);
    put_newer(&k, "kelso.task", bytes, wire_put_task(bytes, &task));
    put_newer(&k, "kelso.result", bytes, wire_put_result(bytes, &result));
    link_publish(&k, "kelso.task", NULL, "garbage", 7, NULL);
    link_publish(&k, "kelso.result", NULL, "garbage", 7, NULL);
    natsConnection_PublishString(k.connection, "kelso.cancel", "garbage");
    link_close(&k);
}

/* Both results were dropped; the manager tells it once a second. */
static void dropped_wait(const struct lab *l)
{
    for (int tries = 0; tries < 60; tries++) {
        struct run r = run_kelso(ARGS("proof", "status", "--queue", l->url, "--json"), NULL, 0);
        bool told = strstr(r.out, "\"dropped\":") && !strstr(r.out, "\"dropped\":0") &&
                    !strstr(r.out, "\"dropped\":1,");

        run_free(&r);
        if (told)
            return;
        usleep(200000);
    }
    fail_msg("the status does not tell of dropped results");
}

static void test_foreign_messages(void **state)
{
    struct scene s;

    if (!*state)
        skip();
    s = scene_open(*state, "foreign");
    foreign_put(s.l);
    wait_words(s.manager, old_message);
    wait_words(s.worker, old_message);
    wait_words(s.manager, "found on the queue: a message of 7 bytes that is not from kelso");
    wait_words(s.worker, "found on the queue: a message of 7 bytes that is not from kelso");
    wait_searches(s.l, 2); /* both go on */
    dropped_wait(s.l);
    scene_close(&s);
}

/* A manager of another version: its notice is no message that a worker understands. */
static void test_newer_manager(void **state)
{
    struct wire_notice n = {.run = 1, .place = "elsewhere"};
    struct lab *l = *state;
    char log[SCRATCH_MAX];
    uint8_t bytes[WIRE_MAX];
    struct queue_access a;
    struct queue_link k;
    struct error e;

    if (!l)
        skip();
    scratch_file(&l->dir, "newer.log", log);
    queue_start(l, NULL, NULL);
    a = (struct queue_access){.url = l->url};
    assert_int_equal(link_open(&k, &a, NULL, &e), STATUS_OK);
    l->worker[0] = worker_start_logged(l, log);
    for (int tries = 0; !lab_log_has(log, old_message); tries++) {
        assert_true(tries < 60); /* a notice is kept for seconds */
        put_newer(&k, "kelso.state.manager", bytes, wire_put_notice(bytes, &n));
        usleep(500000);
    }
    finish(&l->worker[0], SIGKILL);
    link_close(&k);
    finish(&l->server, SIGKILL);
}

/* A worker keeps memory for a deep search if the manager has one, and begins again when that
 * changes. */
static void test_deep_search_is_a_term(void **state)
{
    char log[SCRATCH_MAX], store[SCRATCH_MAX];
    struct lab *l = *state;

    if (!l)
        skip();
    scratch_file(&l->dir, "deep.log", log);
    scratch_file(&l->dir, "deep", store);
    queue_start(l, NULL, NULL);
    l->worker[0] = worker_start_logged(l, log);
    for (int deep = 0; deep < 2; deep++) {
        l->manager = start(getenv("KELSO_BINARY"),
                           ARGS("prove", "--queue", l->url, "--store", store, "B:W21-32:B1-12",
                                "--dir", l->tables.dir.path, "--look", "50ms", "--time", "100ms",
                                "--progress", "plain", "--deep", deep ? "256" : "1"),
                           NULL);
        wait_words(log, deep ? ": 1 thread, a deep search, tables" : ": 1 thread, tables");
        assert_int_equal(lab_log_has(log, "a deep search"), deep);
        finish(&l->manager, SIGTERM);
    }
    finish(&l->worker[0], SIGKILL);
    finish(&l->server, SIGKILL);
}

/* ------------------------------------------------------------- managers and tokens -- */

static void test_two_managers(void **state)
{
    struct scene s;
    char other[SCRATCH_MAX];

    if (!*state)
        skip();
    s = scene_open(*state, "two");
    scratch_file(&s.l->dir, "two.other", other);
    run_expect(ARGS("prove", "--queue", s.l->url, "--store", other, small_proof, "--dir",
                    s.l->tables.dir.path),
               2, "", "another manager is at work on this queue");
    run_expect(ARGS("prove", "--queue", s.l->url, "--store", s.l->store, small_proof, "--dir",
                    s.l->tables.dir.path),
               2, "", "another 'kelso prove' is at work here");
    run_expect(ARGS("prove", "--store", s.l->store, small_proof, "--dir", s.l->tables.dir.path), 2,
               "", "another 'kelso prove' is at work here");
    wait_searches(s.l, 2); /* the first one does not notice */
    scene_close(&s);
}

static void test_wrong_token(void **state)
{
    struct lab *l = *state;
    char file[SCRATCH_MAX];

    if (!l)
        skip();
    scratch_file(&l->dir, "wrong-token", file);
    file_write(file, "simsala\n", 8);
    queue_start(l, "--auth", "sesame");
    run_expect(ARGS("worker", "--queue", l->url, "--token-file", file, "--dir", l->tables.dir.path),
               2, "", "the server refuses access; give --token-file or --user-file");
    run_expect(ARGS("prove", "--queue", l->url, "--token-file", file, "--store", l->dir.path,
                    small_proof, "--dir", l->tables.dir.path),
               2, "", "the server refuses access; give --token-file or --user-file");
    finish(&l->server, SIGKILL);
}

/* ------------------------------------------------------------------------ restarts -- */

static void test_server_restarts(void **state)
{
    struct scene s;

    if (!*state)
        skip();
    s = scene_open(*state, "restart");
    finish(&s.l->server, SIGKILL);
    wait_words(s.manager, "the connection to the queue is lost; trying again until it is back");
    wait_words(s.worker, "the connection to the queue is lost; trying again until it is back");
    queue_start(s.l, NULL, NULL);
    wait_words(s.manager, "the queue is back");
    wait_words(s.worker, "the queue is back");
    wait_searches(s.l, 4);
    scene_close(&s);
}

/* -------------------------------------------------------------------------- clocks -- */

/* A program whose clock is off; monotonic clocks differ between machines anyway. */
static pid_t start_off(const char *offset, const char *const *args, const char *log)
{
    const char *all[ARGS_MAX] = {"-m", "-f", offset, getenv("KELSO_BINARY")};
    int n = 4;

    while (*args && n < ARGS_MAX - 2)
        all[n++] = *args++;
    return start("faketime", all, log);
}

static void test_clocks_differ(void **state)
{
    struct lab *l = *state;
    int status;

    if (!l)
        skip();
    if (system("test \"$(faketime -f +400d date +%Y 2>/dev/null)\" -gt \"$(date +%Y)\"") != 0) {
        printf("# skipped: no faketime\n");
        skip();
    }
    scratch_file(&l->dir, "clocks", l->store);
    queue_start(l, NULL, NULL);
    for (int i = 0; i < 2; i++)
        l->worker[i] =
            start_off(i ? "+400d" : "-30d",
                      ARGS("worker", "--queue", l->url, "--dir", l->tables.dir.path, "--threads",
                           "1", "--memory", "16M", "--cache", "32M", "--progress", "none"),
                      NULL);
    l->manager = start_off("+3h",
                           ARGS("prove", "--queue", l->url, "--store", l->store, small_proof,
                                "--dir", l->tables.dir.path, "--nodes", "2000", "--lease", "2s",
                                "--audit", "0.2", "--progress", "none"),
                           NULL);
    for (int n = 0; waitpid(l->manager, &status, WNOHANG) == 0; n++) {
        assert_true(n < 1200);
        if (n == 20) { /* and one whose tasks are given again */
            finish(&l->worker[1], SIGKILL);
            l->worker[1] = worker_start(l);
        }
        usleep(100000);
    }
    l->manager = 0;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    run_expect_json(ARGS("proof", "status", "--store", l->store, "--json"), "\"value\":\"draw\"");
    for (int i = 0; i < 2; i++)
        finish(&l->worker[i], SIGKILL);
    finish(&l->server, SIGKILL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_foreign_messages),      cmocka_unit_test(test_newer_manager),
        cmocka_unit_test(test_deep_search_is_a_term), cmocka_unit_test(test_two_managers),
        cmocka_unit_test(test_wrong_token),           cmocka_unit_test(test_server_restarts),
        cmocka_unit_test(test_clocks_differ),
    };

    return cmocka_run_group_tests(tests, lab_open, lab_close);
}
