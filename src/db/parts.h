/* SPDX-License-Identifier: MIT
 *
 * parts.h -- solve a slice that does not fit into memory, part by part.
 *
 * The tables of such a slice are mapped files in the scratch directory (swap.h), and the system
 * keeps in memory what is in use.  A part is a range of the placements of one side's men.  A man's
 * step leads to a placement of higher rank, so parts are solved from the highest ranks down and
 * read what earlier parts wrote; the data of one part lies close together.  After each part its
 * values are synced to disk, and its checksum is added to a journal beside the tables:
 *
 *     OFFSET    SIZE  FIELD
 *     0         8     "KELSOPRT"
 *     8         4     version, 1
 *     12        4     kings, men, opponent's kings and men, a byte each
 *     16        2     kind;  18: form, 2 bytes
 *     20        4     parts in all
 *     24        8     parts that are done
 *     32        8 d   checksum of the values of each (xxh3)
 *     32 + 8 d  8     checksum of everything before
 *
 * (G1) The values do not depend on the number of parts.
 * (G2) A killed builder loses at most the current part; a part that was damaged since is
 *      detected before it is used.
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
    uint64_t part_bytes;         /* the maximum size of a part */
    const char *journal;         /* its path */
    bool kept;                   /* the tables may hold parts of an earlier run */
    _Atomic uint64_t *done;      /* may be NULL */
};

enum status parts_solve(const struct parts_job *j, struct error *e);

#endif
