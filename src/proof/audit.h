/* SPDX-License-Identifier: MIT
 *
 * audit.h -- solve a random share of a store's records again.
 *
 * A store may be damaged in ways that no checksum finds, or have been filled by a machine that
 * computes wrongly.  The audit draws records that claim something, solves each afresh and compares.
 *
 * (A1) a record contradicts if the two bounds have no value in common; the first one is named.
 * (A2) the same seed draws the same records of the same store.
 *
 * The caller owns everything that goes in.  One thread. */
#ifndef KELSO_PROOF_AUDIT_H
#define KELSO_PROOF_AUDIT_H

#include "proof/store.h"

struct audit_options {
    struct dfpn *dfpn;
    double share;   /* of the records that claim something: 0 to 1 */
    double seconds; /* for each */
    uint64_t seed;
    const atomic_bool *stop; /* may be NULL */
    _Atomic uint64_t *done;  /* counts records; may be NULL */
};

struct audit_report {
    uint64_t records; /* that claim something */
    uint64_t drawn, agreed, undecided, wrong;
};

/* Records are drawn before anything is solved.  STATUS_MISMATCH names the first that is wrong;
 * the others are still solved.  STATUS_INTERRUPTED when stopped. */
enum status audit_store(struct store *s, const struct audit_options *o, struct audit_report *out,
                        struct error *e);

#endif
