/* SPDX-License-Identifier: MIT
 *
 * search.h -- the player: find the best move and the value of a position.
 *
 * Alpha-beta with iterative deepening on top of the tables.  Open one `struct search` and run
 * it on any number of positions; its transposition table is kept until search_clear.
 *
 *     struct search *s;
 *     struct search_result r;
 *     search_open(&s, &(struct search_options){.hash = 64 << 20, .tables = t}, &e);
 *     search_run(s, &board, NULL, 0, &(struct search_limits){.seconds = 1}, &r, &e);
 *     ... r.line[0].score, r.line[0].pv ...
 *     search_close(&s);
 *
 * (R1) The `value` of a `proven` line is exact: it depends only on ends of games and the
 *      tables, not on estimates, repetitions or chance.  It is the value of the line's first
 *      move and, in the first line, also of the position.  A winning score is always proven.  A
 *      losing score is proven unless the search was stopped before it had seen all moves.
 * (R2) If the score has a distance (score_has_distance), the game ends within that many plies,
 *      possibly sooner.
 * (R3) With one thread and a depth or node limit, the same calls after search_clear give the
 *      same results.
 * (R4) The first move of each line is legal and different from those of the other lines.  The
 *      best line comes first.
 * (R5) If the tables have the root and it is won, the first line wins and, unless the work is too
 *      much for the time, comes nearer to the end or to a move that cannot be taken back
 *      (finish.h, exits.h): a win is not only kept.
 *
 * Positions must be board_valid().  The caller owns the search.  It belongs to one thread at a
 * time and starts helper threads of its own; two searches share only the tables, which are
 * thread-safe. */
#ifndef KELSO_SEARCH_SEARCH_H
#define KELSO_SEARCH_SEARCH_H

#include "core/move.h"
#include "db/answer.h"
#include "search/network.h"
#include "search/score.h"

#include <stdatomic.h>

enum {
    SEARCH_DEPTH_MAX = 120,
    SEARCH_PV_MAX = 128,
    SEARCH_LINES_MAX = 16,
    SEARCH_THREADS_MAX = 64,
    SEARCH_HASH_DEFAULT = 64 << 20,
};

struct search_options {
    size_t hash;                   /* bytes; 0: SEARCH_HASH_DEFAULT */
    int threads;                   /* 0: one */
    const struct tables *tables;   /* not owned; NULL: no tables */
    const struct source *values;   /* not owned; used in place of tables for positions of at
                                      most ... */
    int values_pieces;             /* ... this many pieces; may return STATUS_MISSING */
    bool no_distances;             /* use only values at the root */
    bool plain;                    /* no pruning, reductions, extensions */
    bool material;                 /* evaluate material only */
    const struct network *network; /* not owned; NULL: the built-in one */
};

/* Zero means no limit.  Without any limit the search ends at SEARCH_DEPTH_MAX. */
struct search_limits {
    double seconds; /* stop at this time */
    double soft;    /* start no iteration after this time */
    int depth;
    uint64_t nodes;
    int lines;               /* the number of best moves to return (0: one) */
    const atomic_bool *stop; /* set by others; may be NULL */
    bool end_when_proven;    /* stop once the first line is proven */
};

/* The result for one first move. */
struct search_line {
    int score;
    bool proven;
    enum value value; /* if proven */
    bool rests_on_db_draw;
    int plies; /* of the principal variation, at least 1 */
    struct move pv[SEARCH_PV_MAX];
};

struct search_result {
    int depth; /* of the last complete iteration; 0: answered without search */
    uint64_t nodes;
    uint64_t cuts, first_cuts; /* nodes with a choice where a move caused a cutoff, where the
                                * first did */
    double seconds;
    int lines; /* 0 if there is no legal move: the mover has lost */
    struct search_line line[SEARCH_LINES_MAX];
};

struct search;

enum status search_open(struct search **s, const struct search_options *o, struct error *e);
void search_close(struct search **s);

/* Clear everything learned. */
void search_clear(struct search *s);

/* Called after each iteration, on the thread of search_run; may be NULL. */
typedef void search_report(void *context, const struct search_result *r);
void search_on_report(struct search *s, search_report *report, void *context);

/* Search b.  `history`: the earlier positions of the game, oldest first, so that a third
 * repetition is recognized as a draw. */
enum status search_run(struct search *s, const struct board *b, const struct board *history,
                       int plies, const struct search_limits *limits, struct search_result *r,
                       struct error *e);

#endif
