/* SPDX-License-Identifier: MIT
 *
 * scratch.h -- the names in a scratch directory, and what is left there in the end.
 *
 * A builder keeps tables and parts of tables in "SLICE.KIND.END" (swap.h, parts.h, part_log.h).
 * Each rank of a team has a directory of its own below the scratch directory, whose name says how
 * tables are divided.  So a builder that was killed may leave what the next one does not use: if
 * that has another number of ranks, other slices or other kinds.  Whoever finishes removes all.
 *
 * (A1) scratch_clear removes only files with such names, and directories of ranks that are then
 *      empty.
 * (A2) It removes nothing from a directory that another builder has locked.
 *
 * Plain functions; any thread. */
#ifndef KELSO_DB_SCRATCH_H
#define KELSO_DB_SCRATCH_H

#include "db/slice.h"
#include "db/value.h"

enum {
    SCRATCH_PATH_MAX = 4096,
    SCRATCH_NAME_MAX = 48, /* of a file, with the slash before it */
    SCRATCH_RANK_MAX = 40,
};

/* "DIR/SLICE.KIND.END"; returns path. */
char *scratch_path(char path[SCRATCH_PATH_MAX], const char *dir, enum kind kind, struct slice table,
                   const char *end);

/* Split a name into its slice and kind; false if it has another spelling or another end. */
bool scratch_parse(const char *name, const char *end, struct slice *table, enum kind *kind);

/* "3-of-16" for rank 2 of 16 that have shares of tables, "3-of-16-whole" if each has all; returns
 * name. */
char *scratch_rank(char name[SCRATCH_RANK_MAX], int rank, int ranks, bool whole);

/* Remove what builders left in `dir` and in the directories of ranks below it.  What cannot be
 * removed stays. */
void scratch_clear(const char *dir);

#endif
