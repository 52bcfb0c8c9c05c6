/* SPDX-License-Identifier: MIT
 *
 * pdn.h -- read games: Portable Draughts Notation, old and new, and bare lists of moves.
 *
 * The reader walks a text in memory, game by game, checks every move, and reports what it finds
 * to a visitor: the game with its tags, then moves, comments, annotations and variations in the
 * order of the text, then the result.  The reader is lenient; each departure from PDN 3.0 is
 * reported as a note.  A game with an error is reported up to the error; the next call continues
 * after it.
 *
 *     struct pdn_reader r = pdn_open(bytes, length);
 *     while ((status = pdn_next(&r, visit, context, &error)) != PDN_AT_END)
 *         ...
 *
 * (D1) Each reported move is legal in the position reported with it.
 * (D2) pdn_next moves forward: a text of n bytes ends after at most n calls.
 * (D3) PDN_OPEN and PDN_CLOSE are paired within a game that is read to its end, with at least one
 *      event between them.
 * (D4) Results are kept, not interpreted: files do not agree on whose win 1-0 is.  Results that
 *      kelso writes come from pdn_won_by.
 * (D5) Each departure from PDN 3.0 is reported as a PDN_NOTE.  The other events are the same with
 *      or without notes.
 *
 * docs/notation.md lists what is read.  The text is UTF-8 (base/encoding.h makes it so) and
 * belongs to the caller; tags and comments point into it.  No allocation; a reader belongs
 * to one thread. */
#ifndef KELSO_CORE_PDN_H
#define KELSO_CORE_PDN_H

#include "core/move.h"
#include "core/text.h"

enum {
    PDN_TAGS_MAX = 64,
    PDN_DEPTH_MAX = 32, /* variations inside variations */
    PDN_NAG_MAX = 65535
};

struct pdn_slice {
    const char *bytes;
    size_t length;
};

/* The value is as in the file: \" and \\ not yet resolved.  The name of a common tag has its usual
 * spelling (FEN for fen) and points to a constant.  If a tag occurs twice, the first one
 * counts. */
struct pdn_tag {
    struct pdn_slice name, value;
};

enum pdn_result { PDN_UNKNOWN, PDN_1_0, PDN_0_1, PDN_DRAW, PDN_FORFEIT /* 0-0: both lose */ };

struct pdn_game {
    size_t at; /* where it begins in the text */
    int tags;
    struct pdn_tag tag[PDN_TAGS_MAX];
    struct board start;
};

/* What was corrected, or is written differently from PDN 3.0. */
enum pdn_note {
    PDN_NOTE_BLANK,      /* an unusual blank character */
    PDN_NOTE_LINE,       /* a line that begins with # */
    PDN_NOTE_COMMENT,    /* a comment inside a comment */
    PDN_NOTE_TAG_CASE,   /* [fen "..."] */
    PDN_NOTE_TAG_TWICE,  /* the first counts */
    PDN_NOTE_TAG_QUOTES, /* curly ones, none, or some inside */
    PDN_NOTE_TAG_CLOSE,  /* a tag without its ] */
    PDN_NOTE_TAG_BAD,    /* brackets without a tag's name */
    PDN_NOTE_TAG_COMMENT,
    PDN_NOTE_GAME_TYPE, /* "English" */
    PDN_NOTE_SETUP,     /* SetUp and FEN do not agree */
    PDN_NOTE_FEN,       /* an empty one; or one without a tag */
    PDN_NOTE_RESULT_TAG,
    PDN_NOTE_RESULT_FORM,
    PDN_NOTE_RESULT_DIFFERS,
    PDN_NOTE_RESULT_MISSING,
    PDN_NOTE_NUMBER,    /* a move number without its point */
    PDN_NOTE_SEPARATOR, /* commas, bars and the like between moves */
    PDN_NOTE_SIGN,      /* between the squares of a move */
    PDN_NOTE_QUIET_X,
    PDN_NOTE_CAPTURE_DASH,
    PDN_NOTE_GAP,
    PDN_NOTE_SPLIT,
    PDN_NOTE_AMBIGUOUS,
    PDN_NOTE_STRENGTH, /* ! separated from its move, or too many */
    PDN_NOTE_STAR,
    PDN_NOTE_NAG,
    PDN_NOTE_WORDS,
    PDN_NOTE_FOOTNOTE,
    PDN_NOTE_EARLY_VARIATION,
    PDN_NOTE_OPEN_VARIATION,
    PDN_NOTE_EMPTY_VARIATION,
    PDN_NOTE_VARIATION_RESULT,
    PDN_NOTE_BAD_VARIATION,
    PDN_NOTE_PARENTHESIS,
    PDN_NOTES
};

enum pdn_kind {
    PDN_GAME,    /* tags and start are known */
    PDN_MOVE,    /* of the main line, or of a variation if depth > 0 */
    PDN_COMMENT, /* text */
    PDN_NAG,     /* nag: annotates the move before */
    PDN_OPEN,    /* a variation: instead of the last move */
    PDN_CLOSE,   /* and its end */
    PDN_RESULT,  /* the end of the game */
    PDN_NOTE     /* note, and text: what it is about */
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
    struct pdn_slice text;         /* PDN_COMMENT, PDN_NOTE */
    int nag;                       /* PDN_NAG: 0 to PDN_NAG_MAX */
    enum pdn_result result;        /* PDN_RESULT */
    enum pdn_note note;            /* PDN_NOTE */
};

/* Everything an event points to is valid until the visitor returns, except slices of the text,
 * which are valid as long as the text. */
typedef void pdn_visit(void *context, const struct pdn_event *event);

struct pdn_reader {
    struct text text;
    const struct board *start; /* of games without a FEN; NULL: the start of the game */
    bool unclosed;             /* for the reader: no } follows */
};

enum pdn_status { PDN_AT_END, PDN_GOOD, PDN_BAD };

struct pdn_reader pdn_open(const char *bytes, size_t length);

/* Read the next game.  `visit` may be NULL.  PDN_BAD: `error` says where and why; events up to
 * there have been reported. */
enum pdn_status pdn_next(struct pdn_reader *r, pdn_visit *visit, void *context,
                         struct text_error *error);

/* The first tag of that name, in upper or lower case, or NULL. */
const struct pdn_tag *pdn_tag_find(const struct pdn_game *game, const char *name);

/* The value with its escapes resolved, cut to fit; NUL-terminated. */
const char *pdn_tag_text(const struct pdn_tag *tag, char *out, size_t size);

/* "1-0", "0-1", "1/2-1/2", "*" or "0-0". */
const char *pdn_result_text(enum pdn_result result);

/* The result in a Result tag, also in words ("drawn", "Red resigns").  False if there is none. */
bool pdn_result_of(struct pdn_slice value, enum pdn_result *out);

/* In words: "x in a move that takes nothing". */
const char *pdn_note_text(enum pdn_note note);

/* 1-0 is a win for Black, the side that moves first.  PDN 2.0, the only version that is about this
 * game alone, says so, and PDN 3.0 refers to it (docs/notation.md). */
enum pdn_result pdn_won_by(enum side winner);

/* A tag for the writer; both texts belong to the caller. */
struct pdn_tag pdn_tag_of(const char *name, const char *value);

/* Escape any text for use as such a value, cut to fit.  pdn_tag_text restores it, with blanks in
 * place of line breaks and other control characters. */
const char *pdn_tag_escape(const char *text, char *out, size_t size);

#endif
