/* SPDX-License-Identifier: MIT
 *
 * The server's HTTP: headers, and requests that are malformed, huge, hostile or random.
 * (H1), (H5) of http.h. */
#include "kit/run.h"
#include "kit/serve_kit.h"

#include "serve/site.h"
#include "serve/weblog.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

/* -------------------------------------------------------------------- headers -- */

static void check_head(const struct server *s, const char *method, const char *target,
                       const char *headers, int status, const char *part)
{
    struct response r = request(s, method, target, headers, NULL);

    if (r.status != status || !strcasestr(r.head, part))
        fail_msg("%s %s: %d\n%s\nexpected %d with '%s'", method, target, r.status, r.head, status,
                 part);
    response_free(&r);
}

static void test_headers(void **state)
{
    const struct server *s = &((struct kit *)*state)->server;
    char origin[64], *etag, have[64];
    struct response r;

    check_head(s, "GET", "/api/v1/position?fen=" FIGURE_4, NULL, 200,
               "Access-Control-Allow-Origin: *");
    check_head(s, "GET", "/api/v1/position?fen=" FIGURE_4, NULL, 200,
               "Cache-Control: public, max-age=");
    check_head(s, "GET", "/api/v1/position?fen=B:W31,32:B1,2,3", NULL, 200,
               "Cache-Control: no-store");
    check_head(s, "HEAD", "/api/v1/moves?fen=" FIGURE_4, NULL, 200, "Content-Length: ");
    check_head(s, "OPTIONS", "/api/v1/position", NULL, 204, "Access-Control-Allow-Methods: GET");
    check_head(s, "PUT", "/api/v1/position", NULL, 405, "Allow: GET, HEAD, OPTIONS");
    check_head(s, "GET", "/api/v1/game", NULL, 405, "Allow: POST, OPTIONS");
    check_head(s, "GET", "/", NULL, 200, "Content-Security-Policy: default-src 'self'");
    check_head(s, "GET", "/style.css", "Accept-Encoding: gzip\r\n", 200, "Content-Encoding: gzip");
    check_head(s, "POST", "/api/v1/build?pieces=2",
               "Origin: http://evil.example\r\nContent-Length: 0\r\n", 403, "HTTP/1.1");
    snprintf(origin, sizeof origin, "Origin: http://127.0.0.1:%d\r\nContent-Length: 0\r\n",
             s->port);
    check_head(s, "POST", "/api/v1/build?pieces=2", origin, 202, "HTTP/1.1");
    r = get(s, "/index.html");
    etag = strcasestr(r.head, "ETag: ");
    assert_non_null(etag);
    snprintf(have, sizeof have, "If-None-Match: %.18s\r\n", etag + 6);
    check_head(s, "GET", "/index.html", have, 304, "ETag: ");
    response_free(&r);
}

/* ---------------------------------------------------------------------- abuse -- */

static void test_malformed(void **state)
{
    struct kit *k = *state;
    static const char *const bad[] = {
        "\r\n\r\n",
        "GET\r\n\r\n",
        "GET /\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "G\x01T / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET /api/v1/position?fen=%zz%f HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /%00%ff%fe HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /api/v1/game HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\nabc",
        "POST /api/v1/game HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "POST /api/v1/game HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "GET / HTTP/1.1\r\nHost x\r\n: y\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", /* TLS */
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct timeval moment = {.tv_usec = 200000}; /* some are waited for: that is fine */
        int fd = server_connect(&k->server);
        char bytes[512];

        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof moment);
        send(fd, bad[i], strlen(bad[i]), MSG_NOSIGNAL);
        shutdown(fd, SHUT_WR);
        while (recv(fd, bytes, sizeof bytes, 0) > 0)
            ;
        close(fd);
        check_alive(&k->server);
    }
}

