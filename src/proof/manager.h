/* SPDX-License-Identifier: MIT
 *
 * manager.h -- the top of a proof: which position to search next, until all is proven.
 *
 * The manager of Schaeffer et al. (2005, figure 3).  It keeps the tree (tree.h) in a
 * store, looks for the positions that matter most by proof numbers relative to a
 * threshold, and hands them to provers.  A search that ends without a result leaves
 * numbers for each move of its position, and these say where to search next.
 *
 * A position whose score lies outside the threshold counts as won or lost for the time
 * being; when the root is settled that way the threshold rises, until nothing rests on a
 * score.  Along a line of play given as a seed it settles the last position first and
 * goes back to the root.
 *
 * What a result costs does not depend on the size of the tree: sets and numbers are computed again
 * along the ancestors of its position (tree.h, numbers.h), and results that arrive together are
 * put on the disk together.
 *
 * (M1) a result is acknowledged (provers_kept) after it is on the disk, and the manager waits for
 *      nothing before that is done: whenever it is stopped or killed, the next run goes on from
 *      there.
 * (M2) values come from records and from sets closed over the graph (tree.h, F1); numbers
 *      only choose what to search.
 * (M3) a result that contradicts the store ends the run; the text "contradiction" in the
 *      store keeps it.
 * (M4) it waits for no straggler: neither at the end of a threshold, whose tasks go on into the
 *      next, nor at the end of the run, which forgets them.
 * (M5) `audit`, a share of 1, of the searches that prove something are made a second time, afresh
 *      and where possible by another worker; a contradiction is as in (M3).  A proof is not called
 *      finished before they are.
 *
 * One thread; the provers are its own. */
#ifndef KELSO_PROOF_MANAGER_H
#define KELSO_PROOF_MANAGER_H

#include "proof/tree.h"
#include "proof/provers.h"

/* No score reaches this: at this threshold only proven results count. */
enum { MANAGER_WIN = 10001 };

struct manager_report {
    int threshold;
    uint64_t searches, positions; /* this run; in the tree */
    uint64_t commits;             /* groups of results that were put on the disk */
    uint64_t evaluations;         /* of the whole tree */
    uint64_t audits;              /* results that were found a second time */
    struct bounds root;
    int seed_ply; /* of the seed line, now at work on */
};

struct manager_options {
    struct store *store;
    const struct tables *tables;
    struct provers *provers;
    struct prover_limits limits;
    const struct board *line; /* line[0] is the root, the rest the seed */
    int plies;                /* positions in line, at least 1 */
    int from, step, until;    /* thresholds */
    uint64_t searches;        /* stop after this many; 0: no limit */
    double audit;             /* share of the proofs to find again: 0 to 1 */
    const atomic_bool *stop;  /* not owned; may be NULL */
    void (*report)(void *context, const struct manager_report *r); /* may be NULL */
    void *context;
};

/* STATUS_INTERRUPTED when stopped, or at the limit of searches; *out says how far it came. */
enum status manager_run(const struct manager_options *o, struct manager_report *out,
                        struct error *e);

#endif
