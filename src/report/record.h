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

typedef int record_visit(void *context, const struct record *record);

/* What stopped the reading, and where. */
struct record_error {
    size_t line, column; /* from 1; line 0: nothing did */
    char what[TEXT_ERROR_MAX];
};

/* Read all games of a text and show each that has moves.  `start` is where a listing
 * without a FEN starts; NULL: it needs one.  Returns the largest exit status of the
 * visits, or EXIT_BAD with *error filled in; games before the error have been shown. */
int record_read(const char *bytes, size_t length, const struct board *start, record_visit *visit,
                void *context, struct record_error *error);

/* The same for a file that was read: an error is one line on standard error that names
 * file, line and column. */
int record_each(const char *path, const char *bytes, size_t length, const struct board *start,
                record_visit *visit, void *context);

#endif
