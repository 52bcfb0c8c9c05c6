/* SPDX-License-Identifier: MIT
 *
 * dfpn.h -- depth-first proof-number search: can this side force a win?
 *
 * Nagai's df-pn over an exact table, shared by all threads.  Play that never ends is no
 * win, so the attacker has to reach a won position in finitely many moves, and the
 * defender holds if he can go on for ever.
 *
 * Positions that come back (the graph-history interaction).  A proof never rests on a
 * repetition: it is a finite tree, right whatever went before.  A disproof may: "this
 * leads back to a position above, so it is no win" holds if the position above is no win.
 * Kishimoto and Mueller (2003, 2004) keep such a disproof with the path that it was found
 * on and check it by simulation when it is met on another.  Here it is kept as tentative
 * and used by all paths at once; and when the root comes to rest on tentative disproofs,
 * all those that it rests on are checked together (closure.h): a set of positions in
 * which every move of the attacker stays inside, and in each position of the defender
 * some move does, holds for ever.  What passes is disproven for good, without any path;
 * what does not is open again, and the search goes on.
 *
 * (D1) DFPN answers PN_PROVEN and PN_DISPROVEN do not depend on a path, a hash collision
 *      or a number that was estimated.
 * (D2) it ends at the limits, at `stop`, or with an answer.
 *
 * A struct dfpn answers one question at a time; inside it uses its own threads. */
#ifndef KELSO_PROOF_DFPN_H
#define KELSO_PROOF_DFPN_H

#include "proof/estimate.h"
#include "db/tables.h"
#include "proof/pn_table.h"

#include <stdatomic.h>

struct dfpn_knobs {
    struct estimate_knobs estimate;
    int slack, patience; /* how much further a move may go than its rival before we turn to
                            that, in per cent: for the attacker, for the defender */
    int sum; /* add up what all children need, rather than the largest and 1 for each other */
    bool trust_repetitions; /* for tests: believe tentative disproofs unchecked */
};

extern const struct dfpn_knobs dfpn_default;

struct dfpn_options {
    const struct tables *tables;
    uint64_t memory; /* for the table */
    int threads;
    struct dfpn_knobs knobs;
    bool cpu_time;           /* seconds are the processor's, of all threads together */
    const atomic_bool *stop; /* not owned; may be NULL */
    _Atomic uint64_t *done;  /* counts positions expanded; may be NULL */
};

struct dfpn_limits {
    double seconds; /* 0: none */
    uint64_t nodes; /* expansions; 0: none */
};

struct dfpn_work {
    uint64_t nodes;   /* positions expanded, each time again */
    uint64_t moves;   /* positions generated */
    uint64_t probes;  /* answered by tables */
    uint64_t checks;  /* closures, and ... */
    uint64_t checked; /* positions that they looked at */
    double seconds;
};

struct dfpn;

enum status dfpn_open(struct dfpn **d, const struct dfpn_options *o, struct error *e);
void dfpn_close(struct dfpn **d);

/* Forget everything; otherwise a question starts from what earlier ones found. */
void dfpn_clear(struct dfpn *d);

/* Another position: keep what is known, as far as there is room for both. */
void dfpn_next(struct dfpn *d);

/* Can `attacker` force a win from b?  PN_OPEN where the limits came first.  `work` is
 * added to. */
enum status dfpn_ask(struct dfpn *d, const struct board *b, enum side attacker,
                     struct dfpn_limits limits, enum pn_state *verdict, struct dfpn_work *work,
                     struct error *e);

struct pn_table *dfpn_table(struct dfpn *d);

#endif
