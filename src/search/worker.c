/* SPDX-License-Identifier: MIT */
#include "search/worker.h"

#include "base/clock.h"

#include <stdlib.h>

enum { POLL_NODES = 1024, HOPELESS_DEPTH = 2 };

/* ----------------------------------------------------------------- stopping -- */

bool worker_must_stop(struct worker *w)
{
    struct shared *s = w->shared;

    if (atomic_load_explicit(&s->stop, memory_order_relaxed) ||
        (s->limits.stop && atomic_load_explicit(s->limits.stop, memory_order_relaxed)) ||
        (s->deadline > 0 && clock_seconds() >= s->deadline))
        w->stopped = true;
    return w->stopped;
}

static inline void count_node(struct worker *w)
{
    uint64_t nodes = atomic_load_explicit(&w->nodes, memory_order_relaxed) + 1;

    atomic_store_explicit(&w->nodes, nodes, memory_order_relaxed);
    if (nodes % POLL_NODES == 0)
        worker_must_stop(w);
    if (nodes >= w->shared->nodes_each)
        w->stopped = true;
}

static inline int settle(struct worker *w, int score, bool solid)
{
    w->solid = solid;
    return score;
}

/* Does the bound `best` depend only on certain results?  It does if all moves do, or if it is a
 * win or loss: no estimate leads to such a score. */
static inline bool bound_is_solid(int best, int alpha, int beta, bool all_solid)
{
    return all_solid || (score_wins(best) && best > alpha) || (score_loses(best) && best < beta);
}

/* --------------------------------------------------------------------- tables -- */

bool shared_has(const struct shared *s, const struct board *b)
{
    const struct search_options *o = &s->options;

    if (o->values)
        return squares_count(b->side[BLACK] | b->side[WHITE]) <= o->values_pieces;
    return o->tables && tables_has(o->tables, b);
}

enum status shared_value(const struct shared *s, const struct board *b, enum value *v,
                         struct error *e)
{
    const struct source *values = s->options.values;
    struct outcome o;
    enum status rc;

    if (!values)
        return tables_value(s->options.tables, b, v, e);
    if (!(rc = values->outcome(values->context, b, KIND_WLD, &o, e)))
        *v = o.value;
    return rc;
}

enum status shared_value_in_time(const struct shared *s, const struct board *b, enum value *v,
                                 struct error *e)
{
    if (s->deadline > 0 && !s->options.values) {
        if (tables_at_hand(s->options.tables, b, v))
            return STATUS_OK;
        if (clock_seconds() >= (s->started + s->deadline) / 2)
            return STATUS_MISSING;
    }
    return shared_value(s, b, v, e);
}

/* The network's sums at this ply, from the nearest position above that has them. */
static const struct network_sums *sums_at(struct worker *w, int ply)
{
    const struct network *n = &w->shared->network;
    const struct board *b = &w->path[w->base + ply];
    int near = ply - 1;

    if (w->has_sums[ply])
        return &w->sums[ply];
    while (near >= 0 && near > ply - 4 && !w->has_sums[near])
        near--;
    if (near >= 0 && w->has_sums[near])
        network_update(n, b - (ply - near), &w->sums[near], b, &w->sums[ply]);
    else
        network_refresh(n, b, &w->sums[ply]);
    w->has_sums[ply] = true;
    return &w->sums[ply];
}

/* The estimate of the position at this ply. */
static int evaluate(struct worker *w, int ply)
{
    const struct network *n = &w->shared->network;
    const struct board *b = &w->path[w->base + ply];
    const struct tt_key *key = &w->key[ply];
    int score;

    if (w->shared->options.material)
        return network_material(b);
    if (!eval_cache_find(&w->evals, key, &score)) {
        score = network_value(n, b, sums_at(w, ply));
        eval_cache_put(&w->evals, key, score);
    }
    assert(score == network_evaluate(n, b));
    return score;
}

static int squares_apart(square a, square b)
{
    int i = square_number(a) - 1, k = square_number(b) - 1;
    int rows = abs(i / 4 - k / 4);
    int columns = abs(2 * (i % 4) + (i / 4 % 2 == 0) - 2 * (k % 4) - (k / 4 % 2 == 0));

    return rows > columns ? rows : columns;
}

