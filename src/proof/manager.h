/* SPDX-License-Identifier: MIT
 *
 * manager.h -- manage the top of a proof: choose what to search next until the root is proven.
 *
 * The manager of Schaeffer et al. (2005, figure 3).  It keeps the tree (tree.h) in a store,
 * selects the most important positions by proof numbers relative to a threshold, and gives them
 * to provers.  A search without a result returns numbers for each move of its position, and
 * these guide the next choice.
 *
 * A position whose score lies outside the threshold provisionally counts as won or lost.  When
 * the root is settled that way, the threshold rises, until no value depends on a score.  Given
 * a seed line of play, the manager settles its last position first and works back to the root.
 *
 * Nothing in the cost of a result is proportional to the tree: sets and numbers are recomputed only
 * along the ancestors of its position (tree.h, numbers.h).  Results that arrive together share the
 * computation of numbers, and are committed together.
 *
 * (M1) A result is acknowledged (provers_kept) after it is on disk, and the manager never waits
 *      before that is done.  It can be stopped or killed at any time; the next run resumes from
 *      there.  The claims that support a result (prover_claims) go to the disk with it.
 * (M2) Values come from records and from sets closed over the graph (tree.h, F1); numbers only
 *      select what to search.
 * (M3) A result that contradicts the store ends the run; it is recorded in the store as the text
 *      "contradiction".
 * (M4) It does not wait for stragglers: at the end of a threshold pending tasks continue into
 *      the next, and at the end of a run they are forgotten.
 * (M5) A share `audit` (0 to 1) of the searches that prove something is repeated from scratch,
 *      if possible by another worker; a contradiction is handled as in (M3).  A proof counts as
 *      finished only after these.
 * (M6) What one long search can prove is not left to many short ones: a deep search of the position
 *      to settle goes on beside them, in at most two thirds of the time, until the searches of that
 *      position, in all runs, have taken `deepest` times the limits.
 *
 * The caller owns store, tables and provers.  One thread. */
#ifndef KELSO_PROOF_MANAGER_H
#define KELSO_PROOF_MANAGER_H

#include "proof/tree.h"
#include "proof/provers.h"

/* Larger than any score: at this threshold only proven results count. */
enum { MANAGER_WIN = 10001 };

struct manager_report {
    int threshold;
    uint64_t searches;    /* this run */
    uint64_t positions;   /* in the store: those that have a record */
    uint64_t tree;        /* of this root: with all successors, searched or not */
    uint64_t commits;     /* groups of results committed to disk */
    uint64_t evaluations; /* of the whole tree */
    uint64_t visits;      /* of nodes, to compute numbers and to choose (numbers.h) */
    uint64_t audits;      /* results confirmed by a second search */
    struct bounds root;
    int seed_ply; /* the ply of the seed line being worked on */
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
    double audit;             /* share of the results to repeat: 0 to 1 */
    double deepest;           /* the deep search, at most, in searches; 0: none */
    const atomic_bool *stop;  /* not owned; may be NULL */
    void (*report)(void *context, const struct manager_report *r); /* may be NULL */
    void *context;
};

/* STATUS_INTERRUPTED when stopped, or at the limit of searches; *out says how far it got.  The root
 * may be proven then, before all audits were done. */
enum status manager_run(const struct manager_options *o, struct manager_report *out,
                        struct error *e);

#endif
