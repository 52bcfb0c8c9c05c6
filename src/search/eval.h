/* SPDX-License-Identifier: MIT
 *
 * eval.h -- an estimate of a position without looking ahead.
 *
 * A man is worth 100.  The estimate is a sum of features, each seen by Black and by White
 * from its own end of the board; each has a weight for a full board and one for an empty
 * one, and the number of pieces leads from one to the other.
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
    EVAL_MAN,                            /* held at 100 */
    EVAL_KING,                           /* a king beyond the first */
    EVAL_KING_FIRST,                     /* having a king at all */
    EVAL_TURN,                           /* to be on move */
    EVAL_MOVE,                           /* to have "the move": the opposition */
    EVAL_MOBILE_MEN,                     /* squares that men can go to unharmed */
    EVAL_MOBILE_KINGS,                   /* the same of kings */
    EVAL_STUCK_KING,                     /* a king without a safe step */
    EVAL_RUNAWAY,                        /* a man that nothing can stop, by rows to go: 1-6 */
    EVAL_BACK_RANK = EVAL_RUNAWAY + 6,   /* which of the four squares are guarded by men */
    EVAL_DOG_HOLE = EVAL_BACK_RANK + 16, /* a man shut in on the opponent's 28 */
    EVAL_MAN_ON,                         /* men by square, 28 of them */
    EVAL_KING_ON = EVAL_MAN_ON + 28,     /* kings by square */
    EVAL_FEATURES = EVAL_KING_ON + 32
};

enum { EVAL_EARLY, EVAL_LATE, EVAL_STAGES, EVAL_STAGE_PIECES = 24 };

struct eval_weights {
    int16_t of[EVAL_FEATURES][EVAL_STAGES];
};

/* The weights in use (weights.c, written by `kelso tune`). */
extern const struct eval_weights eval_weights;

int eval_position(const struct eval_weights *w, const struct board *b);

/* How often each feature is there for the side to move, less how often for the other. */
void eval_features(const struct board *b, int8_t count[EVAL_FEATURES]);

#endif
