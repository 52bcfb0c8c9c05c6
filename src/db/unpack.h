/* SPDX-License-Identifier: MIT
 *
 * unpack.h -- make the flat or quick files (flat.h, quick.h) of the wld tables of a directory.
 *
 * Slices are processed in build order.  An existing file is read and its checksums are
 * verified.  A file is written (again) if it is missing, damaged, of another version or made
 * from another table.
 *
 * (N1) It can be stopped or killed at any time; the same call resumes with the interrupted
 *      slice.
 * (N2) One process at a time works on these files of a directory: it holds a lock, separate
 *      from the builder's.
 *
 * The catalog belongs to the caller.  One thread calls and starts others; reports come from the
 * calling thread. */
#ifndef KELSO_DB_UNPACK_H
#define KELSO_DB_UNPACK_H

#include "db/catalog.h"

#include <stdatomic.h>

enum unpack_form { UNPACK_FLAT, UNPACK_QUICK, UNPACK_FORMS };

struct unpack_report {
    struct slice slice;
    enum unpack_form form;
    bool made;               /* false: it was already there */
    const char *wrong;       /* the fault of the existing file; NULL: none */
    uint64_t pages, values;  /* of both sides */
    uint64_t size, occupied; /* bytes of the file, and of the disk space it takes */
};

struct unpack_options {
    enum unpack_form form;
    const struct slice *slice; /* only this one; NULL: as follows */
    int pieces, max_side;      /* at most, in all and on one side */
    int threads;
    const atomic_bool *stop; /* may be NULL */
    _Atomic uint64_t *done;  /* pages, of unpack_work; may be NULL */
    void (*begin)(void *context, struct slice s);
    void (*report)(void *context, const struct unpack_report *r);
    void *context;
};

/* The final value of `done`; 0 if there is no such table. */
enum status unpack_work(struct catalog *c, const struct unpack_options *o, uint64_t *pages,
                        struct error *e);

enum status unpack_run(struct catalog *c, const struct unpack_options *o, struct error *e);

/* Delete the files of the form and leftovers of a killed process, whether or not the tables exist.
 */
enum status unpack_remove(struct catalog *c, const struct unpack_options *o, int *files,
                          uint64_t *freed, struct error *e);

#endif
