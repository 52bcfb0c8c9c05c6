/* SPDX-License-Identifier: MIT */
#include "core/pdn_parse.h"

#include "core/notation.h"

#include <string.h>

/* Names that are written in one way, whatever letters a file has. */
static const char *const usual[] = {"Event",     "Site",    "Date",     "Round",       "Black",
                                    "White",     "Result",  "GameType", "SetUp",       "FEN",
                                    "Annotator", "Opening", "Time",     "TimeControl", "PlyCount"};

/* ------------------------------------------------------------------------- values -- */

/* \" or \\: any other backslash stands for itself. */
static bool is_escape(const char *bytes, size_t at, size_t end)
{
    return bytes[at] == '\\' && at + 1 < end && (bytes[at + 1] == '"' || bytes[at + 1] == '\\');
}

const char *pdn_tag_text(const struct pdn_tag *tag, char *out, size_t size)
{
    size_t n = 0;

    for (size_t i = 0; i < tag->value.length && n + 1 < size; i++) {
        if (is_escape(tag->value.bytes, i, tag->value.length))
            i++;
        out[n++] = tag->value.bytes[i];
    }
    out[n] = '\0';
    return out;
}

const char *pdn_tag_escape(const char *text, char *out, size_t size)
{
    size_t n = 0;

    for (; *text && n + 2 < size; text++) {
        if (*text == '"' || *text == '\\')
            out[n++] = '\\';
        out[n++] = (unsigned char)*text < ' ' ? ' ' : *text;
    }
    out[n] = '\0';
    return out;
}

struct pdn_tag pdn_tag_of(const char *name, const char *value)
{
    return (struct pdn_tag){{name, strlen(name)}, {value, strlen(value)}};
}

const struct pdn_tag *pdn_tag_find(const struct pdn_game *game, const char *name)
{
    for (int i = 0; i < game->tags; i++)
        if (pdn_slice_is(game->tag[i].name, name))
            return &game->tag[i];
    return NULL;
}

/* ------------------------------------------------------------------------ reading -- */

static bool accept_curly(struct text *t)
{
    static const char *const marks[] = {"\xE2\x80\x9C", "\xE2\x80\x9D", "\xE2\x80\x9E",
                                        "\xE2\x80\x9F", "\xC2\xAB",     "\xC2\xBB"};

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (text_accept_word(t, marks[i]))
            return true;
    return false;
}

static size_t line_end(const struct text *t)
{
    struct text ahead = *t;

    pdn_skip_line(&ahead);
    return ahead.at;
}

/* Behind blanks, the bracket that closes the tag. */
static bool closes(struct text t)
{
    pdn_skip_gap(&t);
    return text_peek(&t) == ']';
}

/* A value in quotes: up to the first quote that is followed by the tag's ], on the same line.
 * Quotes inside need not be escaped, and the last may look as if it were ("C:\games\"). */
static bool read_quoted(struct text *t, size_t end, bool curly, struct pdn_slice *out, bool *odd)
{
    size_t from = t->at, escaped_from = 0, escaped = 0;

    for (struct text at = {t->bytes, from, end}; at.at < end;) {
        size_t here = at.at;
        bool escape = is_escape(at.bytes, here, end);

        at.at += escape;
        if (!text_accept(&at, '"') && !(curly && accept_curly(&at))) {
            at.at++;
            continue;
        }
        if (closes(at) && !escape) {
            *out = (struct pdn_slice){t->bytes + from, here - from};
            t->at = at.at;
            return true;
        }
        if (closes(at)) {
            escaped_from = here + 1;
            escaped = at.at;
        }
        *odd |= !escape;
    }
    if (!escaped)
        return false;
    *odd = true;
    *out = (struct pdn_slice){t->bytes + from, escaped_from - from};
    t->at = escaped;
    return true;
}

/* A value without quotes, or without the last: up to ] or the end of the line. */
static void read_bare(struct text *t, size_t end, struct pdn_slice *out)
{
    size_t from = t->at, to;
    const char *close = memchr(t->bytes + from, ']', end - from);

    to = close ? (size_t)(close - t->bytes) : end;
    t->at = to;
    while (to > from && strchr(" \t\"", t->bytes[to - 1]) && t->bytes[to - 1])
        to--;
    *out = (struct pdn_slice){t->bytes + from, to - from};
}

