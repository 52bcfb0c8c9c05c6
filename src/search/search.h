/* SPDX-License-Identifier: MIT
 *
 * search.h -- the player: what is the best move, what is the position worth?
 *
 * Alpha-beta with iterative deepening on top of the tables.  Open one `struct search`, then
 * run it on as many positions as you like; what it learns stays in its memory until
 * search_clear.
 *
 *     struct search *s;
 *     struct search_result r;
 *     search_open(&s, &(struct search_options){.hash = 64 << 20, .tables = t}, &e);
 *     search_run(s, &board, NULL, 0, &(struct search_limits){.seconds = 1}, &r, &e);
 *     ... r.line[0].score, r.line[0].pv ...
 *     search_close(&s);
 *
 * (R1) a line that is `proven` has the value `value` whatever is played: it rests on ends
 *      of games and on the tables alone, not on estimates, repetitions or chance.  A score
 *      that wins is always proven; one that loses is, unless the search was cut short
 *      before it had seen all moves.
 * (R2) if the score has a distance (score_has_distance), the game ends within that many
 *      plies; with fewer pieces on the board it may well end sooner.
 * (R3) with one thread, and a depth or a number of nodes as the limit, the same calls give
 *      the same results: search_clear makes it forget what went before.
 * (R4) the first move of each line is legal, and the lines are different in it.
 *
 * Positions are board_valid().  A search belongs to one thread at a time and starts its own
 * helpers; two searches share nothing but the tables, which allow it. */
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
    const struct source *values;   /* not owned; in place of tables: it knows the value of
                                      all positions of at most ... */
    int values_pieces;             /* ... this many pieces */
    bool no_distances;             /* at the root, use values only */
    bool plain;                    /* no pruning, reductions, extensions */
    bool material;                 /* count pieces, and see nothing else */
    const struct network *network; /* not owned; NULL: the one in the program */
};

/* Zero: no limit.  Without any, the search ends at SEARCH_DEPTH_MAX. */
struct search_limits {
    double seconds; /* stop at this time */
    double soft;    /* begin no iteration after this time */
    int depth;
    uint64_t nodes;
    int lines;               /* how many best moves (0: one) */
    const atomic_bool *stop; /* set by others; may be NULL */
    bool end_when_proven;    /* stop once the first line is proven */
};

/* What one first move leads to. */
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
    uint64_t cuts, first_cuts; /* nodes with a choice that a move cut, that the first one did */
    double seconds;
    int lines; /* 0 if there is no legal move: then the mover has lost */
    struct search_line line[SEARCH_LINES_MAX];
};

struct search;

enum status search_open(struct search **s, const struct search_options *o, struct error *e);
void search_close(struct search **s);

/* Forget all that was learnt. */
void search_clear(struct search *s);

/* Called after each iteration, on the thread of search_run; may be NULL. */
typedef void search_report(void *context, const struct search_result *r);
void search_on_report(struct search *s, search_report *report, void *context);

/* Search b.  `history`: the positions of the game before it, oldest first, so that the third
 * time of one is seen as the draw it is. */
enum status search_run(struct search *s, const struct board *b, const struct board *history,
                       int plies, const struct search_limits *limits, struct search_result *r,
                       struct error *e);

#endif
