/* SPDX-License-Identifier: MIT
 *
 * pdn_parse.h -- what the parts of the PDN reader share: the state of the game under way,
 * and the small pieces of text.  For pdn*.c alone.
 *
 * pdn_words.c reads blanks, comments and results, pdn_tags.c what stands before the moves,
 * pdn_moves.c the moves, and pdn.c goes from game to game. */
#ifndef KELSO_CORE_PDN_PARSE_H
#define KELSO_CORE_PDN_PARSE_H

#include "core/pdn.h"

/* A line of play: the main line, or a variation. */
struct pdn_line {
    struct board now, before; /* before: ahead of the last move */
    int ply;
    bool moved;
    bool waiting;           /* its PDN_OPEN has not been told, as nothing was */
    size_t open_at;         /* where it opens */
    size_t early, early_to; /* variations before its first move: read again after it */
    size_t back;            /* then on from here; 0: not under way */
};

struct pdn_parse {
    struct text *text;
    struct text_error *error;
    pdn_visit *visit;
    void *context;
    struct pdn_game game;
    bool *unclosed;          /* of the reader */
    bool mute;               /* a first look: nothing is told */
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

/* Tell an event; what the line knows is filled in. */
void pdn_tell(struct pdn_parse *p, struct pdn_event e);
void pdn_note(struct pdn_parse *p, enum pdn_note note, size_t at, size_t length);

/* Blanks, and lines that begin with % or #. */
void pdn_skip_blank(struct pdn_parse *p);
void pdn_skip_line(struct text *t);
bool pdn_at_line_start(const struct text *t);

/* Bytes up to the next blank or a sign that stands for itself. */
struct pdn_slice pdn_read_word(struct text *t);

/* { or ; is next.  False: it is not closed; the cursor stays.  *unclosed: there is no } in
 * the rest of the text, known from a search before. */
bool pdn_read_comment(struct text *t, bool *unclosed, struct pdn_slice *out, bool *nested);

/* The same, and tell the comment.  False after an error. */
bool pdn_take_comment(struct pdn_parse *p);

bool pdn_is_name_byte(int c);

/* A result at the cursor, in any of its forms but *: step over it. */
bool pdn_accept_result(struct text *t, enum pdn_result *out);

/* Is that how PDN 3.0 writes it?  It also has 2-0, 1-1 and 0-2. */
bool pdn_result_is_proper(struct pdn_slice text, enum pdn_result result);

bool pdn_slice_is(struct pdn_slice s, const char *word); /* in any letters */

/* Is a tag next, [Name "..." ? */
bool pdn_at_tag(const struct text *t);

/* A position, B:W..., or a line LABEL | POSITION | moves. */
bool pdn_at_fen(const struct text *t);
bool pdn_at_label(const struct text *t);

/* A tag or a position at the start of a line: a game begins, whatever went before. */
bool pdn_at_game(const struct text *t);

/* -------------------------------------------------------------------- pdn_tags.c -- */

/* Comments, tags and a bare position.  Adds tags unless the game has them already. */
bool pdn_read_header(struct pdn_parse *p, bool again);

/* What the tags mean: the start, and whether it is our game.  Tells notes if not mute. */
bool pdn_read_meaning(struct pdn_parse *p, const struct board *start);

/* ------------------------------------------------------------------- pdn_moves.c -- */

bool pdn_read_moves(struct pdn_parse *p);

#endif
