/* SPDX-License-Identifier: MIT
 *
 * audit.h -- re-solve a random sample of a store's records.
 *
 * A store may be damaged in ways that no checksum detects, or may have been filled by a faulty
 * machine.  The audit draws a sample of the records that claim something, solves each from scratch
 * and compares the results.
 *
 * (A1) A record is wrong if its bounds and the new ones have no value in common; the first such
 *      record is named.
 * (A2) The same seed draws the same records from the same store.
 *
 * The caller owns all arguments.  One thread. */
#ifndef KELSO_PROOF_AUDIT_H
#define KELSO_PROOF_AUDIT_H

#include "proof/store.h"

struct audit_options {
    struct dfpn *dfpn;
    double share;   /* of the records that claim something: 0 to 1 */
    double seconds; /* for each record */
    uint64_t seed;
    const atomic_bool *stop; /* may be NULL */
    _Atomic uint64_t *done;  /* counts records; may be NULL */
};

struct audit_report {
    uint64_t records;                  /* that claim something */
    uint64_t agreed, undecided, wrong; /* of those solved again */
};

/* Records are drawn before anything is solved.  STATUS_MISMATCH names the first wrong record;
 * the others are still solved.  STATUS_INTERRUPTED when stopped. */
enum status audit_store(struct store *s, const struct audit_options *o, struct audit_report *out,
                        struct error *e);

#endif
