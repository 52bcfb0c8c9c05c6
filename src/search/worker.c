/* SPDX-License-Identifier: MIT */
#include "search/worker.h"

#include "base/clock.h"

enum { POLL_NODES = 1024 };

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

/* Does the bound that `best` is rest on certain things alone?  If all moves do, or if a win
 * or loss was found: nothing uncertain ever leads to such a score. */
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
    const struct board *b = &w->path[w->base + ply];
    int score;

    if (w->shared->options.material)
        return network_material(b);
    score = network_value(&w->shared->network, b, sums_at(w, ply));
    assert(score == network_evaluate(&w->shared->network, b));
    return score;
}

static int table_score(struct worker *w, enum value v, int ply)
{
    if (v == VALUE_DRAW)
        return SCORE_DRAW;
    return v == VALUE_WIN ? score_db_win(ply, evaluate(w, ply))
                          : -score_db_win(ply, -evaluate(w, ply));
}

/* Ask the tables about a position without captures.  True: *score is the answer.  What the
 * tables say of the root already is no news below it: there the search goes on, for a way
 * to make progress, until it runs out of depth. */
static bool ask_tables(struct worker *w, const struct board *b, int depth, int ply, int *score)
{
    struct shared *s = w->shared;
    enum value v, expected = ply & 1 ? value_negate(s->root_value) : s->root_value;

    if (!shared_has(s, b))
        return false;
    if ((w->failed = shared_value(s, b, &v, &w->error))) {
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

/* A position that was in the tree before is a draw at once: whoever could go round once can
 * go on.  One of the game before needs to have been there twice, as the rules have it. */
static bool repeats(const struct worker *w, int ply)
{
    int at = w->base + ply, seen = 0;

    for (int i = 4; i <= w->quiet[at]; i += 2)
        if (board_equal(&w->path[at], &w->path[at - i]) && (at - i >= w->base || ++seen == 2))
            return true;
    return false;
}

/* Ask for the memory that a search of the position at `ply` will look at first. */
void worker_prepare(struct worker *w, int ply)
{
    w->key[ply] = tt_key(&w->shared->tt, &w->path[w->base + ply]);
    tt_prefetch(&w->shared->tt, &w->key[ply]);
}

/* The principal variation from here: move `first`, then what was found below. */
static void keep_pv(struct worker *w, int ply, int first)
{
    int n = w->pv_plies[ply + 1];

    w->pv[ply][0] = (uint8_t)first;
    for (int i = 0; i < n; i++)
        w->pv[ply][i + 1] = w->pv[ply + 1][i];
    w->pv_plies[ply] = n + 1;
}

/* ----------------------------------------------------------------- quiescence -- */

/* The value once no capture is left: captures are compulsory, so there is no standing pat
 * while there are any. */
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

/* May what the table says stand for a search of this depth? */
static bool entry_answers(const struct shared *s, const struct tt_data *d, int score, int depth,
                          int alpha, int beta)
{
    bool certain = d->solid && (!s->root_known || score_has_distance(score));

    if (d->depth < depth && !certain)
        return false;
    return d->bound == BOUND_EXACT || (d->bound == BOUND_LOWER && score >= beta) ||
           (d->bound == BOUND_UPPER && score <= alpha);
}

/* How many plies less for a quiet move that comes late. */
static int reduction(const struct shared *s, int depth, int tried, bool pv)
{
    int r;

    if (s->options.plain || depth < 3 || tried < 2)
        return 0;
    r = s->reduce[depth < REDUCE_MAX ? depth : REDUCE_MAX - 1]
                 [tried < REDUCE_MAX ? tried : REDUCE_MAX - 1];
    return pv && r > 0 ? r - 1 : r;
}

/* Near the leaves of a node that is expected to fail low: is the estimate below alpha by
 * more than quiet moves are likely to mend?  Never where certain scores are at stake. */
static bool is_hopeless(struct worker *w, int ply, int depth, int alpha, int *score)
{
    enum { DEPTH = 2, MARGIN = 60, MARGIN_PLY = 50 };
    const struct shared *s = w->shared;

    if (depth > DEPTH || s->options.plain || s->root_known || score_is_certain(alpha))
        return false;
    *score = evaluate(w, ply);
    return *score + MARGIN + MARGIN_PLY * depth <= alpha;
}

/* Search the next move: with a null window and perhaps less deep first, then again as far
 * as it proves better than thought. */
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

int worker_search(struct worker *w, int depth, int alpha, int beta, int ply)
{
    struct shared *s = w->shared;
    const struct board *b = &w->path[w->base + ply];
    bool pv = beta - alpha > 1, capture, all_solid = true;
    int best = -SCORE_INFINITE, best_move = TT_NO_MOVE, low = alpha, score;
    struct tt_data entry = {.move = TT_NO_MOVE};
    struct move_list list;
    struct order order;
    const struct tt_key *key = &w->key[ply];

    /* 1. Out of time, out of depth, out of room; a position that was there before. */
    count_node(w);
    if (w->stopped)
        return 0;
    if (depth <= 0 || ply >= PLY_MAX)
        return quiesce(w, alpha, beta, ply);
    w->pv_plies[ply] = 0;
    if (repeats(w, ply))
        return settle(w, SCORE_DRAW, false);

    /* 2. Seen before? */
    if (tt_probe(&s->tt, key, &entry)) {
        score = score_from_table(entry.score, ply);
        if (!pv && !s->options.plain && entry_answers(s, &entry, score, depth, alpha, beta))
            return settle(w, score, entry.solid);
    }

    /* 3. In the tables? */
    capture = board_must_capture(b);
    if (!capture && ask_tables(w, b, depth, ply, &score))
        return settle(w, score, true);

    /* 4. No move: lost. */
    if (moves_generate(b, &list) == 0)
        return settle(w, score_loss_in(ply), true);

    /* 5. So far behind that the few plies left will not help. */
    if (!pv && !capture && is_hopeless(w, ply, depth, alpha, &score))
        return settle(w, score, false);

    /* 6. The moves, best first. */
    order_open(&order, &w->memory, &list, b->turn, ply, entry.move);
    for (int i; (i = order_pick(&order)) >= 0;) {
        int reduce = capture || list.move[i].crowns ? 0 : reduction(s, depth, order.tried - 1, pv);

        worker_make(w, ply, &list.move[i]);
        if (depth > 1)
            worker_prepare(w, ply + 1);
        score = search_move(w, depth - 1, reduce, low, beta, ply, order.tried == 1);
        if (w->stopped)
            return 0;
        all_solid &= w->solid;
        if (score <= best)
            continue;
        best = score;
        if (score <= low)
            continue;
        low = score;
        best_move = i;
        keep_pv(w, ply, i);
        if (score >= beta) {
            w->cuts += list.count > 1;
            w->first_cuts += list.count > 1 && order.tried == 1;
            if (list.count > 1)
                order_learn(&w->memory, &list, &order, b->turn, ply, depth, i);
            all_solid = w->solid; /* the others do not matter */
            break;
        }
    }

    /* 7. Remember. */
    all_solid = bound_is_solid(best, alpha, beta, all_solid);
    tt_store(&s->tt, key,
             &(struct tt_data){.score = score_to_table(best, ply),
                               .depth = depth > TT_DEPTH_MAX ? TT_DEPTH_MAX : depth,
                               .move = best_move,
                               .bound = best >= beta   ? BOUND_LOWER
                                        : best > alpha ? BOUND_EXACT
                                                       : BOUND_UPPER,
                               .solid = all_solid});
    return settle(w, best, all_solid);
}
