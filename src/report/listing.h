/* SPDX-License-Identifier: MIT
 *
 * listing.h -- write a game as numbered moves in columns, with marks for footnotes.
 *
 *       1. 22-25 31-27        2. 23-19 32-28        3. 25-29 27-31[1]
 *
 * A number counts a move of each side, Black's first; a listing that starts with a move of
 * White has ... in Black's place.  The output can be read back (record.h).
 *
 * One thread; the stream belongs to the caller. */
#ifndef KELSO_REPORT_LISTING_H
#define KELSO_REPORT_LISTING_H

#include "core/notation.h"

#include <stdio.h>

struct listing {
    FILE *out;
    enum move_style style; /* MOVE_NUMBERS after listing_open */
    int plies;             /* written so far, including one left out at the start */
    int column;            /* pairs on this line */
    int width;             /* of the current pair */
};

struct listing listing_open(FILE *out, enum side first);

/* `note` > 0 adds a footnote mark after the move. */
void listing_move(struct listing *l, const struct board *b, const struct move *m, int note);
void listing_close(struct listing *l);

#endif