/* How far the kings of `us` are from the pieces they hunt: each from the nearest, all added. */
static int kings_away(const struct board *b, enum side us)
{
    int sum = 0;

    for (squares kings = board_kings(b, us); kings; kings &= kings - 1) {
        int near = 8;

        for (squares them = b->side[side_other(us)]; them; them &= them - 1) {
            int apart = squares_apart(square_first(kings), square_first(them));

            near = apart < near ? apart : near;
        }
        sum += near;
    }
    return sum;
}

/* If the root is won, what is left is to end it.  The network says little about that, and the end
 * may be too far away to see: come near, and exchange. */
static int table_win(struct worker *w, int ply, enum side winner)
{
    enum { NEARER = 10, EXCHANGE = 40 };
    const struct board *b = &w->path[w->base + ply];
    int eval = b->turn == winner ? evaluate(w, ply) : -evaluate(w, ply);

    if (w->shared->root_known)
        eval -= NEARER * kings_away(b, winner) +
                EXCHANGE * squares_count(b->side[BLACK] | b->side[WHITE]);
    return score_db_win(ply, eval);
}

static int table_score(struct worker *w, enum value v, int ply)
{
    enum side us = w->path[w->base + ply].turn;

    if (v == VALUE_DRAW)
        return SCORE_DRAW;
    return v == VALUE_WIN ? table_win(w, ply, us) : -table_win(w, ply, side_other(us));
}

/* Is it won by kings alone? */
static bool ask_kings(const struct worker *w, const struct board *b, int ply, int *score)
{
    const struct shared *s = w->shared;
    enum side winner;
    int plies;

    if (s->options.plain || !kings_find(&s->kings, b, &winner, &plies))
        return false;
    *score = winner == b->turn ? score_win_in(ply + plies) : score_loss_in(ply + plies);
    return true;
}

/* Look up a position without captures in the tables.  True: *score is the answer.  If the root
 * already has the same value, the tables say nothing new: the search continues, to find progress,
 * until it runs out of depth. */
static bool ask_tables(struct worker *w, const struct board *b, int depth, int ply, int *score)
{
    struct shared *s = w->shared;
    enum value v, expected = ply & 1 ? value_negate(s->root_value) : s->root_value;

    enum status rc;

    if (ask_kings(w, b, ply, score))
        return true;
    if (!shared_has(s, b) || (rc = shared_value_in_time(s, b, &v, &w->error)) == STATUS_MISSING)
        return false;
    if (rc) {
        w->failed = rc;
        w->stopped = true;
        return true;
    }
    if (s->root_known && v == expected && (depth > 0 || v == VALUE_DRAW))
        return false;
    *score = table_score(w, v, ply);
    return true;
}

/* ------------------------------------------------------------------ positions -- */

void worker_make(struct worker *w, int ply, const struct move *m)
{
    int at = w->base + ply;
    const struct board *b = &w->path[at];
    bool stays = m->jumps || !(b->kings & squares_of(m->from));

    w->path[at + 1] = board_after(b, m);
    w->quiet[at + 1] = stays ? 0 : w->quiet[at] + 1;
    w->has_sums[ply + 1] = false;
}

/* A position that repeats one in the tree is a draw at once: a side that can repeat once can do
 * so again.  One from the game must have occurred twice, as in the rules; but in a won ending that
 * is no progress, and once is enough. */
static bool repeats(const struct worker *w, int ply)
{
    const struct shared *s = w->shared;
    int at = w->base + ply, seen = 0;
    int draw = s->root_known && s->root_value == VALUE_WIN ? 1 : 2;

    for (int i = 4; i <= w->quiet[at]; i += 2)
        if (board_equal(&w->path[at], &w->path[at - i]) && (at - i >= w->base || ++seen == draw))
            return true;
    return false;
}

void worker_prepare(struct worker *w, int depth, int ply)
{
    w->key[ply] = tt_key(&w->shared->tt, &w->path[w->base + ply]);
    if (depth > 0)
        tt_prefetch(&w->shared->tt, &w->key[ply]);
    if (depth <= HOPELESS_DEPTH) /* deeper positions are rarely evaluated */
        eval_cache_prefetch(&w->evals, &w->key[ply]);
}

