/* SPDX-License-Identifier: MIT
 *
 * roots.h -- the positions that a store was asked about.
 *
 * The store keeps them as its text "roots", one FEN to a line, in the order in which they
 * were first asked.
 *
 * (R1) a position is listed once.
 *
 * One thread. */
#ifndef KELSO_PROOF_ROOTS_H
#define KELSO_PROOF_ROOTS_H

#include "proof/store.h"

/* Add b to the list unless it is there. */
enum status roots_add(struct store *s, const struct board *b, struct error *e);

/* Visit each root with its record, NULL if it has none.  Lines that are not a FEN are passed
 * over.  A store without roots has none to visit: STATUS_OK. */
typedef void roots_visit(void *context, const struct board *b, const struct store_record *r);
enum status roots_each(struct store *s, roots_visit *visit, void *context, struct error *e);

#endif
