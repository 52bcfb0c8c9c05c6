/* SPDX-License-Identifier: MIT */
#include "core/pdn_parse.h"

#include <string.h>

enum { NESTED_MAX = 4096, LABEL_MAX = 80 };

/* ------------------------------------------------------------------------ telling -- */

static void tell_as(struct pdn_parse *p, struct pdn_event e, int depth)
{
    const struct pdn_line *l = &p->line[depth];

    e.game = &p->game;
    e.depth = depth;
    e.ply = l->ply;
    if (!e.board)
        e.board = &l->now;
    p->visit(p->context, &e);
}

void pdn_tell(struct pdn_parse *p, struct pdn_event e)
{
    if (p->mute)
        return;
    for (int d = 1; d <= p->depth && e.kind != PDN_NOTE; d++) { /* (D3) */
        if (p->line[d].waiting && p->visit)
            tell_as(p, (struct pdn_event){.kind = PDN_OPEN, .at = p->line[d].open_at}, d - 1);
        p->line[d].waiting = false;
    }
    if (p->visit)
        tell_as(p, e, p->depth);
}

void pdn_note(struct pdn_parse *p, enum pdn_note note, size_t at, size_t length)
{
    pdn_tell(p,
             (struct pdn_event){
                 .kind = PDN_NOTE, .at = at, .note = note, .text = {p->text->bytes + at, length}});
}

const char *pdn_note_text(enum pdn_note note)
{
    static const char *const text[PDN_NOTES] = {
        [PDN_NOTE_BLANK] = "a blank other than a plain space",
        [PDN_NOTE_LINE] = "a line that begins with #, left out",
        [PDN_NOTE_COMMENT] = "a comment inside a comment",
        [PDN_NOTE_TAG_CASE] = "a tag name in unusual letters",
        [PDN_NOTE_TAG_TWICE] = "a tag given twice; the first counts",
        [PDN_NOTE_TAG_QUOTES] = "a tag value in quotes other than \"...\"",
        [PDN_NOTE_TAG_CLOSE] = "a tag without ] at its end",
        [PDN_NOTE_TAG_BAD] = "brackets that hold no tag, left out",
        [PDN_NOTE_TAG_COMMENT] = "a comment between tags",
        [PDN_NOTE_GAME_TYPE] = "a GameType other than 21, read as English draughts",
        [PDN_NOTE_SETUP] = "SetUp and FEN do not agree; the FEN counts, if there is one",
        [PDN_NOTE_FEN] = "a FEN that is empty or stands outside a tag",
        [PDN_NOTE_RESULT_TAG] = "a Result tag other than 1-0, 0-1, 1/2-1/2, 0-0 or *",
        [PDN_NOTE_RESULT_FORM] = "a result written in another way",
        [PDN_NOTE_RESULT_DIFFERS] = "the Result tag says something else; both are kept",
        [PDN_NOTE_RESULT_MISSING] = "no result at the end of a game",
        [PDN_NOTE_NUMBER] = "a move number without a point",
        [PDN_NOTE_SEPARATOR] = "a sign between moves, left out",
        [PDN_NOTE_SIGN] = "squares with a sign other than - or x between them, or none",
        [PDN_NOTE_QUIET_X] = "x in a move that takes nothing",
        [PDN_NOTE_CAPTURE_DASH] = "- in a capture",
        [PDN_NOTE_GAP] = "a blank inside a move",
        [PDN_NOTE_SPLIT] = "a jump written in parts",
        [PDN_NOTE_AMBIGUOUS] = "an ambiguous capture, decided by the next move",
        [PDN_NOTE_STRENGTH] = "signs such as ! apart from their move, or of no known meaning",
        [PDN_NOTE_STAR] = "* after a move, read as $7",
        [PDN_NOTE_NAG] = "a $ that annotates no move, or not with 0 to 255",
        [PDN_NOTE_WORDS] = "words among the moves, read as a comment",
        [PDN_NOTE_FOOTNOTE] = "brackets among the moves, read as a comment",
        [PDN_NOTE_EARLY_VARIATION] = "a variation before the first move",
        [PDN_NOTE_OPEN_VARIATION] = "a variation that is not closed",
        [PDN_NOTE_EMPTY_VARIATION] = "a variation with nothing in it, left out",
        [PDN_NOTE_VARIATION_RESULT] = "a result inside a variation, left out",
        [PDN_NOTE_BAD_VARIATION] =
            "a variation that goes wrong here; the rest is kept as a comment",
        [PDN_NOTE_PARENTHESIS] = "a ) that closes nothing, left out",
    };

    return text[note];
}

/* ------------------------------------------------------------------------- blanks -- */

bool pdn_at_line_start(const struct text *t)
{
    return t->at == 0 || t->bytes[t->at - 1] == '\n' || t->bytes[t->at - 1] == '\r';
}

void pdn_skip_line(struct text *t)
{
    while (t->at < t->end && t->bytes[t->at] != '\n' && t->bytes[t->at] != '\r')
        t->at++;
}

