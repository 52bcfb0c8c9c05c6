/* SPDX-License-Identifier: MIT
 *
 * proof_curve.h -- print the history of a store (curve.h), as a table or as JSON, an object a line.
 *
 * One thread; the stream belongs to the caller. */
#ifndef KELSO_REPORT_PROOF_CURVE_H
#define KELSO_REPORT_PROOF_CURVE_H

#include "proof/store.h"

#include <stdio.h>

enum status proof_curve_print(FILE *out, struct store *store, bool json, struct error *e);

#endif
