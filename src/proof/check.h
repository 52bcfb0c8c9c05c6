/* SPDX-License-Identifier: MIT
 *
 * check.h -- check a certificate by the rules and the tables alone.
 *
 * The checker shares only core/ and the table reader with the search: no proof numbers, no hash
 * table, no paths.  Each claim is checked once:
 *
 *     attacker wins,  attacker to move: the named move leads to an earlier win claim or a
 *                                       position that the tables call won for him
 *     attacker wins,  defender to move: so do all moves
 *     does not win,   attacker to move: all moves lead to such a claim or to a
 *                                       position that the tables do not call won for him
 *     does not win,   defender to move: the named move does
 *
 * Claims without a proof (by the solver) are solved again by the plain search of resolve.h,
 * within a limit.
 *
 * (V1) STATUS_OK means that the root's bounds are correct if the tables are.
 * (V2) The first wrong claim is named, with its number and its position.
 *
 * The caller owns all arguments.  One thread. */
#ifndef KELSO_PROOF_CHECK_H
#define KELSO_PROOF_CHECK_H

#include "db/tables.h"
#include "proof/certificate.h"

#include <stdatomic.h>

struct check_options {
    const struct tables *tables;
    uint64_t resolve_limit;  /* positions for each claim by the solver; 0: refuse such claims */
    const atomic_bool *stop; /* not owned; may be NULL */
    _Atomic uint64_t *done;  /* counts claims; may be NULL */
};

struct check_result {
    uint64_t claims, moves, probes, resolved;
    uint64_t wrong; /* number of the wrong claim, if there is one */
};

/* STATUS_MISMATCH if a claim is wrong, STATUS_MISSING if a table is missing, STATUS_INTERRUPTED
 * when stopped. */
enum status check_certificate(const struct certificate *c, const struct check_options *o,
                              struct check_result *result, struct error *e);

#endif