/* The principal variation from here: move `first`, then the one found below. */
static void keep_pv(struct worker *w, int ply, int first)
{
    int n = w->pv_plies[ply + 1];

    w->pv[ply][0] = (uint8_t)first;
    for (int i = 0; i < n; i++)
        w->pv[ply][i + 1] = w->pv[ply + 1][i];
    w->pv_plies[ply] = n + 1;
}

/* ----------------------------------------------------------------- quiescence -- */

/* The value once no capture is left.  Captures are compulsory, so there is no stand-pat while
 * there are any. */
static int quiesce(struct worker *w, int alpha, int beta, int ply)
{
    const struct board *b = &w->path[w->base + ply];
    struct move_list list;
    int best = -SCORE_INFINITE;
    bool all_solid = true;

    w->pv_plies[ply] = 0;
    if (!board_must_capture(b)) {
        if (ask_tables(w, b, 0, ply, &best))
            return settle(w, best, true);
        if (moves_count(b) == 0)
            return settle(w, score_loss_in(ply), true);
        return settle(w, evaluate(w, ply), false);
    }
    if (ply >= PLY_MAX)
        return settle(w, evaluate(w, ply), false);
    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++) {
        int score;

        worker_make(w, ply, &list.move[i]);
        worker_prepare(w, 0, ply + 1);
        count_node(w);
        if (w->stopped)
            return 0;
        score = -quiesce(w, -beta, -(alpha > best ? alpha : best), ply + 1);
        if (w->stopped)
            return 0;
        all_solid &= w->solid;
        if (score <= best)
            continue;
        best = score;
        if (best > alpha)
            keep_pv(w, ply, i);
        if (best >= beta)
            return best; /* as solid as the move that cuts */
    }
    return settle(w, best, bound_is_solid(best, alpha, beta, all_solid));
}

/* ----------------------------------------------------------------------- tree -- */

static int search_node(struct worker *w, int depth, int alpha, int beta, int ply, int without);

/* Can the table's entry replace a search of this depth? */
static bool entry_answers(const struct shared *s, const struct tt_data *d, int score, int depth,
                          int alpha, int beta)
{
    bool certain = d->solid && (!s->root_known || score_has_distance(score));

    if (d->depth < depth && !certain)
        return false;
    return d->bound == BOUND_EXACT || (d->bound == BOUND_LOWER && score >= beta) ||
           (d->bound == BOUND_UPPER && score <= alpha);
}

/* The depth reduction for a late quiet move. */
static int reduction(const struct shared *s, int depth, int tried, bool pv)
{
    int r;

    if (s->options.plain || depth < 3 || tried < 2)
        return 0;
    r = s->reduce[depth < REDUCE_MAX ? depth : REDUCE_MAX - 1]
                 [tried < REDUCE_MAX ? tried : REDUCE_MAX - 1];
    return pv && r > 0 ? r - 1 : r;
}

/* Near the leaves of a node that is expected to fail low: is the estimate so far below alpha
 * that quiet moves are unlikely to make up for it?  Never with certain scores. */
static bool is_hopeless(struct worker *w, int ply, int depth, int alpha, int *score)
{
    enum { MARGIN = 60, MARGIN_PLY = 50 };
    const struct shared *s = w->shared;

    if (depth > HOPELESS_DEPTH || s->options.plain || s->root_known || score_is_certain(alpha))
        return false;
    *score = evaluate(w, ply);
    return *score + MARGIN + MARGIN_PLY * depth <= alpha;
}

/* Near the leaves, with all scores estimates: is the move so late in the order that it is not worth
 * a search?  `tried` were. */
static bool is_late(const struct shared *s, int depth, int tried, int best, int alpha)
{
    enum { DEPTH = 3, MOVES = 3, MOVES_PLY = 2 };

    return depth <= DEPTH && tried >= MOVES + MOVES_PLY * depth && !s->options.plain &&
           !s->root_known && !score_is_certain(best) && !score_is_certain(alpha);
}

