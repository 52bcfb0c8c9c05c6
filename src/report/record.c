/* SPDX-License-Identifier: MIT */
#include "report/record.h"

#include "core/movegen.h"
#include "core/notation.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct text text;
    struct text_place *where;
    struct error *error;
    const struct board *start;
    record_visit *visit;
    void *context;
    struct record *record;
    struct board board; /* the position reached */
    bool placed;        /* the board is known */
    bool over;          /* words came behind the moves */
    size_t full_at;     /* where a PDN game became too long; 0: it did not */
    enum status status; /* of the visits */
};

static enum status complain(const struct reading *r, size_t at, const char *what)
{
    *r->where = text_place(r->text.bytes, at);
    return error_set(r->error, STATUS_FORMAT, "%s", what);
}

static void record_begin(struct reading *r, const struct board *start)
{
    r->record->number++;
    r->record->start = *start;
    r->record->game = (struct pdn_game){.start = *start};
    r->record->result = PDN_UNKNOWN;
    r->record->plies = 0;
    r->board = *start;
    r->placed = true;
    r->over = false;
}

/* Show the game under way, if it has moves. */
static void record_finish(struct reading *r)
{
    if (r->record->plies && !r->status)
        r->status = r->visit(r->context, r->record, r->error);
    r->record->plies = 0;
    r->over = true;
}

/* False when the record is full. */
static bool record_add(struct reading *r, const struct board *b, const struct move *m)
{
    if (r->record->plies == RECORD_PLIES_MAX)
        return false;
    r->record->ply[r->record->plies++] = (struct record_ply){*b, *m};
    r->board = board_after(b, m);
    return true;
}

static enum status complain_length(const struct reading *r, size_t at)
{
    char what[80];

    snprintf(what, sizeof what, "a game of more than %d plies", RECORD_PLIES_MAX);
    return complain(r, at, what);
}

/* ------------------------------------------------------------------------ PDN -- */

static void take_event(void *context, const struct pdn_event *e)
{
    struct reading *r = context;

    if (e->kind == PDN_GAME) {
        record_begin(r, &e->game->start);
        r->record->game = *e->game;
    } else if (e->kind == PDN_MOVE && e->depth == 0) {
        if (!record_add(r, e->board, e->move) && !r->full_at)
            r->full_at = e->at;
    } else if (e->kind == PDN_RESULT) {
        r->record->result = e->result;
    }
}

static enum status read_pdn(struct reading *r)
{
    struct pdn_reader reader = pdn_open(r->text.bytes, r->text.end);
    struct text_error error;
    enum pdn_status status;

    while ((status = pdn_next(&reader, take_event, r, &error)) == PDN_GOOD && !r->full_at &&
           !r->status)
        record_finish(r);
    if (r->status)
        return r->status;
    if (r->full_at)
        return complain_length(r, r->full_at);
    return status == PDN_BAD ? complain(r, error.at, error.what) : r->status;
}

/* -------------------------------------------------------------------- listings -- */

static bool is_separator(int c)
{
    return isspace(c) || c == ',' || c == ';' || c == '|';
}

/* Pass over separators, comment lines, footnotes and move numbers. */
static void skip_trimmings(struct text *t)
{
    for (;;) {
        size_t at = t->at;

        while (t->at < t->end && is_separator((unsigned char)t->bytes[t->at]))
            t->at++;
        if (text_peek(t) == '#' && (t->at == 0 || t->bytes[t->at - 1] == '\n'))
            while (t->at < t->end && t->bytes[t->at] != '\n')
                t->at++;
        if (text_peek(t) == '^' || text_peek(t) == '[')
            while (t->at < t->end && t->bytes[t->at++] != ']')
                ;
        if (t->at == at)
            return;
    }
}

static size_t word_end(const struct text *t)
{
    size_t at = t->at;

    while (at < t->end && !is_separator((unsigned char)t->bytes[at]) && t->bytes[at] != '[' &&
           t->bytes[at] != '^')
        at++;
    return at;
}

/* A FEN has commas: it goes to the next blank or bar. */
static size_t fen_end(const struct text *t)
{
    size_t at = t->at;

    while (at < t->end && !isspace((unsigned char)t->bytes[at]) && t->bytes[at] != '|')
        at++;
    return at;
}

