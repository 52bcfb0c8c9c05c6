/* SPDX-License-Identifier: MIT
 *
 * parts.h -- solve a slice that memory has no room for, part by part.
 *
 * The tables of such a slice are files of the scratch directory, mapped into memory
 * (shelf.h), and the system keeps in memory what is in use.  A part is a range of the
 * placements of one side's men.  A man's step leads to a placement of higher rank, so
 * parts go from the highest ranks down and read what earlier ones wrote; what a part
 * touches lies close together.  After each part its values are brought to the disk, and
 * a journal beside the tables takes its checksum:
 *
 *     OFFSET    SIZE  FIELD
 *     0         8     "KELSOPRT"
 *     8         4     version, 1
 *     12        4     kings, men, opponent's kings and men, a byte each
 *     16        4     kind
 *     20        4     parts in all
 *     24        8     parts that are done
 *     32        8 d   checksum of the values of each (xxh3)
 *     32 + 8 d  8     checksum of all before
 *
 * (G1) the values do not depend on the number of parts.
 * (G2) a builder that is killed loses at most the part in work; a part that was damaged
 *      since is found out before it is used.
 *
 * One thread calls; the crew works. */
#ifndef KELSO_DB_PARTS_H
#define KELSO_DB_PARTS_H

#include "db/blocks.h"

struct parts_job {
    struct crew *crew;
    struct workspaces *workspaces;
    const struct sets *sets;
    struct slice slice; /* canonical */
    enum kind kind;
    const struct block_job *job; /* as for blocks_solve */
    uint64_t part_bytes;         /* how large a part's values may be */
    const char *journal;         /* its path */
    bool kept;                   /* the tables may hold parts of a run before */
    _Atomic uint64_t *done;      /* may be NULL */
};

enum status parts_solve(const struct parts_job *j, struct error *e);

#endif
