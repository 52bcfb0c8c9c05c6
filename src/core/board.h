/* SPDX-License-Identifier: MIT
 *
 * board.h -- the board, its geometry, and a position.
 *
 * The 32 playable squares live in a 64-bit word with one unused bit after each eight squares.
 * In that layout every diagonal step is a shift by 4 or by 5, on all rows alike, and a step
 * off the side of the board lands on an unused bit, which is never a piece or an empty
 * square:
 *
 *     bit    0   1   2   3           1   2   3   4     Black's back row
 *          4   5   6   7           5   6   7   8
 *            9  10  11  12           9  10  11  12
 *         13  14  15  16          13  14  15  16
 *           18  19  20  21          17  18  19  20
 *         22  23  24  25          21  22  23  24
 *           27  28  29  30          25  26  27  28
 *         31  32  33  34          29  30  31  32       White's back row
 *
 * A `square` is a bit index (0..34, never 8, 17, 26); people and files see the
 * number 1..32.  "Packed" sets are 32-bit: bit n-1 for square number n.
 *
 * (B1) side[BLACK], side[WHITE] are disjoint subsets of BOARD_SQUARES.
 * (B2) kings is a subset of side[BLACK] | side[WHITE].
 * (B3) No man stands on the row where it would have been crowned.
 * (B4) board_flip swaps the colours and turns the board round: it is its own
 *      inverse, and a position and its flip have the same value for the mover.
 *
 * Pure functions on values; any thread may call them.  No I/O, no allocation. */
#ifndef KELSO_CORE_BOARD_H
#define KELSO_CORE_BOARD_H

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t squares; /* a set of squares, padded layout */
typedef int square;       /* a bit index into such a set */

enum side { BLACK, WHITE };

#define BOARD_SQUARES UINT64_C(0x7FBFDFEFF)
#define BOARD_ROW_1 UINT64_C(0x00000000F) /* squares 1-4: Black's back row, White crowns */
#define BOARD_ROW_8 UINT64_C(0x780000000) /* squares 29-32: White's back row, Black crowns */

struct board {
    squares side[2]; /* all pieces of BLACK, of WHITE */
    squares kings;   /* of both colours */
    enum side turn;
};

/* The usual start: Black on 1-12, White on 21-32, Black to move. */
extern const struct board board_start;

static inline squares squares_of(square s)
{
    return UINT64_C(1) << s;
}

static inline square square_first(squares set)
{
    return __builtin_ctzll(set);
}

static inline int squares_count(squares set)
{
    return __builtin_popcountll(set);
}

static inline int square_number(square s)
{
    return s - s / 9 + 1;
}

static inline square square_from_number(int number)
{
    return number - 1 + (number - 1) / 8;
}

static inline squares squares_crown_row(enum side us)
{
    return us == BLACK ? BOARD_ROW_8 : BOARD_ROW_1;
}

static inline uint32_t squares_pack(squares set)
{
    return (uint32_t)((set & 0xFF) | (set >> 1 & 0xFF00) | (set >> 2 & 0xFF0000) |
                      (set >> 3 & 0xFF000000));
}

static inline squares squares_unpack(uint32_t packed)
{
    squares set = packed;
    return (set & 0xFF) | (set & 0xFF00) << 1 | (set & 0xFF0000) << 2 | (set & 0xFF000000) << 3;
}

static inline uint64_t bits_reverse(uint64_t x)
{
    x = __builtin_bswap64(x);
    x = (x >> 4 & UINT64_C(0x0F0F0F0F0F0F0F0F)) | (x & UINT64_C(0x0F0F0F0F0F0F0F0F)) << 4;
    x = (x >> 2 & UINT64_C(0x3333333333333333)) | (x & UINT64_C(0x3333333333333333)) << 2;
    return (x >> 1 & UINT64_C(0x5555555555555555)) | (x & UINT64_C(0x5555555555555555)) << 1;
}

/* Turn a set of squares round by 180 degrees: number n becomes 33 - n. */
static inline squares squares_flip(squares set)
{
    return bits_reverse(set) >> 29; /* bit b becomes bit 34 - b */
}

static inline uint32_t packed_flip(uint32_t set)
{
    return (uint32_t)(bits_reverse(set) >> 32);
}

static inline enum side side_other(enum side us)
{
    return (enum side)(us ^ 1);
}

static inline squares board_empty(const struct board *b)
{
    return BOARD_SQUARES & ~(b->side[BLACK] | b->side[WHITE]);
}

static inline squares board_men(const struct board *b, enum side us)
{
    return b->side[us] & ~b->kings;
}

static inline squares board_kings(const struct board *b, enum side us)
{
    return b->side[us] & b->kings;
}

static inline bool board_equal(const struct board *a, const struct board *b)
{
    return a->side[BLACK] == b->side[BLACK] && a->side[WHITE] == b->side[WHITE] &&
           a->kings == b->kings && a->turn == b->turn;
}

struct board board_flip(const struct board *b);

/* (B1)-(B3) hold, and no side has more than twelve pieces. */
bool board_valid(const struct board *b);

#endif
