/* SPDX-License-Identifier: MIT
 *
 * resolve.h -- solve a position again, in the plainest way that ends.
 *
 * For the checker, so it shares nothing with the proof-number search.  Each position met
 * is taken to hold; the attacker's positions keep all moves, the defender's one reply, by
 * preference one that leads to something safe or to a position met before; when a
 * position turns out lost, those that counted on it look for another reply, or are lost
 * as well.  When nothing is left to look at, what is not lost holds for ever.  (A greatest
 * fixed point computed locally, as by Liu and Smolka 1998.)
 *
 * (R1) lost means that the attacker wins: by tables, rules and lost positions alone.
 * (R2) no path and no repetition enter.
 *
 * One thread. */
#ifndef KELSO_PROOF_RESOLVE_H
#define KELSO_PROOF_RESOLVE_H

#include "db/tables.h"

enum resolve_answer { RESOLVE_OPEN, RESOLVE_HOLDS, RESOLVE_WINS };

/* Does `attacker` win from b?  RESOLVE_OPEN after `limit` positions. */
enum status resolve_position(const struct tables *t, const struct board *b, enum side attacker,
                             uint64_t limit, enum resolve_answer *answer, struct error *e);

#endif
