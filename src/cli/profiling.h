/* SPDX-License-Identifier: MIT
 *
 * profiling.h -- `solve --profile` and `unpack --profile`: print a profile, and choose forms by it.
 *
 * Functions that return an int return an exit status and have printed the error, if any.  One
 * thread. */
#ifndef KELSO_CLI_PROFILING_H
#define KELSO_CLI_PROFILING_H

#include "db/catalog.h"
#include "db/profile.h"

#include <stdbool.h>

/* The file that an option names: NULL if it was not given or is "-". */
const char *profile_file(const char *option);

/* Print a profile as a table: the cost of each slice, and what its forms would take and save. */
int profile_show(const struct profile_line *lines, int n, struct catalog *c, bool json);

/* Choose forms by the profile within this memory and make their files. */
int profile_unpack(struct catalog *c, const char *file, uint64_t memory, int threads, int progress,
                   bool json);

#endif
