/* SPDX-License-Identifier: MIT
 *
 * build.h -- make a directory of tables.
 *
 * Slices are built smallest first, each after all that a move can lead to.  For one
 * slice: bring the tables it needs into memory, solve its blocks, write its files.
 * Win/loss/draw files are always made, since distance files build on them.
 *
 * (Y1) what is finished is not built again; a directory that is complete needs one
 *      look at each file's header.
 * (Y2) stopped or killed at any time, the next run goes on with the slice that was
 *      in work.
 * (Y3) one builder at a time: the directory is locked.
 * (Y4) the same bytes for any number of threads and any memory budget.
 *
 * build_run is called by one thread and starts others; callbacks come from its
 * caller's thread and from one monitor at a time. */
#ifndef KELSO_DB_BUILD_H
#define KELSO_DB_BUILD_H

#include "db/kernel/kernel.h"
#include "db/pages.h"

#include <stdatomic.h>

struct build_plan {
    int count;
    struct slice *slice; /* canonical, in build order */
    uint64_t values;     /* both sides to move, all slices */
};

/* The builder stops short of what is numbered (PIECES_MAX): plans of more pieces are refused. */
enum { BUILD_PIECES_MAX = 8 };

/* All slices of at most `pieces`, at most `side` a side ... */
enum status build_plan_all(struct build_plan *p, int pieces, int side, struct error *e);
/* ... or one slice and all it depends on. */
enum status build_plan_slice(struct build_plan *p, struct slice s, struct error *e);
void build_plan_free(struct build_plan *p);

/* Values of a slice, both sides to move. */
uint64_t slice_values(struct slice s);

struct build_report { /* one slice is done */
    struct slice slice;
    int number, of;
    bool built; /* false: it was there */
    uint64_t values;
    double seconds, cpu_seconds;
    uint64_t bytes[KINDS]; /* of the files; 0 where none was written */
    uint64_t decoded;      /* values read back from files for it ... */
    uint64_t unpacked;     /* ... and from the shelf */
    uint64_t scratch;      /* bytes in the scratch directory */
};

struct build_options {
    const char *dir;
    const char *scratch; /* a directory for tables that memory has no room for, or NULL */
    uint64_t part_bytes; /* with scratch: slices whose tables take more are solved in parts of
                            so many bytes; 0: those that memory has no room for, in parts of a
                            sixteenth of it */
    bool kind[KINDS];
    int threads;
    uint64_t memory;
    enum kernel_isa isa;
    const atomic_bool *stop; /* may be NULL */
    _Atomic uint64_t *done;  /* counts values of finished work, of plan.values * steps */
    void (*report)(void *context, const struct build_report *r);    /* may be NULL */
    void (*begin)(void *context, struct slice s, const char *step); /* may be NULL */
    void *context;
};

/* What `done` reaches when all is built from nothing. */
uint64_t build_work(const struct build_plan *p, const struct build_options *o);

/* The most that the scratch directory can come to hold: the tables that are finished and
 * wanted again at one time, unpacked; 0 if memory has room for all of them. */
uint64_t build_scratch_most(const struct build_plan *p, const struct build_options *o);

enum status build_run(const struct build_plan *plan, const struct build_options *options,
                      struct error *e);

#endif
