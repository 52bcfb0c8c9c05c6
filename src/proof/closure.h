/* SPDX-License-Identifier: MIT
 *
 * closure.h -- which tentative disproofs support each other, and which have no support.
 *
 * Take all tentative positions that can be reached from a root through tentative positions.
 * Remove each position of the attacker from which some move leads to neither a safe nor a
 * remaining position, and each position of the defender from which no move leads to one.
 * Repeat until nothing changes.  From the remaining positions the defender can always stay
 * inside the set or reach something safe; it is the largest such set.
 *
 * (C1) Positions become PN_DISPROVEN only by the rules, the tables and positions that were
 *      PN_DISPROVEN before, independent of any path.
 * (C2) Removed positions become PN_OPEN; no other entry changes.
 *
 * The caller owns all arguments.  One thread; no other may use the table meanwhile. */
#ifndef KELSO_PROOF_CLOSURE_H
#define KELSO_PROOF_CLOSURE_H

#include "db/tables.h"
#include "proof/pn_table.h"

#include <stdatomic.h>

struct closure_result {
    uint64_t looked_at, confirmed;
    enum pn_state root;
};

/* `stop`, which may be NULL, ends it early: then the root is open and nothing has changed. */
enum status closure_check(struct pn_table *t, const struct tables *o, const struct board *root,
                          enum side attacker, const atomic_bool *stop, struct closure_result *out,
                          struct error *e);

#endif
