/* SPDX-License-Identifier: MIT
 *
 * network.h -- the evaluation: a small neural network that is updated move by move.
 *
 * The board is encoded from each side's point of view: 128 inputs tell where its men, its
 * kings, the opponent's men and the opponent's kings stand, and two more tell which side has
 * "the move" (the opposition).  The first layer adds one row of weights for each active input,
 * so a move changes only a few rows.  Both views, the side to move first, pass through two
 * small layers to one number, which is added to the material.  Each range of piece counts has
 * its own set of small layers.
 *
 *     130 inputs -> 128 (sums of 16 bits), twice -> 256 (0-127) -> 32 (0-127) -> 32 -> 1
 *
 * Everything is integer arithmetic.  The weights are a file (network_read) that `kelso tune`
 * writes; the one in use, data/network.bin, is part of the program.
 *
 * (N1) All instruction sets give the same value.
 * (N2) network_update gives the same sums as network_refresh.
 * (N3) A position and its flip have the same value (for the side to move).
 * (N4) The absolute value is at most SCORE_EVAL_MAX.
 *
 * The network is trained for positions in which the side to move has no capture.  The caller
 * owns a network; once open it is read-only and safe on any thread. */
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
    NETWORK_GROUP = 4, /* inputs of a layer that are multiplied at once */

    NETWORK_FIRST_SHIFT = 2, /* 512 is 1 in the sums of the first layer */
    NETWORK_SHIFT = 6,       /* 64 is 1 in the weights of the second and third */
    NETWORK_LAST_SHIFT = 11, /* 2048 is a hundredth of a man at the end */
    NETWORK_ONE = 128,       /* 128 is 1 in the outputs of a layer, which are 0-127 */
    NETWORK_MAN = 100,
    NETWORK_KING = 130,
};

/* The layers after the first.  Weights are stored as [inputs / 4][output][4]. */
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

/* The sums of the first layer without "the move", from Black's and from White's view. */
struct network_sums {
    alignas(64) int16_t of[2][NETWORK_FIRST];
};

/* The last has VNNI too. */
enum network_isa { NETWORK_PLAIN, NETWORK_AVX2, NETWORK_AVX512, NETWORK_ISAS };

/* The inputs that a change of position removes and adds, from one side's view. */
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

/* Open the network that is part of the program. */
enum status network_open(struct network *n, struct error *e);

/* Read a network from a file. */
enum status network_read(struct network *n, const char *path, struct error *e);

/* Decode a network from the bytes of a file; `name` is for errors. */
enum status network_decode(struct network *n, const char *name, const uint8_t *bytes, size_t size,
                           struct error *e);
void network_close(struct network *n);

/* The bytes of its file, freed by the caller.  NULL without memory. */
uint8_t *network_encode(const struct network_weights *w, size_t *size);

/* Use this instruction set; false, with nothing changed, if the machine or the build does not
 * support it. */
bool network_use(struct network *n, enum network_isa isa);

/* Use the best instruction set of this machine. */
void network_use_best(struct network *n);

/* The sums for a position, computed from scratch or from those of another position. */
void network_refresh(const struct network *n, const struct board *b, struct network_sums *s);
void network_update(const struct network *n, const struct board *from,
                    const struct network_sums *from_sums, const struct board *b,
                    struct network_sums *s);

/* The value for the side to move, given the sums of the position. */
int network_value(const struct network *n, const struct board *b, const struct network_sums *s);

/* The same, computing the sums first. */
int network_evaluate(const struct network *n, const struct board *b);

/* ---------------------------------------------------------- inputs, for the trainer -- */

/* The index of an input: a piece of `owner`, king or man, on square 0-31, from our view. */
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

/* The material that the network's output is added to. */
static inline int network_material(const struct board *b)
{
    enum side us = b->turn, them = side_other(us);

    return NETWORK_MAN * (squares_count(board_men(b, us)) - squares_count(board_men(b, them))) +
           NETWORK_KING * (squares_count(board_kings(b, us)) - squares_count(board_kings(b, them)));
}

#endif
