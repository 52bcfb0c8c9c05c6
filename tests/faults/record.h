/* SPDX-License-Identifier: MIT
 *
 * record.h -- the log of a program's file operations, written by record.c.
 *
 * Each record is a struct record_head and `length` bytes: a path, "from" and "to" with a 0 after
 * each, or the data of a write.  Paths are relative to the directory in which the program began;
 * what lies outside of it is not recorded.  The descriptors are those of one process. */
#ifndef KELSO_TESTS_RECORD_H
#define KELSO_TESTS_RECORD_H

#include <stdint.h>

enum record_kind {
    RECORD_OPEN,     /* fd, path; flags of open; offset is 1 if there was no such file */
    RECORD_CLOSE,    /* fd */
    RECORD_WRITE,    /* fd, offset, data */
    RECORD_TRUNCATE, /* fd, offset: the new size */
    RECORD_GROW,     /* fd, offset: at least this size */
    RECORD_SYNC,     /* fd */
    RECORD_MKDIR,    /* path */
    RECORD_RENAME,   /* from, to */
    RECORD_UNLINK,   /* path */
    RECORD_STORE     /* fd, offset, data: from a mapping, and synced by msync */
};

struct record_head {
    uint32_t kind;
    int32_t fd, flags, pid;
    uint64_t offset, length;
};

#endif
