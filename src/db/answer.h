/* SPDX-License-Identifier: MIT
 *
 * answer.h -- the value of each move, perfect lines, and the cost of a mistake.
 *
 * Outcomes come from a source: the tables, or anything else that gives the exact outcome of a
 * position.  Everything here follows from these outcomes and the rules.
 *
 * (A1) The outcome of a move is given from the point of view of the player who makes it, with
 *      distances counted from the position before the move.
 * (A2) Moves are ranked by one kind: by value, then sooner wins and later losses first.  Equal
 *      moves keep the order of moves_generate.
 * (A3) Once moves are ranked, the outcome of the position is that of the first move.
 * (A4) A line by distances ends: each move brings the end, or the next conversion, one ply
 *      nearer.  A line that only keeps the value may cycle; it stops at the first repeated
 *      position.
 *
 * Plain values, no ownership.  Safe on any thread that the source allows. */
#ifndef KELSO_DB_ANSWER_H
#define KELSO_DB_ANSWER_H

#include "core/move.h"
#include "db/tables.h"

/* ------------------------------------------------------------------- sources -- */

struct source {
    enum status (*outcome)(void *context, const struct board *b, enum kind kind, struct outcome *o,
                           struct error *e);
    void *context;
};

/* A source backed by tables, which must outlive it. */
struct source source_from_tables(const struct tables *t);

/* -------------------------------------------------------------------- answers -- */

enum { WANT_WLD = 1 << KIND_WLD, WANT_DTC = 1 << KIND_DTC, WANT_DTW = 1 << KIND_DTW };

/* What is known about a position or a move.  A distance is unknown where the tables of its kind
 * are missing.  The value is always known, except after answer_gaps. */
struct verdict {
    enum value value;
    bool known[KINDS];
    struct outcome of[KINDS]; /* valid for the known kinds */
};

struct ranked_move {
    struct move move;
    struct verdict verdict;
};

struct answer {
    struct verdict verdict;
    struct move_list legal;
    struct ranked_move move[MOVES_MAX]; /* legal.count entries */
    struct error missing[KINDS];        /* why a distance is unknown */
};

/* Look up the kinds in `want` (WANT_WLD is implied).  Missing distances leave gaps; a missing
 * value or a damaged table is an error. */
enum status answer_position(const struct source *s, const struct board *b, unsigned want,
                            struct answer *a, struct error *e);

/* The same, but a missing value leaves a gap too.  This gives what is known about the moves of
 * a position whose own value may be unknown; in that case STATUS_MISSING is returned. */
enum status answer_gaps(const struct source *s, const struct board *b, unsigned want,
                        struct answer *a, struct error *e);

/* Put the best moves first (A2); STATUS_MISSING unless all distances of the kind are known. */
enum status answer_rank(struct answer *a, enum kind kind, struct error *e);

/* Rank by the best kind that is known: dtw, else dtc, else wld. */
enum kind answer_rank_best(struct answer *a);

/* The number of moves as good as the first, by the kind used for ranking. */
int answer_ties(const struct answer *a, enum kind kind);

/* The slices (from the mover's side) whose tables determine the value of b: its own, or those
 * its captures lead to.  Returns their number, at most `max`. */
int answer_slices(const struct board *b, struct slice *list, int max);

/* ---------------------------------------------------------------------- lines -- */

enum { LINE_PLIES_MAX = 2048 };

enum line_end {
    LINE_LOST,    /* the side to move has no move left */
    LINE_REPEATS, /* the last position occurred before */
    LINE_LONG     /* the line is full */
};

struct line_ply {
    struct board board; /* before the move */
    struct move move;
    struct outcome outcome; /* of the board, by the kind */
    int ties;               /* the number of equally good moves, including this one */
};

struct line {
    enum kind kind;
    enum line_end end;
    int plies;
    struct line_ply ply[LINE_PLIES_MAX];
    struct board last;
};

/* Play the first of the best moves until the game ends. */
enum status line_play(const struct source *s, const struct board *b, enum kind kind,
                      struct line *line, struct error *e);

/* ---------------------------------------------------------------------- slips -- */

/* A move compared with the best one. */
struct slip {
    struct ranked_move best, played;
    struct outcome best_outcome, played_outcome; /* by the requested kind */
    int ties;                                    /* moves as good as the best */
    bool changes_value;                          /* a win or a draw was thrown away */
    int plies; /* lost by a later win or a sooner loss; 0 if the value changes */
};

/* `m` must be a legal move of b. */
enum status slip_of(const struct source *s, const struct board *b, const struct move *m,
                    enum kind kind, struct slip *slip, struct error *e);

#endif
