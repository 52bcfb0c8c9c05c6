/* SPDX-License-Identifier: MIT
 *
 * proof_status.h -- how far the proofs in a store have come, in words or as JSON.
 *
 * What is known of each position that was asked, the size of the tree, its leaves, the work so
 * far and an estimate of what is left.  A manager may be writing to the store meanwhile.
 *
 * One thread; the stream belongs to the caller. */
#ifndef KELSO_REPORT_PROOF_STATUS_H
#define KELSO_REPORT_PROOF_STATUS_H

#include "proof/store.h"

#include <stdio.h>

/* `tables` may be NULL; what the tables know is no leaf. */
enum status proof_status_print(FILE *out, struct store *store, const struct tables *tables,
                               bool json, struct error *e);

#endif
