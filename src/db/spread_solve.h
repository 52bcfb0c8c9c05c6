/* SPDX-License-Identifier: MIT
 *
 * spread_solve.h -- solve a slice whose tables, and those it reads, are divided among ranks.
 *
 * Parts are ranges of one side's men, from the highest rank down, as in parts.h.  Within a part the
 * work goes level by level, as in blocks.h, and the ranks divide the blocks of a level.  A rank
 * takes its blocks in batches: it brings what a batch reads (reads.h, spread.h), solves it, and
 * puts the blocks to their owners.  While a batch is solved, a thread brings what the next one
 * reads of finished tables.  A finished part is a checkpoint (part_log.h).
 *
 * The same way serves two more jobs, which have neither parts nor levels: to compute the values of
 * captures in a table that was read from its file, and to derive win/loss/draw from distances.
 *
 * (D1) The values do not depend on the number of ranks, threads, parts or batches.
 * (D2) A batch reads at most half of `room`, or is a single block.
 *
 * All ranks call it together, each on one thread; the crew works. */
#ifndef KELSO_DB_SPREAD_SOLVE_H
#define KELSO_DB_SPREAD_SOLVE_H

#include "db/blocks.h"
#include "db/spread.h"

enum spread_work { SPREAD_SOLVE, SPREAD_REFILL, SPREAD_PACK };

struct spread_job {
    struct crew *crew;
    struct workspaces *workspaces; /* of the slice; NULL to pack */
    const struct sets *sets;
    struct spread *spread; /* has views of all tables that are read and written */
    enum spread_work work;
    struct slice slice;     /* canonical to solve; else the table */
    enum kind kind, across; /* what is written; what is read across a conversion, or packed */
    uint64_t room;          /* bytes for what is brought */
    uint64_t part_bytes;    /* of the tables, in a part at most; 0: as many as there is room for */
    const char *log;        /* the path of a log of parts, or NULL */
    _Atomic uint64_t *done; /* may be NULL: counts the values of all ranks */
};

enum status spread_run(const struct spread_job *j, struct error *e);

#endif
