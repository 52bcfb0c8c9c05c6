/* SPDX-License-Identifier: MIT
 *
 * build.h -- make a directory of tables.
 *
 * Slices are built smallest first, each after every slice that a move can lead to.  For each
 * slice: load the tables it needs, solve its blocks, write its files.  Win/loss/draw files are
 * always written, because distance files depend on them.
 *
 * (Y1) Finished slices are not built again; for a complete directory only the header of each
 *      file is read.
 * (Y2) The builder can be stopped or killed at any time; the next run resumes with the slice it
 *      was working on.
 * (Y3) One builder at a time: the directory is locked.
 * (Y4) The files are the same bytes for any number of threads and ranks and any memory budget.
 *
 * With a team (team.h), each rank calls build_run with the same plan and kinds.  The ranks
 * divide the blocks of a slice and the pages of its files.  Each holds all tables that the slice
 * reads; but if some slice and what it reads are too large for some rank, then in the whole build
 * each rank holds only its share of every table and fetches what it reads (spread.h).  Only rank 0
 * has a directory; it sends the others what they lack.
 *
 * build_run is called by one thread and starts others.  Callbacks come from the caller's thread
 * and from at most one monitor thread at a time. */
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

/* Every slice that can be numbered can be built, memory and time permitting. */
enum { BUILD_PIECES_MAX = PIECES_MAX };

/* All slices of at most `pieces` pieces, at most `side` on each side ... */
enum status build_plan_all(struct build_plan *p, int pieces, int side, struct error *e);
/* ... or one slice and everything it depends on. */
enum status build_plan_slice(struct build_plan *p, struct slice s, struct error *e);
void build_plan_free(struct build_plan *p);

/* Values of a slice, both sides to move. */
uint64_t slice_values(struct slice s);

/* The tables (side to move first) that a slice reads across a conversion, for either side to
 * move: fewer than SLICE_CODES. */
int slice_reads(struct slice s, struct slice *list);

/* The same for the first side to move, the opponent to move in all of them; by captures alone, or
 * by crowning as well. */
int slice_reads_mover(struct slice s, bool crowning, struct slice *list);

/* The longest win of seven pieces takes 253 plies: up to then a distance fits a byte. */
enum { DTW_BYTE_PIECES = 7 };

struct build_report { /* a slice is finished */
    struct slice slice;
    int number, of;
    bool built; /* false: the files were already there */
    uint64_t values;
    double seconds, cpu_seconds; /* CPU of all ranks */
    double saving;               /* the part of `seconds` spent writing files */
    uint64_t bytes[KINDS];       /* of the files; 0 where none was written */
    uint64_t decoded;            /* values read back from files ... */
    uint64_t unpacked;           /* ... and from the swap */
    uint64_t scratch;            /* bytes in the scratch directory */
    uint64_t fetched;            /* bytes of tables that came from other ranks, ... */
    uint64_t put;                /* ... and that went to them; of all ranks */
    uint32_t parts;              /* that ranks with shares solved, ... */
    uint32_t parts_kept;         /* ... and that an earlier run had finished */
};

struct build_options {
    const char *dir;     /* used by rank 0 */
    struct team *team;   /* may be NULL */
    const char *scratch; /* a directory for tables that do not fit into memory, or NULL; each rank
                            of a team has one of its own below it */
    uint64_t part_bytes; /* with scratch or shares: slices with larger tables are solved in parts of
                            this size; 0: only slices that do not fit into memory, in parts of a
                            sixteenth of it or as few as ranks with shares have room for */
    bool kind[KINDS];
    bool nine;   /* hold distances to the win in nine bits even if a byte will do: tests compare */
    bool spread; /* let the ranks of a team divide tables even if each has room for all: as above */
    int threads;
    uint64_t memory;
    enum kernel_isa isa;
    const atomic_bool *stop; /* may be NULL */
    _Atomic uint64_t *done;  /* counts values of finished work, of plan.values * steps */
    void (*report)(void *context, const struct build_report *r);    /* may be NULL */
    void (*begin)(void *context, struct slice s, const char *step); /* may be NULL */
    void *context;
};

/* The final value of `done` for a build from an empty directory. */
uint64_t build_work(const struct build_plan *p, const struct build_options *o);

/* An upper bound on the bytes in the scratch directory: finished tables that are needed again
 * at one time, unpacked.  0 if all of them fit into memory. */
uint64_t build_scratch_most(const struct build_plan *p, const struct build_options *o);

enum status build_run(const struct build_plan *plan, const struct build_options *options,
                      struct error *e);

#endif
