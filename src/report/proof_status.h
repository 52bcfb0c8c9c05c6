/* SPDX-License-Identifier: MIT
 *
 * proof_status.h -- the progress of the proofs in a store, as text or JSON.
 *
 * It reports what is known about each root, the size of the tree, its leaves, the work so far and
 * an estimate of the rest.  A manager may be writing to the store at the same time.
 *
 * One thread; the stream belongs to the caller. */
#ifndef KELSO_REPORT_PROOF_STATUS_H
#define KELSO_REPORT_PROOF_STATUS_H

#include "proof/store.h"

#include <stdio.h>

/* `tables` may be NULL; a position in the tables is not a leaf. */
enum status proof_status_print(FILE *out, struct store *store, const struct tables *tables,
                               bool json, struct error *e);

#endif
