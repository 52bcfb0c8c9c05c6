/* SPDX-License-Identifier: MIT
 *
 * extract.h -- write down why: from what the search knows to a certificate.
 *
 * A win is taken from the table as the least set of proven positions that leads from the
 * tables up to the root, in the order in which it is built up; so each rests on earlier
 * ones only.  A hold is the root and, from there on, all moves of the attacker and one
 * reply of the defender's.  What has vanished from the table in between is asked again.
 *
 * (X1) what comes out has been put together from the table alone; check.h decides whether
 *      it is right.
 *
 * One thread. */
#ifndef KELSO_PROOF_EXTRACT_H
#define KELSO_PROOF_EXTRACT_H

#include "proof/certificate.h"
#include "proof/solve.h"

/* The claims that the bounds of `root` rest on, added to `out`; root and bounds are set.
 * `limits` hold for each question that has to be asked again.  STATUS_MISMATCH if the
 * table has lost too much. */
enum status extract_certificate(struct dfpn *d, const struct tables *o, const struct board *root,
                                struct bounds bounds, struct dfpn_limits limits,
                                struct certificate *out, struct error *e);

/* Play out a win of `attacker` from root: it takes the moves of its proof, the other side those
 * that put off the end longest.  Each position of the line rests on the next, so the line makes
 * progress and ends in the tables or with the game, or after `max` moves.  *plies is its length.
 * STATUS_OVERFLOW: the proof has more than EXTRACT_LINE_MAX positions. */
enum { EXTRACT_LINE_MAX = 1 << 20 };
enum status extract_line(struct dfpn *d, const struct tables *o, const struct board *root,
                         enum side attacker, struct dfpn_limits limits, struct move *line, int max,
                         int *plies, struct error *e);

/* One question only: why `attacker` wins, or does not.  Nothing where the tables know. */
enum status extract_question(struct dfpn *d, const struct tables *o, const struct board *root,
                             enum side attacker, bool wins, struct dfpn_limits limits,
                             struct certificate *out, struct error *e);

#endif
