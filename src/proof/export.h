/* SPDX-License-Identifier: MIT
 *
 * export.h -- the proof that a store holds, as a certificate.
 *
 * Each item of the minimal tree becomes a claim.  What the solver proved is solved again and
 * written out in full, or, with `words`, left as the solver's word for the checker to solve.
 *
 * (E1) claims come in an order in which wins rest on earlier claims only, and no claim comes
 *      twice.
 *
 * The caller owns everything that goes in, and frees the certificate.  One thread. */
#ifndef KELSO_PROOF_EXPORT_H
#define KELSO_PROOF_EXPORT_H

#include "proof/certificate.h"
#include "proof/minimal.h"

struct export_options {
    struct dfpn *dfpn;       /* solves leaves; not used with `words` */
    double seconds;          /* for each leaf */
    bool words;              /* leave the solver's results unproven */
    const atomic_bool *stop; /* may be NULL */
    _Atomic uint64_t *done;  /* counts items; may be NULL */
};

/* The certificate of the bounds of `root`, which `m` was made from.  STATUS_MISMATCH if a leaf
 * is not solved again in time, STATUS_INTERRUPTED when stopped. */
enum status export_certificate(const struct tree *t, uint32_t root, const struct minimal *m,
                               const struct export_options *o, struct certificate *out,
                               struct error *e);

#endif
