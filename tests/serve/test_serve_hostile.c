/* SPDX-License-Identifier: MIT
 *
 * Hostile clients, and clients that have gone away: half a request, a slow one, a slow reader,
 * work that nobody waits for, floods.  (H2), (H3), (H6) of http.h, (J3) of jobs.h, (E3) of
 * ondemand.h. */
#include "kit/run.h"
#include "kit/serve_kit.h"

#include "base/clock.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

/* Solving it takes more memory than there is, and finding that out took minutes. */
#define ENDLESS "B:W29,30,31,32:B1,2,3,4"

static void send_text(int fd, const char *text)
{
    send(fd, text, strlen(text), MSG_NOSIGNAL);
}

/* The status of the answer to `text`, sent from 127.0.0.`last`; 0 if there is none within
 * `seconds`. */
static int ask_from(const struct server *s, int last, const char *text, double seconds)
{
    int fd = server_connect_from(s, last), status = 0;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    char bytes[64] = "";

    send_text(fd, text);
    if (poll(&p, 1, (int)(busy_seconds(seconds) * 1000)) > 0 &&
        recv(fd, bytes, sizeof bytes - 1, 0) > 12)
        status = atoi(bytes + 9);
    close(fd);
    return status;
}

#define HEALTH "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

static struct server open_server(const struct kit *k, const struct scratch *logs,
                                 const char *const *more)
{
    return server_start(k->tables.path, logs, more);
}

/* ------------------------------------------------------------------------ slots -- */

/* Half a request and a FIN leave no trace. */
static void test_half_requests(void **state)
{
    struct scratch logs = scratch_create();
    struct server s = open_server(*state, &logs, ARGS("--connections", "16"));
    int fd[64];

    for (int i = 0; i < 64; i++) {
        fd[i] = server_connect_from(&s, 1 + i % 8);
        send_text(fd[i], "POST /api/v1/game HTTP/1.1\r\nHost: localhost\r\nContent-Le");
        shutdown(fd[i], SHUT_WR);
    }
    usleep(300000);
    assert_int_equal(ask_from(&s, 9, HEALTH, 1), 200);
    for (int i = 0; i < 64; i++)
        close(fd[i]);
    assert_int_equal(server_stop(&s), 0);
    scratch_remove(&logs);
}

/* Does an address get all of its answers? */
static bool is_served(const struct server *s, int last)
{
    for (int i = 0; i < 20; i++)
        if (ask_from(s, last, HEALTH, 1) != 200)
            return false;
    return true;
}

/* Many slow sockets of one address leave room for others.  One of three others may share its bucket
 * (limiter.h): then it is refused, once in some thousand runs. */
static void test_many_of_one(void **state)
{
    struct scratch logs = scratch_create();
    struct server s = open_server(*state, &logs, NULL);
    int fd[600], status = 0;

    for (int i = 0; i < 600; i++) {
        fd[i] = server_connect(&s);
        send_text(fd[i], "GET /healthz HTTP/1.1\r\n");
    }
    assert_true(is_served(&s, 2) + is_served(&s, 3) + is_served(&s, 4) >= 2);
    for (int i = 0; i < 600; i++)
        close(fd[i]);
    for (int i = 0; i < 400 && status != 200; i++) { /* it has to see that they are closed */
        usleep(50000);
        status = ask_from(&s, 1, HEALTH, 1);
    }
    assert_int_equal(status, 200);
    assert_int_equal(server_stop(&s), 0);
    scratch_remove(&logs);
}

/* Idle connections make room for one that has something to ask. */
static void test_idle_make_room(void **state)
{
    struct scratch logs = scratch_create();
    struct server s = open_server(
        *state, &logs, ARGS("--connections", "8", "--per-address", "8", "--threads", "1"));
    int fd[8];

    for (int i = 0; i < 8; i++)
        fd[i] = server_connect(&s);
    usleep(100000);
    for (int i = 0; i < 4; i++)
        assert_int_equal(ask_from(&s, 2, HEALTH, 1), 200);
    for (int i = 0; i < 8; i++)
        close(fd[i]);
    assert_int_equal(server_stop(&s), 0);
    scratch_remove(&logs);
}

