/* SPDX-License-Identifier: MIT
 *
 * notation.h -- positions and moves as people write them.
 *
 * A position is a FEN as in PDN files: side to move, then the pieces of each colour,
 * `B:W21,22,K30:BK1,12`.  All usual spellings are read: blanks, a trailing dot, ranges (W21-32),
 * either colour first, lower case, a tail of clocks (;H0;F1) which is ignored, algebraic squares
 * (Wa3,Kc5).  A move is square numbers, `11-15`, `15x22`, `1x10x17`, or the same in algebraic
 * squares, `a3-b4` (a1 is square 4, on Black's left; h8 is 29).  The separator between the squares
 * does not matter: - x X : and typographic variants, blanks, or nothing if that is unambiguous
 * (a3b4, 1115).
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
    MOVE_TEXT_MAX = 32  /* 10 squares of two digits, 9 separators and a NUL */
};

enum move_style { MOVE_NUMBERS, MOVE_ALGEBRAIC };

bool fen_parse(const char *text, size_t length, struct board *out, struct text_error *error);

/* Returns the length written, without the NUL. */
size_t fen_format(const struct board *b, char out[FEN_TEXT_MAX]);

/* Write a move in the shortest form that is unique among `legal`: its two ends, or its whole path
 * if necessary.  With legal == NULL, always the whole path. */
size_t move_format(const struct move *m, const struct move_list *legal, enum move_style style,
                   char out[MOVE_TEXT_MAX]);

/* The i-th square of a move's path, from 0 to the number of its jumps (a quiet move: 1). */
static inline square move_square(const struct move *m, int i)
{
    int last = m->jumps ? m->jumps : 1;

    return i == 0 ? m->from : i == last ? m->to : m->via[i - 1];
}

/* How a move was written. */
enum move_form {
    MOVE_FORM_DASH = 1,
    MOVE_FORM_X = 2,    /* x or : */
    MOVE_FORM_ODD = 4,  /* a character that looks like one of these */
    MOVE_FORM_NONE = 8, /* no sign */
    MOVE_FORM_GAP = 16  /* blanks inside */
};

/* The squares of a move as written. */
struct move_words {
    int count;
    square at[MOVE_JUMPS_MAX + 1];
    unsigned form;
};

/* Read the squares of a move at the cursor, which moves past the last one. */
bool move_words_read(struct text *t, struct move_words *w, struct text_error *error);

/* Do the words name this move?  The ends must agree, and the squares between them must be on its
 * path, in order. */
bool move_words_fit(const struct move_words *w, const struct move *m);

/* The one move of `legal` that the words name.  If several paths fit and all capture the same
 * pieces, they lead to the same position and the first is chosen; otherwise the words are
 * ambiguous, and the result is false. */
bool move_words_find(const struct move_words *w, const struct move_list *legal, struct move *out);

/* Explain why move_words_find failed: which moves fit, or which are legal.  Returns false.  The
 * words are at offset `at` of the text. */
bool move_words_refuse(const struct text *t, size_t at, const struct move_words *w,
                       const struct move_list *legal, struct text_error *error);

/* The same for a text that consists of one move, optionally followed by ! and ?. */
bool move_parse(const char *text, size_t length, const struct move_list *legal, struct move *out,
                struct text_error *error);

/* "Black" or "White". */
const char *side_name(enum side s);

#endif
