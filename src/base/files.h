/* SPDX-License-Identifier: MIT
 *
 * files.h -- small things that several parts do with files and directories.
 *
 * All return a status and name the file in the error.  Any thread. */
#ifndef KELSO_BASE_FILES_H
#define KELSO_BASE_FILES_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* "path: what errno says", STATUS_IO ... */
enum status file_error(const char *path, struct error *e);

/* ... or STATUS_MISSING for something that should be read and is not there. */
enum status file_open_error(const char *path, struct error *e);

/* Write all n bytes. */
enum status file_write_all(int fd, const char *path, const void *bytes, size_t n, struct error *e);

/* Map a whole file to read, at least so many bytes of `what` ("a table"); munmap it.  Nobody
 * may shorten it in place meanwhile. */
enum status file_map(const char *path, const char *what, uint64_t least, const void **data,
                     uint64_t *size, struct error *e);

/* Take the lock that this file stands for, as long as *fd is open; STATUS_LOCKED if another
 * process has it.  *fd is -1 after any failure. */
enum status file_lock(const char *path, int *fd, struct error *e);

/* A name is on the disk when its directory is. */
enum status directory_sync(const char *dir, struct error *e);

/* Make a directory and those above it, as far as they are missing. */
enum status directory_make(const char *dir, struct error *e);

/* Replace dir/name by these bytes, or leave it as it was. */
enum status file_replace(const char *dir, const char *name, const void *bytes, size_t n,
                         struct error *e);

#endif