/* A client that reads a byte now and then is cut off, and does not keep the server from exiting. */
static void test_slow_readers(void **state)
{
    struct scratch logs = scratch_create();
    struct server s = open_server(*state, &logs, ARGS("--patience", "1"));
    double began = clock_seconds();
    int fd[8], small = 2048;
    char byte;

    for (int i = 0; i < 8; i++) {
        fd[i] = server_connect(&s);
        setsockopt(fd[i], SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        for (int n = 0; n < 200; n++)
            send_text(fd[i], "GET /api/v1/shortest HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    while (clock_seconds() - began < 4) {
        for (int i = 0; i < 8; i++)
            (void)!recv(fd[i], &byte, 1, MSG_DONTWAIT);
        usleep(50000);
    }
    for (int i = 0; i < 8 && !log_has(&s, "\" 499 "); i++)
        ;
    assert_true(log_has(&s, "\" 499 "));
    began = clock_seconds();
    assert_int_equal(server_stop(&s), 0);
    assert_true(clock_seconds() - began < busy_seconds(2));
    for (int i = 0; i < 8; i++)
        close(fd[i]);
    scratch_remove(&logs);
}

/* ------------------------------------------------------------------------- work -- */

/* Searches whose clients have left free their threads at once. */
static void test_abandoned(void **state)
{
    struct kit *k = *state;
    double began;
    int fd[6];

    for (int i = 0; i < 6; i++) {
        fd[i] = server_connect(&k->server);
        send_text(fd[i], "POST /api/v1/analysis?time=25s&fen=B:W21-32:B1-12 HTTP/1.1\r\n"
                         "Host: localhost\r\nContent-Length: 0\r\n\r\n");
    }
    usleep(300000);
    for (int i = 0; i < 6; i++)
        close(fd[i]);
    began = clock_seconds();
    assert_int_equal(ask_from(&k->server, 1,
                              "POST /api/v1/analysis?time=50ms&fen=B:W21-32:B1-12 HTTP/1.1\r\n"
                              "Host: localhost\r\nContent-Length: 0\r\n\r\n",
                              5),
                     200);
    assert_true(clock_seconds() - began < busy_seconds(2));
}

/* Live analysis: a stream that ends when the page goes away, and leaves room for the next. */
static void test_live(void **state)
{
    struct kit *k = *state;
    static const char question[] =
        "POST /api/v1/live?time=600s&lines=2&fen=B:W21-32:B1-12 HTTP/1.1\r\n"
        "Host: localhost\r\nContent-Length: 0\r\n\r\n";
    struct response r;
    int fd[4], status = 0;

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 4; i++) {
            char bytes[8192] = "";
            size_t n = 0;
            ssize_t got = 1;

            fd[i] = server_connect(&k->server);
            send_text(fd[i], question);
            while (n < sizeof bytes - 1 && !strstr(bytes, "\"depth\":2") &&
                   (got = recv(fd[i], bytes + n, sizeof bytes - 1 - n, 0)) > 0)
                n += (size_t)got;
            assert_non_null(strstr(bytes, "text/event-stream"));
            assert_non_null(strstr(bytes, "\"depth\":2"));
        }
        expect_post(&k->server, "/api/v1/live?fen=B:W21-32:B1-12", 503, "try again");
        for (int i = 0; i < 4; i++)
            close(fd[i]);
        for (int i = 0; i < 100 && status != 200; i++) { /* the places are free again */
            usleep(20000);
            status = ask_from(&k->server, 1, question, 1);
        }
        assert_int_equal(status, 200);
        usleep(300000);
        status = 0;
    }
    r = request(&k->server, "POST", "/api/v1/live?time=5s&fen=" FIGURE_4, NULL, "");
    assert_int_equal(r.status, 200);
    assert_non_null(strstr(r.body, "\"proven\":true"));
    assert_non_null(strstr(r.body, "event: done\ndata: {\"reason\":\"proven\"}"));
    response_free(&r);
    expect_post(&k->server, "/api/v1/play?level=10&time=100ms&fen=" FIGURE_4, 200,
                "{\"move\":\"18-23\",");
    expect_post(&k->server, "/api/v1/play?level=1&fen=B:W21-32:B1-12", 200, "\"depth\":1,");
    expect_post(&k->server, "/api/v1/play?level=11&fen=" FIGURE_4, 400, "from 1 to 10");
}

