/* SPDX-License-Identifier: MIT
 *
 * The fault loop of test_faults.c for `kelso serve`: the n-th call of each kind fails, alone or
 * with all after it, while a client asks.
 *
 * `make check` tries every malloc, where the answers are made, and some of the other calls.
 *
 * (S1) no signal ends the server but SIGTERM, which it hears; it serves, or exits with 2 and a
 * word. (S2) each answer with status 200 is the one without a fault. */
#include "kit/run.h"
#include "kit/scratch.h"
#include "kit/test.h"
#include "faults/preload.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIES = 6, ANSWER_MAX = 1 << 16, PATIENCE = 10 /* seconds */ };

static const char *const kind_names[] = {"none",  "malloc", "mmap",  "open",  "read",
                                         "write", "short",  "fsync", "rename"};

static const char *const questions[] = {
    "GET /api/v1/position?fen=B:WK31:B25,K18 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "GET /api/v1/line?fen=B:WK31:B25,K18 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    ("POST /api/v1/solve?fen=B:WK31:B25,K18 HTTP/1.1\r\n"
     "Host: 127.0.0.1\r\nContent-Length: 0\r\n\r\n"),
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

struct world {
    struct scratch tables;
    pid_t pid; /* of the program that waits for orders */
    int orders, reports;
    char *answer[QUESTIONS]; /* bodies without a fault; NULL: it is not 200 */
};

/* ------------------------------------------------------------------- the program -- */

static void program_run(const char *tables, int orders, int reports)
{
    const char *set = getenv("KELSO_BINARY");
    char path[4096], preload[4200], *program = realpath(set ? set : "build/check/kelso", path);
    const char *argv[] = {program,     "serve", "--listen", "127.0.0.1:0", "--dir", tables,
                          "--threads", "1",     "--cache",  "1M",          NULL};

    if (!program || dup2(orders, FAULT_ORDERS) < 0 || dup2(reports, FAULT_REPORTS) < 0)
        _exit(126);
    snprintf(preload, sizeof preload, "%.*s/fault.so", (int)(strrchr(path, '/') - path), path);
    setenv("LD_PRELOAD", preload, 1);
    setenv("KELSO_FAULTS", "1", 1);
    execv(program, (char *const *)argv);
    _exit(127);
}

static void program_start(struct world *w)
{
    int orders[2], reports[2];

    assert_int_equal(pipe2(orders, O_CLOEXEC), 0);
    assert_int_equal(pipe2(reports, O_CLOEXEC), 0);
    w->pid = fork();
    assert_true(w->pid >= 0);
    if (w->pid == 0)
        program_run(w->tables.path, orders[0], reports[1]);
    close(orders[0]);
    close(reports[1]);
    w->orders = orders[1];
    w->reports = reports[0];
}

/* The number behind `before` in a file, once it is there; 0. */
static int file_number(const struct scratch *dir, const char *name, const char *before)
{
    char path[SCRATCH_MAX], text[512] = "", *at;
    int fd = open(scratch_file(dir, name, path), O_RDONLY);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    at = strchr(text, '\n') ? strstr(text, before) : NULL;
    return at ? atoi(at + strlen(before)) : 0;
}

static bool report_is_there(const struct world *w, int milliseconds)
{
    struct pollfd p = {.fd = w->reports, .events = POLLIN};

    return poll(&p, 1, milliseconds) > 0;
}

/* ------------------------------------------------------------------------ asking -- */

/* The body of a 200, from malloc; NULL for any other answer, or none. */
static char *ask(int port, const char *question)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct timeval limit = {.tv_sec = PATIENCE};
    char *text = calloc(1, ANSWER_MAX), *body = NULL, *length;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    size_t n = 0, whole = ANSWER_MAX - 1;
    ssize_t got;

    assert_non_null(text);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0 &&
        send(fd, question, strlen(question), MSG_NOSIGNAL) > 0)
        while (n < whole && (got = recv(fd, text + n, whole - n, 0)) > 0) {
            n += (size_t)got;
            if ((body = strstr(text, "\r\n\r\n")) && (length = strstr(text, "Content-Length: ")))
                whole = (size_t)(body + 4 - text) + (size_t)atoi(length + 16);
        }
    close(fd);
    body = body && strncmp(text, "HTTP/1.1 200", 12) == 0 && n == whole ? strdup(body + 4) : NULL;
    free(text);
    return body;
}

/* -------------------------------------------------------------------------- loop -- */

