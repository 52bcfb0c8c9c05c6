/* SPDX-License-Identifier: MIT
 *
 * certificate_prune.h -- leave out the claims that a certificate does not need.
 *
 * Claims that were put together from several sources, or with other tables, say more than the root
 * rests on: from the root down, a line ends where the tables know the answer.
 *
 * (Z1) what the checker accepted it accepts afterwards, and the order of the claims stays.
 *
 * One thread. */
#ifndef KELSO_PROOF_CERTIFICATE_PRUNE_H
#define KELSO_PROOF_CERTIFICATE_PRUNE_H

#include "db/tables.h"
#include "proof/certificate.h"

/* No claim may come twice (certificate_unique). */
enum status certificate_prune(struct certificate *c, const struct tables *t, struct error *e);

#endif
