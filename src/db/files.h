/* SPDX-License-Identifier: MIT
 *
 * files.h -- small things that several parts do with files and directories.
 *
 * All return a status and name the file in the error.  Any thread. */
#ifndef KELSO_DB_FILES_H
#define KELSO_DB_FILES_H

#include "db/status.h"

#include <stddef.h>

/* "path: what errno says", STATUS_IO ... */
enum status file_error(const char *path, struct error *e);

/* ... or STATUS_MISSING for something that should be read and is not there. */
enum status file_open_error(const char *path, struct error *e);

/* Write all n bytes. */
enum status file_write_all(int fd, const char *path, const void *bytes, size_t n, struct error *e);

/* A name is on the disk when its directory is. */
enum status directory_sync(const char *dir, struct error *e);

/* Make a directory and those above it, as far as they are missing. */
enum status directory_make(const char *dir, struct error *e);

/* Replace dir/name by these bytes, or leave it as it was. */
enum status file_replace(const char *dir, const char *name, const void *bytes, size_t n,
                         struct error *e);

#endif
