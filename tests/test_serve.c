/* SPDX-License-Identifier: MIT
 *
 * The server: its answers are those of the commands, and nothing that a client does brings
 * it down.  (H1)-(H5) of http.h, (A1), (A2) of api.h, (J1) of jobs.h, (O2) of holdings.h. */
#include "golden.h"
#include "run.h"
#include "server.h"
#include "tables.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "proof/store.h"
#include "serve/holdings.h"
#include "serve/limiter.h"
#include "serve/site.h"
#include "serve/weblog.h"
#include "serve/workers.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define FIGURE_4 "B:WK31:B25,K18"

struct kit {
    struct scratch tables, logs;
    struct server server;
};

static int kit_open(void **state)
{
    struct kit *k = calloc(1, sizeof *k);

    k->tables = tables_build(4);
    k->logs = scratch_create();
    k->server = server_start(k->tables.path, &k->logs, NULL);
    *state = k;
    return 0;
}

/* The last test of all: it must end well, without leaks if it can tell. */
static int kit_close(void **state)
{
    struct kit *k = *state;
    int status = server_stop(&k->server);

    scratch_remove(&k->tables);
    scratch_remove(&k->logs);
    free(k);
    return status;
}

static void check_alive(const struct server *s)
{
    struct response r = get(s, "/healthz");

    assert_int_equal(r.status, 200);
    response_free(&r);
}

static void expect(const struct server *s, const char *target, int status, const char *part)
{
    struct response r = get(s, target);

    if (r.status != status || !strstr(r.body, part) || !json_is_valid(r.body))
        fail_msg("%s: %d %s, expected %d with '%s'", target, r.status, r.body, status, part);
    response_free(&r);
}

/* ---------------------------------------------------------------------- answers -- */

/* What the command prints is what the server sends. */
static void check_same(struct kit *k, const char *target, const char *const *args)
{
    struct run printed = run_kelso(args, "", 0);
    struct response sent = get(&k->server, target);

    assert_int_equal(sent.status, 200);
    assert_string_equal(sent.body, printed.out);
    run_free(&printed);
    response_free(&sent);
}

static void test_same_as_commands(void **state)
{
    struct kit *k = *state;
    const char *dir = k->tables.path;

    check_same(k, "/api/v1/position?fen=" FIGURE_4,
               ARGS("probe", "--json", "--dir", dir, FIGURE_4));
    check_same(k, "/api/v1/position?fen=W:WK1,K2:BK31,22",
               ARGS("probe", "--json", "--dir", dir, "W:WK1,K2:BK31,22"));
    check_same(k, "/api/v1/position?fen=W:W21:B17,14",
               ARGS("probe", "--json", "--dir", dir, "W:W21:B17,14"));
    check_same(k, "/api/v1/moves?fen=B:W6,14,22:B1", ARGS("moves", "--json", "B:W6,14,22:B1"));
    check_same(k, "/api/v1/line?fen=" FIGURE_4, ARGS("line", "--json", "--dir", dir, FIGURE_4));
    check_same(k, "/api/v1/line?kind=dtc&ties=1&fen=" FIGURE_4,
               ARGS("line", "--json", "--ties", "--kind", "dtc", "--dir", dir, FIGURE_4));
}

