/* SPDX-License-Identifier: MIT
 *
 * worker.h -- one thread of a search: the interface of worker.c (the tree) to search.c (the
 * root).
 *
 * (W1) worker_search(alpha, beta) returns s.  If s <= alpha, the value is at most s; if s >=
 *      beta, it is at least s; otherwise it is s.  ("The value" is to that depth, with that
 *      evaluation.)
 * (W2) Afterwards `solid` tells whether that bound depends only on ends of games and tables.
 * (W3) Once `stopped` is set, the return value is meaningless and nothing is stored.
 *
 * Private to search.  A worker belongs to one thread; all share `shared` and its table. */
#ifndef KELSO_SEARCH_WORKER_H
#define KELSO_SEARCH_WORKER_H

#include "core/movegen.h"
#include "search/eval_cache.h"
#include "search/kings.h"
#include "search/order.h"
#include "search/search.h"
#include "search/tt.h"

#include <assert.h>

enum { PLY_MAX = 240, PATH_HISTORY_MAX = 512, REDUCE_MAX = 64 };

static_assert((int)PLY_MAX < (int)ORDER_PLIES, "killers for every ply");

/* What all workers of a search share. */
struct shared {
    struct tt tt;
    struct search_options options;
    struct network network; /* the evaluation */
    bool owns_network;
    struct kings kings;
    bool root_known; /* the tables have the root: */
    enum value root_value;
    uint8_t reduce[REDUCE_MAX][REDUCE_MAX]; /* [depth][moves tried before] */

    struct search_limits limits;
    double started, deadline; /* deadline: 0 for none */
    uint64_t nodes_each;      /* for one worker */
    atomic_bool stop;
};

struct worker {
    struct shared *shared;
    int id;
    _Atomic uint64_t nodes;    /* written by this worker alone, read by the first */
    uint64_t cuts, first_cuts; /* nodes where a move caused a cutoff, where the first did */
    bool stopped;
    bool solid;
    enum status failed; /* the tables could not be read: see error */
    struct error error;
    struct order_memory memory;
    struct eval_cache evals;
    int base;                                          /* path[base] is the root */
    struct board path[PATH_HISTORY_MAX + PLY_MAX + 2]; /* positions before and in the tree */
    int quiet[PATH_HISTORY_MAX + PLY_MAX + 2];         /* plies since the last irreversible move */
    struct tt_key key[PLY_MAX + 2];
    struct network_sums sums[PLY_MAX + 2]; /* of path[base + ply] ... */
    bool has_sums[PLY_MAX + 2];            /* ... if they were needed */
    int pv_plies[PLY_MAX + 2];
    uint8_t pv[PLY_MAX + 2][PLY_MAX + 2]; /* numbers in the lists of moves_generate */
};

/* Search the position path[base + ply]. */
int worker_search(struct worker *w, int depth, int alpha, int beta, int ply);

/* Call before a search of path[base + ply] to this depth: computes the key and prefetches the
 * memory that it leads to. */
void worker_prepare(struct worker *w, int depth, int ply);

/* Make move m of path[base + ply] the position at ply + 1. */
void worker_make(struct worker *w, int ply, const struct move *m);

/* Is the time or node limit reached, or `stop` set?  Then sets `stopped`. */
bool worker_must_stop(struct worker *w);

/* Can the tables give the value of b? */
bool shared_has(const struct shared *s, const struct board *b);

/* The value by the tables or their substitute. */
enum status shared_value(const struct shared *s, const struct board *b, enum value *v,
                         struct error *e);

/* The same, but under a time limit a page that is not in memory is decoded during the first half
 * of the time only (afterwards STATUS_MISSING): a slow disk must not make a move late.  Without
 * one the answer does not depend on what is in memory (R3). */
enum status shared_value_in_time(const struct shared *s, const struct board *b, enum value *v,
                                 struct error *e);

#endif
