/* SPDX-License-Identifier: MIT
 *
 * `kelso serve --queue`: what the page is told of a queue is what `proof status --queue` prints,
 * also when the queue's server goes away and comes back.  (V1), (V2) of serve/queue_watch.h. */
#include "kit/server.h"
#include "nats/lab.h"

#include <string.h>

/* The signs of life of a manager and a worker, as both publish them every second. */
static void signs_put(const struct lab *l)
{
    struct wire_notice n = {.run = 1,
                            .given = 40,
                            .results = 31,
                            .milli_per_second = 2500,
                            .again = 3,
                            .dropped = 2,
                            .audits = 4,
                            .place = "manager-host"};
    struct wire_worker w = {.worker = 7,
                            .threads = 5,
                            .searches = 30,
                            .microseconds = 10000000,
                            .place = "worker-host"};
    struct queue_access a = {.url = l->url};
    uint8_t bytes[WIRE_MAX];
    struct queue_link k;
    struct error e;

    if (link_open(&k, &a, NULL, &e))
        fail_msg("%s", e.text);
    assert_int_equal(
        link_publish(&k, "kelso.state.manager", NULL, bytes, wire_put_notice(bytes, &n), &e), 0);
    assert_int_equal(
        link_publish(&k, "kelso.state.worker.7", NULL, bytes, wire_put_worker(bytes, &w), &e), 0);
    link_close(&k);
}

/* Ask until the answer has `part`: what the server has read may be a second old. */
static struct response queue_wait(const struct server *s, const char *headers, int status,
                                  const char *part)
{
    struct response r = {0};

    for (int tries = 0; tries < 100; tries++) {
        response_free(&r);
        r = request(s, "GET", "/api/v1/queue", headers, NULL);
        if (r.status == status && strstr(r.body, part))
            return r;
        usleep(150000);
    }
    fail_msg("the last answer is %d %s, not %d with %s", r.status, r.body, status, part);
    return r;
}

static void queue_expect(const struct server *s, const char *headers, int status, const char *part)
{
    struct response r = queue_wait(s, headers, status, part);

    response_free(&r);
}

/* What is printed and what is served, both of the same signs of life. */
static void served_is_printed(const struct lab *l, const struct server *s)
{
    struct response r;
    struct run printed;

    signs_put(l);
    r = queue_wait(s, NULL, 200, "\"manager\":\"manager-host\"");
    signs_put(l);
    printed = run_kelso(ARGS("proof", "status", "--queue", l->url, "--json"), NULL, 0);
    assert_int_equal(printed.status, 0);
    assert_string_equal(r.body, printed.out);
    assert_non_null(strstr(r.body, "\"given\":40,\"results\":31,\"searches_per_second\":2.5,"
                                   "\"redelivered\":3,\"dropped\":2,\"audits\":4,"));
    assert_non_null(strstr(r.body, "\"threads\":5,\"workers\":[{\"place\":\"worker-host\","
                                   "\"threads\":5,\"searches\":30,\"searches_per_second\":3}]"));
    run_free(&printed);
    response_free(&r);
}

static void test_states(void **state)
{
    struct lab *l = *state;
    struct server s;

    if (!l)
        skip();
    s = server_start(l->tables.dir.path, &l->dir, ARGS("--queue", l->url));
    assert_true(log_has(&s, "queue: nats://127.0.0.1:"));
    queue_expect(&s, NULL, 503, "no server answers");
    queue_start(l, NULL, NULL);
    queue_expect(&s, NULL, 200, "\"running\":false,\"manager\":null");
    served_is_printed(l, &s);
    finish(&l->server, SIGKILL);
    queue_expect(&s, NULL, 503, "no server answers");
    queue_start(l, NULL, NULL);
    queue_expect(&s, NULL, 200, "\"workers\":[]"); /* their signs of life are kept for seconds */
    l->worker[0] = worker_start(l);
    l->manager = manager_start(l);
    queue_expect(&s, NULL, 200, "\"threads\":1,\"workers\":[{\"place\":\"");
    finish(&l->manager, SIGKILL);
    finish(&l->worker[0], SIGKILL);
    finish(&l->server, SIGKILL);
    assert_int_equal(server_stop(&s), 0);
}

/* Visitors of a server with a token see figures, not names. */
static void test_visitors(void **state)
{
    static const char owner[] = "Authorization: Bearer 0123456789abcdef\r\n";
    struct lab *l = *state;
    char token[SCRATCH_MAX];
    struct response r;
    struct server s;

    if (!l)
        skip();
    scratch_file(&l->dir, "page-token", token);
    file_write(token, "0123456789abcdef\n", 17);
    s = server_start(l->tables.dir.path, &l->dir, ARGS("--queue", l->url, "--token-file", token));
    r = queue_wait(&s, NULL, 503, "the queue does not answer");
    assert_null(strstr(r.body, "127.0.0.1"));
    response_free(&r);
    queue_expect(&s, owner, 503, l->url);
    queue_start(l, NULL, NULL);
    signs_put(l);
    r = queue_wait(&s, NULL, 200, "\"workers\":[{\"place\":null,\"threads\":5");
    assert_null(strstr(r.body, "-host"));
    response_free(&r);
    queue_expect(&s, owner, 200, "\"place\":\"worker-host\"");
    finish(&l->server, SIGKILL);
    assert_int_equal(server_stop(&s), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_visitors),
    };

    return cmocka_run_group_tests(tests, lab_open, lab_close);
}
