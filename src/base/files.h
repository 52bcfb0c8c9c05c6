/* SPDX-License-Identifier: MIT
 *
 * files.h -- complete reads and writes, locks, and the one way to publish a file.
 *
 * A file is written under a temporary name in the same directory and published when it is
 * complete.  A file under its final name is always complete, even after a power failure.
 *
 * (F1) file_publish syncs the file before it gets its name, and the directory afterwards; each
 *      failure is reported.
 * (F2) Reads and writes are repeated until all bytes are transferred; a short file is an error.
 *
 * All functions return a status and name the file in the error.  Any thread. */
#ifndef KELSO_BASE_FILES_H
#define KELSO_BASE_FILES_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* "path: the text of errno", STATUS_IO ... */
enum status file_error(const char *path, struct error *e);

/* ... or STATUS_MISSING for a file that should be read and does not exist. */
enum status file_open_error(const char *path, struct error *e);

/* Write all n bytes, at the file's position or at an offset. */
enum status file_write_all(int fd, const char *path, const void *bytes, size_t n, struct error *e);
enum status file_write_at(int fd, const char *path, const void *bytes, size_t n, uint64_t offset,
                          struct error *e);

/* Read n bytes from an offset; STATUS_DAMAGED if the file ends too early. */
enum status file_read_at(int fd, const char *path, void *bytes, size_t n, uint64_t offset,
                         struct error *e);

/* Open a regular file for reading; `what` ("a table") must have at least `least` bytes.  The caller
 * closes *fd, which is -1 after any failure.
 *
 * Files are read (file_read_at, file_load) and never mapped: a mapping changes if the file is
 * overwritten after its bytes were checked, and disappears if the file is truncated. */
enum status file_open(const char *path, const char *what, uint64_t least, int *fd, uint64_t *size,
                      struct error *e);

/* Read n bytes from an offset into memory of their own; the caller frees *bytes, which is NULL
 * after any failure. */
enum status file_load(int fd, const char *path, uint64_t offset, uint64_t n, uint8_t **bytes,
                      struct error *e);

/* Read a stream to its end: the size of a pipe is unknown.  `name` is for the error.  The caller
 * frees *bytes, which are followed by FILE_SPARE bytes of 0. */
enum { FILE_SPARE = 64 };
enum status stream_read_all(FILE *f, const char *name, uint8_t **bytes, size_t *n, struct error *e);

/* The same for a file. */
enum status file_read_all(const char *path, uint8_t **bytes, size_t *n, struct error *e);

/* Lock a file, which is created if necessary, or a directory, until *fd is closed; STATUS_LOCKED if
 * another process holds the lock.  *fd is -1 after any failure. */
enum status file_lock(const char *path, int *fd, struct error *e);
enum status directory_lock(const char *dir, int *fd, struct error *e);

/* Create a directory and any missing parents, and sync the directories that contain new ones. */
enum status directory_make(const char *dir, struct error *e);

/* Rename a complete file from its temporary to its final name: fsync, rename, fsync of the
 * directory.  The descriptor stays open.  After a failure the temporary file is gone; if only the
 * last step failed, the file has its final name but may lose it if the machine stops. */
enum status file_publish(int fd, const char *temporary, const char *path, struct error *e);

/* Write and publish these bytes. */
enum status file_replace(const char *path, const void *bytes, size_t n, struct error *e);

/* Sync a directory, so that names added or removed are on the disk; the directory that a path is
 * in. */
enum status directory_sync(const char *dir, struct error *e);
enum status file_sync_name(const char *path, struct error *e);

#endif
