/* SPDX-License-Identifier: MIT
 *
 * position.h -- a position packed into few bytes, as an exact key.
 *
 * A board is laid out for making moves.  For storage and lookup its sets are packed: bit n-1 for
 * square number n.  A placement is the three packed sets, 12 bytes, for callers that know the side
 * to move or store it with other small fields; a position is a placement and the side to move, 16
 * bytes.
 *
 * (K1) placement_board(placement_of(b), b->turn) is b; the same holds for positions and bytes.
 * (K2) Equal means all bits equal: no key is a hash.
 * (K3) The order is by black, white, kings, then the side to move, as numbers.
 * (K4) Neither structure has padding.
 *
 * As bytes, a placement is black, white, kings, 4 bytes each, little-endian.
 *
 * Pure functions on values; any thread. */
#ifndef KELSO_CORE_POSITION_H
#define KELSO_CORE_POSITION_H

#include "base/bytes.h"
#include "base/random.h"
#include "core/board.h"

struct placement {
    uint32_t black, white, kings; /* packed sets */
};

struct position {
    struct placement pieces;
    uint32_t turn; /* enum side */
};

_Static_assert(sizeof(struct placement) == 12 && sizeof(struct position) == 16, "(K4)");

enum { PLACEMENT_BYTES = 12 };

static inline struct placement placement_of(const struct board *b)
{
    return (struct placement){squares_pack(b->side[BLACK]), squares_pack(b->side[WHITE]),
                              squares_pack(b->kings)};
}

static inline struct board placement_board(struct placement p, enum side turn)
{
    return (struct board){.side = {squares_unpack(p.black), squares_unpack(p.white)},
                          .kings = squares_unpack(p.kings),
                          .turn = turn};
}

static inline bool placement_equal(struct placement a, struct placement b)
{
    return a.black == b.black && a.white == b.white && a.kings == b.kings;
}

/* Less than, equal to or greater than 0 (K3). */
static inline int placement_compare(struct placement a, struct placement b)
{
    if (a.black != b.black)
        return a.black < b.black ? -1 : 1;
    if (a.white != b.white)
        return a.white < b.white ? -1 : 1;
    return (a.kings > b.kings) - (a.kings < b.kings);
}

/* `rest` is the remainder of the key: bits 0, 1 and those from 34 on are free for it. */
static inline uint64_t placement_hash(struct placement p, uint64_t rest)
{
    return random_mix(((uint64_t)p.black << 32 | p.white) ^
                      ((uint64_t)p.kings << 2 | rest) * UINT64_C(0x9E3779B97F4A7C15));
}

static inline void placement_put(uint8_t at[PLACEMENT_BYTES], struct placement p)
{
    bytes_put(at, 4, p.black);
    bytes_put(at + 4, 4, p.white);
    bytes_put(at + 8, 4, p.kings);
}

static inline struct placement placement_get(const uint8_t at[PLACEMENT_BYTES])
{
    return (struct placement){(uint32_t)bytes_get(at, 4), (uint32_t)bytes_get(at + 4, 4),
                              (uint32_t)bytes_get(at + 8, 4)};
}

static inline struct position position_of(const struct board *b)
{
    return (struct position){placement_of(b), (uint32_t)b->turn};
}

static inline struct board position_board(struct position p)
{
    return placement_board(p.pieces, (enum side)p.turn);
}

static inline bool position_equal(struct position a, struct position b)
{
    return placement_equal(a.pieces, b.pieces) && a.turn == b.turn;
}

static inline int position_compare(struct position a, struct position b)
{
    int order = placement_compare(a.pieces, b.pieces);

    return order ? order : (a.turn > b.turn) - (a.turn < b.turn);
}

static inline uint64_t position_hash(struct position p)
{
    return placement_hash(p.pieces, (uint64_t)p.turn << 1);
}

#endif
