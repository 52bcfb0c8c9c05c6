/* SPDX-License-Identifier: MIT
 *
 * record.h -- games that somebody played, to be checked: the main line of each game of a text.
 *
 * The text is PDN of any age or a bare list of moves, as core/pdn.h reads it, in any encoding
 * that base/encoding.h knows.  A game that goes wrong is shown up to there.
 *
 * (R1) each ply of a record is legal in the position before it.
 *
 * The tags point into a text that lives until the visit is over.  One thread. */
#ifndef KELSO_REPORT_RECORD_H
#define KELSO_REPORT_RECORD_H

#include "base/status.h"
#include "core/pdn.h"

enum { RECORD_PLIES_MAX = 4096 };

struct record {
    int number;              /* of the game in the text, from 1 */
    struct board start;      /* where it starts */
    struct pdn_game game;    /* its tags; a list of moves has none */
    enum pdn_result result;  /* as the text has it, else PDN_UNKNOWN */
    struct text_place wrong; /* where it goes wrong; line 0: it does not */
    char why[TEXT_ERROR_MAX];
    int notes;                 /* what was mended on the way */
    struct text_place note_at; /* the first of them */
    enum pdn_note note;
    int plies;
    struct record_ply {
        struct board board; /* before the move */
        struct move move;
    } ply[RECORD_PLIES_MAX];
};

/* Gets each game that has moves or goes wrong.  Anything but STATUS_OK ends the reading. */
typedef enum status record_visit(void *context, const struct record *record, struct error *e);

/* Read all games of a text.  `start` is where games without a FEN start; NULL: at the start of
 * the game.  STATUS_FORMAT: some game went wrong, the first at *where as *e says.  Otherwise
 * where->line is 0, and the status is that of the visits. */
enum status record_read(const char *bytes, size_t length, const struct board *start,
                        record_visit *visit, void *context, struct text_place *where,
                        struct error *e);

#endif
