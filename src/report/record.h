/* SPDX-License-Identifier: MIT
 *
 * record.h -- games to be reviewed: the main line of each game of a text.
 *
 * The text is PDN of any age or a bare list of moves, as core/pdn.h reads it, in any encoding
 * that base/encoding.h supports.  A game with an error is read up to the error.
 *
 * (R1) Each ply of a record is legal in the position before it.
 *
 * The tags point into a text that is valid until the visit returns.  One thread. */
#ifndef KELSO_REPORT_RECORD_H
#define KELSO_REPORT_RECORD_H

#include "base/status.h"
#include "core/pdn.h"

enum { RECORD_PLIES_MAX = 4096 };

struct record {
    int number;              /* of the game in the text, from 1 */
    struct board start;      /* where it starts */
    struct pdn_game game;    /* its tags; a list of moves has none */
    struct pdn_slice text;   /* from its first byte to the end of all games */
    enum pdn_result result;  /* as given in the text, else PDN_UNKNOWN */
    struct text_place wrong; /* place of the error; line 0: none */
    char why[TEXT_ERROR_MAX];
    int notes;                 /* number of corrections */
    struct text_place note_at; /* the first of them */
    enum pdn_note note;
    int plies;
    struct record_ply {
        struct board board; /* before the move */
        struct move move;
    } ply[RECORD_PLIES_MAX];
};

/* Called for each game that has moves or an error.  Anything but STATUS_OK stops reading. */
typedef enum status record_visit(void *context, const struct record *record, struct error *e);

/* Read all games of a text.  `start` is where games without a FEN start; NULL: at the start of
 * the game.  STATUS_FORMAT: some game has an error, the first at *where, described by *e.
 * Otherwise where->line is 0, and the status is that of the visits. */
enum status record_read(const char *bytes, size_t length, const struct board *start,
                        record_visit *visit, void *context, struct text_place *where,
                        struct error *e);

#endif
