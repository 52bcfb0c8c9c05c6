/* SPDX-License-Identifier: MIT
 *
 * code.h -- an exact 64-bit number for a position, relative to the side to move.
 *
 * Look at the board from the end of the side that has just moved, so that its
 * pieces (the "movers") go up and the side to move (the "next") goes down.  The
 * digits, most significant first:
 *
 *     number of movers | rank of their set | number of next | kings | rank of
 *     the set of next among the squares that the movers leave free
 *
 * A colour-flipped twin has the same code, and a quiet move leaves one of the two sets as it is.
 * Sorted by code, positions with the same movers are adjacent.
 *
 * (C1) code_decode(code_encode(b)) is b, or its colour flip: the decoded board
 *      has White to move.  Different relative positions have different codes.
 * (C2) There are at most CODE_KINGS_MAX kings on the board, one fewer with 22 pieces or more;
 *      beyond that code_encode returns CODE_NONE.
 *
 * (C3) All codes of one set of movers are consecutive, from code_first(movers) on.
 *
 * The tables are built once, then only read: any thread may share them.  The
 * caller owns the handle. */
#ifndef KELSO_GAMES_CODE_H
#define KELSO_GAMES_CODE_H

#include "core/board.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CODE_PIECES_MAX = 12, CODE_KINGS_MAX = 5 };

#define CODE_NONE UINT64_MAX /* no position has this code */

struct code_tables;

/* NULL when memory is short. */
struct code_tables *code_tables_open(void);
void code_tables_close(struct code_tables **tables);

/* The colex rank of a set of at most twelve packed squares among those of its size. */
uint32_t code_rank(const struct code_tables *t, uint32_t set);
/* Its inverse. */
uint32_t code_unrank(const struct code_tables *t, uint32_t rank, int count);

/* The code of a position given as packed sets seen from the end of the movers;
 * CODE_NONE when there are too many kings. */
uint64_t code_encode_sets(const struct code_tables *t, uint32_t movers, uint32_t next,
                          uint32_t kings);
/* The code of any board, either side to move. */
uint64_t code_encode(const struct code_tables *t, const struct board *b);

/* Decodes codes in sequence; cheap while the movers stay the same. */
struct code_reader {
    const struct code_tables *tables;
    uint64_t first, last; /* codes whose movers are known */
    uint32_t movers;
    int count;
    int half; /* where the last set was found */
};

struct code_reader code_reader_start(const struct code_tables *t);
/* The board of a code that code_encode made: Black has moved, White is to move. */
struct board code_decode(struct code_reader *reader, uint64_t code);

/* The least code with this set of movers. */
uint64_t code_first(const struct code_tables *t, uint32_t movers);
/* One more than the greatest code. */
uint64_t code_end(const struct code_tables *t);

#endif
