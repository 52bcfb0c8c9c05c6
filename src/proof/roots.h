/* SPDX-License-Identifier: MIT
 *
 * roots.h -- the root positions of a store.
 *
 * The store keeps the positions that were to be proven as its text "roots", one FEN per line,
 * in the order in which they were added.
 *
 * (R1) A position is listed once.
 *
 * The caller owns the store.  One thread. */
#ifndef KELSO_PROOF_ROOTS_H
#define KELSO_PROOF_ROOTS_H

#include "proof/store.h"

/* Add b to the list unless it is listed. */
enum status roots_add(struct store *s, const struct board *b, struct error *e);

/* Visit each root with its record, or NULL if it has none.  Lines that are not a FEN are
 * skipped.  STATUS_OK if there are no roots. */
typedef void roots_visit(void *context, const struct board *b, const struct store_record *r);
enum status roots_each(struct store *s, roots_visit *visit, void *context, struct error *e);

#endif
