/* SPDX-License-Identifier: MIT */
#include "core/pdn_writer.h"

#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 78 };

struct pdn_writer pdn_writer_open(pdn_sink *sink, void *context, enum move_style style)
{
    return (struct pdn_writer){.sink = sink, .context = context, .style = style};
}

static void put(struct pdn_writer *w, const char *bytes, size_t length)
{
    w->sink(w->context, bytes, length);
}

static void put_text(struct pdn_writer *w, const char *text)
{
    put(w, text, strlen(text));
}

/* -------------------------------------------------------------------- tags -- */

/* A value with its quotes and backslashes escaped, however it was found. */
static void put_value(struct pdn_writer *w, struct pdn_slice value)
{
    for (size_t i = 0; i < value.length; i++) {
        const char *c = value.bytes + i;

        if (*c == '\\' && i + 1 < value.length && (c[1] == '"' || c[1] == '\\')) {
            put(w, c, 2);
            i++;
        } else if (*c == '"' || *c == '\\') {
            put_text(w, *c == '"' ? "\\\"" : "\\\\");
        } else {
            put(w, (unsigned char)*c < ' ' ? " " : c, 1);
        }
    }
}

static void put_tag(struct pdn_writer *w, struct pdn_slice name, struct pdn_slice value)
{
    put_text(w, "[");
    put(w, name.bytes, name.length);
    put_text(w, " \"");
    put_value(w, value);
    put_text(w, "\"]\n");
}

static const char *const roster[] = {"Event", "Site", "Date", "Round", "Black", "White", "Result"};
static const char *const own_tags[] = {"GameType", "SetUp", "FEN"};

static bool is_listed(struct pdn_slice name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (name.length == strlen(list[i]) && memcmp(name.bytes, list[i], name.length) == 0)
            return true;
    return false;
}

static void put_found_tags(struct pdn_writer *w, const struct pdn_game *g)
{
    for (int i = 0; i < g->tags; i++)
        put_tag(w, g->tag[i].name, g->tag[i].value);
}

/* The first of its name: the one that counts. */
static bool is_first(const struct pdn_game *g, const struct pdn_tag *t)
{
    for (const struct pdn_tag *k = g->tag; k < t; k++)
        if (k->name.length == t->name.length &&
            memcmp(k->name.bytes, t->name.bytes, t->name.length) == 0)
            return false;
    return true;
}

static void put_other_tags(struct pdn_writer *w, const struct pdn_game *g)
{
    for (int i = 0; i < g->tags; i++) {
        const struct pdn_tag *t = &g->tag[i];

        if (is_listed(t->name, roster, sizeof roster / sizeof *roster) ||
            is_listed(t->name, own_tags, sizeof own_tags / sizeof *own_tags) || !is_first(g, t))
            continue;
        put_tag(w, t->name, t->value);
    }
}

/* A result that PDN knows.  What says none of them is kept beside it. */
static void put_result_tag(struct pdn_writer *w, const struct pdn_game *g, const struct pdn_tag *t)
{
    enum pdn_result result = PDN_UNKNOWN;
    bool known = pdn_result_of(t->value, &result);
    struct pdn_tag proper = pdn_tag_of("Result", pdn_result_text(result));
    struct pdn_tag found = pdn_tag_of("ResultText", "");

    put_tag(w, proper.name, proper.value);
    if (!known && t->value.length && t->value.bytes[0] != '?' && !pdn_tag_find(g, "ResultText"))
        put_tag(w, found.name, t->value);
}

static void put_canonical_tags(struct pdn_writer *w, const struct pdn_game *g)
{
    for (size_t i = 0; i < sizeof roster / sizeof *roster; i++) {
        const struct pdn_tag *t = pdn_tag_find(g, roster[i]);

        if (t && strcmp(roster[i], "Result") == 0)
            put_result_tag(w, g, t);
        else if (t)
            put_tag(w, t->name, t->value);
    }
    put_other_tags(w, g);
}

/* One of our own tags, unless it is there as it was found. */
static void put_own_tag(struct pdn_writer *w, const struct pdn_game *g, const char *name,
                        const char *value)
{
    struct pdn_tag t = pdn_tag_of(name, value);

    if (!w->as_found || !pdn_tag_find(g, name))
        put_tag(w, t.name, t.value);
}

