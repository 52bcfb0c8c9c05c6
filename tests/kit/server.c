/* SPDX-License-Identifier: MIT */
#include "kit/server.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGS_MAX = 24, RESPONSE_MAX = 8 << 20 };

static void child_run(int out, const char *dir, const char *log, const char *const *more)
{
    const char *binary = getenv("KELSO_BINARY");
    const char *argv[ARGS_MAX] = {binary ? binary : "build/check/kelso",
                                  "serve",
                                  "--listen",
                                  "127.0.0.1:0",
                                  "--dir",
                                  dir,
                                  "--log",
                                  log};
    int n = 8;

    while (more && *more && n < ARGS_MAX - 1)
        argv[n++] = *more++;
    dup2(out, 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves no server behind */
    execv(argv[0], (char *const *)argv);
    _exit(127);
}

struct server server_start(const char *dir, const struct scratch *logs, const char *const *more)
{
    struct server s = {0};
    char said[512] = "", *at;
    size_t n = 0;
    int ends[2];

    scratch_file(logs, "access.log", s.log);
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    s.pid = fork();
    assert_true(s.pid >= 0);
    if (s.pid == 0)
        child_run(ends[1], dir, s.log, more);
    close(ends[1]);
    while (n < sizeof said - 1 && read(ends[0], said + n, 1) == 1 && said[n] != '\n')
        n++;
    close(ends[0]);
    at = strstr(said, "0.0."); /* 127.0.0.1 or 0.0.0.0 */
    if (!at || !(at = strchr(at, ':')))
        fail_msg("the server said '%s'", said);
    s.port = atoi(at + 1);
    return s;
}

int server_stop(struct server *s)
{
    int status = 0;

    kill(s->pid, SIGTERM);
    for (int i = 0; i < 1000; i++) {
        if (waitpid(s->pid, &status, WNOHANG) == s->pid)
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        usleep(10000);
    }
    kill(s->pid, SIGKILL);
    waitpid(s->pid, &status, 0);
    return -1;
}

int server_connect_from(const struct server *s, int last)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)s->port)};
    struct sockaddr_in from = {.sin_family = AF_INET};
    struct timeval limit = {.tv_sec = 30}; /* on a busy machine, too */
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    from.sin_addr.s_addr = htonl((INADDR_LOOPBACK & ~0xFFU) | (unsigned)last);
    if (last != 1 && bind(fd, (struct sockaddr *)&from, sizeof from))
        fail_msg("cannot use the address 127.0.0.%d: %s", last, strerror(errno));
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a))
        fail_msg("cannot connect to port %d: %s", s->port, strerror(errno));
    return fd;
}

int server_connect(const struct server *s)
{
    return server_connect_from(s, 1);
}

bool log_has(const struct server *s, const char *text)
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

double busy_seconds(double seconds)
{
    struct timespec cpu = {0};
    double began = clock_seconds(), factor;
    volatile unsigned work = 0;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    for (double start = (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec, now = start;
         now - start < 0.02; now = (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec) {
        for (int i = 0; i < 10000; i++)
            work = work + (unsigned)i;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    }
    factor = (clock_seconds() - began) / 0.02;
    return seconds * (factor < 1.5 ? 1 : 2 * factor);
}

size_t server_memory(const struct server *s)
{
    char path[64], line[256];
    size_t kib = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/status", (int)s->pid);
    f = fopen(path, "re");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "VmRSS: %zu kB", &kib) == 1)
            break;
    fclose(f);
    return kib << 10;
}

/* Has all of the answer come?  By its length; to the end of the connection without one. */
static bool is_complete(const char *bytes, size_t n)
{
    const char *end = memmem(bytes, n, "\r\n\r\n", 4);
    const char *length = end ? strcasestr(bytes, "\r\nContent-Length:") : NULL;

    return length && length < end &&
           n >= (size_t)(end + 4 - bytes) + strtoull(length + 17, NULL, 10);
}

/* Put the pieces of a body together; returns its length.  What is not framed ends it. */
static size_t chunks_join(char *body, size_t n)
{
    size_t at = 0, made = 0;

    while (at < n) {
        char *end;
        size_t size = strtoull(body + at, &end, 16), from = (size_t)(end - body) + 2;

        if (size == 0 || from > n || size > n - from)
            break;
        memmove(body + made, body + from, size);
        made += size;
        at = from + size + 2;
    }
    body[made] = 0;
    return made;
}

static struct response response_parse(char *bytes, size_t n)
{
    struct response r = {.head = bytes};
    char *end = memmem(bytes, n, "\r\n\r\n", 4);

    if (strncmp(bytes, "HTTP/1.", 7) == 0)
        r.status = atoi(bytes + 9);
    if (end) {
        *end = 0;
        r.body = end + 4;
        r.body_length = n - (size_t)(r.body - bytes);
        if (strcasestr(r.head, "\r\nTransfer-Encoding: chunked"))
            r.body_length = chunks_join(r.body, r.body_length);
    } else {
        r.body = bytes + n;
    }
    return r;
}

struct response exchange(const struct server *s, const void *bytes, size_t length)
{
    char *in = calloc(1, RESPONSE_MAX + 1);
    int fd = server_connect(s);
    size_t n = 0;
    ssize_t got;

    assert_non_null(in);
    for (size_t sent = 0; sent < length;) { /* a server may close before it has read all */
        ssize_t k = send(fd, (const char *)bytes + sent, length - sent, MSG_NOSIGNAL);

        if (k <= 0)
            break;
        sent += (size_t)k;
    }
    while (n < RESPONSE_MAX && !is_complete(in, n) &&
           (got = recv(fd, in + n, RESPONSE_MAX - n, 0)) > 0)
        n += (size_t)got;
    close(fd);
    return response_parse(in, n);
}

struct response request(const struct server *s, const char *method, const char *target,
                        const char *headers, const char *body)
{
    size_t size =
        strlen(target) + (headers ? strlen(headers) : 0) + (body ? strlen(body) : 0) + 256;
    char *text = malloc(size);
    struct response r;
    int n;

    assert_non_null(text);
    n = snprintf(text, size, "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n%s",
                 method, target, s->port, headers ? headers : "");
    if (body)
        n += snprintf(text + n, size - (size_t)n, "Content-Length: %zu\r\n", strlen(body));
    n += snprintf(text + n, size - (size_t)n, "\r\n%s", body ? body : "");
    r = exchange(s, text, (size_t)n);
    free(text);
    return r;
}

struct response get(const struct server *s, const char *target)
{
    return request(s, "GET", target, NULL, NULL);
}

void response_free(struct response *r)
{
    free(r->head);
}
