/* SPDX-License-Identifier: MIT */
#include "report/record.h"

#include "base/encoding.h"
#include "core/notation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct recording {
    const char *bytes;
    struct text_place place; /* of the last note or error: they come in order, nearly */
    struct record *record;
};

static void record_refuse(struct recording *r, size_t at, const char *what)
{
    r->record->wrong = text_place_from(r->place, r->bytes, at);
    snprintf(r->record->why, sizeof r->record->why, "%s", what);
}

static void take_note(struct recording *r, const struct pdn_event *e)
{
    if (r->record->notes++)
        return;
    r->place = r->record->note_at = text_place_from(r->place, r->bytes, e->at);
    r->record->note = e->note;
}

static void take_move(struct recording *r, const struct pdn_event *e)
{
    char what[80];

    if (e->depth || r->record->wrong.line)
        return;
    if (r->record->plies < RECORD_PLIES_MAX) {
        r->record->ply[r->record->plies++] = (struct record_ply){*e->board, *e->move};
        return;
    }
    snprintf(what, sizeof what, "a game of more than %d plies", RECORD_PLIES_MAX);
    record_refuse(r, e->at, what);
}

static void take_event(void *context, const struct pdn_event *e)
{
    struct recording *r = context;

    if (e->kind == PDN_GAME) {
        r->record->start = e->game->start;
        r->record->game = *e->game;
    } else if (e->kind == PDN_MOVE) {
        take_move(r, e);
    } else if (e->kind == PDN_RESULT) {
        r->record->result = e->result;
    } else if (e->kind == PDN_NOTE) {
        take_note(r, e);
    }
}

static void record_begin(struct record *r)
{
    int number = r->number + 1;

    memset(r, 0, offsetof(struct record, ply));
    r->number = number;
}

static enum status read_games(const char *bytes, size_t length, const struct board *start,
                              record_visit *visit, void *context, struct recording *r,
                              struct text_place *where, struct error *e)
{
    struct pdn_reader reader = pdn_open(bytes, length);
    struct text_error error;
    enum pdn_status status;
    struct error first;
    enum status rc;

    reader.start = start;
    while (record_begin(r->record),
           (status = pdn_next(&reader, take_event, r, &error)) != PDN_AT_END) {
        r->record->text =
            (struct pdn_slice){bytes + r->record->game.at, length - r->record->game.at};
        if (status == PDN_BAD && !r->record->wrong.line)
            record_refuse(r, error.at, error.what);
        if (r->record->wrong.line && !where->line) {
            *where = r->record->wrong;
            error_set(&first, STATUS_FORMAT, "%s", r->record->why);
        }
        if ((r->record->plies || r->record->wrong.line) &&
            (rc = visit(context, r->record, e)) != STATUS_OK)
            return rc;
    }
    return where->line ? error_pass(e, &first) : STATUS_OK;
}

enum status record_read(const char *bytes, size_t length, const struct board *start,
                        record_visit *visit, void *context, struct text_place *where,
                        struct error *e)
{
    enum encoding from = encoding_of(bytes, length);
    char *text = from == ENCODING_UTF8 ? NULL : malloc(length * ENCODING_GROWTH);
    struct recording r = {.bytes = bytes, .record = calloc(1, sizeof *r.record)};
    enum status rc;

    *where = (struct text_place){0};
    if (text) {
        r.bytes = text;
        length = encoding_to_utf8(from, bytes, length, text);
    }
    if (!r.record || (!text && from != ENCODING_UTF8))
        rc = error_no_memory(e);
    else
        rc = read_games(r.bytes, length, start, visit, context, &r, where, e);
    free(r.record);
    free(text);
    return rc;
}