static void read_value(struct pdn_parse *p, struct pdn_slice *out)
{
    struct text *t = p->text;
    size_t at = t->at, end;
    bool curly = accept_curly(t), odd = curly;

    if (!curly && !text_accept(t, '"')) {
        end = line_end(t);
        read_bare(t, end, out);
        pdn_note(p, PDN_NOTE_TAG_QUOTES, at, t->at - at);
        return;
    }
    end = line_end(t);
    if (!read_quoted(t, end, curly, out, &odd)) {
        read_bare(t, end, out);
        odd = true;
    }
    if (odd)
        pdn_note(p, PDN_NOTE_TAG_QUOTES, at, t->at - at);
}

static void read_name(struct pdn_parse *p, struct pdn_slice *name)
{
    struct text *t = p->text;
    size_t from = t->at;

    while (pdn_is_name_byte(text_peek(t)))
        t->at++;
    *name = (struct pdn_slice){t->bytes + from, t->at - from};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        struct pdn_slice proper = {usual[i], strlen(usual[i])};

        if (!pdn_slice_is(*name, usual[i]))
            continue;
        if (memcmp(name->bytes, usual[i], name->length) != 0)
            pdn_note(p, PDN_NOTE_TAG_CASE, from, name->length);
        *name = proper;
    }
}

/* [Name "value"]; false: there is no name. */
static bool read_tag(struct pdn_parse *p, struct pdn_tag *tag)
{
    struct text *t = p->text;
    size_t at = t->at++;

    text_skip_spaces(t);
    read_name(p, &tag->name);
    if (tag->name.length == 0) {
        t->at = at;
        return false;
    }
    text_skip_spaces(t);
    read_value(p, &tag->value);
    pdn_skip_gap(t);
    if (!text_accept(t, ']'))
        pdn_note(p, PDN_NOTE_TAG_CLOSE, at, t->at - at);
    return true;
}

static bool add_tag(struct pdn_parse *p, size_t at, const struct pdn_tag *tag, bool again)
{
    struct pdn_game *g = &p->game;

    for (int i = 0; again && i < g->tags; i++)
        if (g->tag[i].name.length == tag->name.length &&
            memcmp(g->tag[i].name.bytes, tag->name.bytes, tag->name.length) == 0) {
            if (g->tag[i].value.bytes != tag->value.bytes)
                pdn_note(p, PDN_NOTE_TAG_TWICE, at, p->text->at - at);
            break;
        }
    if (again)
        return true;
    if (g->tags == PDN_TAGS_MAX)
        return text_fail(p->error, at, "a game has at most %d tags", PDN_TAGS_MAX);
    g->tag[g->tags++] = *tag;
    return true;
}

static bool take_tag(struct pdn_parse *p, bool again)
{
    size_t at = p->text->at;
    struct pdn_tag tag;

    if (read_tag(p, &tag))
        return add_tag(p, at, &tag, again);
    pdn_skip_line(p->text);
    pdn_note(p, PDN_NOTE_TAG_BAD, at, p->text->at - at);
    return true;
}

/* A position in front of the moves, with or without a label. */
static bool take_fen(struct pdn_parse *p, bool again)
{
    struct text *t = p->text;
    struct text_error *error = p->error;
    size_t at = t->at, from;

    if (pdn_at_label(t)) {
        t->at = (size_t)((const char *)memchr(t->bytes + at, '|', t->end - at) - t->bytes) + 1;
        text_skip_spaces(t);
    }
    from = t->at;
    while (t->at < t->end &&
           (t->bytes[t->at] == '\0' || !strchr(" \t\n\v\f\r|[{(", t->bytes[t->at])))
        t->at++;
    pdn_note(p, PDN_NOTE_FEN, at, t->at - at);
    p->fen = true;
    if (again || fen_parse(t->bytes + from, t->at - from, &p->game.start, error))
        return true;
    if (error)
        error->at += from;
    return false;
}

