/* SPDX-License-Identifier: MIT
 *
 * codec_map.h -- what the rules and the numbering say about a page of positions.
 *
 * The writer and the reader of a page both know its material and its position numbers.  From
 * these alone both derive, for each position:
 *
 *   taking      the mover has a capture; such a position is not stored
 *   threat      what the opponent could capture if it were to move
 *   squares     where the fastest changing pieces stand
 *   neighbours  the positions a fixed distance back that differ in one piece only
 *
 * A position is a number with digits (slice.h): the squares of the fastest moving set of
 * pieces, then of the next, ...  Subtracting one from a digit leads back by an offset that
 * stays constant while the lowest digit runs.  Such a stretch of positions is a run, and a page
 * is a list of runs.  The bitmaps are built from those of sets.h, many positions at a time.
 *
 * (M1) Bit i of `taking` is set if and only if the mover of position first + i has a capture;
 *      codec_map_threat is nonzero if and only if the opponent would have one.
 * (M2) The runs of a page are adjacent, cover it, and none is empty.
 * (M3) back[j] <= start of its run, so a neighbour never lies before the page.  Without a
 *      neighbour back[j] is 1 or 2: a position just before.
 *
 * A map belongs to one thread.  It is filled in place; nothing is allocated. */
#ifndef KELSO_DB_CODEC_MAP_H
#define KELSO_DB_CODEC_MAP_H

#include "db/sets.h"
#include "db/slice.h"

enum {
    CODEC_PAGE_MAX = 16384,
    CODEC_BACK = 3, /* neighbours besides the previous position */
    CODEC_MAP_WORDS = CODEC_PAGE_MAX / 64 + 1,
};

struct codec_run {
    uint32_t start, end;       /* positions of the page */
    uint32_t back[CODEC_BACK]; /* distance of the neighbours, nearest digit first */
    uint8_t square[2];         /* of the second and the third piece, packed */
};

struct codec_map {
    uint32_t n, runs;
    uint64_t taking[CODEC_MAP_WORDS], threat[2][CODEC_MAP_WORDS];
    uint8_t square[CODEC_PAGE_MAX]; /* of the first piece, packed */
    struct codec_run run[CODEC_PAGE_MAX];
};

/* The kmax for sets_create that the maps of a slice need. */
int codec_map_sets(struct slice s);

/* Describe positions first .. first + n - 1 of l; n <= CODEC_PAGE_MAX. */
void codec_map_fill(struct codec_map *map, const struct layout *l, const struct sets *sets,
                    uint64_t first, uint32_t n);

/* Only n and `taking`, in less than half of the time. */
void codec_map_captures(struct codec_map *map, const struct layout *l, const struct sets *sets,
                        uint64_t first, uint32_t n);

/* The same for positions first .. first + n - 1 of a filled map, where first is a multiple of
 * 64.  The result equals that of codec_map_fill, in a fraction of the time. */
void codec_map_part(struct codec_map *part, const struct codec_map *whole, uint32_t first,
                    uint32_t n);

static inline bool codec_map_bit(const uint64_t *bits, uint32_t i)
{
    return bits[i / 64] >> i % 64 & 1;
}

/* 0: none; 1: one jump that involves no piece of the first set (except that they leave its end
 * free); 2: one jump by or over such a piece; 3: several. */
static inline uint32_t codec_map_threat(const struct codec_map *map, uint32_t i)
{
    return (uint32_t)codec_map_bit(map->threat[0], i) | (uint32_t)codec_map_bit(map->threat[1], i)
                                                            << 1;
}

#endif
