/* SPDX-License-Identifier: MIT */
#include "core/notation.h"

#include <stdio.h>
#include <string.h>

const char *side_name(enum side s)
{
    return s == BLACK ? "Black" : "White";
}

/* ------------------------------------------------------------- reading FEN -- */

struct fen_reader {
    struct text text;
    struct text_error *error;
    struct board board;
    size_t side_at[2]; /* where each colour's letter stands */
};

static bool expect_colon(struct fen_reader *r)
{
    text_skip_spaces(&r->text);
    if (!text_accept(&r->text, ':'))
        return text_expected(&r->text, r->error, "':'");
    text_skip_spaces(&r->text);
    return true;
}

static bool read_side(struct fen_reader *r, enum side *side, const char *expected)
{
    text_skip_spaces(&r->text);
    switch (text_peek(&r->text)) {
    case 'B':
    case 'b':
        *side = BLACK;
        break;
    case 'W':
    case 'w':
        *side = WHITE;
        break;
    default:
        return text_expected(&r->text, r->error, expected);
    }
    r->text.at++;
    return true;
}

static bool put_piece(struct fen_reader *r, size_t at, enum side side, int number, bool king)
{
    struct board *b = &r->board;
    squares bit = squares_of(square_from_number(number));

    if (bit & (b->side[BLACK] | b->side[WHITE]))
        return text_fail(r->error, at, "square %d has a piece already", number);
    if (!king && (bit & squares_crown_row(side)))
        return text_fail(r->error, at, "a %s man cannot stand on %d, where it becomes a king",
                         side == BLACK ? "black" : "white", number);
    if (squares_count(b->side[side]) == 12)
        return text_fail(r->error, at, "%s has more than 12 pieces", side_name(side));
    b->side[side] |= bit;
    if (king)
        b->kings |= bit;
    return true;
}

static bool read_algebraic(struct text *t, square *out, struct text_error *error);

static bool read_square_number(struct fen_reader *r, int *number)
{
    int letter = text_peek(&r->text) | 0x20;
    size_t at = r->text.at;
    square s = 0;

    if (letter >= 'a' && letter <= 'h') {
        if (!read_algebraic(&r->text, &s, r->error))
            return false;
        *number = square_number(s);
        return true;
    }
    *number = text_number(&r->text, 32);
    if (*number >= 1 && *number <= 32)
        return true;
    r->text.at = at;
    return text_expected(&r->text, r->error, "a square from 1 to 32");
}

/* One item: 12, K12, 21-32 or K21-24. */
static bool read_pieces(struct fen_reader *r, enum side side)
{
    size_t at = r->text.at;
    bool king = text_accept(&r->text, 'K') || text_accept(&r->text, 'k');
    int first, last;

    text_skip_spaces(&r->text);
    if (!read_square_number(r, &first))
        return false;
    last = first;
    text_skip_spaces(&r->text);
    if (text_accept(&r->text, '-')) {
        text_skip_spaces(&r->text);
        if (!read_square_number(r, &last))
            return false;
        if (last < first)
            return text_fail(r->error, at, "the range %d-%d runs backwards", first, last);
    }
    for (int n = first; n <= last; n++)
        if (!put_piece(r, at, side, n, king))
            return false;
    return true;
}

static bool at_list_end(const struct text *t)
{
    int c = text_peek(t);

    return c < 0 || c == ':' || c == ';' || c == '.';
}

/* The pieces of one colour: its letter and a list, which may be empty. */
static bool read_colour(struct fen_reader *r, enum side *side)
{
    text_skip_spaces(&r->text);
    r->side_at[BLACK] = r->side_at[WHITE] = r->text.at;
    if (!read_side(r, side, "a colour, W or B"))
        return false;
    text_skip_spaces(&r->text);
    if (at_list_end(&r->text))
        return true;
    do {
        text_skip_spaces(&r->text);
        if (!read_pieces(r, *side))
            return false;
        text_skip_spaces(&r->text);
    } while (text_accept(&r->text, ','));
    if (!at_list_end(&r->text))
        return text_expected(&r->text, r->error, "',' or the end of the list");
    return true;
}

