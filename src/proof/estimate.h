/* SPDX-License-Identifier: MIT
 *
 * estimate.h -- estimate the work it takes to show that a side wins, or that it does not.
 *
 * These are the initial proof and disproof numbers of a position that has not been searched.  They
 * only guide the search: no result depends on them.  Both are on the scale of the search itself,
 * in positions that have to be expanded, so the sums and minima that proof-number search forms of
 * them are estimates of the same thing.  That matters more than which side is ahead: in a won
 * position nearly all moves win, and the search has to find those that win soon.
 *
 * A small neural network makes them.  Its inputs tell, from the attacker's point of view, where
 * the men and kings of both sides stand; whose turn it is and how many pieces must go before the
 * tables answer; for each side, how many moves it has and whether it could capture; and how many
 * pieces it has:
 *
 *     246 inputs, of which one is active for each piece and five more -> 64 sums -> 8 sums
 *         -> 2 logarithms
 *
 * All sums but the last are set to 0 if they are negative.  What follows the 64 sums is a head of
 * the network: there is one for each turn and number of pieces above the tables, so that more
 * weights do not make more work.
 *
 * bench/estimate.c makes the weights (estimate_data.c) from searches of the solver itself.
 *
 * (E1) 1 <= proof, disproof <= ESTIMATE_MAX.
 * (E2) A position and its flip, with the other attacker, have the same estimate.
 * (E3) Everything is integer arithmetic: the same on every machine.
 * (E4) estimate_after gives the same as estimate_numbers.
 *
 * Pure functions; safe on any thread. */
#ifndef KELSO_PROOF_ESTIMATE_H
#define KELSO_PROOF_ESTIMATE_H

#include "core/board.h"

#include <stdalign.h>

enum {
    ESTIMATE_BITS = 13, /* the logarithm of ESTIMATE_MAX */
    ESTIMATE_MAX = 1 << ESTIMATE_BITS,

    /* Inputs, in this order: the squares of the attacker's men, of its kings, of the defender's
     * men and of its kings ... */
    ESTIMATE_SQUARES = 35,
    ESTIMATE_TURN = 4 * ESTIMATE_SQUARES, /* ... the pieces above the tables, by turn */
    ESTIMATE_ABOVE_MAX = 8,
    ESTIMATE_MOVES = ESTIMATE_TURN + 2 * ESTIMATE_ABOVE_MAX, /* ... by side, and whether ... */
    ESTIMATE_MOVES_MAX = 15, /* ... it could capture: the number of its quiet moves ... */
    ESTIMATE_COUNTS = ESTIMATE_MOVES + 4 * (ESTIMATE_MOVES_MAX + 1), /* ... by side: its pieces */
    ESTIMATE_COUNT_MAX = 12,
    ESTIMATE_INPUTS = ESTIMATE_COUNTS + 2 * (ESTIMATE_COUNT_MAX + 1),

    ESTIMATE_OTHERS = 5, /* active inputs besides the pieces */
    ESTIMATE_SUMS = 64,
    ESTIMATE_MIDDLE = 8,
    ESTIMATE_HEAD_ABOVE = 4, /* heads tell so many numbers of pieces above the tables apart */
    ESTIMATE_HEADS = 2 * ESTIMATE_HEAD_ABOVE,
    ESTIMATE_ACTIVE_MAX = 24 + ESTIMATE_OTHERS, /* inputs that can be active at once */
    ESTIMATE_ONE = 256,                         /* 1 in all weights and sums */
    ESTIMATE_WEIGHT_MAX = INT16_MAX / (ESTIMATE_ACTIVE_MAX + 1), /* no sum overflows, ... */
    ESTIMATE_MIDDLE_WEIGHT_MAX = 1000                            /* ... of 32 bits neither */
};

struct estimate_head {
    alignas(64) int16_t middle[ESTIMATE_MIDDLE][ESTIMATE_SUMS];
    alignas(64) int16_t last[2][ESTIMATE_MIDDLE]; /* proof, disproof */
    int32_t middle_bias[ESTIMATE_MIDDLE];         /* in units of 1 / ESTIMATE_ONE^2 */
    int32_t last_bias[2];
};

struct estimate_weights {
    alignas(64) int16_t first[ESTIMATE_INPUTS][ESTIMATE_SUMS];
    alignas(64) int16_t first_bias[ESTIMATE_SUMS];
    struct estimate_head head[ESTIMATE_HEADS];
};

extern const struct estimate_weights estimate_weights;

struct estimate {
    uint32_t proof, disproof;
};

/* The sums of the pieces alone.  A move changes two or three of these, so those of the positions
 * after the moves of one position are best made from its own. */
struct estimate_sums {
    alignas(16) int16_t sum[ESTIMATE_SUMS]; /* as malloc aligns */
};

void estimate_refresh(struct estimate_sums *s, const struct board *b, enum side attacker);

/* The estimate of `after`, from the sums of `before`.  `above`: the number of pieces to capture
 * before the tables have the answer. */
struct estimate estimate_after(const struct estimate_sums *s, const struct board *before,
                               const struct board *after, enum side attacker, int above);

/* The same from nothing. */
struct estimate estimate_numbers(const struct board *b, enum side attacker, int above);

/* The active inputs; returns how many.  For the network and for its training. */
int estimate_inputs(const struct board *b, enum side attacker, int above,
                    uint8_t input[ESTIMATE_ACTIVE_MAX]);

/* The head for a position. */
int estimate_head_of(const struct board *b, enum side attacker, int above);

/* Material balance of `us`, in hundredths of a man. */
int estimate_material(const struct board *b, enum side us);

#endif
