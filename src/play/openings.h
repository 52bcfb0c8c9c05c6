/* SPDX-License-Identifier: MIT
 *
 * openings.h -- the three-move ballots of tournament play.
 *
 * The deck is data/ballots.csv, which is part of the program: the numbers and the order of moves of
 * the American Checker Federation, the class of each ballot, and its name where it has one.  The
 * opening of a game is the ballot whose position it passed through, in any order of moves.
 *
 * (O1) The positions of the ballots are all different.
 * (O2) OPENINGS_PLAYED of them are in the deck that tournaments draw from; the others are barred,
 *      because they are thought to lose.
 *
 * The caller owns a deck.  It is constant once read: safe on any thread. */
#ifndef KELSO_PLAY_OPENINGS_H
#define KELSO_PLAY_OPENINGS_H

#include "base/status.h"
#include "core/move.h"
#include "core/text.h"
#include "report/json.h"

enum {
    OPENING_PLIES = 3,
    OPENINGS = 174,
    OPENINGS_PLAYED = 156,
    OPENING_NAME_MAX = 32,
    OPENING_TEXT_MAX = 32,  /* "11-15 23-19 8-11" */
    OPENING_TITLE_MAX = 96, /* "Single Corner (ballot 120)" */
    OPENINGS_ORDERS_MAX = 6 /* move orders that lead to one position */
};

/* crossboard: played since the deck was made; mail: at first played only by mail; barred. */
enum opening_class { OPENING_CROSSBOARD, OPENING_MAIL, OPENING_BARRED };

struct opening {
    int number; /* in the deck, from 1 */
    enum opening_class class;
    char family[OPENING_NAME_MAX]; /* of its first move: "Kelso" */
    char name[OPENING_NAME_MAX];   /* "" if it has none */
    struct move move[OPENING_PLIES];
    struct board after;
};

struct openings {
    struct opening opening[OPENINGS];
};

/* STATUS_FORMAT if the deck is malformed, which a test rules out. */
enum status openings_read(struct openings *o, struct error *e);

/* The same from another text. */
enum status openings_parse(const char *bytes, size_t length, struct openings *o, struct error *e);

/* The ballot whose moves lead to b, in whatever order; NULL if none does. */
const struct opening *openings_at(const struct openings *o, const struct board *b);

/* The ballot that a game from the start has gone through; NULL: none. */
const struct opening *openings_of_game(const struct openings *o, const struct board *boards,
                                       int plies);

/* Find a ballot by number ("120"), by name ("Single Corner", in upper or lower case), or by moves
 * that lead to it or through it.  NULL if there is none. */
const struct opening *openings_find(const struct openings *o, const char *text);

/* Does the name, the family or the text of its moves contain `text`, in upper or lower case? */
bool opening_matches(const struct opening *o, const char *text);

/* All orders of moves that lead to its position, its own first.  Returns their number. */
int opening_orders(const struct opening *o, struct move out[OPENINGS_ORDERS_MAX][OPENING_PLIES]);

const char *opening_moves_text(const struct move *moves, char out[OPENING_TEXT_MAX]);
const char *opening_class_name(enum opening_class c);

/* The ballot as an object: number, name, family, class, barred, moves, fen, orders. */
void opening_json(struct json *j, const char *key, const struct opening *o);

/* The file as it is: number, moves, class, family, name. */
const char *openings_csv(size_t *length);

/* "Single Corner (ballot 120)", "Kelso, ballot 98", "Edinburgh, ballot 3, barred". */
const char *opening_title(const struct opening *o, char out[OPENING_TITLE_MAX]);

#endif