/* Lists hold the objects that the commands print one to a line. */
static void check_list(struct kit *k, const char *target, const char *const *args)
{
    struct run printed = run_kelso(args, "", 0);
    struct response sent = get(&k->server, target);
    const char *at = sent.body;
    char *save = NULL;
    int lines = 0;

    assert_int_equal(sent.status, 200);
    assert_true(json_is_valid(sent.body));
    for (char *line = strtok_r(printed.out, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        at = strstr(at, line);
        if (!at)
            fail_msg("%s lacks %s", target, line);
        lines++;
    }
    assert_true(lines > 1);
    run_free(&printed);
    response_free(&sent);
}

static void test_lists(void **state)
{
    struct kit *k = *state;
    const char *dir = k->tables.path;

    check_list(k, "/api/v1/slices?pieces=5",
               ARGS("slices", "--json", "--pieces", "5", "--dir", dir));
    check_list(k, "/api/v1/stats", ARGS("stats", "--json", "--dir", dir));
    check_list(k, "/api/v1/longest", ARGS("longest", "--json", "--dir", dir));
    check_list(k, "/api/v1/longest?slice=2K-1K&quiet=1",
               ARGS("longest", "--json", "--quiet", "--slice", "2K-1K", "--dir", dir));
}

static void test_gaps(void **state)
{
    struct kit *k = *state;

    expect(&k->server, "/api/v1/position?fen=B:W21-32:B1-12", 200, "\"value\":null");
    expect(&k->server, "/api/v1/position?fen=B:W31,32:B1,2,3", 200, "\"missing\":\"");
    /* White to move takes a man: what follows is known though the position is not. */
    expect(&k->server, "/api/v1/position?fen=W:W22,32:B18,1,2", 200, "\"value\":\"");
    expect(&k->server, "/api/v1/line?fen=B:W31,32:B1,2,3", 404, "no table 3C-2C.wld");
}

static void test_games(void **state)
{
    struct kit *k = *state;
    struct response r =
        request(&k->server, "POST", "/api/v1/game", NULL, "B:WK31:B25,K18 18-22 31-27\n");

    assert_int_equal(r.status, 200);
    assert_non_null(strstr(r.body, "\"best\":{\"move\":\"18-23\",\"value\":\"win\",\"plies\":3},"
                                   "\"slip\":22,\"changes_value\":false"));
    response_free(&r);
    r = request(&k->server, "POST", "/api/v1/game", NULL, "1. 11-15 22-18 2. 15x22\n9-13\n");
    assert_non_null(strstr(r.body, "\"error\":{\"line\":2,\"column\":1,"));
    response_free(&r);
    r = request(&k->server, "POST", "/api/v1/game", NULL, "");
    assert_string_equal(r.body, "{\"games\":[],\"error\":null}\n");
    response_free(&r);
}

static void test_analysis(void **state)
{
    struct kit *k = *state;

    expect(&k->server, "/api/v1/analysis?time=50ms&fen=B:W21-32:B1-12", 200, "\"pv\":[");
    expect(&k->server, "/api/v1/analysis?time=50ms&lines=2&fen=" FIGURE_4, 200,
           "\"value\":\"win\"");
    expect(&k->server, "/api/v1/analysis?time=9h&fen=" FIGURE_4, 400, "at most 30 seconds");
}

static void test_parameters(void **state)
{
    const struct server *s = &((struct kit *)*state)->server;

    expect(s, "/api/v1/position", 400, "fen: expected a position");
    expect(s, "/api/v1/position?fen=", 400, "\"column\":1");
    expect(s, "/api/v1/position?fen=B:WK31:B25,K18x", 400, "column 15");
    expect(s, "/api/v1/position?fen=B%00:W1:B2", 400, "column 2");
    expect(s, "/api/v1/line?kind=dtx&fen=" FIGURE_4, 400,
           "kind: expected dtw|dtc|wld, found 'dtx'");
    expect(s, "/api/v1/line?ties=2&fen=" FIGURE_4, 400, "ties: expected 0|1");
    expect(s, "/api/v1/slices?pieces=99", 400, "pieces: expected a number from 2 to 8, found '99'");
    expect(s, "/api/v1/stats?slice=nonsense", 400, "slice: expected pieces");
    expect(s, "/api/v1/longest?slice=4K-4K", 404, "4K-4K");
    expect(s, "/api/v1/jobs/7", 404, "there is no job 7");
    expect(s, "/api/v1/jobs/x", 404, "there is no job 0");
    expect(s, "/api/v2/position", 404, "nothing here");
    expect(s, "/nowhere", 404, "nothing here");
}

/* ------------------------------------------------------------------------ docs -- */

/* A line of an example, without its indent; NULL if the line is none. */
static const char *example_line(const char *line)
{
    return strncmp(line, "    ", 4) == 0 ? line + 4 : NULL;
}

/* "200 {...}" against what came; ... stands for the rest. */
static void check_example(const struct server *s, const char *question, const char *body,
                          const char *expected)
{
    const char *target = strchr(question, ' ') + 1, *dots = strstr(expected, "...");
    char method[8];
    struct response r;
    size_t n = dots ? (size_t)(dots - expected) - 4 : strlen(expected) - 4;

    snprintf(method, sizeof method, "%.*s", (int)(target - 1 - question), question);
    r = request(s, method, target, NULL, strcmp(method, "GET") == 0 ? NULL : body);
    if (r.status != atoi(expected) || strncmp(r.body, expected + 4, n) != 0 ||
        (!dots && r.body_length != n + 1))
        fail_msg("%s:\n%d %s\nbut docs/api.md has\n%s", question, r.status, r.body, expected);
    response_free(&r);
}

static void test_documentation(void **state)
{
    struct kit *k = *state;
    size_t size;
    char *text = (char *)file_read("docs/api.md", &size), *save = NULL, question[512] = "",
         body[512] = "";
    int examples = 0;

    text = realloc(text, size + 1);
    text[size] = 0;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        const char *at = example_line(line);

        if (!at)
            continue;
        if (strncmp(at, "> ", 2) == 0) {
            strcat(strcat(body, at + 2), "\n");
        } else if (at[0] >= '1' && at[0] <= '5') {
            check_example(&k->server, question, body, at);
            examples++;
        } else {
            snprintf(question, sizeof question, "%s", at);
            body[0] = 0;
        }
    }
    assert_true(examples > 15);
    free(text);
}

