/* SPDX-License-Identifier: MIT
 *
 * The server under load and at its end: slow, greedy and many clients, its log, signals.
 * (H2)-(H4) of http.h, (P1), (P2) of workers.h. */
#include "base/clock.h"
#include "kit/run.h"
#include "kit/serve_kit.h"

#include "serve/limiter.h"
#include "serve/sink.h"
#include "serve/workers.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

/* ----------------------------------------------------------------------- load -- */

/* (H2) however steadily the bytes drip. */
static void test_slow_client(void **state)
{
    struct kit *k = *state;
    struct scratch logs = scratch_create();
    struct server s = server_start(k->tables.path, &logs, ARGS("--patience", "1"));
    static const char text[] =
        "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: aaaaaaaaaaaaaaaaaaaaaaaaaa";
    int fd = server_connect(&s), mute = server_connect(&s);
    double began = clock_seconds();
    char byte;
    size_t i = 0;

    while (i < sizeof text - 1 && send(fd, &text[i], 1, MSG_NOSIGNAL) == 1 &&
           recv(fd, &byte, 1, MSG_DONTWAIT) != 0) {
        usleep(200000);
        i++;
    }
    assert_true(i < sizeof text - 1);
    assert_true(clock_seconds() - began < 12);
    assert_true(recv(mute, &byte, 1, 0) <= 0);
    close(fd);
    close(mute);
    check_alive(&s);
    assert_int_equal(server_stop(&s), 0);
    scratch_remove(&logs);
}

static void test_rate(void **state)
{
    struct kit *k = *state;
    struct scratch logs = scratch_create();
    struct server s = server_start(k->tables.path, &logs, ARGS("--rate", "5"));
    int refused = 0, served = 0;

    for (int i = 0; i < 30; i++) {
        struct response r = get(&s, "/healthz");

        served += r.status == 200;
        refused += r.status == 429 && strcasestr(r.head, "Retry-After: 1");
        response_free(&r);
    }
    assert_int_equal(served + refused, 30);
    assert_in_range(served, 10, 20);
    assert_int_equal(server_stop(&s), 0);
    scratch_remove(&logs);
}

enum { CLIENTS = 64 };

struct client {
    const struct server *server;
    uint64_t seed;
    int requests, wrong;
    pthread_t thread;
};

/* Over one connection, as browsers do; each answer must be the one to its question. */
static void *client_run(void *arg)
{
    struct client *c = arg;
    struct rng r = {c->seed};

    for (int i = 0; i < c->requests; i++) {
        int king = 5 + rng_below(&r, 24);
        char target[96], part[64];
        struct response answer;

        snprintf(target, sizeof target, "/api/v1/%s?fen=B:WK%d:BK1",
                 rng_below(&r, 4) ? "position" : "line", king);
        snprintf(part, sizeof part, "\"fen\":\"B:WK%d:BK1\"", king);
        answer = get(c->server, target);
        c->wrong += answer.status != 200 || !strstr(answer.body, part);
        response_free(&answer);
    }
    return NULL;
}

static int clients_run(const struct server *s, int requests)
{
    struct rng r = rng_for_test("clients");
    struct client c[CLIENTS];
    int wrong = 0;

    for (int i = 0; i < CLIENTS; i++) {
        c[i] = (struct client){.server = s, .seed = rng_next(&r), .requests = requests};
        assert_int_equal(pthread_create(&c[i].thread, NULL, client_run, &c[i]), 0);
    }
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(c[i].thread, NULL);
        wrong += c[i].wrong;
    }
    return wrong;
}

static void test_parallel(void **state)
{
    struct kit *k = *state;

    assert_int_equal(clients_run(&k->server, test_is_sanitized() ? 5 : 30), 0);
}

/* ---------------------------------------------------------------- log and end -- */

static void test_log(void **state)
{
    struct kit *k = *state;
    struct response r = get(&k->server, "/api/v1/position?fen=%22%0Aevil&x=\x7f");

    response_free(&r);
    r = get(&k->server, "/log-me");
    response_free(&r);
    assert_true(log_has(&k->server, "127.0.0.1 \"GET /log-me\" 404 "));
    assert_true(log_has(&k->server, "x=\\x7f\\x20HTTP"));
}

static void *ask_long(void *arg)
{
    struct response *r = malloc(sizeof *r);

    *r = request(arg, "POST", "/api/v1/analysis?time=25s&fen=B:W21-32:B1-12", NULL, "");
    return r;
}

/* (H4) a request under way is answered, and the end comes soon. */
static void test_stop_while_serving(void **state)
{
    struct kit *k = *state;
    struct scratch logs = scratch_create();
    struct server s = server_start(k->tables.path, &logs, NULL);
    double began = clock_seconds();
    struct response *r;
    pthread_t thread;
    void *result;

    assert_int_equal(pthread_create(&thread, NULL, ask_long, &s), 0);
    usleep(300000);
    assert_int_equal(server_stop(&s), 0);
    assert_true(clock_seconds() - began < 9);
    pthread_join(thread, &result);
    r = result;
    assert_int_equal(r->status, 200);
    assert_true(json_is_valid(r->body));
    response_free(r);
    free(r);
    assert_true(log_has(&s, "-- stopping"));
    scratch_remove(&logs);
}