static void put_tags(struct pdn_writer *w, const struct pdn_game *g)
{
    char fen[FEN_TEXT_MAX];

    (w->as_found ? put_found_tags : put_canonical_tags)(w, g);
    put_own_tag(w, g, "GameType", w->style == MOVE_ALGEBRAIC ? "21,B,8,8,A0,0" : "21");
    if (!board_equal(&g->start, &board_start)) {
        fen_format(&g->start, fen);
        put_own_tag(w, g, "SetUp", "1");
        put_own_tag(w, g, "FEN", fen);
    }
    put_text(w, "\n");
}

/* ---------------------------------------------------------------- movetext -- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\0' || (c >= '\t' && c <= '\r');
}

/* A word after a blank, or on a new line where it does not fit. */
static void put_word(struct pdn_writer *w, struct pdn_slice word)
{
    int needed = (int)(strlen(w->opening) + word.length);

    if (w->column && w->column + 1 + needed > LINE_BYTES) {
        put_text(w, "\n");
        w->column = 0;
    } else if (w->column) {
        put_text(w, " ");
        w->column++;
    }
    put_text(w, w->opening);
    for (size_t i = 0; i < word.length; i++) /* braces would end a comment, or nest */
        put(w, word.bytes[i] == '}' ? ")" : word.bytes[i] == '{' ? "(" : word.bytes + i, 1);
    w->column += needed;
    w->opening[0] = '\0';
}

/* A sign directly before the next word, or directly after the last. */
static void put_open(struct pdn_writer *w, const char *sign)
{
    strcat(w->opening, sign);
}

static void put_close(struct pdn_writer *w, const char *sign)
{
    put_text(w, sign);
    w->column++;
}

/* As in PGN: black moves carry the number, white ones only after something else. */
static void put_move(struct pdn_writer *w, const struct pdn_event *e)
{
    char text[MOVE_TEXT_MAX];
    bool black = e->board->turn == BLACK;
    int number = (e->ply + (e->game->start.turn == WHITE)) / 2 + 1;

    if (black || w->number_due)
        put_word(w, (struct pdn_slice){text, (size_t)snprintf(text, sizeof text,
                                                              black ? "%d." : "%d...", number)});
    put_word(w, (struct pdn_slice){text, move_format(e->move, e->legal, w->style, text)});
    w->number_due = false;
}

/* A comment's words, with single blanks between them. */
static void put_comment(struct pdn_writer *w, struct pdn_slice text)
{
    bool any = false;

    for (size_t i = 0, n; i < text.length; i += n + 1) {
        for (n = 0; i + n < text.length && !is_blank(text.bytes[i + n]);)
            n++;
        if (n == 0)
            continue;
        if (!any)
            put_open(w, "{");
        any = true;
        put_word(w, (struct pdn_slice){text.bytes + i, n});
    }
    if (any)
        put_close(w, "}");
    w->number_due |= any;
}

static void put_nag(struct pdn_writer *w, int nag)
{
    char text[8];

    put_word(w, (struct pdn_slice){text, (size_t)snprintf(text, sizeof text, "$%d", nag)});
}

static void put_result(struct pdn_writer *w, enum pdn_result result)
{
    const char *text = pdn_result_text(result);

    put_word(w, (struct pdn_slice){text, strlen(text)});
    put_text(w, "\n");
}

static void begin_game(struct pdn_writer *w, const struct pdn_game *g)
{
    if (w->begun)
        put_text(w, "\n");
    w->begun = true;
    w->column = 0;
    w->number_due = true;
    put_tags(w, g);
}

void pdn_writer_event(void *writer, const struct pdn_event *e)
{
    struct pdn_writer *w = writer;

    switch (e->kind) {
    case PDN_GAME:
        begin_game(w, e->game);
        break;
    case PDN_MOVE:
        put_move(w, e);
        break;
    case PDN_COMMENT:
        put_comment(w, e->text);
        break;
    case PDN_NAG:
        put_nag(w, e->nag);
        break;
    case PDN_OPEN:
        put_open(w, "(");
        w->number_was_due = w->number_due;
        w->number_due = true;
        break;
    case PDN_CLOSE:
        if (w->opening[0]) { /* it held nothing but blanks: as if it had not been there */
            w->opening[0] = '\0';
            w->number_due = w->number_was_due;
        } else {
            put_close(w, ")");
            w->number_due = true;
        }
        break;
    case PDN_RESULT:
        put_result(w, e->result);
        break;
    case PDN_NOTE:
        break;
    }
}
