/* SPDX-License-Identifier: MIT
 *
 * repack.h -- rewrite tables in another form, without building them again.
 *
 * A wld table with parts of another size, or none, is decoded and encoded anew, with a model of its
 * own; distances of an earlier version (table.h) become those of today, which go with any form.
 * Slices in the order in which they are built, distances before values.
 *
 * (R1) the bytes are those that a builder writes (pages.h), for any number of threads.
 * (R2) stopped or killed at any time, every table is there, old or new, and they fit each other;
 *      the same call goes on.
 * (R3) one process at a time: the catalog is opened to build. */
#ifndef KELSO_DB_REPACK_H
#define KELSO_DB_REPACK_H

#include "db/catalog.h"

#include <stdatomic.h>

struct repack_report {
    struct slice slice;
    enum kind kind;
    bool made;              /* or was it in that form? */
    uint64_t values;        /* of both sides */
    uint64_t before, after; /* bytes */
};

struct repack_options {
    const struct slice *slice; /* only this one; NULL: as follows */
    int pieces;                /* at most so many */
    uint32_t part;             /* positions a part; TABLE_PAGE for none */
    int threads;
    const atomic_bool *stop; /* may be NULL */
    _Atomic uint64_t *done;  /* pages, of repack_work; may be NULL */
    void (*begin)(void *context, struct slice s);
    void (*report)(void *context, const struct repack_report *r);
    void *context;
};

/* Is this a size that repack_run takes? */
bool repack_part_good(uint32_t part);

/* What `done` will reach. */
enum status repack_work(struct catalog *c, const struct repack_options *o, uint64_t *pages,
                        struct error *e);

enum status repack_run(struct catalog *c, const struct repack_options *o, struct error *e);

#endif
