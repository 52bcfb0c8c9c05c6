/* SPDX-License-Identifier: MIT
 *
 * extract.h -- extract a certificate from the table of a search.
 *
 * A win is the least set of proven positions that leads from the endgame tables up to the root,
 * in the order in which it is found, so each position depends only on earlier ones.  A hold is
 * the root, all moves of the attacker from there on, and one reply of the defender to each.
 * Entries that the table has lost are searched again; a win whose remaining entries lead in circles
 * is forgotten as far as that goes, and searched again too.
 *
 * (X1) The certificate is assembled from the table alone; check.h decides whether it is
 *      correct.
 * (X2) A question ends in the seconds that it may take, gathering and searching together, and on
 *      `stop`.
 *
 * The caller owns all arguments.  One thread. */
#ifndef KELSO_PROOF_EXTRACT_H
#define KELSO_PROOF_EXTRACT_H

#include "proof/certificate.h"
#include "proof/solve.h"

/* What an extraction may take. */
struct extract_limits {
    struct dfpn_limits search; /* for each repeated search ... */
    bool together;             /* ... or for all those of a question */
    double seconds;            /* for all of a question, searches or not; 0: no limit */
    size_t items;              /* positions; 0: no limit */
    const atomic_bool *stop;   /* not owned; may be NULL */
};

/* Add to `out` the claims that the bounds of `root` depend on, and set its root and bounds.
 * STATUS_MISMATCH if the table has lost too much to find it again in time, STATUS_OVERFLOW if there
 * are more positions than allowed, STATUS_INTERRUPTED when stopped. */
enum status extract_certificate(struct dfpn *d, const struct tables *o, const struct board *root,
                                struct bounds bounds, struct extract_limits limits,
                                struct certificate *out, struct error *e);

/* The claims for one question: why `attacker` wins, or does not.  None if the tables have the
 * answer.  Errors as above. */
enum status extract_question(struct dfpn *d, const struct tables *o, const struct board *root,
                             enum side attacker, bool wins, struct extract_limits limits,
                             struct certificate *out, struct error *e);

/* Play out a win of `attacker` from root: the attacker plays the moves of the proof, the other
 * side those that delay the end longest.  Each position of the line depends on the next, so the
 * line makes progress and ends in the tables, with the game, or after `max` moves.  *plies is
 * its length.  `limits` apply to all repeated searches together.  STATUS_OVERFLOW: the proof has
 * more than EXTRACT_LINE_MAX positions. */
enum { EXTRACT_LINE_MAX = 1 << 20 };
enum status extract_line(struct dfpn *d, const struct tables *o, const struct board *root,
                         enum side attacker, struct dfpn_limits limits, struct move *line, int max,
                         int *plies, struct error *e);

#endif
