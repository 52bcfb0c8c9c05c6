/* SPDX-License-Identifier: MIT
 *
 * dfpn.h -- depth-first proof-number search: can this side force a win?
 *
 * Nagai's df-pn over an exact table, shared by all threads.  Endless play is not a win: the
 * attacker must reach a won position in finitely many moves, and the defender holds if play can
 * go on forever.
 *
 * Repetitions (the graph-history interaction problem).  A proof never depends on a repetition:
 * it is a finite tree, valid for every path.  A disproof may depend on one: "this leads back to
 * a position above, so it is not a win" is valid only if the position above is not a win.
 * Kishimoto and Mueller (2003, 2004) store such a disproof with its path and check it by
 * simulation when another path meets it.  Here it is stored as tentative and used on all
 * paths.  When the root depends on tentative disproofs, all of them are checked together
 * (closure.h): the defender holds a set of positions in which every move of the attacker stays
 * inside, and in each position of the defender some move does.  Positions that pass are
 * disproven independent of any path; the others are reopened, and the search continues.
 *
 * (D1) The answers PN_PROVEN and PN_DISPROVEN do not depend on a path, a hash collision or an
 *      estimate.
 * (D2) The search ends at its limits, on `stop`, or with an answer.
 *
 * A struct dfpn belongs to one thread and answers one question at a time, on threads of its
 * own.  It owns its table; the endgame tables are the caller's. */
#ifndef KELSO_PROOF_DFPN_H
#define KELSO_PROOF_DFPN_H

#include "db/tables.h"
#include "proof/pn_table.h"

#include <stdatomic.h>

struct dfpn_knobs {
    int slack, patience; /* how far, in per cent, a move may exceed its best rival before the
                          * search switches: for the attacker, for the defender */
    int sum; /* sum the numbers of all children, instead of the largest plus 1 for each other */
    bool trust_repetitions; /* for tests: do not check tentative disproofs */
    bool forgetful;         /* for tests: find out everything about each position again */
};

extern const struct dfpn_knobs dfpn_default;

struct dfpn_options {
    const struct tables *tables;
    uint64_t memory; /* for the table */
    int threads;
    struct dfpn_knobs knobs;
    bool cpu_time;           /* seconds are CPU time, summed over all threads */
    const atomic_bool *stop; /* not owned; may be NULL */
    _Atomic uint64_t *done;  /* counts positions expanded; may be NULL */
};

struct dfpn_limits {
    double seconds; /* 0: none */
    uint64_t nodes; /* expansions; 0: none */
};

struct dfpn_work {
    uint64_t nodes;   /* expansions, counting repeats */
    uint64_t moves;   /* positions generated */
    uint64_t probes;  /* looked up in tables */
    uint64_t checks;  /* closures ... */
    uint64_t checked; /* ... and the positions they examined */
    double seconds;
};

struct dfpn;

enum status dfpn_open(struct dfpn **d, const struct dfpn_options *o, struct error *e);
void dfpn_close(struct dfpn **d);

/* From the next question on, end when *stop is set; NULL: do not. */
void dfpn_stop_on(struct dfpn *d, const atomic_bool *stop);

/* Clear the table; otherwise a question starts from what earlier ones found. */
void dfpn_clear(struct dfpn *d);

/* Start on another position.  What is known is kept while there is room for more; a table that is
 * full is cleared, because a proof that rests on entries of earlier searches cannot be extracted
 * once the entries beneath them are lost. */
void dfpn_next(struct dfpn *d);

/* Can `attacker` force a win from b?  PN_OPEN if a limit was reached first.  Adds to `work`. */
enum status dfpn_ask(struct dfpn *d, const struct board *b, enum side attacker,
                     struct dfpn_limits limits, enum pn_state *verdict, struct dfpn_work *work,
                     struct error *e);

struct pn_table *dfpn_table(struct dfpn *d);
uint64_t dfpn_memory(const struct dfpn *d); /* for the table, at most */

/* The time on the clock that its limits go by, in seconds. */
double dfpn_clock(const struct dfpn *d);

#endif