static bool read_both_colours(struct fen_reader *r)
{
    enum side first, second;
    size_t at;

    if (!read_colour(r, &first) || !expect_colon(r))
        return false;
    at = r->side_at[first];
    if (!read_colour(r, &second))
        return false;
    if (second == first)
        return text_fail(r->error, r->side_at[second], "%s is listed twice", side_name(first));
    r->side_at[first] = at;
    return true;
}

/* Clocks such as ;H0;F1 (half moves, full moves) are not part of the position. */
static bool skip_tail(struct fen_reader *r)
{
    struct text *t = &r->text;

    text_skip_spaces(t);
    while (text_accept(t, ';') || text_accept(t, ':')) {
        text_skip_spaces(t);
        if (!text_accept(t, 'H') && !text_accept(t, 'F'))
            return text_expected(t, r->error, "H or F and a number");
        if (text_number(t, 32) < 0)
            return text_expected(t, r->error, "a number");
        text_skip_spaces(t);
    }
    text_accept(t, '.');
    text_skip_spaces(t);
    return t->at == t->end || text_expected(t, r->error, "the end");
}

static bool check_sides(struct fen_reader *r)
{
    enum side us = r->board.turn, them = side_other(us);

    if (r->board.side[them])
        return true;
    if (!r->board.side[us])
        return text_fail(r->error, r->side_at[us], "the board is empty");
    return text_fail(r->error, r->side_at[them], "%s has no pieces, so %s cannot be to move",
                     side_name(them), side_name(us));
}

bool fen_parse(const char *text, size_t length, struct board *out, struct text_error *error)
{
    struct fen_reader r = {.text = {text, 0, length}, .error = error};

    if (!read_side(&r, &r.board.turn, "the side to move, B or W") || !expect_colon(&r) ||
        !read_both_colours(&r) || !skip_tail(&r) || !check_sides(&r))
        return false;
    *out = r.board;
    return true;
}

/* ------------------------------------------------------------- writing FEN -- */

static size_t format_colour(const struct board *b, enum side side, char *out)
{
    size_t n = 0;

    out[n++] = ':';
    out[n++] = side == BLACK ? 'B' : 'W';
    for (squares set = b->side[side]; set; set &= set - 1) {
        square s = square_first(set);

        n += (size_t)sprintf(out + n, "%s%d%s", b->kings & squares_of(s) ? "K" : "",
                             square_number(s), set & (set - 1) ? "," : "");
    }
    return n;
}

size_t fen_format(const struct board *b, char out[FEN_TEXT_MAX])
{
    size_t n = 0;

    out[n++] = b->turn == BLACK ? 'B' : 'W';
    n += format_colour(b, WHITE, out + n);
    n += format_colour(b, BLACK, out + n);
    out[n] = '\0';
    return n;
}

/* ----------------------------------------------------------- writing moves -- */

/* Algebraic squares are named from Black's side: rank 1 is Black's back row and the files run from
 * right to left in the order of the numbers. */
static size_t square_format(square s, enum move_style style, char *out)
{
    int number = square_number(s), row = (number - 1) / 4, place = (number - 1) % 4;

    if (style == MOVE_NUMBERS)
        return (size_t)sprintf(out, "%d", number);
    out[0] = (char)((row & 1 ? 'h' : 'g') - 2 * place);
    out[1] = (char)('1' + row);
    return 2;
}

static bool same_ends(const struct move *a, const struct move *b)
{
    return a->from == b->from && a->to == b->to;
}

static bool ends_suffice(const struct move *m, const struct move_list *legal)
{
    int same = 0;

    for (int i = 0; i < legal->count; i++)
        same += same_ends(m, &legal->move[i]);
    return same <= 1;
}

size_t move_format(const struct move *m, const struct move_list *legal, enum move_style style,
                   char out[MOVE_TEXT_MAX])
{
    size_t n = square_format(m->from, style, out);

    if (!legal || !ends_suffice(m, legal)) {
        for (int i = 0; i + 1 < m->jumps; i++) {
            out[n++] = 'x';
            n += square_format(m->via[i], style, out + n);
        }
    }
    out[n++] = m->jumps ? 'x' : '-';
    n += square_format(m->to, style, out + n);
    out[n] = '\0';
    return n;
}

/* ----------------------------------------------------------- reading moves -- */

