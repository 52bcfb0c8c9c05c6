/* SPDX-License-Identifier: MIT
 *
 * certificate_prune.h -- remove the claims that a certificate does not need.
 *
 * Claims collected from several sources, or with other tables, may include more than the root
 * depends on.  Starting at the root, a line ends where the tables know the answer; claims that are
 * not reached are removed.
 *
 * (Z1) A certificate that the checker accepts is still accepted afterwards, and the order of the
 *      claims is kept.
 *
 * One thread. */
#ifndef KELSO_PROOF_CERTIFICATE_PRUNE_H
#define KELSO_PROOF_CERTIFICATE_PRUNE_H

#include "db/tables.h"
#include "proof/certificate.h"

/* No claim may occur twice (certificate_unique). */
enum status certificate_prune(struct certificate *c, const struct tables *t, struct error *e);

#endif
