/* SPDX-License-Identifier: MIT
 *
 * Who may ask what: names of hosts, other sites, tokens, keys of jobs, disk; and requests that
 * two readers could understand in two ways.  (M2) of message.h, (G1)-(G3) of guard.h, (K3) of
 * tasks.h. */
#include "kit/run.h"
#include "kit/serve_kit.h"

#include "serve/guard.h"
#include "serve/message.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------------ strict -- */

static int status_of(const struct server *s, const char *bytes, size_t length)
{
    struct response r = exchange(s, bytes, length);
    int status = r.status;

    response_free(&r);
    return status;
}

static void test_ambiguous(void **state)
{
    struct kit *k = *state;
#define BAD(text)                                                                                  \
    {                                                                                              \
        text, sizeof text - 1                                                                      \
    }
    static const struct {
        const char *text;
        size_t length;
    } bad[] = {
        BAD("GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"),
        BAD("GET /healthz HTTP/1.1\r\n\r\n"),
        BAD("POST /api/v1/game HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n"
            "Content-Length: 5\r\n\r\n11-15"),
        BAD("POST /api/v1/game HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
            "Content-Length: 5\r\n\r\n11-15"),
        BAD("POST /api/v1/game HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
            "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        BAD("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n"),
        BAD("GET /healthz HTTP/1.1\r\nHost: localhost\0.evil\r\n\r\n"),
        BAD("GET /healthz\0/x HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        BAD("GET /healthz HTTP/1.1\r\nHost: localhost\r\n folded\r\n\r\n"),
        BAD("GET /healthz HTTP/1.1\r\nHost : localhost\r\n\r\n"),
        BAD("GET /healthz HTTP/1.1\nHost: localhost\n\n"),
        BAD("GET /healthz HTTP/1.1\r\nHost: localhost\rX: y\r\n\r\n"),
        BAD("GET  /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        BAD("GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: +0\r\n\r\n"),
        BAD("GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0x0\r\n\r\n"),
        BAD("GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        BAD("GET /healthz?a=%0 HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        BAD("GET /healthz%00 HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        BAD("POST /api/v1/game HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            "5\n11-15\r\n0\r\n\r\n"),
        BAD("POST /api/v1/game HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            "5\r\n11-1522-18\r\n0\r\n\r\n"),
    };
#undef BAD

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int status = status_of(&k->server, bad[i].text, bad[i].length);

        if (status != 400)
            fail_msg("%zu, %s: %d", i, bad[i].text, status);
    }
    assert_int_equal(status_of(&k->server, "GET /healthz HTTP/2.0\r\nHost: localhost\r\n\r\n", 42),
                     505);
}

/* The slow twin of chunks_take: the whole text at once.  -1: broken, -2: not yet whole. */
static long chunks_naive(const char *in, size_t length, char *out)
{
    size_t at = 0, made = 0;

    for (;;) {
        size_t digits = 0, size = 0, line;

        while (at + digits < length && digits < 9 && isxdigit((unsigned char)in[at + digits])) {
            char digit[2] = {in[at + digits++], 0};

            size = size * 16 + strtoul(digit, NULL, 16);
        }
        if (at + digits >= length)
            return digits > 8 ? -1 : -2;
        if (digits == 0 || digits > 8 || in[at + digits] != '\r')
            return -1;
        line = at + digits;
        if (line + 1 >= length)
            return -2;
        if (in[line + 1] != '\n')
            return -1;
        at = line + 2;
        if (size == 0)
            break;
        for (size_t i = 0; i < size + 2; i++) {
            if (at + i >= length)
                return -2;
            if (i >= size && in[at + i] != "\r\n"[i - size])
                return -1;
            if (i < size)
                out[made++] = in[at + i];
        }
        at += size + 2;
    }
    if (at >= length || (in[at] == '\r' && at + 1 >= length))
        return -2;
    return in[at] == '\r' && in[at + 1] == '\n' ? (long)made : -1;
}

/* However the bytes are cut, the body is the same. */
static void test_chunks(void **state)
{
    struct rng r = rng_for_test("chunks");

    (void)state;
    for (int round = 0; round < 20000; round++) {
        char text[256], want[256], got[256];
        size_t n = 0, at = 0, made_all = 0;
        struct chunks c = {0};
        enum chunks_state s = CHUNKS_MORE;
        long naive;

        for (int i = rng_below(&r, 4); i > 0; i--) {
            int size = 1 + rng_below(&r, 20);

            n += (size_t)sprintf(text + n, "%x\r\n%.*s\r\n", size, size, "abcdefghijklmnopqrstuvw");
        }
        n += (size_t)sprintf(text + n, "0\r\n\r\n");
        if (rng_below(&r, 2))
            text[rng_below(&r, (int)n)] = "\r\n0f\0"[rng_below(&r, 5)];
        naive = chunks_naive(text, n, want);
        while (s == CHUNKS_MORE && at < n) {
            size_t part = 1 + (size_t)rng_below(&r, 9), used, made;

            part = part < n - at ? part : n - at;
            s = chunks_take(&c, text + at, part, &used, got + made_all, &made);
            at += used;
            made_all += made;
        }
        if (naive == -1 && s == CHUNKS_MORE) /* trailers are skipped here, not there */
            continue;
        if (naive >= 0 &&
            (s != CHUNKS_WHOLE || made_all != (size_t)naive || memcmp(got, want, made_all) != 0))
            fail_msg("%.*s", (int)n, text);
        if (naive == -2)
            assert_int_equal(s, CHUNKS_MORE);
    }
}

/* -------------------------------------------------------------------------- hosts -- */

static struct guard guard_at(const char *address, const char *names, const char *token)
{
    struct guard g = {.names = names, .token = token};
    struct sockaddr_in *v4 = (struct sockaddr_in *)&g.address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&g.address;

    v4->sin_family = AF_INET;
    if (inet_pton(AF_INET, address, &v4->sin_addr) == 1)
        return g;
    v6->sin6_family = AF_INET6;
    assert_int_equal(inet_pton(AF_INET6, address, &v6->sin6_addr), 1);
    return g;
}

static void test_hosts(void **state)
{
    static const struct {
        const char *address, *names, *host;
        bool allowed;
    } cases[] = {
        {"127.0.0.1", NULL, "127.0.0.1:8032", true},
        {"127.0.0.1", NULL, "localhost", true},
        {"127.0.0.1", NULL, "LocalHost:1", true},
        {"127.0.0.1", NULL, "[::1]:8032", true},
        {"127.0.0.1", NULL, "evil.example", false},
        {"127.0.0.1", NULL, "evil.example:8032", false},
        {"127.0.0.1", NULL, "127.0.0.1.evil.example", false},
        {"127.0.0.1", NULL, "localhost.evil.example", false},
        {"127.0.0.1", NULL, "192.0.2.7", false},
        {"127.0.0.1", NULL, "", false},
        {"127.0.0.1", NULL, ":80", false},
        {"127.0.0.1", NULL, "127.0.0.1:80:80", false},
        {"127.0.0.1", NULL, "127.0.0.1:x", false},
        {"127.0.0.1", NULL, "[::1", false},
        {"127.0.0.1", NULL, "user@localhost", false},
        {"127.0.0.1", "games.example,b.example", "B.example:443", true},
        {"127.0.0.1", "games.example,b.example", "example", false},
        {"192.0.2.7", NULL, "192.0.2.7", true},
        {"192.0.2.7", NULL, "localhost", false},
        {"192.0.2.7", NULL, "192.0.2.8", false},
        {"0.0.0.0", NULL, "192.0.2.8:80", true},
        {"0.0.0.0", NULL, "evil.example", false},
        {"::", NULL, "[2001:db8::1]:80", true},
        {"::", NULL, "192.0.2.8", true},
        {"::", NULL, "evil.example", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct guard g = guard_at(cases[i].address, cases[i].names, NULL);

        if (guard_host(&g, cases[i].host) != cases[i].allowed)
            fail_msg("at %s with %s: %s", cases[i].address, cases[i].names, cases[i].host);
    }
    assert_true(guard_origin("http://localhost:80", "localhost:80"));
    assert_true(guard_origin("https://games.example", "games.example"));
    assert_false(guard_origin("http://localhost:81", "localhost:80"));
    assert_false(guard_origin("null", "localhost:80"));
    assert_false(guard_origin("http://localhost:80", NULL));
}

static void test_owner(void **state)
{
    struct guard local = guard_at("127.0.0.1", NULL, NULL), open = guard_at("0.0.0.0", NULL, NULL);
    struct guard secret = guard_at("127.0.0.1", NULL, "0123456789abcdef");

    (void)state;
    assert_true(guard_owner(&local, NULL));
    assert_false(guard_owner(&open, NULL));
    assert_false(guard_owner(&open, "Bearer "));
    assert_false(guard_owner(&secret, NULL));
    assert_false(guard_owner(&secret, "Bearer 0123456789abcdeg"));
    assert_false(guard_owner(&secret, "Bearer 0123456789abcde"));
    assert_false(guard_owner(&secret, "Bearer 0123456789abcdef0123456789abcdef"));
    assert_false(guard_owner(&secret, "Bearer "));
    assert_true(guard_owner(&secret, "bearer 0123456789abcdef"));
}

/* A page of another site whose name was pointed here gets nothing. */
static void test_rebinding(void **state)
{
    struct kit *k = *state;
    static const char *const bad[] = {
        ("POST /api/v1/build?pieces=2 HTTP/1.1\r\nHost: evil.example\r\n"
         "Origin: http://evil.example\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
        "GET /api/v1/state HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: evil.example:80\r\nConnection: close\r\n\r\n",
    };
    struct response r;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(status_of(&k->server, bad[i], strlen(bad[i])), 421);
    r = get(&k->server, "/api/v1/state"); /* a site may ask for it, but not read it */
    assert_int_equal(r.status, 200);
    assert_non_null(strstr(r.body, k->tables.path));
    assert_null(strcasestr(r.head, "Access-Control-Allow-Origin"));
    response_free(&r);
    r = get(&k->server, "/api/v1/slices?pieces=2");
    assert_null(strcasestr(r.head, "Access-Control-Allow-Origin"));
    response_free(&r);
    r = request(&k->server, "POST", "/api/v1/solve?fen=" FIGURE_4,
                "Origin: http://localhost:9\r\nContent-Length: 0\r\n", NULL);
    assert_int_equal(r.status, 403);
    response_free(&r);
}

/* -------------------------------------------------------------------------- token -- */

#define TOKEN "correct-horse-battery"

static int try_with(const struct server *s, const char *method, const char *target,
                    const char *header)
{
    struct response r = request(s, method, target, header, strcmp(method, "POST") ? NULL : "");
    int status = r.status;

    if (status == 401 && strcmp(method, "POST") == 0)
        assert_non_null(strcasestr(r.head, "WWW-Authenticate: Bearer"));
    response_free(&r);
    return status;
}

static void test_token(void **state)
{
    struct kit *k = *state;
    struct scratch logs = scratch_create();
    char path[SCRATCH_MAX], target[160], key[40];
    struct response r;
    struct server s;

    file_write(scratch_file(&logs, "token", path), TOKEN "\n", sizeof TOKEN);
    s = server_start(k->tables.path, &logs, ARGS("--token-file", path));
    assert_int_equal(try_with(&s, "POST", "/api/v1/build?pieces=2", NULL), 401);
    assert_int_equal(
        try_with(&s, "POST", "/api/v1/build?pieces=2", "Authorization: Bearer nonsense\r\n"), 401);
    assert_int_equal(
        try_with(&s, "POST", "/api/v1/build?pieces=2", "Authorization: Bearer " TOKEN "\r\n"), 202);
    assert_int_equal(try_with(&s, "POST", "/api/v1/prove?fen=" FIGURE_4, NULL), 401);
    expect(&s, "/api/v1/state", 200, "\"dir\":null,\"may_build\":true");
    r = request(&s, "POST", "/api/v1/solve?fen=B:WK32,K31,K30:BK1,K2,K3,5", NULL, "");
    assert_int_equal(r.status, 202); /* a bounded question */
    assert_int_equal(sscanf(strstr(r.body, "\"key\":\""), "\"key\":\"%32s", key), 1);
    response_free(&r);
    assert_int_equal(try_with(&s, "DELETE", "/api/v1/jobs/2", NULL), 401);
    assert_int_equal(try_with(&s, "DELETE", "/api/v1/jobs/2?key=nonsense", NULL), 401);
    expect(&s, "/api/v1/jobs/2", 200, "\"error\":null}"); /* without the key */
    snprintf(target, sizeof target, "/api/v1/jobs/2?key=%s", key);
    assert_int_equal(try_with(&s, "DELETE", target, NULL), 200);
    job_wait(&s, "/api/v1/jobs/2", "stopped");
    expect_post(&s, "/api/v1/solve?time=10m&fen=" FIGURE_4, 400, "at most 60 seconds");
    assert_int_equal(server_stop(&s), 0);
    scratch_remove(&logs);
}

#define BEARER "Authorization: Bearer " TOKEN "\r\n"

/* Guests leave room in the queue for the owner, whose jobs come first. */
static void test_guests(void **state)
{
    struct kit *k = *state;
    struct scratch logs = scratch_create();
    char path[SCRATCH_MAX], target[96];
    struct server s;

    file_write(scratch_file(&logs, "token", path), TOKEN "\n", sizeof TOKEN);
    s = server_start(k->tables.path, &logs, ARGS("--token-file", path));
    assert_int_equal(try_with(&s, "POST", "/api/v1/prove?time=600s&fen=B:W21-32:B1-12", BEARER),
                     202);
    job_wait_running(&s, "/api/v1/jobs/1");
    for (int i = 0; i < 5; i++) {
        snprintf(target, sizeof target, "/api/v1/solve?fen=B:WK32,K31:BK%d,K12", i + 1);
        assert_int_equal(try_with(&s, "POST", target, NULL), i < 4 ? 202 : 503);
    }
    assert_int_equal(try_with(&s, "POST", "/api/v1/prove?time=600s&fen=W:W21-32:B1-12", BEARER),
                     202);
    assert_int_equal(try_with(&s, "DELETE", "/api/v1/jobs/1", BEARER), 200);
    job_wait_running(&s, "/api/v1/jobs/6");
    expect(&s, "/api/v1/jobs/2", 200, "\"state\":\"waiting\"");
    assert_int_equal(server_stop(&s), 0);
    scratch_remove(&logs);
}

/* Why a build failed is for everybody, where the tables are is not. */
static void test_hidden_directory(void **state)
{
    struct scratch logs = scratch_create(), dir = scratch_create();
    char path[SCRATCH_MAX];
    struct server s;

    (void)state;
    assert_int_equal(mkdir(scratch_file(&dir, "1K-1K.wld", path), 0777), 0);
    s = server_start(dir.path, &logs, NULL);
    expect_post(&s, "/api/v1/build?pieces=2", 202, "\"id\":1");
    job_wait(&s, "/api/v1/jobs/1", "failed");
    expect(&s, "/api/v1/jobs/1", 200, "\"error\":\"1K-1K.wld: not a regular file\"");
    assert_int_equal(server_stop(&s), 0);
    rmdir(path);
    scratch_remove(&logs);
    scratch_remove(&dir);
}

/* On a public address nothing of that is possible without a token. */
static void test_public(void **state)
{
    struct kit *k = *state;
    struct scratch logs = scratch_create();
    struct server s = server_start(k->tables.path, &logs, ARGS("--listen", "0.0.0.0:0"));

    assert_int_equal(try_with(&s, "POST", "/api/v1/build?pieces=2", NULL), 403);
    assert_int_equal(try_with(&s, "POST", "/api/v1/prove?fen=" FIGURE_4, NULL), 403);
    assert_int_equal(try_with(&s, "POST", "/api/v1/solve?fen=" FIGURE_4, NULL), 202);
    expect(&s, "/api/v1/state", 200, "\"dir\":null,\"may_build\":false");
    assert_int_equal(server_stop(&s), 0);
    scratch_remove(&logs);
}

static void test_token_files(void **state)
{
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX];
    struct run r;

    (void)state;
    r = run_kelso(ARGS("serve", "--token-file", scratch_file(&dir, "none", path)), "", 0);
    assert_int_equal(r.status, 2);
    run_free(&r);
    file_write(scratch_file(&dir, "short", path), "secret\n", 7);
    r = run_kelso(ARGS("serve", "--token-file", path), "", 0);
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "16 characters"));
    run_free(&r);
    scratch_remove(&dir);
}

/* --------------------------------------------------------------------------- disk -- */

static void test_disk(void **state)
{
    struct scratch dir = scratch_create(), logs = scratch_create();
    struct server s = server_start(dir.path, &logs, ARGS("--disk", "64K"));

    (void)state;
    expect_post(&s, "/api/v1/build?pieces=6", 202, "\"id\":1");
    job_wait(&s, "/api/v1/jobs/1", "failed");
    expect(&s, "/api/v1/jobs/1", 200, "disk budget");
    assert_int_equal(server_stop(&s), 0);
    scratch_remove(&dir);
    scratch_remove(&logs);
}

static int set_up(void **state)
{
    return kit_open(state, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ambiguous),
        cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_owner),
        cmocka_unit_test(test_rebinding),
        cmocka_unit_test(test_token),
        cmocka_unit_test(test_public),
        cmocka_unit_test(test_token_files),
        cmocka_unit_test(test_disk),
        cmocka_unit_test(test_guests),
        cmocka_unit_test(test_hidden_directory),
    };

    return cmocka_run_group_tests(tests, set_up, kit_close);
}
