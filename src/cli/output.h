/* SPDX-License-Identifier: MIT
 *
 * output.h -- files that a command writes in addition to its answer.
 *
 * Check before the work, not after it, that they can be written.  If not, each function prints one
 * line on standard error and returns EXIT_BAD; otherwise, or if `path` is NULL, it returns
 * EXIT_DONE.  Safe on any thread. */
#ifndef KELSO_CLI_OUTPUT_H
#define KELSO_CLI_OUTPUT_H

/* A file to be written in place; devices and pipes are allowed. */
int output_check(const char *path);

/* A file to be replaced as a whole: a regular file, or none yet. */
int output_check_plain(const char *path);

#endif
