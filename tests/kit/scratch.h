/* SPDX-License-Identifier: MIT
 *
 * scratch.h -- a directory for the files of one test, and whole files in memory.
 *
 * scratch_create makes a new directory below $TMPDIR or /tmp; scratch_remove deletes
 * it with everything in it.  Failures end the test. */
#ifndef KELSO_TESTS_SCRATCH_H
#define KELSO_TESTS_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

enum { SCRATCH_MAX = 512 };

struct scratch {
    char path[SCRATCH_MAX];
};

struct scratch scratch_create(void);
void scratch_remove(struct scratch *s);

/* "path/name" in buf. */
const char *scratch_file(const struct scratch *s, const char *name, char buf[SCRATCH_MAX]);

/* The number of entries in the directory. */
int scratch_count(const struct scratch *s);

/* A whole file; the caller frees it. */
uint8_t *file_read(const char *path, size_t *size);
void file_write(const char *path, const void *bytes, size_t size);

#endif
