/* SPDX-License-Identifier: MIT
 *
 * stored_claims.h -- the claims that a store has for the answer to a question.
 *
 * A search leaves the claims of its answer under the question.  It may have lost them: a search
 * that is decided by what earlier ones left in its table cannot write down all of the proof.  Then
 * the answer often follows from other records of the store, which have their own claims: one
 * sufficient move, or all moves, lead to positions that the tables or the store answer.
 *
 * (S1) Whatever is added has been checked by itself (check.h), or follows by the rules from claims
 *      added before it, so wins depend only on earlier claims.
 * (S2) The search ends: each round finds an answer that was not there before, and at most
 *      STORED_CLAIMS_MAX questions are tried for one answer.
 *
 * The caller owns all pointers and calls stored_claims_free.  One thread. */
#ifndef KELSO_PROOF_STORED_CLAIMS_H
#define KELSO_PROOF_STORED_CLAIMS_H

#include "proof/certificate.h"
#include "proof/position_map.h"
#include "proof/store.h"

enum { STORED_CLAIMS_MAX = 1 << 16, STORED_CLAIMS_QUESTIONS = 4 };

struct stored_claims {
    struct store *store; /* NULL: it has nothing */
    const struct tables *tables;
    const atomic_bool *stop; /* may be NULL */
    struct certificate *out; /* where claims are added */

    /* Called for claims that cannot be used, with the reason; may be NULL. */
    void (*tell)(void *context, const char *what);
    void *context;

    struct position_map tried[STORED_CLAIMS_QUESTIONS]; /* by attacker and answer */
    struct position_map found[STORED_CLAIMS_QUESTIONS];
    int count, answers; /* questions tried, and found */
};

void stored_claims_free(struct stored_claims *s);

/* Add the claims for the answer to a question; *found says whether the store had them.  Claims may
 * be added that turn out not to be needed. */
enum status stored_claims_add(struct stored_claims *s, const struct pack_question *q, bool *found,
                              struct error *e);

#endif
