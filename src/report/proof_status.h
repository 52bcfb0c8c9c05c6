/* SPDX-License-Identifier: MIT
 *
 * proof_status.h -- how far the proofs in a store are.
 *
 * What is known of each position that was asked, the size of the tree, its leaves and the
 * work so far, and a guess at what is left.  A prover may be at work on the store meanwhile. */
#ifndef KELSO_REPORT_PROOF_STATUS_H
#define KELSO_REPORT_PROOF_STATUS_H

#include <stdbool.h>

/* Print it.  `dir`: where tables are; if there are none, no leaf counts as known to them.
 * EXIT_BAD after one line on standard error. */
int proof_status(const char *store, const char *dir, bool json);

#endif