/* Ask for the report of a game, and wait for its first move. */
static int report_begin(const struct server *s)
{
    static const char question[] =
        "POST /api/v1/report?time=500ms HTTP/1.1\r\nHost: localhost\r\nContent-Length: 67\r\n\r\n"
        "11-15 23-19 8-11 22-17 4-8 17-13 15-18 24-20 11-15 28-24 8-11 26-23";
    int fd = server_connect(s);
    char bytes[8192] = "";
    size_t n = 0;
    ssize_t got = 1;

    send_text(fd, question);
    while (n < sizeof bytes - 1 && !strstr(bytes, "\"ply\":1,") &&
           (got = recv(fd, bytes + n, sizeof bytes - 1 - n, 0)) > 0)
        n += (size_t)got;
    assert_non_null(strstr(bytes, "text/event-stream"));
    assert_non_null(strstr(bytes, "\"ply\":1,"));
    return fd;
}

/* A report ends when its client leaves, and when the server is told to end. */
static void test_report(void **state)
{
    struct scratch logs = scratch_create();
    struct server s = server_start(((struct kit *)*state)->tables.path, &logs, ARGS(NULL));
    double began;
    int fd = report_begin(&s);

    expect(&s, "/api/v1/state", 200, "\"searching\":1,");
    close(fd);
    usleep((useconds_t)(busy_seconds(1) * 1e6));
    expect(&s, "/api/v1/state", 200, "\"searching\":0,");
    fd = report_begin(&s);
    began = clock_seconds();
    assert_int_equal(server_stop(&s), 0);
    assert_true(clock_seconds() - began < busy_seconds(2));
    close(fd);
    scratch_remove(&logs);
}

/* What would take minutes to find out is not found out, and does not block others. */
static void test_endless_estimate(void **state)
{
    struct kit *k = *state;
    double began = clock_seconds();
    int fd[3];

    for (int i = 0; i < 3; i++) {
        fd[i] = server_connect(&k->server);
        send_text(fd[i], "POST /api/v1/estimate?fen=" ENDLESS " HTTP/1.1\r\nHost: localhost\r\n"
                         "Content-Length: 0\r\n\r\n");
    }
    assert_int_equal(ask_from(&k->server, 1, HEALTH, 1), 200);
    for (int i = 0; i < 3; i++)
        close(fd[i]); /* they are gone: it takes two seconds, not three times as long */
    expect_post(&k->server, "/api/v1/estimate?fen=" ENDLESS, 200, "\"bytes\":null");
    expect(&k->server, "/api/v1/line?fen=" FIGURE_4, 200, "18-23");
    assert_true(clock_seconds() - began < busy_seconds(6));
    expect(&k->server, "/api/v1/solve?fen=" ENDLESS, 405, "method"); /* it costs: POST */
}

