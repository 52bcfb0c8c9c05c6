/* SPDX-License-Identifier: MIT
 *
 * notation.h -- positions and moves as people write them.
 *
 * A position is a FEN as in PDN files: side to move, then the pieces of each
 * colour, `B:W21,22,K30:BK1,12`.  All usual spellings are read: blanks, a trailing
 * dot, ranges (W21-32), either colour first, lower case, a tail of clocks (;H0;F1)
 * which is ignored.  A move is square numbers, `11-15`, `15x22`, `1x10x17`, or the
 * same in algebraic squares, `a3-b4` (a1 is square 4, at Black's left hand; h8 is 29).
 *
 * (N1) fen_parse accepts only board_valid() positions in which the side that is
 *      not to move has a piece: it has just moved one.
 * (N2) fen_parse(fen_format(b)) == b for those positions, and fen_format gives one
 *      spelling: White first, squares in order, no blanks.
 * (N3) move_parse(move_format(m)) == m within the legal moves of a position, in either
 *      style, short or whole.
 *
 * Pure functions on the caller's memory; any thread. */
#ifndef KELSO_CORE_NOTATION_H
#define KELSO_CORE_NOTATION_H

#include "core/move.h"
#include "core/text.h"

enum {
    FEN_TEXT_MAX = 128, /* "B:W" + ":B" + 24 times "K32," and a NUL */
    MOVE_TEXT_MAX = 32  /* 10 squares of two, 9 signs between, and a NUL */
};

enum move_style { MOVE_NUMBERS, MOVE_ALGEBRAIC };

bool fen_parse(const char *text, size_t length, struct board *out, struct text_error *error);

/* Returns the length written, without the NUL. */
size_t fen_format(const struct board *b, char out[FEN_TEXT_MAX]);

/* Write a move in the shortest form that names it alone among `legal`: its two
 * ends, or else its whole path.  With legal == NULL always the whole path. */
size_t move_format(const struct move *m, const struct move_list *legal, enum move_style style,
                   char out[MOVE_TEXT_MAX]);

/* Find the move that `text` names among `legal`.  A capture may be written by its
 * ends, by its whole path, or by its ends and some squares between; `-` is
 * accepted for `x`, as in older texts: captures are compulsory, so it is unambiguous.
 * Where several paths fit and all take the same pieces, the position after is the same
 * and the first is chosen; where they do not, the text is ambiguous.  An error lists
 * the moves that fit, or those that are legal. */
bool move_parse(const char *text, size_t length, const struct move_list *legal, struct move *out,
                struct text_error *error);

/* "Black" or "White". */
const char *side_name(enum side s);

#endif
