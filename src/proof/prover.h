/* SPDX-License-Identifier: MIT
 *
 * prover.h -- the search that the manager calls: given a position, a threshold and known bounds, it
 * returns new bounds and a score.
 *
 * First the player evaluates the position.  Unless its score exceeds twice the threshold, the
 * solver then tries to prove something (Schaeffer et al. 2005, figure 4).  A prover is
 * independent of trees, stores and other provers, so threads, processes or other machines can
 * each run one.
 *
 * The solver's table is for short searches of many positions, which profit from what their
 * neighbours left there.  A deep search, which goes on from task to task, has its own
 * (deep_search.h).
 *
 * On request a result includes its proof: the claims that answer each question, extracted from
 * the search's table and packed (claim_pack.h).  Entries that the table has lost are searched
 * again at once, in no more time than the solver had, and all of this takes at most 15 seconds
 * longer.
 *
 * (V1) Bounds in a result are proven; the score is an estimate.
 *
 * The caller owns the prover and the tables.  A prover belongs to one thread at a time. */
#ifndef KELSO_PROOF_PROVER_H
#define KELSO_PROOF_PROVER_H

#include "core/move.h"
#include "proof/claim_pack.h"
#include "proof/deep_search.h"
#include "proof/solve.h"

struct prover_options {
    const struct tables *tables;
    uint64_t memory;          /* for this prover */
    const atomic_bool *stop;  /* not owned; may be NULL */
    struct deep_search *deep; /* not owned; shared with other provers; may be NULL */
};

/* The limits of a search. */
struct prover_limits {
    double look, solve;               /* seconds for the player, for the solver */
    uint64_t look_nodes, solve_nodes; /* or positions, if not 0; for tests */
};

/* The table that the solver begins with. */
enum prover_table {
    PROVER_SHARED, /* what earlier searches left */
    PROVER_EMPTY,
    PROVER_DEEP /* the deep search's; without one, or while another prover has it, the shared one */
};

struct prover_task {
    struct board board;
    int threshold;
    struct bounds known;
    bool idle[2]; /* by side: the question whether it wins is not needed */
    struct prover_limits limits;
    enum prover_table table;
    uint32_t claims; /* bytes of packed claims, at most, for each question; 0: none are wanted */
    uint64_t avoid;  /* a worker that should leave the task to another; 0: none */
};

/* What is kept of the proof of an answer. */
enum claims_kept {
    CLAIMS_NONE,  /* no question, nothing new, or answered by the tables */
    CLAIMS_KEPT,  /* packed */
    CLAIMS_LARGE, /* larger than the task allows */
    CLAIMS_LOST   /* the table has lost too much to find it again in time */
};

struct prover_claims {
    enum claims_kept kept;
    bool wins; /* the answer */
    const uint8_t *bytes;
    size_t size;
};

struct prover_result {
    uint64_t id;     /* of the task (provers.h) */
    uint64_t worker; /* the number of the worker, or 0 */
    struct board board;
    struct bounds bounds;
    int moves;                             /* if `solved` and the bounds are open: */
    struct solve_numbers after[MOVES_MAX]; /* for each move, in the order of moves_generate */
    int score;                             /* for the side to move, hundredths of a man */
    int threshold;
    bool solved; /* the solver was run */
    uint64_t nodes;
    double seconds;
    struct prover_claims claims[2]; /* by attacker; the prover's, until its next task */
};

struct prover;

enum status prover_open(struct prover **b, const struct prover_options *o, struct error *e);
void prover_close(struct prover **b);

/* STATUS_MISMATCH if player and solver contradict each other. */
enum status prover_run(struct prover *b, const struct prover_task *task, struct prover_result *out,
                       struct error *e);

#endif
