/* SPDX-License-Identifier: MIT
 *
 * record.h -- games that somebody played, to be checked: PDN, or a plain listing.
 *
 * A listing is moves in the order played, as papers print them: separated by blanks or
 * commas, with or without move numbers (12.) and footnotes ([3], ^[3]).  A FEN before
 * the moves is where they start; each FEN begins a new game.  Words before the first
 * move are passed over, words behind the moves end the game ("drawn by agreement").
 * Lines that begin with # are left out.
 *
 * (R1) each ply of a record is legal in the position before it.
 *
 * The tags point into the text that is read.  One thread. */
#ifndef KELSO_REPORT_RECORD_H
#define KELSO_REPORT_RECORD_H

#include "base/status.h"
#include "core/pdn.h"

enum { RECORD_PLIES_MAX = 4096 };

struct record {
    int number;             /* of the game in the file, from 1 */
    struct board start;     /* where it starts */
    struct pdn_game game;   /* its tags; a listing has none */
    enum pdn_result result; /* as PDN has it, else PDN_UNKNOWN */
    int plies;
    struct record_ply {
        struct board board; /* before the move */
        struct move move;
    } ply[RECORD_PLIES_MAX];
};

/* Gets each game that has moves.  Anything but STATUS_OK ends the reading. */
typedef enum status record_visit(void *context, const struct record *record, struct error *e);

/* Read all games of a text.  `start` is where a listing without a FEN starts; NULL: it needs
 * one.  STATUS_FORMAT: the text is wrong at *where, and *e says what is; the games before that
 * place have been visited.  Otherwise where->line is 0, and the status is that of the visits. */
enum status record_read(const char *bytes, size_t length, const struct board *start,
                        record_visit *visit, void *context, struct text_place *where,
                        struct error *e);

/* The same for a file of that name: what is wrong with it reads "NAME:LINE:COLUMN: ...". */
enum status record_each(const char *name, const char *bytes, size_t length,
                        const struct board *start, record_visit *visit, void *context,
                        struct error *e);

#endif