/* ------------------------------------------------------------------------- jobs -- */

/* Wait until a job is over; its state must be `state`. */
static void job_wait(const struct server *s, const char *target, const char *state)
{
    char wanted[64];

    snprintf(wanted, sizeof wanted, "\"state\":\"%s\"", state);
    for (int i = 0; i < 2000; i++) {
        struct response r = get(s, target);
        bool over = !strstr(r.body, "\"state\":\"waiting\"") && !strstr(r.body, "\"running\"");

        if (over && !strstr(r.body, wanted))
            fail_msg("%s", r.body);
        response_free(&r);
        if (over)
            return;
        usleep(20000);
    }
    fail_msg("%s does not end", target);
}

static void test_jobs(void **state)
{
    struct kit *k = *state;
    struct response r;

    expect(&k->server, "/api/v1/solve?fen=B:WK32,K31:BK1,K2,3", 200, "\"fits\":true");
    r = request(&k->server, "POST", "/api/v1/solve?fen=B:WK32,K31:BK1,K2,3", NULL, "");
    assert_int_equal(r.status, 202);
    response_free(&r);
    job_wait(&k->server, "/api/v1/jobs/1", "done");
    expect(&k->server, "/api/v1/position?fen=B:WK32,K31:BK1,K2,3", 200, "\"dtw\":");
    expect(&k->server, "/api/v1/state", 200, "\"endings\":1");
    r = request(&k->server, "POST", "/api/v1/build?pieces=3&kinds=wld", NULL, "");
    assert_int_equal(r.status, 202);
    response_free(&r);
    job_wait(&k->server, "/api/v1/jobs/2", "done");
    r = request(&k->server, "DELETE", "/api/v1/jobs/2", NULL, NULL);
    assert_int_equal(r.status, 200);
    response_free(&r);
    r = request(&k->server, "POST", "/api/v1/build?kinds=abc", NULL, "");
    assert_int_equal(r.status, 400);
    response_free(&r);
}

/* (O3) endings are kept within their bytes, the latest first. */
static void test_holdings(void **state)
{
    struct kit *k = *state;
    struct holdings *h = holdings_open(k->tables.path, 1 << 20, 1000);
    const struct snapshot *old, *s;
    struct board b[3] = {golden_board("B:WK32,K31:BK1,K2,3"), golden_board("B:WK32,K31:BK1,K2,4"),
                         golden_board("B:WK32,K31:BK1,K2,K4")};
    struct outcome o;

    assert_int_equal(holdings_refresh(h, NULL), STATUS_OK);
    old = holdings_take(h);
    for (int i = 0; i < 3; i++) {
        struct ondemand *ending;

        assert_int_equal(ondemand_open(&ending, &b[i], false, NULL), STATUS_OK);
        assert_int_equal(ondemand_solve(ending, 1, UINT64_C(4) << 30, NULL, NULL, NULL), STATUS_OK);
        holdings_add(h, &ending, 400);
        assert_null(ending);
    }
    s = holdings_take(h);
    assert_int_equal(s->endings, 2);
    assert_int_equal(old->endings, 0);
    for (int i = 0; i < 3; i++) /* the first is forgotten */
        assert_int_equal(s->source.outcome(s->source.context, &b[i], KIND_DTW, &o, NULL),
                         i ? STATUS_OK : STATUS_MISSING);
    assert_int_equal(old->source.outcome(old->source.context, &b[2], KIND_DTW, &o, NULL),
                     STATUS_MISSING);
    holdings_trim(h, 400);
    holdings_release(h, s);
    s = holdings_take(h);
    assert_int_equal(s->endings, 1);
    assert_int_equal(s->source.outcome(s->source.context, &b[2], KIND_DTW, &o, NULL), STATUS_OK);
    assert_int_equal(s->source.outcome(s->source.context, &b[0], KIND_DTW, &o, NULL),
                     STATUS_MISSING);
    holdings_release(h, s);
    holdings_release(h, old);
    holdings_close(&h);
}