/* Serve once: ask everything, then SIGTERM.  The answers go to *answer. */
static struct fault_report serve_once(struct world *w, const struct scratch *dir,
                                      enum fault_kind kind, uint64_t n, bool all_after,
                                      char *answer[QUESTIONS])
{
    struct fault_order o = {.kind = kind, .n = n, .all_after = all_after};
    struct fault_report r;
    int port = 0;

    snprintf(o.dir, sizeof o.dir, "%s", dir->path);
    memset(answer, 0, QUESTIONS * sizeof *answer);
    assert_int_equal(write(w->orders, &o, sizeof o), sizeof o);
    while (!port && !report_is_there(w, 5))
        port = file_number(dir, "fault.out", "127.0.0.1:");
    for (int i = 0; i < QUESTIONS && port && !report_is_there(w, 0); i++)
        answer[i] = ask(port, questions[i]);
    if (port && !report_is_there(w, 0))
        kill(file_number(dir, "fault.pid", ""), SIGTERM);
    assert_int_equal(read(w->reports, &r, sizeof r), sizeof r);
    return r;
}

/* Returns whether the fault was noticed by anybody. */
static bool serve_try(struct world *w, enum fault_kind kind, uint64_t n, bool all_after)
{
    struct scratch dir = scratch_create();
    char *answer[QUESTIONS], what[128], path[SCRATCH_MAX];
    struct fault_report r = serve_once(w, &dir, kind, n, all_after, answer);
    int code = WIFEXITED(r.status) ? WEXITSTATUS(r.status) : -1;
    bool noticed = code != 0;
    size_t said;

    snprintf(what, sizeof what, "serve: %s number %llu fails%s", kind_names[kind],
             (unsigned long long)n, all_after ? ", and all after it" : "");
    free(file_read(scratch_file(&dir, "fault.err", path), &said));
    if (code != 0 && code != 2)
        fail_msg("%s: ended by signal %d or status %d", what, WTERMSIG(r.status), code);
    if (code == 2 && said == 0)
        fail_msg("%s: status 2 without a word", what);
    for (int i = 0; i < QUESTIONS; i++) {
        if (answer[i] && (!w->answer[i] || strcmp(answer[i], w->answer[i]) != 0))
            fail_msg("%s: to '%.40s' it says '%s', without a fault '%s'", what, questions[i],
                     answer[i], w->answer[i] ? w->answer[i] : "an error");
        noticed |= !answer[i] && w->answer[i];
        free(answer[i]);
    }
    scratch_remove(&dir);
    return noticed;
}

static void serve_kind(struct world *w, enum fault_kind kind)
{
    const char *only = getenv("KELSO_FAULT"); /* as malloc:17 */
    struct scratch dir = scratch_create();
    char *answer[QUESTIONS];
    uint64_t calls = serve_once(w, &dir, kind, 0, false, answer).calls;
    bool all = test_is_long() || kind == FAULT_MALLOC || calls <= TRIES;
    uint64_t step = all ? 1 : calls / TRIES;
    int runs = 0, noticed = 0;

    for (int i = 0; i < QUESTIONS; i++)
        free(answer[i]);
    scratch_remove(&dir);
    if (only) {
        size_t length = strlen(kind_names[kind]);

        if (strncmp(only, kind_names[kind], length) == 0 && only[length] == ':')
            serve_try(w, kind, strtoull(only + length + 1, NULL, 10), false);
        return;
    }
    for (uint64_t n = 1; n <= calls; n += step, runs++)
        noticed += serve_try(w, kind, n, false);
    if (kind != FAULT_SHORT)
        for (uint64_t n = 1; n <= calls; n += 3 * step, runs++)
            noticed += serve_try(w, kind, n, true);
    print_message("# serve: %s: %llu calls, %d runs, %d refused something\n", kind_names[kind],
                  (unsigned long long)calls, runs, noticed);
}

static void test_serve(void **state)
{
    struct fault_report r;
    struct scratch dir;
    struct world w = {0};
    int status;

    (void)state;
    if (test_is_sanitized())
        skip(); /* it has a malloc of its own */
    dir = scratch_create();
    w.tables = scratch_create();
    run_expect(ARGS("build", "--pieces", "3", "--dir", w.tables.path, "--progress", "none"), 0, "",
               "");
    program_start(&w);
    r = serve_once(&w, &dir, FAULT_NONE, 0, false, w.answer);
    assert_int_equal(r.status, 0);
    assert_non_null(w.answer[0]);
    assert_non_null(w.answer[1]);
    for (int kind = FAULT_MALLOC; kind < FAULT_KINDS; kind++)
        serve_kind(&w, (enum fault_kind)kind);
    close(w.orders);
    close(w.reports);
    waitpid(w.pid, &status, 0);
    for (int i = 0; i < QUESTIONS; i++)
        free(w.answer[i]);
    scratch_remove(&dir);
    scratch_remove(&w.tables);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_serve)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