/* A job hears DELETE within two seconds, and so does the server SIGTERM. */
static void test_stop_jobs(void **state)
{
    struct scratch logs = scratch_create(), dir = scratch_create();
    struct server s = server_start(dir.path, &logs, ARGS("--memory", "2G"));
    static const char *const posts[] = {("/api/v1/solve?fen=" ENDLESS), "/api/v1/build?pieces=8",
                                        "/api/v1/solve?fen=B:WK32,K31,K30:BK1,K2,K3,5"};
    struct response r;
    double began;
    char target[64];

    (void)state;
    for (int i = 0; i < 3; i++) {
        expect_post(&s, posts[i], 202, "\"key\":\"");
        usleep(400000);
        snprintf(target, sizeof target, "/api/v1/jobs/%d", i + 1);
        began = clock_seconds();
        r = request(&s, "DELETE", target, NULL, NULL);
        assert_int_equal(r.status, 200);
        response_free(&r);
        job_wait(&s, target, "stopped");
        if (clock_seconds() - began > busy_seconds(2))
            fail_msg("%s took %.1f s to stop", posts[i], clock_seconds() - began);
    }
    expect_post(&s, posts[1], 202, "\"id\":4");
    usleep(400000);
    began = clock_seconds();
    assert_int_equal(server_stop(&s), 0);
    assert_true(clock_seconds() - began < busy_seconds(2));
    scratch_remove(&logs);
    scratch_remove(&dir);
}

/* A job has a bound on its time. */
static void test_late_jobs(void **state)
{
    struct kit *k = *state;
    struct response r = request(
        &k->server, "POST", "/api/v1/solve?time=100ms&fen=B:WK32,K31,K30:BK1,K2,K3,5", NULL, "");
    char *id = strstr(r.body, "\"id\":");
    char target[64];

    assert_int_equal(r.status, 202);
    snprintf(target, sizeof target, "/api/v1/jobs/%d", atoi(id + 5));
    response_free(&r);
    job_wait(&k->server, target, "failed");
    expect(&k->server, target, 200, "exceeded its time limit");
}

/* A running job keeps its number and its place, however many come and go after it. */
static void test_job_places(void **state)
{
    struct scratch logs = scratch_create();
    struct server s = open_server(*state, &logs, NULL);
    char target[96];

    expect_post(&s, "/api/v1/prove?time=600s&fen=B:W21-32:B1-12", 202, "\"id\":1,");
    job_wait_running(&s, "/api/v1/jobs/1");
    for (int i = 0; i < 40; i++) {
        struct response r;

        snprintf(target, sizeof target, "/api/v1/solve?fen=B:WK32:BK%d", 1 + i % 28);
        expect_post(&s, target, 202, "\"job\":\"solve\"");
        snprintf(target, sizeof target, "/api/v1/jobs/%d", i + 2);
        r = request(&s, "DELETE", target, NULL, NULL);
        assert_int_equal(r.status, 200);
        response_free(&r);
    }
    expect(&s, "/api/v1/jobs/1", 200, "\"job\":\"prove\"");
    expect(&s, "/api/v1/jobs/1", 200, "\"state\":\"running\"");
    expect(&s, "/api/v1/jobs/41", 200, "\"state\":\"stopped\"");
    expect(&s, "/api/v1/jobs/2", 404, "there is no job 2");
    assert_int_equal(server_stop(&s), 0);
    scratch_remove(&logs);
}

/* ----------------------------------------------------------------------- memory -- */

/* Thousands of arguments, again and again, leave nothing behind. */
static void test_arguments(void **state)
{
    struct kit *k = *state;
    int rounds = test_is_sanitized() ? 200 : 2000;
    char *text = malloc(32 << 10);
    size_t before = 0, n = (size_t)sprintf(text, "GET /healthz?");

    for (int i = 0; i < 6000; i++)
        n += (size_t)sprintf(text + n, "a%d&", i % 10);
    sprintf(text + n, " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    for (int i = 0; i < rounds; i++) {
        int fd = server_connect(&k->server);
        char bytes[256];

        send_text(fd, text);
        (void)!recv(fd, bytes, sizeof bytes, 0);
        close(fd);
        if (i == rounds / 10)
            before = server_memory(&k->server);
    }
    if (!test_is_sanitized()) /* a sanitizer keeps what is freed */
        assert_true(server_memory(&k->server) < before + (1 << 20));
    free(text);
    check_alive(&k->server);
}

