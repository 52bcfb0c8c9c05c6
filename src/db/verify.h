/* SPDX-License-Identifier: MIT
 *
 * verify.h -- check tables by the rules of the game alone.
 *
 * Every stored value is computed again from its successors: plain move generation, each
 * successor probed.  The statistics in the headers are recounted, all checksums are verified,
 * MANIFEST is compared with the files, and flat and quick files with their tables.  Nothing is
 * shared with the builders except core/ and the table reader.
 *
 * This proves that no value contradicts another.  It does not prove draws: if every win in some
 * closed set of positions were stored as a draw, no value would contradict another.  Only an
 * independent solution proves draws (tests/kit/brute.h, for the smallest slices); for other
 * slices the counts of wins agree between tables of different kinds.
 *
 * (Z1) With the same options and any number of threads, the same positions are checked and the
 *      same faults found; only their order may differ.
 *
 * The catalog belongs to the caller.  verify_run is called by one thread and starts others;
 * reports come one at a time. */
#ifndef KELSO_DB_VERIFY_H
#define KELSO_DB_VERIFY_H

#include "db/probe.h"

#include <stdatomic.h>

struct verify_fault {
    char text[600]; /* one line; the other fields give the same in numbers */
    bool has_position;
    struct slice slice; /* of the side to move */
    enum kind kind;
    uint64_t index;
    struct board board;
    struct outcome stored, expected;
};

struct verify_options {
    const struct slice *slice; /* only this one and its mirror; NULL: all */
    double fraction;           /* of the positions: 1 for all; statistics need all */
    uint64_t seed;             /* selects the positions, if not all */
    int threads;
    uint64_t cache;          /* for decoded pages */
    int faults_max;          /* stop after this many */
    const atomic_bool *stop; /* may be NULL */
    _Atomic uint64_t *done;  /* positions done, of verify_work; may be NULL */
    void (*begin)(void *context, struct slice s);
    void (*report)(void *context, const struct verify_fault *f);
    void *context;
};

struct verify_result {
    uint64_t checked; /* values recomputed */
    int tables;       /* files checked */
    int flat, quick;  /* and flat and quick files beside them */
    int faults;
};

/* The final value of `done`. */
uint64_t verify_work(const struct catalog *c, const struct verify_options *o);

/* STATUS_OK: no fault; STATUS_MISMATCH: faults found; any other: the check could not be
 * completed. */
enum status verify_run(struct catalog *c, const struct verify_options *o, struct verify_result *r,
                       struct error *e);

#endif
