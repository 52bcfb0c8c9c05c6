/* SPDX-License-Identifier: MIT
 *
 * answer.h -- what each move of a position gives, perfect lines, and what a move that
 * was played gives away.
 *
 * Outcomes come from a source: the tables, or whatever else can tell the exact outcome
 * of a position.  Everything here is made of such outcomes and of the rules.
 *
 * (A1) what a move gives is seen by the player who makes it, with distances counted
 *      from the position before it.
 * (A2) moves are ranked by one kind: value first, then a win sooner or a loss later;
 *      moves that are equal stay in the order of moves_generate.
 * (A3) the outcome of a position is that of its first move, once ranked.
 * (A4) a line by distances ends: each move brings the end, or the next conversion,
 *      nearer by its plies.  A line that only keeps the value may go round; it is cut
 *      where a position comes back.
 *
 * Values without ownership; any thread that the source allows. */
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

/* The tables, which must outlive the source. */
struct source source_from_tables(const struct tables *t);

/* -------------------------------------------------------------------- answers -- */

enum { WANT_WLD = 1 << KIND_WLD, WANT_DTC = 1 << KIND_DTC, WANT_DTW = 1 << KIND_DTW };

/* What is known of a position, or of a move.  A distance is not known where the tables
 * of its kind are missing; the value always is, but for answer_gaps. */
struct verdict {
    enum value value;
    bool known[KINDS];
    struct outcome of[KINDS]; /* those that are known */
};

struct ranked_move {
    struct move move;
    struct verdict verdict;
};

struct answer {
    struct verdict verdict;
    struct move_list legal;
    struct ranked_move move[MOVES_MAX]; /* as many as legal.count */
    struct error missing[KINDS];        /* where a distance is not known: why */
};

/* Ask for the kinds in `want` (WANT_WLD is understood).  Missing distances leave gaps;
 * a missing value, damage and the like are errors. */
enum status answer_position(const struct source *s, const struct board *b, unsigned want,
                            struct answer *a, struct error *e);

/* The same, but a value that is missing leaves a gap too: what can be known of the moves
 * of a position that is not itself known.  STATUS_MISSING if its own value is. */
enum status answer_gaps(const struct source *s, const struct board *b, unsigned want,
                        struct answer *a, struct error *e);

/* Put the best moves first (A2); STATUS_MISSING if not all distances of the kind are
 * known. */
enum status answer_rank(struct answer *a, enum kind kind, struct error *e);

/* Rank by the best kind that is known: dtw, else dtc, else wld. */
enum kind answer_rank_best(struct answer *a);

/* How many moves are as good as the first, by the kind that they are ranked by. */
int answer_ties(const struct answer *a, enum kind kind);

/* The slices (as the mover has them) whose tables tell the value of b: its own, or those
 * that its captures lead to.  Returns the number, at most `max`. */
int answer_slices(const struct board *b, struct slice *list, int max);

/* ---------------------------------------------------------------------- lines -- */

enum { LINE_PLIES_MAX = 2048 };

enum line_end {
    LINE_LOST,    /* the side to move has no move left */
    LINE_REPEATS, /* the last position was there before */
    LINE_LONG     /* there is no more room */
};

struct line_ply {
    struct board board; /* before the move */
    struct move move;
    struct outcome outcome; /* of the board, by the kind */
    int ties;               /* how many moves are as good as this, itself included */
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

/* A move against the best there was. */
struct slip {
    struct ranked_move best, played;
    struct outcome best_outcome, played_outcome; /* by the kind asked for */
    int ties;                                    /* moves as good as the best */
    bool changes_value;                          /* a win or a draw was thrown away */
    int plies; /* given away: later win or sooner loss; 0 where the value changes */
};

/* `m` must be a legal move of b. */
enum status slip_of(const struct source *s, const struct board *b, const struct move *m,
                    enum kind kind, struct slip *slip, struct error *e);

#endif
