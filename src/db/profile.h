/* SPDX-License-Identifier: MIT
 *
 * profile.h -- where a search looks in the tables, and what it waits for there.
 *
 * While counts are attached to tables (tables_profile), every value that is looked up in a wld
 * table counts as a probe of its slice.  A position with captures is not in a table: it counts as
 * the probes of the positions that its captures lead to.  If a page, a part or a chapter has to be
 * decoded or read first, that counts as a decode, with the time it took.  Both mirrors of a slice
 * count together.
 *
 * A profile file is text, a line for each slice; lines that are empty or begin with # are skipped:
 *
 *     # slice probes decodes seconds
 *     2K1C-1K2C 81234 912 0.051230
 *
 * (P1) No probe is lost: the sum over the slices is the number of values that were looked up, for
 *      any number of threads.
 * (P2) Reading takes what was written; anything else is an error that names line and reason.
 *
 * Counting is safe on any thread; read the counts when the search has ended. */
#ifndef KELSO_DB_PROFILE_H
#define KELSO_DB_PROFILE_H

#include "base/status.h"
#include "db/slice.h"

#include <stdatomic.h>
#include <time.h>

struct profile_count {
    _Atomic uint64_t probes, decodes, nanoseconds;
};

struct profile {
    clockid_t clock;            /* for decodes: CLOCK_MONOTONIC, or CLOCK_THREAD_CPUTIME_ID */
    _Atomic uint64_t positions; /* answered by tables_value and tables_at_hand */
    struct profile_count of[SLICE_CODES]; /* by slice_code, each mirror on its own */
};

struct profile_line {
    struct slice slice; /* canonical */
    uint64_t probes, decodes;
    double seconds; /* spent on the decodes, by all threads together */
};

static inline void profile_probe(struct profile *p, struct slice s)
{
    atomic_fetch_add_explicit(&p->of[slice_code(s)].probes, 1, memory_order_relaxed);
}

static inline void profile_position(struct profile *p)
{
    atomic_fetch_add_explicit(&p->positions, 1, memory_order_relaxed);
}

void profile_decode(struct profile *p, struct slice s, double seconds);

/* The slices that were asked, those that took most time first.  Returns their number. */
int profile_lines(const struct profile *p, struct profile_line lines[SLICE_CODES]);

enum status profile_write(const char *path, const struct profile_line *lines, int n,
                          struct error *e);

/* In the order of the file. */
enum status profile_read(const char *path, struct profile_line lines[SLICE_CODES], int *n,
                         struct error *e);

#endif