/* "a3": the cursor is on a letter and a row follows. */
static bool at_algebraic(const struct text *t)
{
    int file = text_peek(t) | 0x20;
    int row = t->at + 1 < t->end ? (unsigned char)t->bytes[t->at + 1] : -1;

    return file >= 'a' && file <= 'h' && row >= '0' && row <= '9';
}

static bool read_algebraic(struct text *t, square *out, struct text_error *error)
{
    int file = (text_peek(t) | 0x20) - 'a', row, column;

    t->at++;
    row = text_peek(t) - '1';
    if (row < 0 || row > 7)
        return text_expected(t, error, "a row from 1 to 8");
    t->at++;
    if ((file + row) % 2)
        return text_fail(error, t->at - 2, "%c%d is a light square, where no piece stands",
                         'a' + file, row + 1);
    column = (row & 1 ? 7 : 6) - file; /* see square_format */
    *out = square_from_number(4 * row + column / 2 + 1);
    return true;
}

static int digits_at(const struct text *t)
{
    int n = 0;

    while (t->at + (size_t)n < t->end && n < 5 && t->bytes[t->at + (size_t)n] >= '0' &&
           t->bytes[t->at + (size_t)n] <= '9')
        n++;
    return n;
}

static bool read_square(struct text *t, square *out, struct text_error *error)
{
    struct text pair = *t;
    size_t at = t->at;
    int number;

    if (at_algebraic(t) || (text_peek(t) >= 'a' && text_peek(t) <= 'h'))
        return read_algebraic(t, out, error);
    if (digits_at(t) == 4) /* 1115: two squares without a sign between */
        pair.end = pair.at + 2;
    number = text_number(&pair, 32);
    t->at = pair.at;
    if (number >= 1 && number <= 32) {
        *out = square_from_number(number);
        return true;
    }
    t->at = at;
    return text_expected(t, error, "a square, 1 to 32 or a1 to h8");
}

/* Blanks inside a move: also the one that does not break (C2 A0). */
static void skip_gap(struct text *t, bool lines)
{
    for (;;) {
        int c = text_peek(t);

        if (c == ' ' || c == '\t' || (lines && (c == '\n' || c == '\r')))
            t->at++;
        else if (!text_accept_word(t, "\xC2\xA0"))
            return;
    }
}

/* One of the signs that stand between squares; 0 if there is none. */
static unsigned read_sign(struct text *t)
{
    static const char *const dashes[] = {"\xE2\x80\x90", "\xE2\x80\x91", "\xE2\x80\x92",
                                         "\xE2\x80\x93", "\xE2\x80\x94", "\xE2\x80\x95",
                                         "\xE2\x88\x92"};

    if (text_accept(t, '-'))
        return MOVE_FORM_DASH;
    if (text_accept(t, 'x') || text_accept(t, ':'))
        return MOVE_FORM_X;
    if (text_accept(t, 'X') || text_accept_word(t, "\xC3\x97")) /* the multiplication sign */
        return MOVE_FORM_X | MOVE_FORM_ODD;
    for (size_t i = 0; i < sizeof dashes / sizeof *dashes; i++)
        if (text_accept_word(t, dashes[i]))
            return MOVE_FORM_DASH | MOVE_FORM_ODD;
    return 0;
}

/* Step to the next square of the move, over a sign or, in a3b4 and 1115, over nothing. */
static bool read_step(struct text *t, unsigned *form)
{
    struct text ahead = *t;
    size_t behind;

    if (at_algebraic(t) || digits_at(t) == 2) {
        *form |= MOVE_FORM_NONE;
        return true;
    }
    skip_gap(&ahead, false);
    behind = ahead.at;
    *form |= read_sign(&ahead);
    if (ahead.at == behind)
        return false;
    *form |= behind > t->at ? MOVE_FORM_GAP : 0;
    behind = ahead.at;
    skip_gap(&ahead, true);
    *form |= ahead.at > behind ? MOVE_FORM_GAP : 0;
    if (!at_algebraic(&ahead) && digits_at(&ahead) == 0)
        return false;
    t->at = ahead.at;
    return true;
}

/* A single square is not a move: a separator or the second square is missing. */
static bool refuse_lone_square(struct text t, struct text_error *error)
{
    struct text ahead = t;

    skip_gap(&ahead, false);
    if (!read_sign(&ahead))
        return text_expected(&t, error, "- or x");
    skip_gap(&ahead, true);
    return text_expected(&ahead, error, "a square, 1 to 32 or a1 to h8");
}

