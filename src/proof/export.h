/* SPDX-License-Identifier: MIT
 *
 * export.h -- turn the proof in a store into a certificate.
 *
 * Each item of the minimal tree becomes a claim.  For a leaf, which the solver proved, the store
 * has the claims of its search, or other records that it follows from (stored_claims.h).  Claims
 * are checked (check.h) before they are used.  A leaf for which the store has neither, or whose
 * claims do not hold with the current tables, is solved again and written in full.  With `words`,
 * leaves are left for the checker to solve.
 *
 * (E1) Wins depend only on earlier claims, and no claim occurs twice.
 * (E2) No claim is about a position in the tables, and the root depends on each of them.
 *
 * The caller owns all arguments and frees the certificate.  One thread. */
#ifndef KELSO_PROOF_EXPORT_H
#define KELSO_PROOF_EXPORT_H

#include "proof/certificate.h"
#include "proof/minimal.h"

struct export_options {
    struct dfpn *dfpn;       /* solves leaves; not used with `words` */
    double seconds;          /* for each leaf */
    bool words;              /* leave the solver's results without a proof */
    const atomic_bool *stop; /* may be NULL */
    _Atomic uint64_t *done;  /* counts items; may be NULL */

    /* Called for claims that cannot be used, with the reason; may be NULL. */
    void (*tell)(void *context, const char *what);
    void *context;
};

/* Leaves by where their claims came from. */
struct export_report {
    size_t kept;   /* the store */
    size_t solved; /* the solver, just now */
    size_t words;  /* nowhere: left to the checker */
};

/* Make the certificate of the bounds of `root`, from which `m` was made.  STATUS_MISMATCH if a
 * leaf cannot be solved again in time, STATUS_INTERRUPTED when stopped. */
enum status export_certificate(const struct tree *t, uint32_t root, const struct minimal *m,
                               const struct export_options *o, struct certificate *out,
                               struct export_report *report, struct error *e);

#endif