static void test_huge(void **state)
{
    struct kit *k = *state;
    size_t size = 4 << 20;
    char *big = malloc(size + 1), *target = malloc(size + 64);
    struct response r;

    memset(big, 'a', size);
    big[size] = 0;
    r = request(&k->server, "POST", "/api/v1/game", NULL, big); /* (H1) */
    assert_int_equal(r.status, 413);
    response_free(&r);
    r = request(&k->server, "POST", "/api/v1/solve?fen=" FIGURE_4, NULL, big);
    assert_int_equal(r.status, 413);
    response_free(&r);
    big[100000] = 0;
    sprintf(target, "/api/v1/position?fen=%s", big);
    r = get(&k->server, target);
    assert_true(r.status == 0 || r.status == 414 || r.status == 431);
    response_free(&r);
    sprintf(target, "X-Big: %s\r\n", big);
    r = request(&k->server, "GET", "/healthz", target, NULL);
    assert_true(r.status == 0 || r.status == 431);
    response_free(&r);
    big[3000] = 0;
    sprintf(target, "X-Big: %s\r\n", big);
    for (int i = 0; i < 64; i++) { /* many connections with much in each */
        r = request(&k->server, "GET", "/healthz", target, NULL);
        assert_int_equal(r.status, 200);
        response_free(&r);
    }
    free(target);
    free(big);
    check_alive(&k->server);
}

/* A body that comes in chunks has no length beforehand. */
static void test_chunked(void **state)
{
    struct kit *k = *state;
    static const char head[] =
        "POST /api/v1/game HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        "Transfer-Encoding: chunked\r\n\r\n";
    size_t size = sizeof head + 40 * 10010;
    char *text = malloc(size);
    size_t n = (size_t)sprintf(text, "%s", head);
    struct response r;

    for (int i = 0; i < 40; i++) {
        n += (size_t)sprintf(text + n, "2710\r\n");
        memset(text + n, ' ', 10000);
        n += 10000;
        n += (size_t)sprintf(text + n, "\r\n");
    }
    n += (size_t)sprintf(text + n, "0\r\n\r\n");
    assert_true(n <= size);
    r = exchange(&k->server, text, n);
    assert_int_equal(r.status, 413);
    response_free(&r);
    free(text);
    check_alive(&k->server);
}

static void test_traversal(void **state)
{
    struct kit *k = *state;
    struct scratch web = scratch_create(), logs = scratch_create();
    char path[SCRATCH_MAX];
    struct server s;
    static const char *const targets[] = {"/../secret.txt",     "/%2e%2e/secret.txt",
                                          "/..%2fsecret.txt",   "/a/../../secret.txt",
                                          "/.hidden.txt",       "//etc/passwd",
                                          "/link.txt",          "/%2fetc%2fpasswd",
                                          "/sub%00/../ok.html", "/sub",
                                          "/./ok.html",         "/../../../../etc/passwd"};

    file_write(scratch_file(&web, "ok.html", path), "fine", 4);
    file_write(scratch_file(&web, ".hidden.txt", path), "secret", 6);
    assert_int_equal(symlink("/etc/passwd", scratch_file(&web, "link.txt", path)), 0);
    assert_int_equal(mkdir(scratch_file(&web, "sub", path), 0777), 0);
    s = server_start(k->tables.path, &logs, ARGS("--web", web.path));
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct response r = get(&s, targets[i]);

        if (r.status == 200)
            fail_msg("%s: %s", targets[i], r.body);
        response_free(&r);
    }
    check_head(&s, "GET", "/ok.html", NULL, 200, "text/html");
    check_head(&s, "GET", "/style.css", NULL, 200, "text/css"); /* from the program */
    assert_int_equal(server_stop(&s), 0);
    scratch_remove(&web);
    scratch_remove(&logs);
}

/* --------------------------------------------------------------------- random -- */

static void random_text(struct rng *r, char *out, int max)
{
    static const char likely[] = "BWK:,-0123456789bwk. %&=?/#+\"\\<>{}[]x";
    int n = rng_below(r, max);

    for (int i = 0; i < n; i++) {
        int c = rng_below(r, 8) ? likely[rng_below(r, sizeof likely - 1)] : 1 + rng_below(r, 255);

        if (c < 0x21 || c > 0x7E || c == '#' || c == '%')
            out += sprintf(out, "%%%02X", (unsigned)c & 0xFF);
        else
            *out++ = (char)c;
    }
    *out = 0;
}

