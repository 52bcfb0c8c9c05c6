/* SPDX-License-Identifier: MIT
 *
 * repack.h -- convert tables to another form without rebuilding them.
 *
 * A wld table whose parts have another size is decoded and encoded again, with a new model.
 * Distances of an earlier version (table.h) are converted to the current one, which works with
 * any form.  Slices are processed in build order, distances before values.
 *
 * (R1) The bytes are the same as a build writes (pages.h), for any number of threads.
 * (R2) If it is stopped or killed, every table exists in its old or new form, and they fit each
 *      other; the same call resumes.
 * (R3) One process at a time: the catalog is opened to build.  The catalog belongs to the
 *      caller; one thread calls and starts others. */
#ifndef KELSO_DB_REPACK_H
#define KELSO_DB_REPACK_H

#include "db/catalog.h"

#include <stdatomic.h>

struct repack_report {
    struct slice slice;
    enum kind kind;
    bool made;              /* false: it already had that form */
    uint64_t values;        /* of both sides */
    uint64_t before, after; /* bytes */
};

struct repack_options {
    const struct slice *slice; /* only this one; NULL: as follows */
    int pieces;                /* at most */
    uint32_t part;             /* positions per part; TABLE_PAGE for none */
    int threads;
    const atomic_bool *stop; /* may be NULL */
    _Atomic uint64_t *done;  /* pages, of repack_work; may be NULL */
    void (*begin)(void *context, struct slice s);
    void (*report)(void *context, const struct repack_report *r);
    void *context;
};

/* Is this a valid part size? */
bool repack_part_good(uint32_t part);

/* The final value of `done`. */
enum status repack_work(struct catalog *c, const struct repack_options *o, uint64_t *pages,
                        struct error *e);

enum status repack_run(struct catalog *c, const struct repack_options *o, struct error *e);

#endif
