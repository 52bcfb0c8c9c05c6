/* SPDX-License-Identifier: MIT
 *
 * solve.h -- what is a position worth?  Two questions to dfpn.h: does the side to move
 * win, does it lose; the one that looks easier first.
 *
 * (S1) lower <= value <= upper for the side to move; equal bounds are the value.
 *
 * A solver belongs to one thread; inside it uses its own. */
#ifndef KELSO_PROOF_SOLVE_H
#define KELSO_PROOF_SOLVE_H

#include "core/move.h"
#include "proof/bounds.h"
#include "proof/dfpn.h"

/* What a search has still to do at a position, for the question of a side: does it win? */
struct solve_numbers {
    uint32_t proof[2], disproof[2]; /* by that side; 0: it does not know */
};

struct solution {
    struct bounds bounds;
    struct dfpn_work work;
    bool by_table; /* the position is in the tables */
};

/* What is known beforehand (bounds_unknown if nothing); `score` is how a player sees it
 * from the side to move, in hundredths of a man.  A question that nobody asks gets no time. */
struct solve_hint {
    struct bounds bounds;
    int score;
    bool idle[2]; /* by side: nobody asks whether it wins */
};

enum status solve_position(struct dfpn *d, const struct board *b, struct solve_hint hint,
                           struct dfpn_limits limits, struct solution *out, struct error *e);

enum { SOLVE_LINE_MAX = 128 };

/* A line that keeps the proven `value` of b for both sides.  A won line makes progress with each
 * move and ends in the tables or with the game (extract.h); if the search has forgotten what it
 * rests on, it is solved once more, within bounds, and what was learnt before is forgotten.  A
 * drawn line goes on as long as moves are known to keep the draw, to no position twice.  Returns
 * the number of moves: 0 if there is no such line. */
int solve_line(struct dfpn *d, const struct tables *o, const struct board *b, enum value value,
               struct move line[SOLVE_LINE_MAX]);

#endif
