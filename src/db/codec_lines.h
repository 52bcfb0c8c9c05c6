/* SPDX-License-Identifier: MIT
 *
 * codec_lines.h -- a map of a page (codec_map.h) that is filled only where it is needed.
 *
 * A page is cut into lines: the positions of a line differ in one set of pieces, the axis.  To
 * open a line takes longer than to decode a chunk of equal values, so a reader asks for each chunk
 * that it has to decode, and the lines of the others are never opened.  Only the sources of the
 * codec use this.
 *
 * (L1) What codec_lines_fill describes is what codec_map_fill says of the same positions.
 * (L2) Each position is described once; the runs come in order, but need not be adjacent.
 *
 * A walk belongs to one thread.  Map, layout and sets are the caller's and outlive it. */
#ifndef KELSO_DB_CODEC_LINES_H
#define KELSO_DB_CODEC_LINES_H

#include "db/codec_map.h"

enum { CODEC_TERMS_MAX = 128 };

/* The positions of a line differ in one set of pieces only: the axis, that is the
 * mover's kings, else the opponent's kings, else the opponent's men. */
enum codec_axis { AXIS_KINGS, AXIS_OPP_KINGS, AXIS_OPP_MEN };

/* A jump, as a condition on the axis: a piece on `need` (NONE: always so), and no
 * piece on `forbid`.  Both are digits of the axis. */
struct codec_term {
    int8_t need, forbid;
};

struct codec_terms {
    int n;
    struct codec_term term[CODEC_TERMS_MAX];
    squares any[2], several; /* of an axis of one piece: the squares where terms hold */
};

struct codec_line {
    enum codec_axis axis;
    int k;                /* pieces on the axis */
    bool captures_only;   /* the rest of the map is not wanted */
    uint32_t at, size;    /* place of the current position, number of places */
    squares men, opp_men; /* the fixed pieces, padded; */
    squares opp;          /* all fixed pieces of the opponent, */
    uint32_t opp_kings;   /* and its fixed kings, packed */
    squares room;         /* where a piece of the axis may stand */
    uint32_t room_packed;
    uint64_t outer[CODEC_BACK]; /* steps back along the fixed digits */
    int outers;
    uint8_t outer_square[2]; /* the first pieces that are not on the axis */
    uint8_t axis_square[33]; /* of each digit of the axis, packed */
    struct codec_terms taking, threat;
};

struct codec_place { /* of a line in its slice; remembers the last block and row */
    uint64_t block;
    uint32_t men_rank;
    uint32_t men, opp_men;
    uint32_t row, kings; /* the opponent's kings as it sees them; 0: no row yet */
};

struct codec_lines {
    struct codec_map *map;
    const struct layout *layout;
    const struct set_family *family;
    uint64_t first; /* position 0 of the map */
    uint32_t upto;  /* nothing from here on is described; the line's current position is this one */
    struct codec_line line;
    struct codec_place place;
};

/* Begin the map of positions first .. first + n - 1, of which none is described yet. */
void codec_lines_begin(struct codec_lines *w, struct codec_map *map, const struct layout *l,
                       const struct sets *sets, uint64_t first, uint32_t n);

/* Describe positions start .. end - 1, and perhaps some more after them; `start` never decreases.
 */
void codec_lines_fill(struct codec_lines *w, uint32_t start, uint32_t end);

#endif
