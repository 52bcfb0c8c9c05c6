/* SPDX-License-Identifier: MIT
 *
 * verify.h -- check tables by the rules of the game alone.
 *
 * Every stored value is computed again from its successors: plain move generation,
 * each successor probed.  The statistics of the headers are counted again, all
 * checksums are looked at, MANIFEST is compared with the files, and flat files with what
 * they were made from.  Nothing is
 * shared with the builders but core/ and the reader of tables.
 *
 * This proves that no value contradicts another.  It does not prove draws: if every
 * win of some set of positions were taken for a draw, no position would notice.  Only
 * an independent solution does (tests/kit/brute.h, for the smallest slices); counts of
 * wins agree between runs of different kinds of tables for the others.
 *
 * (Z1) with the same options and any number of threads, the same positions are looked
 *      at and the same faults found; only their order may differ.
 *
 * verify_run is called by one thread and starts others; reports come one at a time. */
#ifndef KELSO_DB_VERIFY_H
#define KELSO_DB_VERIFY_H

#include "db/probe.h"

#include <stdatomic.h>

struct verify_fault {
    char text[600]; /* one line; the rest says the same in numbers */
    bool has_position;
    struct slice slice; /* of the side to move */
    enum kind kind;
    uint64_t index;
    struct board board;
    struct outcome stored, expected;
};

struct verify_options {
    const struct slice *slice; /* only this one and its mirror; NULL: all that are there */
    double fraction;           /* of the positions: 1 for all; statistics need all */
    uint64_t seed;             /* which ones, if not all */
    int threads;
    uint64_t cache;          /* for decoded pages */
    int faults_max;          /* stop after this many */
    const atomic_bool *stop; /* may be NULL */
    _Atomic uint64_t *done;  /* positions passed, of verify_work; may be NULL */
    void (*begin)(void *context, struct slice s);
    void (*report)(void *context, const struct verify_fault *f);
    void *context;
};

struct verify_result {
    uint64_t checked; /* values that were computed again */
    int tables;       /* files looked at */
    int flat;         /* and flat files beside them */
    int faults;
};

/* What `done` will reach. */
uint64_t verify_work(const struct catalog *c, const struct verify_options *o);

/* STATUS_OK: no fault; STATUS_MISMATCH: some; others: it could not be done. */
enum status verify_run(struct catalog *c, const struct verify_options *o, struct verify_result *r,
                       struct error *e);

#endif
