/* SPDX-License-Identifier: MIT
 *
 * run.h -- run the program as a user would, and look at what comes back.
 *
 * The program is $KELSO_BINARY, as scripts/check sets it. */
#ifndef KELSO_TESTS_RUN_H
#define KELSO_TESTS_RUN_H

#include "kit/test.h"

enum { RUN_ARGS_MAX = 24 };

struct run {
    int status; /* exit status; -1 if a signal ended it */
    char *out, *err;
    size_t out_length, err_length;
};

/* Run with these arguments (NULL ends them) and standard input. */
struct run run_kelso(const char *const *args, const void *input, size_t length);

/* The same, with standard output on a terminal; standard error is apart. */
struct run run_kelso_on_terminal(const char *const *args);

/* The same as run_kelso without input, and SIGINT as soon as there is something on standard error:
 * give --progress=bar, which shows that the work has begun. */
struct run run_kelso_stopped(const char *const *args);

/* Run an example of examples/, without input; it is in the same directory as the program. */
struct run run_example(const char *name, const char *const *args);

void run_free(struct run *r);

/* Run without input, and expect this exit status and these words in output and errors. */
void run_expect(const char *const *args, int status, const char *out, const char *err);

/* The same for exit status 0 and one line of JSON. */
void run_expect_json(const char *const *args, const char *out);

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Is `text` one line of valid JSON? */
bool json_is_valid(const char *text);

#endif