/* A proof that is found here can be walked through. */
static void test_proofs(void **state)
{
    struct kit *k = *state;
    struct response r;

    expect(&k->server, "/api/v1/proofs", 200, "{\"proofs\":[]}");
    expect(&k->server, "/api/v1/proof?fen=W:W20,24,28:B8,11,12", 200, "\"not in the tree\"");
    r = request(&k->server, "POST", "/api/v1/prove?time=20s&fen=W:W20,24,28:B8,11,12", NULL, "");
    assert_int_equal(r.status, 202);
    response_free(&r);
    job_wait(&k->server, "/api/v1/jobs/3", "done");
    expect(&k->server, "/api/v1/proofs", 200, "\"class\":\"win\",\"claims\":");
    expect(&k->server, "/api/v1/proof?fen=W:W20,24,28:B8,11,12", 200,
           "\"lower\":\"win\",\"upper\":\"win\",\"class\":\"win\",\"leaf\":false,\"size\":");
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

/* The tree of a proof under way: bounds, leaves, what is unresolved. */
static void test_store(void **state)
{
    struct kit *k = *state;
    struct scratch dir = scratch_create(), logs = scratch_create();
    struct move_list legal;
    struct record_of r = {.bounds = {VALUE_DRAW, VALUE_WIN}, .expanded = true, .searches = 3};
    struct store *store;
    struct server s;
    struct board next;

    assert_int_equal(store_open(&store, dir.path, true, NULL), STATUS_OK);
    assert_int_equal(store_put(store, &board_start, &r, NULL), STATUS_OK);
    moves_generate(&board_start, &legal);
    next = board_after(&board_start, &legal.move[0]);
    r = (struct record_of){.bounds = bounds_unknown, .searches = 1, .nodes = 77};
    assert_int_equal(store_put(store, &next, &r, NULL), STATUS_OK);
    assert_int_equal(store_put_text(store, "roots", "B:W21-32:B1-12\n", NULL), STATUS_OK);
    store_close(&store);
    s = server_start(k->tables.path, &logs, ARGS("--store", dir.path));
    expect(&s, "/api/v1/proofs", 200,
           "B1,2,3,4,5,6,7,8,9,10,11,12\",\"lower\":\"draw\",\"upper\":\"win\"");
    expect(&s, "/api/v1/proof?fen=B:W21-32:B1-12", 200,
           "\"class\":\"draw or win\",\"leaf\":false,");
    expect(&s, "/api/v1/proof?fen=B:W21-32:B1-12", 200,
           "\"class\":\"unresolved\",\"leaf\":true,\"size\":0,"
           "\"store\":{\"score\":0,\"searches\":1,\"nodes\":77}");
    expect(&s, "/api/v1/proof?fen=B:W21-32:B1-12", 200, "\"class\":\"not in the tree\"");
    assert_int_equal(server_stop(&s), 0);
    scratch_remove(&dir);
    scratch_remove(&logs);
}

/* (O2) tables that are built by another program are used. */
static void test_tables_appear(void **state)
{
    struct scratch dir = scratch_create(), logs = scratch_create();
    struct server s = server_start(dir.path, &logs, NULL);
    bool known = false;

    (void)state;
    expect(&s, "/api/v1/position?fen=B:WK31:BK1", 200, "\"value\":null");
    tables_build_in(dir.path, 2, kernel_isa_best(), 1);
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

/* ---------------------------------------------------------------------- headers -- */

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

/* ------------------------------------------------------------------------ abuse -- */

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
    big[3000] = 0;
    for (int i = 0; i < 64; i++) /* many connections with as much as fits in each */
        check_alive(&k->server);
    free(target);
    free(big);
    check_alive(&k->server);
}

/* A body that comes in chunks has no length beforehand. */
static void test_chunked(void **state)
{
    struct kit *k = *state;
    static const char head[] = "POST /api/v1/game HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
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

static double seconds_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* (H2) however steadily the bytes drip. */
static void test_slow_client(void **state)
{
    struct kit *k = *state;
    struct scratch logs = scratch_create();
    struct server s = server_start(k->tables.path, &logs, ARGS("--patience", "1"));
    static const char text[] =
        "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: aaaaaaaaaaaaaaaaaaaaaaaaaa";
    int fd = server_connect(&s), mute = server_connect(&s);
    double began = seconds_now();
    char byte;
    size_t i = 0;

    while (i < sizeof text - 1 && send(fd, &text[i], 1, MSG_NOSIGNAL) == 1 &&
           recv(fd, &byte, 1, MSG_DONTWAIT) != 0) {
        usleep(200000);
        i++;
    }
    assert_true(i < sizeof text - 1);
    assert_true(seconds_now() - began < 12);
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

/* --------------------------------------------------------------------- parallel -- */

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

/* ------------------------------------------------------------------------- fuzz -- */

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
        "position?fen=",  "moves?fen=", "line?kind=",    "longest?slice=", "stats?slice=",
        "slices?pieces=", "solve?fen=", "analysis?fen=", "jobs/",          "",
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

/* ------------------------------------------------------------------ log and end -- */

/* Does the log have this text?  It is written within a second or so. */
static bool log_has(const struct server *s, const char *text)
{
    for (int i = 0; i < 60; i++) {
        size_t size;
        char *log = (char *)file_read(s->log, &size);
        bool found = memmem(log, size, text, strlen(text)) != NULL;

        free(log);
        if (found)
            return true;
        usleep(50000);
    }
    return false;
}

static void test_log(void **state)
{
    struct kit *k = *state;
    struct response r = get(&k->server, "/api/v1/position?fen=%22%0Aevil&x=\x7f");

    response_free(&r);
    r = get(&k->server, "/log-me");
    response_free(&r);
    assert_true(log_has(&k->server, "127.0.0.1 \"GET /log-me\" 404 "));
    assert_true(log_has(&k->server, "x=\\x7f\""));
}

static void *ask_long(void *arg)
{
    struct response *r = malloc(sizeof *r);

    *r = get(arg, "/api/v1/analysis?time=25s&fen=B:W21-32:B1-12");
    return r;
}

/* (H4) a request under way is answered, and the end comes soon. */
static void test_stop_while_serving(void **state)
{
    struct kit *k = *state;
    struct scratch logs = scratch_create();
    struct server s = server_start(k->tables.path, &logs, NULL);
    double began = seconds_now();
    struct response *r;
    pthread_t thread;
    void *result;

    assert_int_equal(pthread_create(&thread, NULL, ask_long, &s), 0);
    usleep(300000);
    assert_int_equal(server_stop(&s), 0);
    assert_true(seconds_now() - began < 9);
    pthread_join(thread, &result);
    r = result;
    assert_int_equal(r->status, 200);
    assert_true(json_is_valid(r->body));
    response_free(r);
    free(r);
    assert_true(log_has(&s, "-- stopping"));
    scratch_remove(&logs);
}

static void *drum(void *arg)
{
    clients_run(arg, 5);
    return NULL;
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
    drum(&s);
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

/* ------------------------------------------------------------------------ parts -- */

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

static void test_limiter(void **state)
{
    struct limiter *l = limiter_open(10);
    int allowed = 0;

    (void)state;
    for (int i = 0; i < 100; i++)
        allowed += limiter_take(l, "abcd", 4, 1000);
    assert_int_equal(allowed, 20);
    assert_false(limiter_take(l, "abcd", 4, 1000.05));
    assert_true(limiter_take(l, "abcd", 4, 1000.2));
    assert_true(limiter_take(l, "wxyz", 4, 1000.2));
    limiter_close(&l);
}

static void test_escape(void **state)
{
    char out[20];

    (void)state;
    assert_string_equal(weblog_escape("a b\"\n\xff", out, sizeof out), "a\\x20b\\x22\\x0a...");
    assert_string_equal(weblog_escape("plain", out, sizeof out), "plain");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_commands),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_games),
        cmocka_unit_test(test_analysis),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_jobs),
        cmocka_unit_test(test_holdings),
        cmocka_unit_test(test_proofs),
        cmocka_unit_test(test_proof_files),
        cmocka_unit_test(test_store),
        cmocka_unit_test(test_tables_appear),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_documentation),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_huge),
        cmocka_unit_test(test_chunked),
        cmocka_unit_test(test_traversal),
        cmocka_unit_test(test_slow_client),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_parallel),
        cmocka_unit_test(test_random_questions),
        cmocka_unit_test(test_random_games),
        cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_stop_while_serving),
        cmocka_unit_test(test_kill),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_limiter),
        cmocka_unit_test(test_escape),
        cmocka_unit_test(test_workers),
    };

    return cmocka_run_group_tests(tests, kit_open, kit_close);
}
