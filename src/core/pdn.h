/* SPDX-License-Identifier: MIT
 *
 * pdn.h -- read games in Portable Draughts Notation.
 *
 * The reader walks a text in memory, game by game, checks every move, and tells a
 * visitor what it finds: the game with its tags, then moves, comments, annotations
 * and variations in the order of the text, then the result.  A game that is wrong
 * is reported and left; the next call goes on behind it.
 *
 *     struct pdn_reader r = pdn_open(bytes, length);
 *     while ((status = pdn_next(&r, visit, context, &error)) != PDN_AT_END)
 *         ...
 *
 * (D1) each move told is legal in the position told with it.
 * (D2) pdn_next moves forward: a text of n bytes ends after at most n calls.
 * (D3) PDN_OPEN and PDN_CLOSE are paired within a game that is read to its end.
 * (D4) results are kept, not interpreted: files do not agree on whose win 1-0 is.
 *      What we write ourselves comes from pdn_won_by.
 *
 * Read are tags, {} and ; comments, lines that begin with %, NAGs ($1) and their
 * signs (!, ?), nested variations, SetUp/FEN, GameType "21".  A game ends with its
 * result.  The text belongs to the caller; tags and comments point into it.  No
 * allocation; a reader belongs to one thread. */
#ifndef KELSO_CORE_PDN_H
#define KELSO_CORE_PDN_H

#include "core/move.h"
#include "core/text.h"

enum {
    PDN_TAGS_MAX = 64,
    PDN_DEPTH_MAX = 32 /* variations inside variations */
};

struct pdn_slice {
    const char *bytes;
    size_t length;
};

/* The value is as in the file: \" and \\ not yet resolved. */
struct pdn_tag {
    struct pdn_slice name, value;
};

enum pdn_result { PDN_UNKNOWN, PDN_1_0, PDN_0_1, PDN_DRAW };

struct pdn_game {
    size_t at; /* where it begins in the text */
    int tags;
    struct pdn_tag tag[PDN_TAGS_MAX];
    struct board start;
};

enum pdn_kind {
    PDN_GAME,    /* tags and start are known */
    PDN_MOVE,    /* of the main line, or of a variation if depth > 0 */
    PDN_COMMENT, /* text */
    PDN_NAG,     /* nag: annotates the move before */
    PDN_OPEN,    /* a variation: instead of the last move */
    PDN_CLOSE,   /* and its end */
    PDN_RESULT   /* the end of the game */
};

struct pdn_event {
    enum pdn_kind kind;
    size_t at; /* offset in the text */
    int depth; /* 0: the main line */
    const struct pdn_game *game;
    const struct board *board;     /* the position: for PDN_MOVE, before the move */
    const struct move *move;       /* PDN_MOVE */
    const struct move_list *legal; /* PDN_MOVE: all moves there */
    int ply;                       /* half-moves played since the start of the game */
    struct pdn_slice text;         /* PDN_COMMENT */
    int nag;                       /* PDN_NAG */
    enum pdn_result result;        /* PDN_RESULT */
};

/* All that an event points to lives until the visitor returns, but for slices of the
 * text, which live as long as the text. */
typedef void pdn_visit(void *context, const struct pdn_event *event);

struct pdn_reader {
    struct text text;
};

enum pdn_status { PDN_AT_END, PDN_GOOD, PDN_BAD };

struct pdn_reader pdn_open(const char *bytes, size_t length);

/* Read the next game.  `visit` may be NULL.  PDN_BAD: `error` says where and why;
 * events up to there have been told. */
enum pdn_status pdn_next(struct pdn_reader *r, pdn_visit *visit, void *context,
                         struct text_error *error);

/* A tag of the game, or NULL. */
const struct pdn_tag *pdn_tag_find(const struct pdn_game *game, const char *name);

/* The value with its escapes resolved, cut to fit; NUL-terminated. */
const char *pdn_tag_text(const struct pdn_tag *tag, char *out, size_t size);

/* "1-0", "0-1", "1/2-1/2" or "*". */
const char *pdn_result_text(enum pdn_result result);

/* 1-0 is the win of Black, who moves first: so says PDN 2.0, the one version that is
 * about this game alone, and PDN 3.0 refers to it (docs/notation.md). */
enum pdn_result pdn_won_by(enum side winner);

/* A tag to be written; both texts belong to the caller. */
struct pdn_tag pdn_tag_of(const char *name, const char *value);

/* Any text as such a value, cut to fit: pdn_tag_text gives it back, with blanks for line
 * breaks and other control characters. */
const char *pdn_tag_escape(const char *text, char *out, size_t size);

#endif
