/* SPDX-License-Identifier: MIT
 *
 * solve.h -- find the value of a position by two questions to dfpn.h: does the side to move
 * win, and does it lose?  The one that looks easier comes first.
 *
 * (S1) lower <= value <= upper for the side to move; equal bounds are the value.
 *
 * The caller owns all arguments.  One thread calls; the search uses threads of its own. */
#ifndef KELSO_PROOF_SOLVE_H
#define KELSO_PROOF_SOLVE_H

#include "core/move.h"
#include "proof/bounds.h"
#include "proof/dfpn.h"

/* The work left at a position for the question whether a side wins. */
struct solve_numbers {
    uint32_t proof[2], disproof[2]; /* by that side; 0: unknown */
};

struct solution {
    struct bounds bounds;
    struct dfpn_work work;
    bool by_table; /* the tables have the position */
};

/* What is known in advance (bounds_unknown if nothing).  `score` is the player's evaluation for
 * the side to move, in hundredths of a man.  A question that is not needed gets no time. */
struct solve_hint {
    struct bounds bounds;
    int score;
    bool idle[2]; /* by side: the question whether it wins is not needed */
};

enum status solve_position(struct dfpn *d, const struct board *b, struct solve_hint hint,
                           struct dfpn_limits limits, struct solution *out, struct error *e);

enum { SOLVE_LINE_MAX = 128 };

/* A line on which both sides keep the proven `value` of b.  A won line makes progress with each
 * move and ends in the tables or with the game (extract.h).  If the table has lost the proof,
 * the position is solved once more within limits, which clears the table.  A drawn line
 * continues while moves are known to keep the draw and visits no position twice.  Returns the
 * number of moves, 0 if there is no such line. */
int solve_line(struct dfpn *d, const struct tables *o, const struct board *b, enum value value,
               struct move line[SOLVE_LINE_MAX]);

#endif
