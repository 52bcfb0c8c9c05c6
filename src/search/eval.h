/* SPDX-License-Identifier: MIT
 *
 * eval.h -- an estimate of a position without looking ahead.
 *
 * A man is worth 100.  The estimate is a sum over what is seen by each side from its own
 * end of the board.  Features are counted; each has a weight for a full board and one for
 * an empty one, and the number of pieces leads from one to the other.  Patterns are the
 * placements of men on eight squares, three to the eighth of them in each of seven windows,
 * each with a weight of its own: back ranks, bridges, dog holes and all that has no name.
 *
 * (V1) a position and its flip have the same estimate (it is seen by the side to move).
 * (V2) the absolute value is at most SCORE_EVAL_MAX.
 * (V3) eval_position is the weighted sum of eval_features, rounded once.
 *
 * Meant for positions in which the side to move has no capture.  Pure; any thread. */
#ifndef KELSO_SEARCH_EVAL_H
#define KELSO_SEARCH_EVAL_H

#include "core/board.h"

/* Where the weights of the features begin in the list of all weights. */
enum eval_feature {
    EVAL_MAN,                           /* held at 100 */
    EVAL_KING,                          /* each king */
    EVAL_KING_FIRST,                    /* having a king at all */
    EVAL_TURN,                          /* to be on move */
    EVAL_MOVE,                          /* to have "the move": the opposition */
    EVAL_ADVANCE,                       /* rows that men have advanced */
    EVAL_MOBILE_MEN,                    /* squares that men can go to unharmed */
    EVAL_MOBILE_KINGS,                  /* the same of kings */
    EVAL_STUCK_KING,                    /* a king without a safe step */
    EVAL_RUNAWAY,                       /* a man that nothing can stop, by rows to go: 1-6 */
    EVAL_BACK_RANK = EVAL_RUNAWAY + 6,  /* which of the four squares are guarded by men */
    EVAL_KING_ON = EVAL_BACK_RANK + 16, /* kings by square */
    EVAL_FEATURES = EVAL_KING_ON + 32
};

enum {
    EVAL_WINDOWS = 7,
    EVAL_PATTERNS = 6561,    /* of each window */
    EVAL_PATTERN_UNIT = 2,   /* what a step of its weight is worth */
    EVAL_PATTERN_ZERO = 'O', /* the letter for a weight of 0 */
};

enum { EVAL_EARLY, EVAL_LATE, EVAL_STAGES, EVAL_STAGE_PIECES = 24 };

struct eval_weights {
    int16_t of[EVAL_FEATURES][EVAL_STAGES];
    char pattern[EVAL_WINDOWS][EVAL_PATTERNS + 1]; /* letters: EVAL_PATTERN_ZERO + weight */
};

/* The weights in use (weights.c, written by `kelso tune`). */
extern const struct eval_weights eval_weights;

int eval_position(const struct eval_weights *w, const struct board *b);

/* What the estimate is made of, as the side to move sees it. */
struct eval_parts {
    int8_t count[EVAL_FEATURES];       /* how often for it, less how often for the other */
    uint16_t pattern[2][EVAL_WINDOWS]; /* of the side to move, of the other */
};

void eval_parts(const struct board *b, struct eval_parts *p);

#endif
