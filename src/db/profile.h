/* SPDX-License-Identifier: MIT
 *
 * profile.h -- count where a search looks into the tables, and what it waits for.
 *
 * While counts are attached to tables (tables_profile), every value that is looked up in a wld
 * table counts as a probe of its slice.  A position with captures is not in a table: the positions
 * that its captures lead to are counted instead.  If a page, a part or a chapter has to be decoded
 * or read first, that counts as a decode, with the time it took.  Both mirrors of a slice count
 * together.
 *
 * A profile file is text, one line per slice; lines that are empty or begin with # are skipped:
 *
 *     # slice probes decodes seconds
 *     2K1C-1K2C 81234 912 0.051230
 *
 * (P1) No probe is lost: for any number of threads, the sum over the slices is the number of values
 *      looked up.
 * (P2) A written profile can be read back; any other text is an error that names the line and the
 *      reason.
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
    struct profile_count of[SLICE_CODES]; /* by slice_code, mirrors separately */
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

/* The slices that were probed, those that took most time first.  Returns their number. */
int profile_lines(const struct profile *p, struct profile_line lines[SLICE_CODES]);

enum status profile_write(const char *path, const struct profile_line *lines, int n,
                          struct error *e);

/* In the order of the file. */
enum status profile_read(const char *path, struct profile_line lines[SLICE_CODES], int *n,
                         struct error *e);

#endif
