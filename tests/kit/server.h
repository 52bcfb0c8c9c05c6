/* SPDX-License-Identifier: MIT
 *
 * server.h -- run `kelso serve` as a child and talk to it over bare sockets.
 *
 * Failures end the test.  exchange and its kin may be called from any thread. */
#ifndef KELSO_TESTS_SERVER_H
#define KELSO_TESTS_SERVER_H

#include "kit/scratch.h"
#include "kit/test.h"

#include <sys/types.h>

struct server {
    pid_t pid;
    int port;
    char log[SCRATCH_MAX];
};

/* Serve `dir` on a free port, with a log in `logs` and more arguments (NULL ends them). */
struct server server_start(const char *dir, const struct scratch *logs, const char *const *more);

/* SIGTERM; the exit status, or -1 if it did not end within ten seconds (it is killed). */
int server_stop(struct server *s);

struct response {
    int status; /* 0: the connection was closed without an answer */
    char *head, *body;
    size_t body_length;
};

/* Send bytes as they are and read until the server closes or the answer is complete. */
struct response exchange(const struct server *s, const void *bytes, size_t length);

/* METHOD TARGET with optional headers ("A: b\r\n") and body. */
struct response request(const struct server *s, const char *method, const char *target,
                        const char *headers, const char *body);
struct response get(const struct server *s, const char *target);
void response_free(struct response *r);

/* A connected socket with a time limit of thirty seconds. */
int server_connect(const struct server *s);

/* The same from another address of this machine, 127.0.0.`last`. */
int server_connect_from(const struct server *s, int last);

/* Does the log have this text?  It is written within a second or so. */
bool log_has(const struct server *s, const char *text);

/* `seconds`, or more where the machine is so busy that a process gets a part of its time. */
double busy_seconds(double seconds);

/* Bytes of memory that the server has at this moment. */
size_t server_memory(const struct server *s);

#endif
