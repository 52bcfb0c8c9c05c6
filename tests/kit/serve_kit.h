/* SPDX-License-Identifier: MIT
 *
 * serve_kit.h -- a server on tables of its own, for the tests of one program.
 *
 * kit_open and kit_close are the set-up and the end of a group of tests. */
#ifndef KELSO_TESTS_SERVE_KIT_H
#define KELSO_TESTS_SERVE_KIT_H

#include "kit/server.h"

#define FIGURE_4 "B:WK31:B25,K18"

struct kit {
    struct scratch tables, logs;
    struct server server;
};

/* Serve all tables of at most `pieces`. */
int kit_open(void **state, int pieces);

/* The last test of all: the server must end well, without leaks if it can tell. */
int kit_close(void **state);

void check_alive(const struct server *s);

/* The answer to GET has this status, is JSON and holds `part`. */
void expect(const struct server *s, const char *target, int status, const char *part);

/* The same for POST, without a body. */
void expect_post(const struct server *s, const char *target, int status, const char *part);

/* Wait until a job ("/api/v1/jobs/1") is over; its state must be `state`. */
void job_wait(const struct server *s, const char *target, const char *state);

/* Wait until a waiting job runs. */
void job_wait_running(const struct server *s, const char *target);

#endif
