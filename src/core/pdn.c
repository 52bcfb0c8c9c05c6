/* SPDX-License-Identifier: MIT */
#include "core/pdn.h"

#include "core/movegen.h"
#include "core/notation.h"

#include <string.h>

/* A line of play: the main line, or a variation. */
struct branch {
    struct board now, before; /* before: ahead of the last move */
    int ply;
    bool moved;
};

struct parse {
    struct text *text;
    struct text_error *error;
    pdn_visit *visit;
    void *context;
    struct pdn_game game;
    int depth;
    struct branch line[PDN_DEPTH_MAX + 1];
};

static void tell(struct parse *p, struct pdn_event e)
{
    const struct branch *l = &p->line[p->depth];

    e.game = &p->game;
    e.depth = p->depth;
    e.ply = l->ply;
    if (!e.board)
        e.board = &l->now;
    if (p->visit)
        p->visit(p->context, &e);
}

static bool slice_equal(struct pdn_slice a, struct pdn_slice b)
{
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

static bool slice_is(struct pdn_slice s, const char *word)
{
    return slice_equal(s, (struct pdn_slice){word, strlen(word)});
}

/* ------------------------------------------------------------ small pieces -- */

static bool at_line_start(const struct text *t)
{
    return t->at == 0 || t->bytes[t->at - 1] == '\n';
}

static void skip_line(struct text *t)
{
    while (t->at < t->end && t->bytes[t->at] != '\n')
        t->at++;
}

/* Blanks, and lines that begin with % (for other programs, as in PGN). */
static void skip_blank(struct text *t)
{
    for (;;) {
        text_skip_spaces(t);
        if (text_peek(t) != '%' || !at_line_start(t))
            return;
        skip_line(t);
    }
}

/* Bytes up to the next blank or a sign that stands for itself. */
static struct pdn_slice read_word(struct text *t)
{
    struct pdn_slice s = {t->bytes + t->at, 0};

    while (t->at < t->end && !strchr(" \t\n\v\f\r{}()[];$", t->bytes[t->at]))
        t->at++;
    s.length = (size_t)(t->bytes + t->at - s.bytes);
    return s;
}

static bool result_of(struct pdn_slice word, enum pdn_result *out)
{
    static const struct {
        const char *word;
        enum pdn_result result;
    } table[] = {{"*", PDN_UNKNOWN}, {"1-0", PDN_1_0}, {"0-1", PDN_0_1}, {"1/2-1/2", PDN_DRAW},
                 {"2-0", PDN_1_0},   {"0-2", PDN_0_1}, {"1-1", PDN_DRAW}};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (slice_is(word, table[i].word)) {
            *out = table[i].result;
            return true;
        }
    return false;
}

const char *pdn_result_text(enum pdn_result result)
{
    static const char *const text[] = {"*", "1-0", "0-1", "1/2-1/2"};

    return text[result];
}

enum pdn_result pdn_won_by(enum side winner)
{
    return winner == BLACK ? PDN_1_0 : PDN_0_1;
}

struct pdn_tag pdn_tag_of(const char *name, const char *value)
{
    return (struct pdn_tag){{name, strlen(name)}, {value, strlen(value)}};
}

/* ---------------------------------------------------------------- comments -- */

static bool read_brace_comment(struct text *t, struct pdn_slice *out, struct text_error *error)
{
    const char *from = t->bytes + t->at + 1, *close;

    close = memchr(from, '}', t->end - t->at - 1);
    if (!close)
        return text_fail(error, t->at, "expected } to close this comment, found the end");
    *out = (struct pdn_slice){from, (size_t)(close - from)};
    t->at = (size_t)(close + 1 - t->bytes);
    return true;
}

static void read_line_comment(struct text *t, struct pdn_slice *out)
{
    size_t from = t->at + 1;

    skip_line(t);
    *out = (struct pdn_slice){t->bytes + from, t->at - from};
}

/* ---------------------------------------------------------------- the tags -- */

static bool is_name_byte(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* \" or \\: any other backslash stands for itself. */
static bool is_escape(const char *bytes, size_t at, size_t end)
{
    return bytes[at] == '\\' && at + 1 < end && (bytes[at + 1] == '"' || bytes[at + 1] == '\\');
}

static bool read_tag_value(struct text *t, struct pdn_slice *out, struct text_error *error)
{
    size_t from;

    if (!text_accept(t, '"'))
        return text_expected(t, error, "\" and the tag's value");
    from = t->at;
    for (int c; (c = text_peek(t)) != '"'; t->at++) {
        if (c < ' ') /* the end, a new line, or a control byte */
            return text_expected(t, error, "\" at the end of the tag's value");
        if (is_escape(t->bytes, t->at, t->end))
            t->at++;
    }
    *out = (struct pdn_slice){t->bytes + from, t->at - from};
    t->at++;
    return true;
}

static bool read_tag(struct text *t, struct pdn_tag *tag, struct text_error *error)
{
    size_t from;

    t->at++; /* the bracket */
    text_skip_spaces(t);
    from = t->at;
    while (is_name_byte(text_peek(t)))
        t->at++;
    tag->name = (struct pdn_slice){t->bytes + from, t->at - from};
    if (tag->name.length == 0)
        return text_expected(t, error, "the name of a tag");
    text_skip_spaces(t);
    if (!read_tag_value(t, &tag->value, error))
        return false;
    text_skip_spaces(t);
    if (!text_accept(t, ']'))
        return text_expected(t, error, "] to close the tag");
    return true;
}

static bool add_tag(struct parse *p, size_t at, const struct pdn_tag *tag)
{
    struct pdn_game *g = &p->game;

    if (g->tags == PDN_TAGS_MAX)
        return text_fail(p->error, at, "a game has at most %d tags", PDN_TAGS_MAX);
    for (int i = 0; i < g->tags; i++)
        if (slice_equal(g->tag[i].name, tag->name))
            return text_fail(p->error, at, "the tag %.*s is given twice",
                             tag->name.length < 40 ? (int)tag->name.length : 40, tag->name.bytes);
    g->tag[g->tags++] = *tag;
    return true;
}

static bool read_tags(struct parse *p)
{
    struct pdn_tag tag;

    for (skip_blank(p->text); text_peek(p->text) == '['; skip_blank(p->text)) {
        size_t at = p->text->at;

        if (!read_tag(p->text, &tag, p->error) || !add_tag(p, at, &tag))
            return false;
    }
    return true;
}

const struct pdn_tag *pdn_tag_find(const struct pdn_game *game, const char *name)
{
    for (int i = 0; i < game->tags; i++)
        if (slice_is(game->tag[i].name, name))
            return &game->tag[i];
    return NULL;
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

/* What the tags mean for the moves. */

static size_t value_at(const struct parse *p, const struct pdn_tag *tag)
{
    return (size_t)(tag->value.bytes - p->text->bytes);
}

/* "21", or "21,B,8,8,..." with the board's details, which are those of the game. */
static bool check_game_type(const struct parse *p)
{
    const struct pdn_tag *tag = pdn_tag_find(&p->game, "GameType");
    struct text t;

    if (!tag)
        return true;
    t = (struct text){tag->value.bytes, 0, tag->value.length};
    if (text_number(&t, 99) == 21 && (t.at == t.end || text_peek(&t) == ','))
        return true;
    t = (struct text){p->text->bytes, value_at(p, tag), value_at(p, tag) + tag->value.length};
    return text_expected(&t, p->error, "game type 21, English draughts");
}

static bool set_start(struct parse *p)
{
    const struct pdn_tag *fen = pdn_tag_find(&p->game, "FEN");
    const struct pdn_tag *setup = pdn_tag_find(&p->game, "SetUp");

    p->game.start = board_start;
    if (!fen) {
        if (setup && slice_is(setup->value, "1"))
            return text_fail(p->error, value_at(p, setup), "expected a FEN tag with SetUp \"1\"");
        return true;
    }
    if (fen_parse(fen->value.bytes, fen->value.length, &p->game.start, p->error))
        return true;
    if (p->error)
        p->error->at += value_at(p, fen);
    return false;
}

static bool check_result_tag(const struct parse *p, size_t at, enum pdn_result found)
{
    const struct pdn_tag *tag = pdn_tag_find(&p->game, "Result");
    enum pdn_result expected;

    if (!tag)
        return true;
    if (!result_of(tag->value, &expected))
        return text_fail(p->error, value_at(p, tag), "expected the result 1-0, 0-1, 1/2-1/2 or *");
    if (expected == found)
        return true;
    return text_fail(p->error, at, "expected the result %s, as in the tag, found %s",
                     pdn_result_text(expected), pdn_result_text(found));
}

/* ------------------------------------------------------------ the movetext -- */

/* "12." or "3..." or "4. ..." before a move says nothing that we do not know. */
static bool skip_move_number(struct text *t)
{
    struct text ahead = *t;

    text_number(&ahead, 0);
    if (text_peek(&ahead) != '.')
        return false;
    while (text_accept(&ahead, '.'))
        ;
    t->at = ahead.at;
    return true;
}

/* The signs after a move, as the NAG they stand for; 0 if there are none. */
static int signs_nag(struct pdn_slice signs)
{
    static const char *const table[] = {"", "!", "?", "!!", "??", "!?", "?!"};

    for (int nag = 0; nag < 7; nag++)
        if (slice_is(signs, table[nag]))
            return nag;
    return -1;
}

static bool play_move(struct parse *p, size_t at, struct pdn_slice word)
{
    struct branch *l = &p->line[p->depth];
    struct move_list legal;
    struct move m;

    moves_generate(&l->now, &legal);
    if (!move_parse(word.bytes, word.length, &legal, &m, p->error)) {
        if (p->error)
            p->error->at += at;
        return false;
    }
    tell(p, (struct pdn_event){
                .kind = PDN_MOVE, .at = at, .board = &l->now, .move = &m, .legal = &legal});
    l->before = l->now;
    l->now = board_after(&l->now, &m);
    l->moved = true;
    l->ply++;
    return true;
}

static bool read_move(struct parse *p)
{
    size_t at = p->text->at;
    struct pdn_slice word = read_word(p->text), signs;
    int nag;

    signs = (struct pdn_slice){word.bytes + word.length, 0};
    while (word.length && strchr("!?", word.bytes[word.length - 1])) {
        word.length--;
        signs.bytes--;
        signs.length++;
    }
    if (word.length == 0 || (nag = signs_nag(signs)) < 0) {
        p->text->at = at + word.length;
        return text_expected(p->text, p->error,
                             word.length ? "!, ?, !!, ??, !? or ?!" : "a move or a result");
    }
    if (!play_move(p, at, word))
        return false;
    if (nag)
        tell(p, (struct pdn_event){.kind = PDN_NAG, .at = at + word.length, .nag = nag});
    return true;
}

static bool read_nag(struct parse *p)
{
    size_t at = p->text->at++;
    int nag = text_number(p->text, 255);

    if (nag < 0 || nag > 255) {
        p->text->at = at + 1;
        return text_expected(p->text, p->error, "a number from 0 to 255 after $");
    }
    if (!p->line[p->depth].moved)
        return text_fail(p->error, at, "expected a move before $%d", nag);
    tell(p, (struct pdn_event){.kind = PDN_NAG, .at = at, .nag = nag});
    return true;
}

static bool open_variation(struct parse *p)
{
    struct branch *l = &p->line[p->depth];
    size_t at = p->text->at++;

    if (!l->moved)
        return text_fail(p->error, at, "expected a move before a variation");
    if (p->depth == PDN_DEPTH_MAX)
        return text_fail(p->error, at, "variations are nested deeper than %d", PDN_DEPTH_MAX);
    tell(p, (struct pdn_event){.kind = PDN_OPEN, .at = at});
    p->line[++p->depth] = (struct branch){.now = l->before, .ply = l->ply - 1};
    return true;
}

static bool close_variation(struct parse *p)
{
    size_t at = p->text->at++;

    if (p->depth == 0)
        return text_fail(p->error, at, "expected ( before )");
    if (!p->line[p->depth].moved)
        return text_fail(p->error, at, "expected a move in this variation");
    p->depth--;
    tell(p, (struct pdn_event){.kind = PDN_CLOSE, .at = at});
    return true;
}

static bool read_comment(struct parse *p)
{
    struct pdn_event e = {.kind = PDN_COMMENT, .at = p->text->at};

    if (text_peek(p->text) == ';')
        read_line_comment(p->text, &e.text);
    else if (!read_brace_comment(p->text, &e.text, p->error))
        return false;
    tell(p, e);
    return true;
}

/* One thing of the movetext; *done when it was the game's result. */
static bool read_item(struct parse *p, bool *done)
{
    struct text *t = p->text;
    struct text ahead = *t;
    enum pdn_result result;

    switch (text_peek(t)) {
    case '{':
    case ';':
        return read_comment(p);
    case '$':
        return read_nag(p);
    case '(':
        return open_variation(p);
    case ')':
        return close_variation(p);
    }
    if (result_of(read_word(&ahead), &result)) {
        if (p->depth)
            return text_expected(t, p->error, "a move or ) to close the variation");
        if (!check_result_tag(p, t->at, result))
            return false;
        tell(p, (struct pdn_event){.kind = PDN_RESULT, .at = t->at, .result = result});
        t->at = ahead.at;
        *done = true;
        return true;
    }
    return skip_move_number(t) || read_move(p);
}

static bool read_movetext(struct parse *p)
{
    bool done = false;

    p->line[0] = (struct branch){.now = p->game.start};
    tell(p, (struct pdn_event){.kind = PDN_GAME, .at = p->game.at});
    while (!done) {
        skip_blank(p->text);
        if (!read_item(p, &done))
            return false;
    }
    return true;
}

/* ---------------------------------------------------- from game to game -- */

/* Comments between games belong to none. */
static bool skip_to_game(struct text *t, struct text_error *error)
{
    struct pdn_slice dropped;

    for (;;) {
        skip_blank(t);
        if (text_peek(t) == ';')
            read_line_comment(t, &dropped);
        else if (text_peek(t) != '{')
            return true;
        else if (!read_brace_comment(t, &dropped, error))
            return false;
    }
}

/* A tag at the start of a line: here a game begins, whatever went before. */
static bool at_tag_line(const struct text *t)
{
    size_t i = t->at;

    if (text_peek(t) != '[')
        return false;
    while (i > 0 && (t->bytes[i - 1] == ' ' || t->bytes[i - 1] == '\t'))
        i--;
    return i == 0 || t->bytes[i - 1] == '\n' || t->bytes[i - 1] == '\r';
}

static void skip_tag_lines(struct text *t)
{
    do {
        skip_line(t);
        text_skip_spaces(t);
    } while (text_peek(t) == '[');
}

/* After an error: go to where the next game begins, behind a result or at a tag. */
static void skip_movetext(struct text *t)
{
    struct pdn_slice dropped;
    enum pdn_result result;

    while (t->at < t->end && !at_tag_line(t)) {
        size_t at = t->at;

        if (text_peek(t) == ';')
            read_line_comment(t, &dropped);
        else if (text_peek(t) == '{' && read_brace_comment(t, &dropped, NULL))
            continue;
        else if (result_of(read_word(t), &result))
            return;
        if (t->at == at)
            t->at++;
    }
}

struct pdn_reader pdn_open(const char *bytes, size_t length)
{
    struct pdn_reader r = {.text = {bytes, 0, length}};

    if (length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0)
        r.text.at = 3; /* a byte order mark */
    return r;
}

enum pdn_status pdn_next(struct pdn_reader *r, pdn_visit *visit, void *context,
                         struct text_error *error)
{
    struct parse p = {.text = &r->text, .error = error, .visit = visit, .context = context};
    size_t from;

    if (!skip_to_game(&r->text, error)) {
        r->text.at++; /* the brace */
        skip_movetext(&r->text);
        return PDN_BAD;
    }
    if (r->text.at == r->text.end)
        return PDN_AT_END;
    from = p.game.at = r->text.at;
    if (!read_tags(&p)) {
        skip_tag_lines(&r->text);
    } else if (check_game_type(&p) && set_start(&p) && read_movetext(&p)) {
        return PDN_GOOD;
    }
    if (r->text.at == from || text_peek(&r->text) == '{')
        r->text.at += r->text.at < r->text.end && !at_tag_line(&r->text);
    skip_movetext(&r->text);
    return PDN_BAD;
}
