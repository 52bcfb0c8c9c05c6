/* SPDX-License-Identifier: MIT
 *
 * input.h -- the input of a command: a position from an argument, a whole file.
 *
 * Each function prints one line on standard error when it fails, naming the file
 * and the place, and returns EXIT_BAD; EXIT_DONE otherwise. */
#ifndef KELSO_CLI_INPUT_H
#define KELSO_CLI_INPUT_H

#include "core/board.h"
#include "report/record.h"

#include <stddef.h>

/* A FEN; "-" reads it from standard input; NULL is the start of the game. */
int input_position(const char *argument, struct board *out);

/* A whole file; "-" is standard input.  The caller frees *bytes. */
int input_file(const char *path, char **bytes, size_t *length);

/* Print where and why a game of the file at `path` is wrong.  Returns EXIT_BAD. */
int input_wrong_game(const char *path, const struct record *r);

/* The length of the UTF-8 byte order mark at the start of a text, which some editors write: 3
 * or 0. */
size_t input_mark(const char *text, size_t length);

/* The name of a path in messages: "standard input" for "-". */
const char *input_name(const char *path);

#endif
