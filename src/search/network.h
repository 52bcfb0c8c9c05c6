/* SPDX-License-Identifier: MIT
 *
 * network.h -- the evaluation: a small neural network that is updated move by move.
 *
 * Each side sees the board from its own end: 128 inputs say which of its men, its kings, the
 * opponent's men and the opponent's kings stand where, two more say who has "the move" (the
 * opposition).  The first layer adds one row of weights for each input that is set, so a move
 * changes a few rows.  Both views, that of the side to move first, go through two small layers
 * to one number, which is added to the material.  There is one set of small layers for each
 * range of piece counts.
 *
 *     130 inputs -> 128 (sums of 16 bits), twice -> 256 (0-127) -> 32 (0-127) -> 32 -> 1
 *
 * Everything is integer arithmetic.  The weights are a file (network_read) that `kelso train`
 * writes; the one in use, data/network.bin, is part of the program.
 *
 * (N1) all instruction sets give the same value.
 * (N2) network_update gives the sums that network_refresh gives.
 * (N3) a position and its flip have the same value (it is seen by the side to move).
 * (N4) the absolute value is at most SCORE_EVAL_MAX.
 *
 * Meant for positions in which the side to move has no capture.  A network is read-only once
 * it is open; any thread. */
#ifndef KELSO_SEARCH_NETWORK_H
#define KELSO_SEARCH_NETWORK_H

#include "base/status.h"
#include "core/board.h"

#include <stdalign.h>
#include <stddef.h>

enum {
    NETWORK_PIECE_INPUTS = 128,
    NETWORK_INPUTS = 130, /* two for "the move": whether this side has it */
    NETWORK_FIRST = 128,  /* outputs of the first layer, for each view */
    NETWORK_SECOND = 32,
    NETWORK_THIRD = 32,
    NETWORK_BUCKETS = 4,
    NETWORK_GROUP = 4, /* inputs of a layer that are multiplied together */

    NETWORK_FIRST_SHIFT = 2, /* 512 is 1 in the sums of the first layer */
    NETWORK_SHIFT = 6,       /* 64 is 1 in the weights of the second and third */
    NETWORK_LAST_SHIFT = 11, /* 2048 is a hundredth of a man at the end */
    NETWORK_ONE = 128,       /* is 1 in the outputs of a layer, which are 0-127 */
    NETWORK_MAN = 100,
    NETWORK_KING = 130,
};

/* The layers after the first.  Weights stand as [inputs / 4][output][4]. */
struct network_head {
    alignas(64) int8_t second[2 * NETWORK_FIRST / NETWORK_GROUP][NETWORK_SECOND][NETWORK_GROUP];
    int8_t third[NETWORK_SECOND / NETWORK_GROUP][NETWORK_THIRD][NETWORK_GROUP];
    int32_t second_bias[NETWORK_SECOND], third_bias[NETWORK_THIRD];
    int16_t last[NETWORK_THIRD];
    int32_t last_bias;
};

struct network_weights {
    alignas(64) int16_t first[NETWORK_INPUTS][NETWORK_FIRST];
    int16_t first_bias[NETWORK_FIRST];
    struct network_head head[NETWORK_BUCKETS];
};

/* The sums of the first layer without "the move", as Black and as White see the board. */
struct network_sums {
    alignas(64) int16_t of[2][NETWORK_FIRST];
};

enum network_isa { NETWORK_PLAIN, NETWORK_AVX2, NETWORK_ISAS };

/* The inputs that a change of position takes away and adds, as one side sees them. */
struct network_change {
    int removed, added;
    uint8_t remove[24], add[24];
};

/* The loops, once for each instruction set. */
struct network_kernel {
    void (*change)(const struct network_weights *w, const int16_t *from, int16_t *to,
                   const struct network_change *c);
    int (*value)(const struct network_weights *w, const int16_t *mover, const int16_t *other,
                 int has_move, int bucket);
};

struct network {
    const struct network_kernel *kernel;
    const struct network_weights *weights; /* owned */
};

/* The network in use; the program holds its bytes. */
enum status network_open(struct network *n, struct error *e);

/* One from a file. */
enum status network_read(struct network *n, const char *path, struct error *e);

/* One from the bytes of a file; `name` is for errors. */
enum status network_decode(struct network *n, const char *name, const uint8_t *bytes, size_t size,
                           struct error *e);
void network_close(struct network *n);

/* The bytes of its file; the caller frees them.  NULL: no memory. */
uint8_t *network_encode(const struct network_weights *w, size_t *size);

/* Use this instruction set; false if the machine or the build does not have it. */
bool network_use(struct network *n, enum network_isa isa);

/* The sums for a position, from nothing or from those of another position. */
void network_refresh(const struct network *n, const struct board *b, struct network_sums *s);
void network_update(const struct network *n, const struct board *from,
                    const struct network_sums *from_sums, const struct board *b,
                    struct network_sums *s);

/* The value for the side to move, given the sums of the position. */
int network_value(const struct network *n, const struct board *b, const struct network_sums *s);

/* The same from the position alone. */
int network_evaluate(const struct network *n, const struct board *b);

/* ---------------------------------------------------------- inputs, for the trainer -- */

/* The number of an input: piece of `owner`, a king or not, on square number 0-31, seen by us. */
static inline int network_input(enum side us, enum side owner, bool king, int number)
{
    return ((owner == us ? 0 : 2) + king) * 32 + (us == BLACK ? number : 31 - number);
}

/* Which of the two inputs after the pieces is set for the side to move: 1 if it has the move.
 * The other side has the other one. */
static inline int network_has_move(const struct board *b)
{
    const squares rows =
        UINT64_C(0x0F) | UINT64_C(0x0F) << 9 | UINT64_C(0x0F) << 18 | UINT64_C(0x0F) << 27;
    squares system = b->turn == BLACK ? rows : rows << 4;

    return squares_count((b->side[BLACK] | b->side[WHITE]) & system) & 1;
}

static inline int network_bucket(const struct board *b)
{
    int n = squares_count(b->side[BLACK] | b->side[WHITE]);

    return n <= 8 ? 0 : n <= 12 ? 1 : n <= 17 ? 2 : 3;
}

/* What the network's output is added to. */
static inline int network_material(const struct board *b)
{
    enum side us = b->turn, them = side_other(us);

    return NETWORK_MAN * (squares_count(board_men(b, us)) - squares_count(board_men(b, them))) +
           NETWORK_KING * (squares_count(board_kings(b, us)) - squares_count(board_kings(b, them)));
}

#endif