bool move_words_read(struct text *t, struct move_words *w, struct text_error *error)
{
    unsigned form = 0;

    *w = (struct move_words){0};
    if (!read_square(t, &w->at[w->count++], error))
        return false;
    while (read_step(t, &form)) {
        w->form |= form;
        if (w->count > MOVE_JUMPS_MAX)
            return text_fail(error, t->at, "a move has at most %d jumps", MOVE_JUMPS_MAX);
        if (!read_square(t, &w->at[w->count++], error))
            return false;
        form = 0;
    }
    return w->count > 1 || refuse_lone_square(*t, error);
}

enum fit { FITS_NOT, FITS, FITS_EXACTLY };

/* The ends must agree, and the squares between them must be on the path, in order. */
static enum fit words_fit(const struct move_words *w, const struct move *m)
{
    int last = m->jumps ? m->jumps : 1, i = 1;

    if (w->at[0] != m->from || w->at[w->count - 1] != m->to)
        return FITS_NOT;
    for (int k = 1; k + 1 < w->count; k++) {
        while (i < last && move_square(m, i) != w->at[k])
            i++;
        if (i++ >= last)
            return FITS_NOT;
    }
    return w->count == last + 1 ? FITS_EXACTLY : FITS;
}

/* Append to `out` the moves that fit the words, or all if words is NULL. */
static void list_moves(const struct move_words *w, const struct move_list *legal, char *out,
                       size_t size)
{
    size_t n = 0;
    const char *comma = "";

    out[0] = '\0';
    for (int i = 0; i < legal->count; i++) {
        char text[MOVE_TEXT_MAX];

        if (w && words_fit(w, &legal->move[i]) == FITS_NOT)
            continue;
        move_format(&legal->move[i], w ? NULL : legal, MOVE_NUMBERS, text);
        if (n + strlen(text) + sizeof ", ..." > size) {
            sprintf(out + n, "%s...", comma);
            return;
        }
        n += (size_t)sprintf(out + n, "%s%s", comma, text);
        comma = ", ";
    }
}

bool move_words_fit(const struct move_words *w, const struct move *m)
{
    return words_fit(w, m) != FITS_NOT;
}

bool move_words_refuse(const struct text *t, size_t at, const struct move_words *w,
                       const struct move_list *legal, struct text_error *error)
{
    char quote[TEXT_QUOTE_MAX], moves[TEXT_ERROR_MAX / 2];
    bool ambiguous = false;

    for (int i = 0; i < legal->count; i++)
        ambiguous |= words_fit(w, &legal->move[i]) != FITS_NOT;
    text_quote(t, at, quote);
    list_moves(ambiguous ? w : NULL, legal, moves, sizeof moves);
    if (ambiguous)
        return text_fail(error, at, "%s is ambiguous: expected one of %s", quote, moves);
    if (legal->count == 0)
        return text_fail(error, at, "expected no move, as none is legal, found %s", quote);
    return text_fail(error, at, "expected a legal move (%s), found %s", moves, quote);
}

bool move_words_find(const struct move_words *w, const struct move_list *legal, struct move *out)
{
    const struct move *found = NULL;
    bool ambiguous = false;

    for (int i = 0; i < legal->count; i++) {
        const struct move *m = &legal->move[i];
        enum fit fit = words_fit(w, m);

        if (fit == FITS_EXACTLY) {
            *out = *m;
            return true;
        }
        ambiguous |= fit == FITS && found && found->captured != m->captured;
        found = fit == FITS && !found ? m : found;
    }
    if (!found || ambiguous)
        return false;
    *out = *found;
    return true;
}

bool move_parse(const char *text, size_t length, const struct move_list *legal, struct move *out,
                struct text_error *error)
{
    struct text t = {text, 0, length};
    struct move_words words;

    if (!move_words_read(&t, &words, error))
        return false;
    while (text_accept(&t, '!') || text_accept(&t, '?'))
        ;
    if (t.at < t.end)
        return text_expected(&t, error, "- or x");
    return move_words_find(&words, legal, out) || move_words_refuse(&t, 0, &words, legal, error);
}
