/* SPDX-License-Identifier: MIT
 *
 * ending.h -- for claims about endings: solve one, and go through published moves in it.
 *
 * An ending is solved in memory for the occasion; the caller closes it.  Nothing is shared between
 * two endings. */
#ifndef KELSO_PAPERS_ENDING_H
#define KELSO_PAPERS_ENDING_H

#include "core/board.h"
#include "core/movegen.h"
#include "db/ondemand.h"
#include "papers/papers.h"

enum status paper_board(const char *fen, size_t length, struct board *b, struct error *e);

/* Solve the ending of a position, with distances to conversion too if asked.  The label is shown as
 * the stage.  The caller owns *o after STATUS_OK.  Where it would take longer than the run allows
 * (`seconds`) or more memory, *o is NULL and `why` says so, for a row that is left out. */
enum status paper_ending(struct paper_run *r, const char *label, const struct board *b,
                         double seconds, bool conversions, struct ondemand **o,
                         char why[ROW_TEXT_MAX], struct error *e);

/* What a move leads to, as the side that makes it sees it before the move. */
enum status paper_after(const struct ondemand *o, const struct board *b, const struct move *m,
                        enum kind kind, struct outcome *out, struct error *e);

/* "win in 81", "draw". */
const char *paper_outcome(struct outcome o, char out[64]);

/* One move of a line: what was best, and what was played. */
struct paper_step {
    struct outcome best, played; /* for the side that moves, before the move */
    struct move move;
    struct board before;
    int ply;  /* from 1 */
    int note; /* the number of the note on this move, 0 if there is none */
};

/* Go through the moves of a text, in which "^[7]" after a move refers to note 7; other words are
 * skipped.  `visit` may be NULL.  *plies is the number of moves, *end the position after them. */
typedef enum status paper_step_visit(void *context, const struct paper_step *s, struct error *e);
enum status paper_walk(const struct ondemand *o, const struct board *start, const char *text,
                       paper_step_visit *visit, void *context, int *plies, struct board *end,
                       struct error *e);

#endif
