/* SPDX-License-Identifier: MIT
 *
 * prover.h -- the search behind the manager: a position, a threshold and what is known
 * of it go in, bounds and a score come out.
 *
 * First the player looks at the position; if its score is not far outside the threshold
 * (twice), the solver tries to prove something (Schaeffer et al. 2005, figure 4).  A
 * prover knows nothing of trees, stores or other provers: threads, processes or other
 * machines can run one each.
 *
 * A prover belongs to one thread at a time. */
#ifndef KELSO_PROOF_PROVER_H
#define KELSO_PROOF_PROVER_H

#include "core/move.h"
#include "proof/solve.h"

struct prover_options {
    const struct tables *tables;
    uint64_t memory;         /* of this prover */
    const atomic_bool *stop; /* not owned; may be NULL */
};

/* How long to search. */
struct prover_limits {
    double look, solve;               /* seconds for the player, for the solver */
    uint64_t look_nodes, solve_nodes; /* or positions, if not 0: for tests */
};

struct prover_task {
    struct board board;
    int threshold;
    struct bounds known;
    bool idle[2]; /* by side: nobody asks whether it wins */
    struct prover_limits limits;
    bool fresh;     /* forget first what earlier searches found */
    uint64_t avoid; /* a worker that should leave it to another; 0: none */
};

struct prover_result {
    uint64_t id;     /* of the task (provers.h) */
    uint64_t worker; /* who found it: 0, or a number of its own */
    struct board board;
    struct bounds bounds;
    int moves;                             /* if `solved` and the bounds are open: */
    struct solve_numbers after[MOVES_MAX]; /* for each, in the order of moves_generate */
    int score;                             /* for the side to move, hundredths of a man */
    int threshold;
    bool solved; /* the solver was asked */
    uint64_t nodes;
    double seconds;
};

struct prover;

enum status prover_open(struct prover **b, const struct prover_options *o, struct error *e);
void prover_close(struct prover **b);

/* STATUS_MISMATCH if player and solver contradict each other. */
enum status prover_run(struct prover *b, const struct prover_task *task, struct prover_result *out,
                       struct error *e);

#endif