/* Search the next move: first with a null window and possibly a reduced depth, then again if it
 * turns out better than expected. */
static int search_move(struct worker *w, int depth, int reduce, int alpha, int beta, int ply,
                       bool first)
{
    int score;

    if (first)
        return -worker_search(w, depth, -beta, -alpha, ply + 1);
    score = -worker_search(w, depth - reduce, -alpha - 1, -alpha, ply + 1);
    if (score > alpha && reduce > 0 && !w->stopped)
        score = -worker_search(w, depth, -alpha - 1, -alpha, ply + 1);
    if (score > alpha && score < beta && !w->stopped)
        score = -worker_search(w, depth, -beta, -alpha, ply + 1);
    return score;
}

/* Can the position at `ply` be settled without searching its moves?  If not, `entry` is what the
 * table knows, and `list` holds the moves.  `all`: no move is left out of the search. */
static inline bool settle_early(struct worker *w, int depth, int alpha, int beta, int ply, bool all,
                                struct tt_data *entry, struct move_list *list, int *score)
{
    const struct shared *s = w->shared;
    const struct board *b = &w->path[w->base + ply];
    bool pv = beta - alpha > 1, capture;

    /* 2. Seen before? */
    if (tt_probe(&s->tt, &w->key[ply], entry)) {
        *score = score_from_table(entry->score, ply);
        if (!pv && all && !s->options.plain &&
            entry_answers(s, entry, *score, depth, alpha, beta)) {
            settle(w, *score, entry->solid);
            return true;
        }
    }

    /* 3. In the tables? */
    capture = board_must_capture(b);
    if (!capture && ask_tables(w, b, depth, ply, score)) {
        settle(w, *score, true);
        return true;
    }

    /* 4. No move: lost. */
    if (moves_generate(b, list) == 0) {
        *score = settle(w, score_loss_in(ply), true);
        return true;
    }

    /* 5. So far behind that the few plies left will not help. */
    if (!pv && !capture && is_hopeless(w, ply, depth, alpha, score)) {
        settle(w, *score, false);
        return true;
    }
    return false;
}

/* Is the table's move much better than all others?  A shallow search without it tells, with a
 * bound somewhat below its score.
 *   SINGULAR  all others fail: the move deserves a ply more.
 *   MANY      another one reaches even beta, as the table's move most likely does: *score. */
enum singular { NOT_SINGULAR, SINGULAR, MANY };

static enum singular look_without(struct worker *w, int depth, int alpha, int beta, int ply,
                                  const struct tt_data *entry, int *score)
{
    enum { DEPTH = 6, SHALLOWER = 3, MARGIN = 30 };
    const struct shared *s = w->shared;
    int bound = entry->score - MARGIN;

    if (depth < DEPTH || entry->move == TT_NO_MOVE || entry->depth < depth - SHALLOWER ||
        entry->bound == BOUND_UPPER || s->options.plain || s->root_known ||
        score_is_certain(entry->score) || score_is_certain(alpha) || score_is_certain(beta))
        return NOT_SINGULAR;
    *score = search_node(w, (depth - 1) / 2, bound - 1, bound, ply, entry->move);
    w->pv_plies[ply] = 0;
    if (*score < bound)
        return SINGULAR;
    return *score >= beta && beta - alpha == 1 ? MANY : NOT_SINGULAR;
}

/* A node whose moves are to be searched. */
struct node {
    int depth, alpha, beta, ply;
    int without; /* a move to leave out, or TT_NO_MOVE */
    int first;   /* the table's move, or TT_NO_MOVE, ... */
    int more;    /* ... and by how many plies it is searched deeper */
};

/* The best of its moves. */
struct found {
    int score, move;
    bool solid;
};

/* A move that is enough: remember it for the order. */
static inline void cut(struct worker *w, const struct node *n, const struct move_list *list,
                       const struct order *order, int move, bool at_once)
{
    if (list->count == 1)
        return;
    w->cuts++;
    w->first_cuts += at_once;
    order_learn(&w->memory, list, order, w->path[w->base + n->ply].turn, n->ply, n->depth, move);
}

