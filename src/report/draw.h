/* SPDX-License-Identifier: MIT
 *
 * draw.h -- the board on a terminal.
 *
 * As in print: White at the bottom, square 1 at the top.  Letters on plain output (b, w men; B,
 * W kings; a dot for an empty square), discs on coloured squares if the terminal can show
 * them. */
#ifndef KELSO_REPORT_DRAW_H
#define KELSO_REPORT_DRAW_H

#include "core/board.h"

#include <stdio.h>

struct draw_style {
    bool numbers; /* write the square numbers */
    bool flip;    /* Black at the bottom */
    bool colour;
    bool discs; /* U+25CF and friends instead of letters */
};

/* The style that suits the stream: colour and discs on a terminal only. */
struct draw_style draw_style_for(FILE *out);

/* The number of the square in a row, from the top, and a column of the drawing; 0: a light one. */
int draw_number_at(int row, int column, bool flip);

void draw_board(FILE *out, const struct board *b, struct draw_style style);

#endif
