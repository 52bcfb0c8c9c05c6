/* SPDX-License-Identifier: MIT
 *
 * slice.h -- material distributions, and how the positions of one are numbered.
 *
 * A slice is the material of both sides: kings and men of the side to move, then kings and men of
 * the opponent.  Colours do not matter: a position with White to move is the flipped position with
 * Black to move, so the slice 3K1C-2K1C "first side to move" and its mirror 2K1C-3K1C cover the
 * four usual pairs of material and side to move.  The two mirrors share one file and are built
 * together.
 *
 * Inside a slice the exact placement of all men is a block; a block holds the placements of the
 * kings.  A position's number has three digits, most significant first:
 *
 *     block    the mover's men, then the opponent's, each seen from its own end
 *     row      the opponent's kings, seen from its end, on squares free of men
 *     column   the mover's kings on the squares still free
 *
 * The player who moved into the position (here the opponent) had its kings fixed while the
 * builder looked at all placements of the mover's kings: these form one row.
 *
 * (L1) layout_index and layout_view are inverse on [0, layout.positions).
 * (L2) A man's move leads to a block of the same slice with larger advancement; crownings and
 *      captures lead to slices that come earlier in slice_order.
 * (L3) slice_flip is its own inverse and keeps the number of positions.
 *
 * struct slice is a plain value.  struct layout is made by layout_create, freed by layout_free,
 * and constant in between: safe on any thread. */
#ifndef KELSO_DB_SLICE_H
#define KELSO_DB_SLICE_H

#include "core/board.h"

#include <stddef.h>

/* The numbering, the files and their readers support PIECES_MAX pieces.  Both sides have at
 * least one, so a side has at most SIDE_MAX. */
enum { PIECES_MAX = 10, SIDE_MAX = PIECES_MAX - 1, SLICE_NAME_MAX = 16 };

struct slice {
    uint8_t kings, men;         /* of the side to move */
    uint8_t opp_kings, opp_men; /* of the other side */
};

static inline int slice_pieces(struct slice s)
{
    return s.kings + s.men + s.opp_kings + s.opp_men;
}

static inline int slice_men(struct slice s)
{
    return s.men + s.opp_men;
}

static inline bool slice_equal(struct slice a, struct slice b)
{
    return a.kings == b.kings && a.men == b.men && a.opp_kings == b.opp_kings &&
           a.opp_men == b.opp_men;
}

static inline struct slice slice_flip(struct slice s)
{
    return (struct slice){s.opp_kings, s.opp_men, s.kings, s.men};
}

static inline bool slice_symmetric(struct slice s)
{
    return slice_equal(s, slice_flip(s));
}

/* A small number for each slice, to index arrays: below SLICE_CODES. */
enum { SLICE_CODES = PIECES_MAX * PIECES_MAX * PIECES_MAX * PIECES_MAX };

static inline int slice_code(struct slice s)
{
    return ((s.kings * PIECES_MAX + s.men) * PIECES_MAX + s.opp_kings) * PIECES_MAX + s.opp_men;
}

/* The inverse. */
static inline struct slice slice_of_code(int code)
{
    enum { N = PIECES_MAX };

    return (struct slice){(uint8_t)(code / N / N / N), (uint8_t)(code / N / N % N),
                          (uint8_t)(code / N % N), (uint8_t)(code % N)};
}

/* The mirror that names the pair: the side with more pieces, then more kings, first. */
struct slice slice_canonical(struct slice s);

/* "3K1C-2K1C"; zeros are left out ("2K-1C").  Returns buf. */
char *slice_name(struct slice s, char buf[SLICE_NAME_MAX]);

/* Parse such a name (also "3K1C v 2K1C", "3k+1c-2k+1c", with zeros); false if it is malformed,
 * leaves a side without pieces, or has more than PIECES_MAX in all. */
bool slice_parse(const char *text, struct slice *out);

/* Fill `list` with the canonical slices of at most `pieces` pieces and at most `side` on each
 * side, each after everything it depends on.  Returns their number; with list NULL it only
 * counts. */
int slice_order(int pieces, int side, struct slice *list);

/* The canonical slices that one move can lead to from s (either side to move), without s
 * itself.  At most SLICE_CODES; returns their number. */
int slice_successors(struct slice s, struct slice *list);

/* ---------------------------------------------------------------- numbering -- */

struct layout {
    struct slice slice;
    uint32_t rows, columns; /* of each block */
    uint64_t block_size;    /* rows * columns */
    uint64_t blocks;
    uint64_t positions; /* blocks * block_size */
    uint32_t men_sets;  /* C(28, men) */
    uint32_t *first;    /* [men_sets + 1] the first block of each own men set */
};

int layout_create(struct layout *l, struct slice s); /* 0, or -1 without memory */
void layout_free(struct layout *l);

/* Men and kings from the point of view of the side to move: packed squares, its own back row on
 * 1-4, the opponent's pieces on the same board. */
struct view {
    uint32_t men, kings, opp_men, opp_kings;
};

static inline struct view view_of(const struct board *b)
{
    uint32_t us = squares_pack(b->side[b->turn]), them = squares_pack(b->side[side_other(b->turn)]);
    uint32_t kings = squares_pack(b->kings);

    if (b->turn == WHITE) {
        uint64_t both = bits_reverse((uint64_t)them << 32 | us); /* rotates the board and swaps
                                                                  * the sides */

        us = (uint32_t)(both >> 32);
        them = (uint32_t)both;
        kings = packed_flip(kings);
    }
    return (struct view){us & ~kings, us & kings, them & ~kings, them & kings};
}

static inline struct slice view_slice(const struct view *v)
{
    return (struct slice){
        (uint8_t)__builtin_popcount(v->kings), (uint8_t)__builtin_popcount(v->men),
        (uint8_t)__builtin_popcount(v->opp_kings), (uint8_t)__builtin_popcount(v->opp_men)};
}

struct board view_board(const struct view *v, enum side turn);

/* The block of a placement of men; both sets as the mover sees them. */
uint64_t layout_block(const struct layout *l, uint32_t men, uint32_t opp_men);

/* The men of a block; the inverse of layout_block. */
void layout_block_men(const struct layout *l, uint64_t block, uint32_t *men, uint32_t *opp_men);

uint64_t layout_index(const struct layout *l, const struct view *v);
void layout_view(const struct layout *l, uint64_t index, struct view *out);

/* layout_index of each of `count` views. */
void layout_indices(const struct layout *l, const struct view *views, size_t count,
                    uint64_t *indices);

/* How far all men of a block have advanced, in rows: blocks of equal advancement
 * do not depend on each other. */
int men_advancement(uint32_t men, uint32_t opp_men);

#endif
