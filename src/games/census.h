/* SPDX-License-Identifier: MIT
 *
 * census.h -- the unique positions after each ply.
 *
 * Ply by ply, breadth first, without a hash table: every ply is a sorted set of exact
 * codes (code.h) in a square of cells (ply.h).  To make the next ply, a worker takes one
 * column: its quiet children all fall into one row, so they meet their duplicates in
 * memory.  Captures fall into rows with fewer pieces, which are processed later; they wait
 * in a spill (spill.h).  Then the row is sorted, and positions of earlier plies are
 * removed.
 *
 * (N1) plain: a position counts at the first ply at which it occurs.  bryant: a position and its
 *      colour-flipped twin count as one, as in Table 1 of his study.
 * (N2) With a directory, plies 0 to plies - 1 are kept there as files, each complete or absent; a
 *      run resumes after the last complete one.  The last ply is counted but not kept, unless
 *      requested.  A directory that holds the census of another start or another way of counting is
 *      refused.
 * (N3) Counts and files are the same for any number of threads and any memory.
 * (N4) Nothing is counted twice or lost: a full disk, a damaged file or a position that has no code
 *      ends the run with an error.
 *
 * census_run blocks; the report is called from its worker threads, one at a time. */
#ifndef KELSO_GAMES_CENSUS_H
#define KELSO_GAMES_CENSUS_H

#include "games/ply.h"

enum { CENSUS_PLIES_MAX = 24 };

struct census_report {
    int ply;
    int rows_done, rows;
    uint64_t count;          /* of this ply, so far */
    uint64_t expanded, size; /* positions of the previous ply: done, and in total */
};

struct census_options {
    const struct board *start; /* NULL: the start of the game */
    int plies;
    enum census_counting counting;
    const char *dir; /* NULL: all in memory */
    bool keep_last;
    size_t memory; /* bytes for all workers together; 0: 1 GiB */
    int threads;   /* 0: one */
    /* Return false to stop. */
    bool (*report)(void *context, const struct census_report *report);
    void *context;
};

struct census {
    int plies; /* counted */
    uint64_t count[CENSUS_PLIES_MAX + 1];
    bool kept[CENSUS_PLIES_MAX + 1];
    struct ply ply[CENSUS_PLIES_MAX + 1]; /* where kept */
    uint64_t spill_peak;                  /* bytes */
    struct ply_question question;
    struct code_tables *tables;
    struct bands bands;
};

enum status census_run(struct census *c, const struct census_options *options, struct error *e);

/* Frees the memory; files stay. */
void census_close(struct census *c);

#endif
