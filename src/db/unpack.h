/* SPDX-License-Identifier: MIT
 *
 * unpack.h -- make the flat files (flat.h) of the wld tables of a directory.
 *
 * Slices in the order in which they are built.  A file that is there is read and its sums are
 * checked; it is made (again) if it is missing, damaged, of another version or made from another
 * table.
 *
 * (N1) stopped or killed at any time, the same call goes on with the slice at hand.
 * (N2) one process at a time works on the flat files of a directory: it holds a lock, not the one
 *      of the builders.
 *
 * One thread calls and starts others; reports come from that one. */
#ifndef KELSO_DB_UNPACK_H
#define KELSO_DB_UNPACK_H

#include "db/catalog.h"

#include <stdatomic.h>

struct unpack_report {
    struct slice slice;
    bool made;               /* or was it there? */
    const char *wrong;       /* what was wrong with the file that was there; NULL: nothing */
    uint64_t pages, values;  /* of both sides */
    uint64_t size, occupied; /* bytes of the file, and of the disk that it takes */
};

struct unpack_options {
    const struct slice *slice; /* only this one; NULL: as follows */
    int pieces, max_side;      /* at most so many, of them a side */
    int threads;
    const atomic_bool *stop; /* may be NULL */
    _Atomic uint64_t *done;  /* pages, of unpack_work; may be NULL */
    void (*begin)(void *context, struct slice s);
    void (*report)(void *context, const struct unpack_report *r);
    void *context;
};

/* What `done` will reach; 0 if there is no such table. */
enum status unpack_work(struct catalog *c, const struct unpack_options *o, uint64_t *pages,
                        struct error *e);

enum status unpack_run(struct catalog *c, const struct unpack_options *o, struct error *e);

/* Delete them, and what a killed process left behind, whether the tables are there or not. */
enum status unpack_remove(struct catalog *c, const struct unpack_options *o, int *files,
                          uint64_t *freed, struct error *e);

#endif
