/* SPDX-License-Identifier: MIT
 *
 * check.h -- is a certificate right?  By the rules and the tables alone.
 *
 * Shares nothing with the search but core/ and the reader of tables: no numbers, no
 * hash table, no notion of a path.  Each claim is looked at once:
 *
 *     attacker wins,  attacker to move: the move named leads to an earlier win claim or a
 *                                       position that the tables call won for him
 *     attacker wins,  defender to move: so do all moves
 *     does not win,   attacker to move: all moves lead to a claim of the kind or to a
 *                                       position that the tables do not call won for him
 *     does not win,   defender to move: the move named does
 *
 * Claims that only the solver vouches for are solved again, by the plain search in
 * resolve.h, within a limit.
 *
 * (V1) STATUS_OK means that the root's bounds are true if the tables are.
 * (V2) the first claim that does not stand is named: its number and its position.
 *
 * One thread. */
#ifndef KELSO_PROOF_CHECK_H
#define KELSO_PROOF_CHECK_H

#include "db/tables.h"
#include "proof/certificate.h"

#include <stdatomic.h>

struct check_options {
    const struct tables *tables;
    uint64_t resolve_limit;  /* positions for each claim of the solver's; 0: refuse them */
    const atomic_bool *stop; /* not owned; may be NULL */
    _Atomic uint64_t *done;  /* counts claims; may be NULL */
};

struct check_result {
    uint64_t claims, moves, probes, resolved;
    uint64_t wrong; /* number of the claim that does not stand, where one does not */
};

/* STATUS_MISMATCH where a claim does not stand, STATUS_MISSING where a table is missing. */
enum status check_certificate(const struct certificate *c, const struct check_options *o,
                              struct check_result *result, struct error *e);

#endif
