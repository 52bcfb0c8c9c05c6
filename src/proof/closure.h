/* SPDX-License-Identifier: MIT
 *
 * closure.h -- which tentative disproofs hold one another up, and which hang in the air.
 *
 * Take all tentative positions that can be reached from a root through tentative
 * positions.  Strike out each position of the attacker from which a move leads to
 * neither a safe nor a remaining position, and each position of the defender from
 * which no move leads to one; again, until nothing changes.  From what remains the
 * defender never has to leave it but for something safe: it is the largest such set.
 *
 * (C1) what becomes PN_DISPROVEN is so by the rules, the tables and positions that were
 *      PN_DISPROVEN before; no path enters.
 * (C2) what is struck out becomes PN_OPEN; no other entry changes.
 *
 * One thread, alone with the table. */
#ifndef KELSO_PROOF_CLOSURE_H
#define KELSO_PROOF_CLOSURE_H

#include "db/tables.h"
#include "proof/pn_table.h"

struct closure_result {
    uint64_t looked_at, confirmed;
    enum pn_state root;
};

enum status closure_check(struct pn_table *t, const struct tables *o, const struct board *root,
                          enum side attacker, struct closure_result *out, struct error *e);

#endif