/* No-break space, zero width space, byte order mark. */
static bool accept_odd_blank(struct text *t)
{
    return text_accept_word(t, "\xC2\xA0") || text_accept_word(t, "\xE2\x80\x8B") ||
           text_accept_word(t, "\xEF\xBB\xBF");
}

void pdn_skip_gap(struct text *t)
{
    while (text_accept(t, ' ') || text_accept(t, '\t'))
        ;
}

void pdn_skip_blank(struct pdn_parse *p)
{
    struct text *t = p->text;

    for (;;) {
        size_t at;

        text_skip_spaces(t);
        at = t->at;
        if (accept_odd_blank(t)) {
            pdn_note(p, PDN_NOTE_BLANK, at, t->at - at);
        } else if (text_peek(t) == '%' && pdn_at_line_start(t)) { /* for other programs */
            pdn_skip_line(t);
        } else if (text_peek(t) == '#' && pdn_at_line_start(t)) {
            pdn_skip_line(t);
            pdn_note(p, PDN_NOTE_LINE, at, t->at - at);
        } else {
            return;
        }
    }
}

/* -------------------------------------------------------------------------- words -- */

struct pdn_slice pdn_read_word(struct text *t)
{
    struct pdn_slice s = {t->bytes + t->at, 0};

    while (t->at < t->end &&
           (t->bytes[t->at] == '\0' || !strchr(" \t\n\v\f\r{}()[];$", t->bytes[t->at])))
        t->at++;
    s.length = (size_t)(t->bytes + t->at - s.bytes);
    return s;
}

static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

bool pdn_slice_is(struct pdn_slice s, const char *word)
{
    size_t n = strlen(word);

    if (s.length != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (lower((unsigned char)s.bytes[i]) != lower((unsigned char)word[i]))
            return false;
    return true;
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool pdn_is_name_byte(int c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

bool pdn_at_tag(const struct text *t)
{
    struct text ahead = *t;

    if (!text_accept(&ahead, '['))
        return false;
    text_skip_spaces(&ahead);
    if (!is_letter(text_peek(&ahead)))
        return false;
    while (pdn_is_name_byte(text_peek(&ahead)))
        ahead.at++;
    text_skip_spaces(&ahead);
    return text_peek(&ahead) == '"' || text_accept_word(&ahead, "\xE2\x80\x9C") ||
           text_accept_word(&ahead, "\xE2\x80\x9D") || text_accept_word(&ahead, "\xE2\x80\x9E") ||
           text_accept_word(&ahead, "\xC2\xAB");
}

bool pdn_at_fen(const struct text *t)
{
    size_t left = t->end - t->at;
    const char *s = t->bytes + t->at;

    return left > 3 && strchr("BWbw", s[0]) && s[0] && s[1] == ':' && strchr("BWbw", s[2]) && s[2];
}

bool pdn_at_label(const struct text *t)
{
    struct text ahead = *t;

    if (!pdn_at_line_start(t))
        return false;
    while (ahead.at < ahead.end && ahead.at - t->at < LABEL_MAX &&
           !strchr("\n\r[{(|", ahead.bytes[ahead.at]))
        ahead.at++;
    if (ahead.at == t->at || !text_accept(&ahead, '|'))
        return false;
    text_skip_spaces(&ahead);
    return pdn_at_fen(&ahead);
}

bool pdn_at_game(const struct text *t)
{
    struct text line = *t;

    if (text_peek(t) != '[')
        return pdn_at_line_start(t) && (pdn_at_fen(t) || pdn_at_label(t));
    while (line.at > 0 && (t->bytes[line.at - 1] == ' ' || t->bytes[line.at - 1] == '\t'))
        line.at--;
    return pdn_at_line_start(&line) && pdn_at_tag(t);
}

/* ----------------------------------------------------------------------- comments -- */

/* The brace that closes the one at `from`, if it is near and braces inside are paired. */
static size_t nested_end(const struct text *t, size_t from)
{
    int depth = 0;

    for (size_t i = from; i < t->end && i - from < NESTED_MAX; i++) {
        depth += t->bytes[i] == '{';
        if (t->bytes[i] == '}' && --depth == 0)
            return i;
    }
    return 0;
}

/* Does an empty line and a tag stand in it?  Then it was never closed, and a game follows. */
static bool holds_tag(const struct text *t, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++) {
        struct text tag = {t->bytes, i, end};
        int lines = 0;

        if (t->bytes[i] != '[' || !pdn_at_tag(&tag))
            continue;
        for (size_t k = i; k > from && strchr(" \t\n\r", t->bytes[k - 1]) && t->bytes[k - 1]; k--)
            lines += t->bytes[k - 1] == '\n' ||
                     (t->bytes[k - 1] == '\r' && (k == i || t->bytes[k] != '\n'));
        if (lines > 1)
            return true;
    }
    return false;
}

static bool read_brace_comment(struct text *t, bool *unclosed, struct pdn_slice *out, bool *nested)
{
    const char *from = t->bytes + t->at + 1, *close;
    size_t end = 0;

    close = *unclosed ? NULL : memchr(from, '}', t->end - t->at - 1);
    if (!close) {
        *unclosed = true;
        return false;
    }
    if ((*nested = memchr(from, '{', (size_t)(close - from)) != NULL))
        end = nested_end(t, t->at);
    if (!end)
        end = (size_t)(close - t->bytes);
    if (holds_tag(t, t->at + 1, end))
        return false;
    *out = (struct pdn_slice){from, (size_t)(t->bytes + end - from)};
    t->at = end + 1;
    return true;
}

bool pdn_read_comment(struct text *t, bool *unclosed, struct pdn_slice *out, bool *nested)
{
    size_t from = t->at + 1;

    *nested = false;
    if (text_peek(t) == '{')
        return read_brace_comment(t, unclosed, out, nested);
    pdn_skip_line(t);
    *out = (struct pdn_slice){t->bytes + from, t->at - from};
    return true;
}

bool pdn_take_comment(struct pdn_parse *p)
{
    struct pdn_event e = {.kind = PDN_COMMENT, .at = p->text->at};
    bool nested;

    if (!pdn_read_comment(p->text, p->unclosed, &e.text, &nested))
        return text_fail(p->error, e.at, "expected } to close this comment, found the end");
    if (nested)
        pdn_note(p, PDN_NOTE_COMMENT, e.at, e.text.length);
    pdn_tell(p, e);
    return true;
}

/* ------------------------------------------------------------------------ results -- */

const char *pdn_result_text(enum pdn_result result)
{
    static const char *const text[] = {"*", "1-0", "0-1", "1/2-1/2", "0-0"};

    return text[result];
}

enum pdn_result pdn_won_by(enum side winner)
{
    return winner == BLACK ? PDN_1_0 : PDN_0_1;
}

/* One side's part: 0, 1, 2 or a half (5). */
static int accept_points(struct text *t)
{
    if (text_accept_word(t, "1/2") || text_accept_word(t, "\xC2\xBD"))
        return 5;
    if (text_peek(t) < '0' || text_peek(t) > '2')
        return -1;
    return t->bytes[t->at++] - '0';
}

static void skip_gap(struct text *t)
{
    while (text_accept(t, ' ') || text_accept(t, '\t'))
        ;
}

bool pdn_accept_result(struct text *t, enum pdn_result *out)
{
    static const struct {
        int black, white;
        enum pdn_result result;
    } table[] = {{1, 0, PDN_1_0}, {0, 1, PDN_0_1}, {5, 5, PDN_DRAW}, {5, -1, PDN_DRAW},
                 {2, 0, PDN_1_0}, {0, 2, PDN_0_1}, {1, 1, PDN_DRAW}, {0, 0, PDN_FORFEIT}};
    struct text ahead = *t, end;
    int black = accept_points(&ahead), white = -1;

    end = ahead;
    skip_gap(&ahead);
    if (text_accept(&ahead, '-') || text_accept_word(&ahead, "\xE2\x80\x93")) {
        skip_gap(&ahead);
        white = accept_points(&ahead);
        end = white < 0 ? end : ahead;
    }
    if (text_peek(&end) >= '/' && text_peek(&end) <= ':') /* 1-05, 1/2/3 */
        return false;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].black == black && table[i].white == white) {
            *out = table[i].result;
            t->at = end.at;
            return true;
        }
    return false;
}