/* Killed in the middle of everything, the next one starts on the same tables. */
static void test_kill(void **state)
{
    struct kit *k = *state;
    struct scratch logs = scratch_create();
    struct server s = server_start(k->tables.path, &logs, NULL);

    check_alive(&s);
    kill(s.pid, SIGKILL);
    assert_int_not_equal(server_stop(&s), 0);
    s = server_start(k->tables.path, &logs, NULL);
    expect(&s, "/api/v1/position?fen=" FIGURE_4, 200, "\"dtw\":3");
    assert_int_equal(clients_run(&s, 5), 0);
    assert_int_equal(server_stop(&s), 0);
    scratch_remove(&logs);
}

static void test_refusals(void **state)
{
    struct kit *k = *state;
    char taken[32];
    struct run r;

    snprintf(taken, sizeof taken, "127.0.0.1:%d", k->server.port);
    r = run_kelso(ARGS("serve", "--listen", taken, "--dir", k->tables.path), "", 0);
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, taken));
    run_free(&r);
    r = run_kelso(ARGS("serve", "--listen", "nowhere"), "", 0);
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "--listen: expected an address and a port"));
    run_free(&r);
}

/* ---------------------------------------------------------------------- parts -- */

static void test_limiter(void **state)
{
    struct limiter *l = limiter_open(10);
    unsigned one = limiter_bucket(l, "abcd", 4), other = one;
    int allowed = 0, held = 0;

    (void)state;
    for (char name[] = "wxya"; other == one; name[3]++)
        other = limiter_bucket(l, name, 4);
    for (int i = 0; i < 100; i++)
        allowed += limiter_take(l, one, 1000);
    assert_int_equal(allowed, 20);
    assert_false(limiter_take(l, one, 1000.05));
    assert_true(limiter_take(l, one, 1000.2));
    assert_true(limiter_take(l, other, 1000.2));
    for (int i = 0; i < 10; i++)
        held += limiter_hold(l, one, 1, 3);
    assert_int_equal(held, 3);
    assert_true(limiter_hold(l, one, 2, 3));
    assert_true(limiter_hold(l, other, 1, 3));
    limiter_drop(l, one, 1);
    assert_true(limiter_hold(l, one, 1, 3));
    limiter_close(&l);
}

/* Addresses that share a bucket of one limiter do not share one of another (L2). */
static void test_limiter_secret(void **state)
{
    struct limiter *known = limiter_open(10), *other = limiter_open(10);
    unsigned bucket = limiter_bucket(known, (uint32_t[]){0}, 4),
             aimed = limiter_bucket(other, (uint32_t[]){0}, 4);
    int found = 0, hit = 0;

    (void)state;
    for (uint32_t address = 1; found < 20; address++)
        if (limiter_bucket(known, &address, sizeof address) == bucket) {
            found++;
            hit += limiter_bucket(other, &address, sizeof address) == aimed;
        }
    assert_true(hit < 5);
    limiter_close(&known);
    limiter_close(&other);
}

static void count_up(void *arg)
{
    usleep(1000);
    atomic_fetch_add((atomic_int *)arg, 1);
}

/* (P1), (P2) */
static void test_workers(void **state)
{
    struct workers *w = workers_open(2, 8);
    atomic_int done = 0;
    int taken = 0;

    (void)state;
    for (int i = 0; i < 100; i++)
        taken += workers_submit(w, count_up, &done);
    assert_in_range(taken, 8, 99);
    workers_close(&w);
    assert_int_equal(atomic_load(&done), taken);
}

static int set_up(void **state)
{
    return kit_open(state, 3);
}

/* (S1), (S2) of sink.h. */
static void test_sink(void **state)
{
    char text[3000], back[sizeof text];
    struct sink made;
    FILE *f = sink_open(&made);

    (void)state;
    assert_non_null(f);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i % 26);
    memset(back, 'x', sizeof back);
    for (int round = 0; round < 50; round++) /* more than the stream's own buffer holds */
        assert_int_equal(fwrite(back, 1, sizeof back, f), sizeof back);
    rewind(f);
    assert_int_equal(fwrite(text, 1, sizeof text, f), sizeof text);
    assert_int_equal(fflush(f), 0);
    assert_int_equal(made.length, sizeof text);
    assert_memory_equal(made.bytes, text, sizeof text);
    assert_false(made.lost);
    made.length = SIZE_MAX / 2; /* as if it were full: no memory can hold more */
    fwrite(text, 1, sizeof text, f);
    assert_false(sink_close(&made, f));
    free(made.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_client),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_parallel),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_stop_while_serving),
        cmocka_unit_test(test_kill),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_limiter),
        cmocka_unit_test(test_limiter_secret),
        cmocka_unit_test(test_workers),
        cmocka_unit_test(test_sink),
    };

    return cmocka_run_group_tests(tests, set_up, kit_close);
}
