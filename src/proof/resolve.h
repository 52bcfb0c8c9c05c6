/* SPDX-License-Identifier: MIT
 *
 * resolve.h -- solve a position again with the simplest algorithm that terminates.
 *
 * It serves the checker and shares nothing with the proof-number search.  Each position met is
 * first assumed to hold.  The attacker's positions keep all moves, the defender's one reply,
 * preferably one that leads to a safe position or one met before.  When a position turns out lost,
 * the positions that relied on it choose another reply or are lost as well.  When no work is left,
 * every position not lost holds forever.  (This is a greatest fixed point computed locally, as by
 * Liu and Smolka 1998.)
 *
 * (R1) Lost means that the attacker wins, by tables, rules and lost positions alone.
 * (R2) The result does not depend on a path or a repetition.
 *
 * The caller owns all arguments.  One thread. */
#ifndef KELSO_PROOF_RESOLVE_H
#define KELSO_PROOF_RESOLVE_H

#include "db/tables.h"

#include <stdatomic.h>

enum resolve_answer { RESOLVE_OPEN, RESOLVE_HOLDS, RESOLVE_WINS };

/* Does `attacker` win from b?  RESOLVE_OPEN after `limit` positions; STATUS_INTERRUPTED when *stop
 * is set, which may be NULL. */
enum status resolve_position(const struct tables *t, const struct board *b, enum side attacker,
                             uint64_t limit, const atomic_bool *stop, enum resolve_answer *answer,
                             struct error *e);

#endif
