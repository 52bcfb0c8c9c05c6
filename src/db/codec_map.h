/* SPDX-License-Identifier: MIT
 *
 * codec_map.h -- what the rules and the numbering say about a page of positions.
 *
 * Writer and reader of a page both know its material and its numbers, so they can
 * both work out, without looking at a value:
 *
 *   taking      the mover has a capture; such a position is not stored
 *   threatened  the opponent would have a capture if it were to move
 *   neighbours  the positions a fixed distance back that differ in one piece only
 *
 * A position is a number with digits (slice.h): the squares of the fastest moving
 * set of pieces, then of the next, ...  Taking one from a digit leads back by an
 * offset that does not change while the lowest digit runs: such a stretch of
 * positions is a run, and a page is a list of runs.  The bitmaps come from those of
 * sets.h, many positions at a time.
 *
 * (M1) bit i of `taking` and `threatened` is what the move generator says of
 *      position first + i.
 * (M2) the runs of a page are adjacent and cover it, none is empty.
 * (M3) back[j] <= start of its run, so that a neighbour is never before the page;
 *      where there is none, back[j] is 1 or 2: the position just before.
 *
 * A map belongs to one thread; it is filled in place, nothing is allocated. */
#ifndef KELSO_DB_CODEC_MAP_H
#define KELSO_DB_CODEC_MAP_H

#include "db/sets.h"
#include "db/slice.h"

enum {
    CODEC_PAGE_MAX = 32768,
    CODEC_BACK = 3, /* neighbours besides the previous position */
    CODEC_MAP_WORDS = CODEC_PAGE_MAX / 64 + 1,
};

struct codec_run {
    uint32_t start, end;       /* positions of the page */
    uint32_t back[CODEC_BACK]; /* distance of the neighbours, nearest digit first */
};

struct codec_map {
    uint32_t n, runs;
    uint64_t taking[CODEC_MAP_WORDS], threatened[CODEC_MAP_WORDS];
    struct codec_run run[CODEC_PAGE_MAX];
};

/* How many families of sets (sets_create) the maps of a slice need. */
int codec_map_sets(struct slice s);

/* Describe positions first .. first + n - 1 of l; n <= CODEC_PAGE_MAX. */
void codec_map_fill(struct codec_map *map, const struct layout *l, const struct sets *sets,
                    uint64_t first, uint32_t n);

static inline bool codec_map_bit(const uint64_t *bits, uint32_t i)
{
    return bits[i / 64] >> i % 64 & 1;
}

#endif