static void test_random_questions(void **state)
{
    struct kit *k = *state;
    struct rng r = rng_for_test("questions");
    static const char *const ends[] = {
        "position?fen=",  "moves?fen=", "line?kind=", "longest?slice=", "stats?slice=",
        "slices?pieces=", "solve?fen=", "proof?fen=", "jobs/",          "",
        "state?"};
    int rounds = test_is_sanitized() ? 300 : 1500;

    for (int i = 0; i < rounds; i++) {
        char target[2048];
        int n = sprintf(target, "/api/v1/%s", ends[rng_below(&r, sizeof ends / sizeof *ends)]);
        struct response answer;

        random_text(&r, target + n, 60);
        answer = get(&k->server, target);
        if (answer.status < 200 || answer.status >= 500 || !json_is_valid(answer.body))
            fail_msg("%s: %d %s", target, answer.status, answer.body);
        response_free(&answer);
    }
}

static void test_random_games(void **state)
{
    struct kit *k = *state;
    struct rng r = rng_for_test("games");
    static const char good[] = "[Event \"x\"]\n1. 11-15 {a} 22-18 2. 15x22 25x18 (2... 26x17) *\n";
    int rounds = test_is_sanitized() ? 200 : 1000;

    for (int i = 0; i < rounds; i++) {
        char text[256];
        struct response answer;
        int changes = 1 + rng_below(&r, 4);

        strcpy(text, good);
        while (changes--)
            text[rng_below(&r, sizeof good - 1)] = (char)(1 + rng_below(&r, 255));
        answer = request(&k->server, "POST", "/api/v1/game", NULL, text);
        if (answer.status != 200 || !json_is_valid(answer.body))
            fail_msg("%s: %d %s", text, answer.status, answer.body);
        response_free(&answer);
    }
}

static void test_random_bytes(void **state)
{
    struct kit *k = *state;
    struct rng r = rng_for_test("bytes");
    static const char good[] = "POST /api/v1/game?kind=dtw HTTP/1.1\r\nHost: localhost\r\n"
                               "Content-Length: 5\r\nAccept: */*\r\n\r\n11-15";

    for (int i = 0; i < 300; i++) {
        char bytes[sizeof good];
        int changes = 1 + rng_below(&r, 6), fd = server_connect(&k->server);

        memcpy(bytes, good, sizeof good);
        while (changes--)
            bytes[rng_below(&r, sizeof good - 1)] = (char)rng_below(&r, 256);
        send(fd, bytes, (size_t)(1 + rng_below(&r, sizeof good - 1)), MSG_NOSIGNAL);
        close(fd); /* whether or not it was a question */
    }
    check_alive(&k->server);
}

/* ---------------------------------------------------------------------- parts -- */

static void test_paths(void **state)
{
    (void)state;
    assert_true(site_path_is_safe("/index.html"));
    assert_true(site_path_is_safe("/js/main.js"));
    assert_false(site_path_is_safe("/js/../main.js"));
    assert_false(site_path_is_safe("/js/"));
    assert_false(site_path_is_safe("/.git"));
    assert_false(site_path_is_safe("js"));
    assert_false(site_path_is_safe("/a b"));
}

static void test_escape(void **state)
{
    char out[20];

    (void)state;
    assert_string_equal(weblog_escape("a b\"\n\xff", out, sizeof out), "a\\x20b\\x22\\x0a...");
    assert_string_equal(weblog_escape("plain", out, sizeof out), "plain");
}

static int set_up(void **state)
{
    return kit_open(state, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),      cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_huge),         cmocka_unit_test(test_chunked),
        cmocka_unit_test(test_traversal),    cmocka_unit_test(test_random_questions),
        cmocka_unit_test(test_random_games), cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_paths),        cmocka_unit_test(test_escape),
    };

    return cmocka_run_group_tests(tests, set_up, kit_close);
}