static size_t digits_length(const char *word, size_t length)
{
    size_t n = 0;

    while (n < length && isdigit((unsigned char)word[n]))
        n++;
    return n;
}

/* "12." or "12..." in front of a move: how long it is. */
static size_t number_length(const char *word, size_t length)
{
    size_t n = digits_length(word, length);

    if (n == 0 || n == length || word[n] != '.')
        return 0;
    while (n < length && word[n] == '.')
        n++;
    return n;
}

static bool looks_like_move(const char *word, size_t length)
{
    size_t n = digits_length(word, length);

    return n > 0 && n + 1 < length && strchr("-xX:", word[n]) &&
           isdigit((unsigned char)word[n + 1]);
}

static bool looks_like_fen(const char *word, size_t length)
{
    return length > 3 && strchr("BWbw", word[0]) && word[1] == ':';
}

static enum status take_fen(struct reading *r, size_t length)
{
    struct text_error error;
    struct board b;
    const char *word = r->text.bytes + r->text.at;

    record_finish(r);
    if (!fen_parse(word, length, &b, &error))
        return complain(r, r->text.at + error.at, error.what);
    record_begin(r, &b);
    return STATUS_OK;
}

static enum status take_move(struct reading *r, size_t length)
{
    struct text_error error;
    struct move_list legal;
    struct move m;

    if (!r->placed && r->start)
        record_begin(r, r->start);
    if (!r->placed)
        return complain(r, r->text.at, "a move, but no FEN says where the game starts");
    moves_generate(&r->board, &legal);
    if (!move_parse(r->text.bytes + r->text.at, length, &legal, &m, &error))
        return complain(r, r->text.at + error.at, error.what);
    return record_add(r, &r->board, &m) ? STATUS_OK : complain_length(r, r->text.at);
}

static enum status take_word(struct reading *r)
{
    const char *word = r->text.bytes + r->text.at;
    size_t length = word_end(&r->text) - r->text.at, number = number_length(word, length);
    enum status rc = STATUS_OK;

    if (number) {
        length = number;
    } else if (looks_like_fen(word, length)) {
        length = fen_end(&r->text) - r->text.at;
        rc = take_fen(r, length);
    } else if (looks_like_move(word, length) && !r->over) {
        rc = take_move(r, length);
    } else if (r->record->plies) {
        record_finish(r);
    }
    r->text.at += length ? length : 1;
    return rc;
}

static enum status read_listing(struct reading *r)
{
    enum status rc;

    while (skip_trimmings(&r->text), r->text.at < r->text.end) {
        rc = take_word(r);
        if (rc || r->status)
            return r->status ? r->status : rc;
    }
    record_finish(r);
    return r->status;
}

/* PDN begins with a tag, [Event "..."], or with a comment. */
static bool is_pdn(const struct text *t)
{
    size_t at = 0;

    while (at < t->end && isspace((unsigned char)t->bytes[at]))
        at++;
    if (at < t->end && strchr(";{%", t->bytes[at]) && t->bytes[at])
        return true;
    return at + 1 < t->end && t->bytes[at] == '[' && isalpha((unsigned char)t->bytes[at + 1]);
}

enum status record_read(const char *bytes, size_t length, const struct board *start,
                        record_visit *visit, void *context, struct text_place *where,
                        struct error *e)
{
    struct reading r = {.text = {bytes, 0, length},
                        .where = where,
                        .error = e,
                        .start = start,
                        .visit = visit,
                        .context = context,
                        .record = calloc(1, sizeof *r.record)};
    enum status rc;

    *where = (struct text_place){0};
    if (!r.record)
        return error_no_memory(e);
    rc = is_pdn(&r.text) ? read_pdn(&r) : read_listing(&r);
    free(r.record);
    return rc;
}

enum status record_each(const char *name, const char *bytes, size_t length,
                        const struct board *start, record_visit *visit, void *context,
                        struct error *e)
{
    struct text_place where;
    struct error why;
    enum status rc = record_read(bytes, length, start, visit, context, &where, &why);

    if (where.line)
        return error_set(e, rc, "%s:%zu:%zu: %s", name, where.line, where.column, why.text);
    return rc ? error_pass(e, &why) : STATUS_OK;
}
