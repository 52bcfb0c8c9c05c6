/* SPDX-License-Identifier: MIT
 *
 * lab.h -- a server of the queue, workers and a manager, as processes of a test.
 *
 * lab_open and lab_close are a group's setup and teardown; *state stays NULL where the machine
 * cannot run the tests, which are then skipped. */
#ifndef KELSO_TESTS_NATS_LAB_H
#define KELSO_TESTS_NATS_LAB_H

#include "kit/built.h"
#include "kit/golden.h"
#include "kit/run.h"
#include "kit/scratch.h"
#include "kit/stores.h"
#include "kit/test.h"

#include "proof/nats/link.h"
#include "proof/store.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 3, ARGS_MAX = 32 };

struct lab {
    struct built tables;
    struct scratch dir;
    char url[64], port[8], data[SCRATCH_MAX], store[SCRATCH_MAX];
    pid_t server, worker[WORKERS], manager;
};

/* ------------------------------------------------------------------- processes -- */

/* A process, and a group of its own for those that it starts: faketime does. */
static inline pid_t start(const char *program, const char *const *args, const char *log)
{
    const char *argv[ARGS_MAX] = {program};
    pid_t child;
    int n = 1;

    while (*args && n < ARGS_MAX - 1)
        argv[n++] = *args++;
    if ((child = fork()) == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nothing running */
        setpgid(0, 0);
        freopen(log ? log : "/dev/null", "a", stdout);
        freopen(log ? log : "/dev/null", "a", stderr);
        execvp(program, (char *const *)argv);
        _exit(127);
    }
    assert_true(child > 0);
    setpgid(child, child); /* whoever comes first */
    return child;
}

static inline void finish(pid_t *child, int signal)
{
    if (*child > 0) {
        kill(-*child, signal);
        waitpid(*child, NULL, 0);
    }
    *child = 0;
}

/* A port that nobody has. */
static inline void port_find(struct lab *l)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_true(fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof a) == 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
    close(fd);
    snprintf(l->port, sizeof l->port, "%d", ntohs(a.sin_port));
    snprintf(l->url, sizeof l->url, "nats://127.0.0.1:%s", l->port);
}

/* With JetStream; `more` are two further arguments, or NULL. */
static inline void queue_start(struct lab *l, const char *more, const char *value)
{
    finish(&l->server, SIGKILL); /* of a test that failed */
    for (int tries = 0; tries < 100; tries++) {
        struct sockaddr_in a = {.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                .sin_port = htons((uint16_t)atoi(l->port))};
        int fd, up;

        if (tries == 0)
            l->server = start(
                "nats-server",
                more ? ARGS("-js", "-sd", l->data, "-a", "127.0.0.1", "-p", l->port, more, value)
                     : ARGS("-js", "-sd", l->data, "-a", "127.0.0.1", "-p", l->port),
                NULL);
        fd = socket(AF_INET, SOCK_STREAM, 0);
        up = connect(fd, (struct sockaddr *)&a, sizeof a) == 0;
        close(fd);
        if (up)
            return;
        usleep(50000);
    }
    fail_msg("nats-server does not come up");
}

static inline pid_t worker_start(const struct lab *l)
{
    return start(getenv("KELSO_BINARY"),
                 ARGS("worker", "--queue", l->url, "--dir", l->tables.dir.path, "--threads", "1",
                      "--memory", "16M", "--cache", "32M", "--progress", "none"),
                 NULL);
}

/* The same; what it says goes to a file. */
static inline pid_t worker_start_logged(const struct lab *l, const char *log)
{
    return start(getenv("KELSO_BINARY"),
                 ARGS("worker", "--queue", l->url, "--dir", l->tables.dir.path, "--threads", "1",
                      "--memory", "16M", "--cache", "32M", "--progress", "plain"),
                 log);
}

/* A manager whose searches take a fraction of a second, and do not end. */
static inline pid_t endless_start(const struct lab *l, const char *log)
{
    return start(getenv("KELSO_BINARY"),
                 ARGS("prove", "--queue", l->url, "--store", l->store, "B:W21-32:B1-12", "--dir",
                      l->tables.dir.path, "--look", "50ms", "--time", "100ms", "--lease", "2s",
                      "--progress", "plain"),
                 log);
}

static inline bool lab_log_has(const char *log, const char *text)
{
    size_t n;
    uint8_t *bytes;
    bool has;

    if (access(log, R_OK) != 0)
        return false;
    bytes = file_read(log, &n);
    has = memmem(bytes, n, text, strlen(text)) != NULL;
    free(bytes);
    return has;
}

/* Wait until the manager has that many more searches in its store. */
static inline void wait_searches(struct lab *l, uint64_t more)
{
    uint64_t before = store_searches(l->store);

    for (int n = 0; store_searches(l->store) < before + more; n++) {
        assert_true(n < 1200 && waitpid(l->manager, NULL, WNOHANG) == 0);
        usleep(100000);
    }
}

static inline pid_t manager_start(const struct lab *l)
{
    return start(getenv("KELSO_BINARY"),
                 ARGS("prove", "--queue", l->url, "--store", l->store, small_proof, "--dir",
                      l->tables.dir.path, "--nodes", "2000", "--lease", "2s", "--audit", "0.2",
                      "--progress", "none"),
                 NULL);
}

static inline int lab_open(void **state)
{
    static struct lab l;

    if (test_is_sanitized() || !getenv("KELSO_BINARY"))
        return 0; /* *state stays NULL: all are skipped */
    if (system("command -v nats-server >/dev/null") != 0) {
        printf("# skipped: no nats-server\n");
        return 0;
    }
    l.tables = built_open_wld(4);
    l.dir = scratch_create();
    scratch_file(&l.dir, "js", l.data);
    scratch_file(&l.dir, "store", l.store);
    port_find(&l);
    *state = &l;
    return 0;
}

static inline int lab_close(void **state)
{
    struct lab *l = *state;

    if (!l)
        return 0;
    finish(&l->manager, SIGKILL);
    for (int i = 0; i < WORKERS; i++)
        finish(&l->worker[i], SIGKILL);
    finish(&l->server, SIGKILL);
    built_close(&l->tables);
    scratch_remove(&l->dir);
    return 0;
}

#endif