bool pdn_result_is_proper(struct pdn_slice text, enum pdn_result result)
{
    return pdn_slice_is(text, pdn_result_text(result)) || pdn_slice_is(text, "2-0") ||
           pdn_slice_is(text, "1-1") || pdn_slice_is(text, "0-2");
}

static bool has_word(struct pdn_slice s, const char *word)
{
    size_t n = strlen(word);

    for (size_t i = 0; i + n <= s.length; i++)
        if (pdn_slice_is((struct pdn_slice){s.bytes + i, n}, word))
            return true;
    return false;
}

/* "Red resigns", "White wins": who, and what. */
static bool result_in_words(struct pdn_slice s, enum pdn_result *out)
{
    bool black = has_word(s, "black") || has_word(s, "red"), white = has_word(s, "white");
    bool wins = has_word(s, "win") || has_word(s, "won");
    bool loses = has_word(s, "resign") || has_word(s, "lose") || has_word(s, "lost");

    if (has_word(s, "draw")) {
        *out = PDN_DRAW;
        return true;
    }
    if (black == white || wins == loses)
        return false;
    *out = pdn_won_by(black == wins ? BLACK : WHITE);
    return true;
}

bool pdn_result_of(struct pdn_slice value, enum pdn_result *out)
{
    struct text t = {value.bytes, 0, value.length};

    text_skip_spaces(&t);
    while (t.end > t.at && strchr(" \t", t.bytes[t.end - 1]))
        t.end--;
    if (t.end - t.at == 1 && t.bytes[t.at] == '*') {
        *out = PDN_UNKNOWN;
        return true;
    }
    if (pdn_accept_result(&t, out) && t.at == t.end)
        return true;
    return result_in_words(value, out);
}