bool pdn_read_header(struct pdn_parse *p, bool again)
{
    size_t comment = 0;
    bool tagged = false, commented = false;

    for (;;) {
        struct text *t = p->text;

        pdn_skip_blank(p);
        if (text_peek(t) == '{' || text_peek(t) == ';') {
            commented = tagged;
            comment = t->at;
            if (!pdn_take_comment(p))
                return false;
        } else if (text_peek(t) == '[') {
            if (commented)
                pdn_note(p, PDN_NOTE_TAG_COMMENT, comment, 1);
            commented = false;
            tagged = p->in_tags = true;
            if (!take_tag(p, again))
                return false;
        } else {
            p->in_tags = false;
            return (!pdn_at_fen(t) && !pdn_at_label(t)) || take_fen(p, again);
        }
    }
}

/* ---------------------------------------------------------------- what tags mean -- */

static size_t value_at(const struct pdn_parse *p, const struct pdn_tag *tag)
{
    return (size_t)(tag->value.bytes - p->text->bytes);
}

static void note_tag(struct pdn_parse *p, enum pdn_note note, const struct pdn_tag *tag)
{
    pdn_note(p, note, value_at(p, tag), tag->value.length);
}

static bool is_blank(struct pdn_slice s)
{
    for (size_t i = 0; i < s.length; i++)
        if (s.bytes[i] != ' ' && s.bytes[i] != '\t')
            return false;
    return true;
}

/* "21", or "21,B,8,8,..." with the board's details, which are those of the game; or words. */
static bool check_game_type(struct pdn_parse *p)
{
    static const char *const words[] = {
        "English",          "American",          "Checkers",       "Draughts",
        "English draughts", "American checkers", "Anglo-American", "?"};
    const struct pdn_tag *tag = pdn_tag_find(&p->game, "GameType");
    struct text t;

    if (!tag)
        return true;
    t = (struct text){tag->value.bytes, 0, tag->value.length};
    if (text_number(&t, 99) == 21 && (t.at == t.end || text_peek(&t) == ','))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (pdn_slice_is(tag->value, words[i]) || is_blank(tag->value)) {
            note_tag(p, PDN_NOTE_GAME_TYPE, tag);
            return true;
        }
    t = (struct text){p->text->bytes, value_at(p, tag), value_at(p, tag) + tag->value.length};
    return text_expected(&t, p->error, "game type 21, English draughts");
}

static bool set_start(struct pdn_parse *p, const struct board *start)
{
    const struct pdn_tag *fen = pdn_tag_find(&p->game, "FEN");
    const struct pdn_tag *setup = pdn_tag_find(&p->game, "SetUp");
    bool set = setup && pdn_slice_is(setup->value, "1");

    if (!fen || is_blank(fen->value)) {
        if (fen)
            note_tag(p, PDN_NOTE_FEN, fen);
        if (set)
            note_tag(p, PDN_NOTE_SETUP, setup);
        if (!p->fen)
            p->game.start = start ? *start : board_start;
        return true;
    }
    if (setup && !set)
        note_tag(p, PDN_NOTE_SETUP, setup);
    if (p->fen)
        note_tag(p, PDN_NOTE_FEN, fen);
    if (fen_parse(fen->value.bytes, fen->value.length, &p->game.start, p->error))
        return true;
    if (p->error)
        p->error->at += value_at(p, fen);
    return false;
}

static void check_result_tag(struct pdn_parse *p)
{
    const struct pdn_tag *tag = pdn_tag_find(&p->game, "Result");
    enum pdn_result result;

    if (tag &&
        (!pdn_result_of(tag->value, &result) || !pdn_slice_is(tag->value, pdn_result_text(result))))
        note_tag(p, PDN_NOTE_RESULT_TAG, tag);
}

bool pdn_read_meaning(struct pdn_parse *p, const struct board *start)
{
    if (!check_game_type(p) || !set_start(p, start))
        return false;
    check_result_tag(p);
    return true;
}