/* False if it was stopped. */
static inline bool search_moves(struct worker *w, const struct node *n,
                                const struct move_list *list, struct found *out)
{
    const struct shared *s = w->shared;
    struct found best = {-SCORE_INFINITE, TT_NO_MOVE, true};
    bool pv = n->beta - n->alpha > 1;
    int low = n->alpha, tried = 0;
    struct order order;

    order_open(&order, &w->memory, list, w->path[w->base + n->ply].turn, n->ply, n->first);
    for (int i; (i = order_pick(&order)) >= 0;) {
        bool quiet = !move_is_conversion(&list->move[i]);
        int reduce = quiet ? reduction(s, n->depth, order.tried - 1, pv) : 0, score;

        if (i == n->without)
            continue;
        if (quiet && !pv && is_late(s, n->depth, tried, best.score, low)) {
            best.solid = false; /* who knows */
            continue;
        }
        worker_make(w, n->ply, &list->move[i]);
        worker_prepare(w, n->depth - 1, n->ply + 1);
        score = search_move(w, n->depth - 1 + (i == n->first ? n->more : 0), reduce, low, n->beta,
                            n->ply, tried++ == 0);
        if (w->stopped)
            return false;
        best.solid &= w->solid;
        if (score <= best.score)
            continue;
        best.score = score;
        if (score <= low)
            continue;
        low = score;
        best.move = i;
        keep_pv(w, n->ply, i);
        if (score >= n->beta) {
            cut(w, n, list, &order, i, tried == 1);
            best.solid = w->solid; /* the others do not matter */
            break;
        }
    }
    *out = best;
    return true;
}

static inline void remember(struct worker *w, int depth, int alpha, int beta, int ply,
                            const struct found *best)
{
    tt_store(&w->shared->tt, &w->key[ply],
             &(struct tt_data){.score = score_to_table(best->score, ply),
                               .depth = depth > TT_DEPTH_MAX ? TT_DEPTH_MAX : depth,
                               .move = best->move,
                               .bound = best->score >= beta   ? BOUND_LOWER
                                        : best->score > alpha ? BOUND_EXACT
                                                              : BOUND_UPPER,
                               .solid = best->solid});
}

/* worker_search without the move numbered `without` (TT_NO_MOVE: with all). */
static int search_node(struct worker *w, int depth, int alpha, int beta, int ply, int without)
{
    enum { BLIND_DEPTH = 4 };
    bool all = without == TT_NO_MOVE;
    struct tt_data entry = {.move = TT_NO_MOVE};
    struct move_list list;
    struct found best;
    int score, more = 0;

    /* 1. Out of time, out of depth, out of room; a repeated position. */
    count_node(w);
    if (w->stopped)
        return 0;
    if (depth <= 0 || ply >= PLY_MAX)
        return quiesce(w, alpha, beta, ply);
    w->pv_plies[ply] = 0;
    if (repeats(w, ply))
        return settle(w, SCORE_DRAW, false);

    /* 2. to 5. */
    if (settle_early(w, depth, alpha, beta, ply, all, &entry, &list, &score))
        return score;

    /* 6. Nothing known about the moves: a shallower search finds the first one for the next. */
    if (depth >= BLIND_DEPTH && entry.move == TT_NO_MOVE && list.count > 1 &&
        !w->shared->options.plain)
        depth--;

    /* 7. One move much better than the others, or many good enough. */
    if (all && list.count > 1) {
        enum singular kind = look_without(w, depth, alpha, beta, ply, &entry, &score);

        if (w->stopped)
            return 0;
        if (kind == MANY)
            return settle(w, score, false);
        more = kind == SINGULAR;
    }

    /* 8. The moves, best first. */
    if (!search_moves(w, &(struct node){depth, alpha, beta, ply, without, entry.move, more}, &list,
                      &best))
        return 0;
    if (!all)
        return settle(w, best.score, false);

    /* 9. Remember. */
    best.solid = bound_is_solid(best.score, alpha, beta, best.solid);
    remember(w, depth, alpha, beta, ply, &best);
    return settle(w, best.score, best.solid);
}

int worker_search(struct worker *w, int depth, int alpha, int beta, int ply)
{
    return search_node(w, depth, alpha, beta, ply, TT_NO_MOVE);
}
