/* SPDX-License-Identifier: MIT
 *
 * pdn_parse.h -- shared by the parts of the PDN reader: the state of the current game, and the
 * small pieces of text.  Private to pdn*.c.
 *
 * pdn_words.c reads blanks, comments and results, pdn_tags.c reads what comes before the moves,
 * pdn_moves.c reads the moves, and pdn.c goes from game to game. */
#ifndef KELSO_CORE_PDN_PARSE_H
#define KELSO_CORE_PDN_PARSE_H

#include "core/pdn.h"

/* A line of play: the main line, or a variation. */
struct pdn_line {
    struct board now, before; /* `before`: before the last move */
    int ply;
    bool moved;
    bool waiting;           /* its PDN_OPEN is reported with its first event */
    size_t open_at;         /* where it opens */
    size_t early, early_to; /* variations before its first move: read again after it */
    size_t back;            /* then continue from here; 0: not doing so */
};

struct pdn_parse {
    struct text *text;
    struct text_error *error;
    pdn_visit *visit;
    void *context;
    struct pdn_game game;
    bool *unclosed;          /* of the reader */
    bool mute;               /* a first pass: nothing is reported */
    bool fen;                /* the game has a position of its own */
    bool done;               /* its end was read */
    bool in_tags;            /* for errors */
    bool said;               /* words have named a result */
    enum pdn_result by_word; /* ... this one */
    size_t words_at;         /* the first words, if there were any */
    bool words;
    int depth;
    struct pdn_line line[PDN_DEPTH_MAX + 1];
};

/* ------------------------------------------------------------------- pdn_words.c -- */

/* Report an event; the fields that follow from the line are filled in. */
void pdn_tell(struct pdn_parse *p, struct pdn_event e);
void pdn_note(struct pdn_parse *p, enum pdn_note note, size_t at, size_t length);

/* Blanks, and lines that begin with % or #. */
void pdn_skip_blank(struct pdn_parse *p);
void pdn_skip_gap(struct text *t); /* blanks and tabs within a line */
void pdn_skip_line(struct text *t);
bool pdn_at_line_start(const struct text *t);

/* The bytes up to the next blank or punctuation character. */
struct pdn_slice pdn_read_word(struct text *t);

/* { or ; is next.  False if it is not closed; the cursor then stays.  *unclosed records that the
 * rest of the text has no }, so that it is not searched again. */
bool pdn_read_comment(struct text *t, bool *unclosed, struct pdn_slice *out, bool *nested);

/* The same, and report the comment.  False after an error. */
bool pdn_take_comment(struct pdn_parse *p);

bool pdn_is_name_byte(int c);

/* Step over a result at the cursor, in any of its forms except *. */
bool pdn_accept_result(struct text *t, enum pdn_result *out);

/* Is that how PDN 3.0 writes it?  It also has 2-0, 1-1 and 0-2. */
bool pdn_result_is_proper(struct pdn_slice text, enum pdn_result result);

bool pdn_slice_is(struct pdn_slice s, const char *word); /* in upper or lower case */

/* Is a tag next, [Name "..." ? */
bool pdn_at_tag(const struct text *t);

/* A position, B:W..., or a line LABEL | POSITION | moves. */
bool pdn_at_fen(const struct text *t);
bool pdn_at_label(const struct text *t);

/* A tag or a position at the start of a line: a new game begins, whatever came before. */
bool pdn_at_game(const struct text *t);

/* -------------------------------------------------------------------- pdn_tags.c -- */

/* Comments, tags and a bare position.  Adds tags unless the game has them already. */
bool pdn_read_header(struct pdn_parse *p, bool again);

/* Interpret the tags: the start, and whether it is our game.  Reports notes if not mute. */
bool pdn_read_meaning(struct pdn_parse *p, const struct board *start);

/* ------------------------------------------------------------------- pdn_moves.c -- */

bool pdn_read_moves(struct pdn_parse *p);

#endif
