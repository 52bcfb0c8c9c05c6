/* SPDX-License-Identifier: MIT
 *
 * output.h -- files that a command writes beside its answer.
 *
 * Whether they can be written is asked before the work, not after it.  Each function prints
 * one line on standard error when they cannot, and returns EXIT_BAD; EXIT_DONE otherwise,
 * and where `path` is NULL.  Any thread. */
#ifndef KELSO_CLI_OUTPUT_H
#define KELSO_CLI_OUTPUT_H

/* A file to be written in place; devices and pipes will do. */
int output_check(const char *path);

/* A file that is replaced as a whole: a plain one, or none yet. */
int output_check_plain(const char *path);

#endif