/* A body without an end, and headers without an end. */
static void test_oversized(void **state)
{
    struct kit *k = *state;
    static const char *const heads[] = {
        "POST /api/v1/game HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"};
    static const char *const more[] = {"400\r\n%01024d\r\n", "X-Header: %01000d\r\n"};
    static const int status[] = {413, 431};

    for (int kind = 0; kind < 2; kind++) {
        int fd = server_connect(&k->server);
        char bytes[2048] = "";
        double began = clock_seconds();

        send_text(fd, heads[kind]);
        snprintf(bytes, sizeof bytes, kind ? more[1] : more[0], 0);
        while (send(fd, bytes, strlen(bytes), MSG_NOSIGNAL) > 0 && clock_seconds() - began < 8)
            ;
        assert_true(clock_seconds() - began < busy_seconds(5));
        close(fd);
        fd = server_connect(&k->server); /* and who listens hears why */
        send_text(fd, heads[kind]);
        for (int i = 0; i < 300; i++)
            send_text(fd, bytes);
        memset(bytes, 0, sizeof bytes);
        assert_true(recv(fd, bytes, sizeof bytes - 1, 0) > 12);
        assert_int_equal(atoi(bytes + 9), status[kind]);
        close(fd);
    }
    check_alive(&k->server);
}

/* A thousand questions in one breath get a thousand answers, in their order. */
static void test_pipelined(void **state)
{
    struct kit *k = *state;
    enum { QUESTIONS = 1000 };
    char *in = calloc(1, 4 << 20), *out = malloc(200 * QUESTIONS), *at = in;
    size_t n = 0, got = 0, sent = 0;
    int fd = server_connect(&k->server);

    for (int i = 0; i < QUESTIONS; i++)
        n += (size_t)sprintf(out + n,
                             "GET /api/v1/moves?fen=B:WK%d:BK%d HTTP/1.1\r\n"
                             "Host: localhost\r\n%s\r\n",
                             20 + i % 13, 1 + i % 17,
                             i == QUESTIONS - 1 ? "Connection: close\r\n" : "");
    for (;;) {
        struct pollfd p = {.fd = fd, .events = (short)(POLLIN | (sent < n ? POLLOUT : 0))};
        ssize_t k1;

        assert_true(poll(&p, 1, 5000) > 0);
        if (p.revents & POLLOUT &&
            (k1 = send(fd, out + sent, n - sent, MSG_NOSIGNAL | MSG_DONTWAIT)) > 0)
            sent += (size_t)k1;
        if (p.revents & (POLLIN | POLLHUP)) {
            if ((k1 = recv(fd, in + got, (4 << 20) - 1 - got, 0)) <= 0)
                break;
            got += (size_t)k1;
        }
    }
    for (int i = 0; i < QUESTIONS; i++) {
        char part[64];

        snprintf(part, sizeof part, "{\"fen\":\"B:WK%d:BK%d\"", 20 + i % 13, 1 + i % 17);
        at = strstr(at, "\r\n\r\n");
        if (!at || strncmp(at + 4, part, strlen(part)) != 0)
            fail_msg("answer %d is not %s", i, part);
        at += 4;
    }
    close(fd);
    free(in);
    free(out);
}

static int set_up(void **state)
{
    return kit_open(state, 4);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_requests),    cmocka_unit_test(test_many_of_one),
        cmocka_unit_test(test_idle_make_room),   cmocka_unit_test(test_slow_readers),
        cmocka_unit_test(test_abandoned),        cmocka_unit_test(test_live),
        cmocka_unit_test(test_endless_estimate), cmocka_unit_test(test_stop_jobs),
        cmocka_unit_test(test_late_jobs),        cmocka_unit_test(test_job_places),
        cmocka_unit_test(test_arguments),        cmocka_unit_test(test_oversized),
        cmocka_unit_test(test_pipelined),        cmocka_unit_test(test_report),
    };

    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, set_up, kit_close);
}
