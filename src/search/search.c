/* SPDX-License-Identifier: MIT */
#include "search/search.h"

#include "base/clock.h"
#include "base/crew.h"
#include "search/exits.h"
#include "search/finish.h"
#include "search/worker.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ASPIRATION_DEPTH = 5, ASPIRATION_WIDTH = 16 };

struct root_move {
    struct move move;
    int number;       /* in the list of moves_generate */
    bool known, used; /* known: its value is in the tables; used: it has a line */
    enum value value;
    bool slow; /* it wins, but others come nearer to the end: see root_head_out */
    int score;
    bool solid;    /* `score` is the exact value of the move, by ends of games and tables alone */
    bool is_value; /* so are those of all other moves: the score is the root's value */
    int plies;
    uint8_t pv[PLY_MAX + 2];
};

/* One worker's view of the root: its moves, best first as far as known. */
struct root {
    int count;
    struct root_move move[MOVES_MAX];
};

struct search {
    struct shared shared;
    struct worker *worker[SEARCH_THREADS_MAX];
    struct root *root[SEARCH_THREADS_MAX];
    int threads;
    struct finish finish;
    struct exits exits;
    search_report *report;
    void *context;
};

/* -------------------------------------------------------------------- opening -- */

static void reductions_make(struct shared *s)
{
    for (int d = 1; d < REDUCE_MAX; d++)
        for (int m = 1; m < REDUCE_MAX; m++)
            s->reduce[d][m] = (uint8_t)(0.5 + log(d) * log(m) / 1.5);
}

/* Workers hold vectors. */
static void *aligned_calloc(size_t size)
{
    size_t whole = (size + 63) / 64 * 64;
    void *p = aligned_alloc(64, whole);

    return p ? memset(p, 0, whole) : NULL;
}

enum status search_open(struct search **out, const struct search_options *o, struct error *e)
{
    struct search *s = calloc(1, sizeof *s);
    bool good = s != NULL;
    enum status rc;

    *out = NULL;
    if (s) {
        s->threads = o->threads > 0 ? o->threads : 1;
        assert(s->threads <= SEARCH_THREADS_MAX);
        s->shared.options = *o;
        if (o->values)
            s->shared.options.no_distances = true;
        reductions_make(&s->shared);
        good = !tt_open(&s->shared.tt, o->hash ? o->hash : SEARCH_HASH_DEFAULT) &&
               kings_make(&s->shared.kings);
    }
    if (good && o->network)
        s->shared.network = *o->network;
    else if (good && (rc = network_open(&s->shared.network, e))) {
        search_close(&s);
        return rc;
    } else if (good)
        s->shared.owns_network = true;
    for (int i = 0; good && i < s->threads; i++)
        good = (s->worker[i] = aligned_calloc(sizeof **s->worker)) &&
               (s->root[i] = calloc(1, sizeof **s->root));
    if (!good) {
        search_close(&s);
        return error_set(e, STATUS_NO_MEMORY, "not enough memory to search");
    }
    for (int i = 0; i < s->threads; i++) {
        s->worker[i]->shared = &s->shared;
        s->worker[i]->id = i;
    }
    *out = s;
    return STATUS_OK;
}

void search_close(struct search **out)
{
    struct search *s = *out;

    if (!s)
        return;
    for (int i = 0; i < s->threads; i++) {
        free(s->worker[i]);
        free(s->root[i]);
    }
    tt_close(&s->shared.tt);
    finish_clear(&s->finish);
    exits_clear(&s->exits);
    if (s->shared.owns_network)
        network_close(&s->shared.network);
    free(s);
    *out = NULL;
}

void search_clear(struct search *s)
{
    tt_clear(&s->shared.tt);
    finish_clear(&s->finish);
    exits_clear(&s->exits);
    for (int i = 0; i < s->threads; i++)
        order_forget(&s->worker[i]->memory);
}

void search_on_report(struct search *s, search_report *report, void *context)
{
    s->report = report;
    s->context = context;
}

/* -------------------------------------------------------------- the root's moves -- */

/* What the tables say of a move whose value they know: the more, the better. */
static int move_class(const struct root_move *m)
{
    return 2 * m->value + !m->slow;
}

static bool in_this_round(const struct root_move *m, int class)
{
    return !m->used && (!m->known || move_class(m) == class);
}

/* The best class of the moves without a line. */
static int best_class(const struct root *r)
{
    int best = 0;

    for (int i = 0; i < r->count; i++)
        if (!r->move[i].used && r->move[i].known && move_class(&r->move[i]) > best)
            best = move_class(&r->move[i]);
    return best;
}

/* Move entry i to place `to`; the others keep their order. */
static void root_raise(struct root *r, int i, int to)
{
    struct root_move m = r->move[i];

    memmove(&r->move[to + 1], &r->move[to], (size_t)(i - to) * sizeof m);
    r->move[to] = m;
}

/* `inside`: the score is exact, not a bound. */
static void root_keep(struct worker *w, struct root_move *m, int score, bool inside)
{
    m->score = score;
    m->solid = w->solid && (inside || score_loses(score));
    m->is_value = false; /* until all are done */
    m->plies = w->pv_plies[1] + 1;
    m->pv[0] = (uint8_t)m->number;
    memcpy(m->pv + 1, w->pv[1], (size_t)w->pv_plies[1]);
}

/* The root's part of the search: like worker_search, on the moves without a line. */
static int root_search(struct worker *w, struct root *r, int line, int depth, int alpha, int beta)
{
    int class = best_class(r), best = -SCORE_INFINITE, low = alpha, tried = 0;
    bool all_solid = true;

    for (int i = line; i < r->count; i++) {
        struct root_move *m = &r->move[i];
        int score;

        if (!in_this_round(m, class))
            continue;
        worker_make(w, 0, &m->move);
        worker_prepare(w, depth - 1, 1);
        score = -worker_search(w, depth - 1, tried ? -low - 1 : -beta, -low, 1);
        if (tried && score > low && !w->stopped)
            score = -worker_search(w, depth - 1, -beta, -low, 1);
        if (w->stopped)
            return 0;
        tried++;
        all_solid &= w->solid;
        if (score <= best)
            continue;
        best = score;
        if (score <= low && tried > 1)
            continue;
        root_keep(w, m, score, score > low && score < beta);
        root_raise(r, i, line);
        if (score >= beta)
            break;
        if (score > low)
            low = score;
    }
    /* A score outside the window is a bound, perhaps of another move.  But if even the upper
     * bound is a loss, it is a loss. */
    r->move[line].is_value = all_solid && r->move[line].score == best &&
                             ((best > alpha && best < beta) || score_loses(best));
    return best;
}

static int root_aspire(struct worker *w, struct root *r, int line, int depth)
{
    int width = ASPIRATION_WIDTH, guess = r->move[line].score;
    int alpha = -SCORE_INFINITE, beta = SCORE_INFINITE;

    if (depth >= ASPIRATION_DEPTH && !score_is_certain(guess)) {
        alpha = guess - width;
        beta = guess + width;
    }
    for (;;) {
        int score = root_search(w, r, line, depth, alpha, beta);

        if (w->stopped || (score > alpha && score < beta))
            return score;
        width *= 3;
        if (score <= alpha)
            alpha = width > 500 ? -SCORE_INFINITE : score - width;
        else
            beta = width > 500 ? SCORE_INFINITE : score + width;
    }
}

/* ---------------------------------------------------------------------- results -- */

static void line_fill(const struct root_move *m, const struct board *root, struct search_line *line)
{
    struct board b = *root;
    struct move_list list;

    line->plies = 0;
    for (int i = 0; i < m->plies && i < SEARCH_PV_MAX; i++) {
        moves_generate(&b, &list);
        line->pv[line->plies++] = list.move[m->pv[i]];
        b = board_after(&b, &list.move[m->pv[i]]);
    }
    line->score = m->score;
}

/* Is the end of the variation a draw by the tables? */
static bool ends_in_db_draw(const struct search *s, const struct board *root,
                            const struct search_line *line)
{
    struct board b = *root;
    enum value v;

    for (int i = 0; i < line->plies; i++)
        b = board_after(&b, &line->pv[i]);
    return shared_has(&s->shared, &b) && !shared_value_in_time(&s->shared, &b, &v, NULL) &&
           v == VALUE_DRAW;
}

/* `first`: the first line speaks for the position, so no other move may be better; the value of
 * the move alone is not enough. */
static void line_judge(const struct search *s, const struct root_move *m, bool first,
                       const struct board *root, struct search_line *line)
{
    bool whole = first ? m->is_value : m->solid; /* not cut short, not an estimate */

    if (m->known) {
        line->proven = true;
        line->value = m->value;
        if (m->value == VALUE_DRAW)
            line->score = SCORE_DRAW;
        line->rests_on_db_draw = m->value == VALUE_DRAW;
        return;
    }
    line->proven =
        score_wins(m->score) || ((score_loses(m->score) || m->score == SCORE_DRAW) && whole);
    line->value = score_wins(m->score)    ? VALUE_WIN
                  : score_loses(m->score) ? VALUE_LOSS
                                          : VALUE_DRAW;
    line->rests_on_db_draw = m->score == SCORE_DRAW && ends_in_db_draw(s, root, line);
}

static bool root_better(const struct root_move *a, const struct root_move *b)
{
    return a->known && move_class(a) != move_class(b) ? move_class(a) > move_class(b)
                                                      : a->score > b->score;
}

/* The moves that have lines, best first; equal ones keep the order in which they were found.
 *
 * A later round can score a move higher than the round that chose the first: the table has learned
 * in between.  Such a move comes first, but is_value of root_search speaks of the move it chose, so
 * it settles nothing unless it wins.  If the chosen score is the value of the position, a mere
 * estimate does not overtake it. */
static void root_rank(struct root *r, int lines)
{
    bool settled = r->move[0].is_value && !r->move[0].known;

    for (int i = 1; i < lines; i++) {
        struct root_move *m = &r->move[i];
        int to = i;

        m->is_value = false;
        if (settled && !score_wins(m->score) && m->score > r->move[0].score)
            m->score = r->move[0].score;
        while (to > 0 && root_better(m, &r->move[to - 1]))
            to--;
        root_raise(r, i, to);
    }
}

static void result_fill(const struct search *s, int depth, int lines, struct search_result *out)
{
    const struct worker *w = s->worker[0];
    const struct board *root = &w->path[w->base];
    struct root ranked = *s->root[0];

    root_rank(&ranked, lines);
    out->depth = depth;
    out->lines = lines;
    for (int i = 0; i < lines; i++) {
        line_fill(&ranked.move[i], root, &out->line[i]);
        line_judge(s, &ranked.move[i], i == 0, root, &out->line[i]);
    }
}

static void result_count(const struct search *s, struct search_result *out)
{
    out->seconds = clock_seconds() - s->shared.started;
    out->nodes = 0;
    out->cuts = s->worker[0]->cuts;
    out->first_cuts = s->worker[0]->first_cuts;
    for (int i = 0; i < s->threads; i++)
        out->nodes += s->worker[i]->nodes;
}

/* -------------------------------------------------------------------- deepening -- */

static int lines_wanted(const struct shared *s, const struct root *r)
{
    int n = s->limits.lines > 0 ? s->limits.lines : 1;

    n = n < SEARCH_LINES_MAX ? n : SEARCH_LINES_MAX;
    return n < r->count ? n : r->count;
}

/* One iteration: a line for each of the best moves.  False if it was cut short. */
static bool root_iterate(struct worker *w, struct root *r, int depth)
{
    int lines = lines_wanted(w->shared, r);

    for (int i = 0; i < r->count; i++)
        r->move[i].used = false;
    for (int i = 0; i < lines; i++) {
        root_aspire(w, r, i, depth);
        if (w->stopped)
            return false;
        r->move[i].used = true;
    }
    return true;
}

static int depth_limit(const struct search_limits *l)
{
    return l->depth > 0 && l->depth < SEARCH_DEPTH_MAX ? l->depth : SEARCH_DEPTH_MAX;
}

static bool enough(const struct shared *s, const struct search_result *out)
{
    const struct search_line *best = &out->line[0];

    if (s->limits.soft > 0 && out->seconds >= s->limits.soft)
        return true;
    return s->limits.end_when_proven && best->proven;
}

/* Worker 0 deepens until a limit; the others help through the table. */
static void deepen_first(struct search *s, struct search_result *out)
{
    struct worker *w = s->worker[0];
    struct root *r = s->root[0];
    int lines = lines_wanted(&s->shared, r), limit = depth_limit(&s->shared.limits);

    for (int depth = 1; depth <= limit; depth++) {
        bool whole = root_iterate(w, r, depth);

        if (whole || depth == 1)
            result_fill(s, depth, lines, out);
        else if (lines == 1)
            result_fill(s, depth - 1, 1, out); /* perhaps a better move has been found */
        result_count(s, out);
        if (whole && s->report)
            s->report(s->context, out);
        if (!whole || enough(&s->shared, out))
            break;
    }
    atomic_store(&s->shared.stop, true);
}

static void deepen_helper(struct search *s, struct worker *w)
{
    for (int depth = 1 + w->id % 2; depth <= SEARCH_DEPTH_MAX && !w->stopped; depth++)
        root_iterate(w, s->root[w->id], depth);
}

struct deepening {
    struct search *search;
    struct search_result *out;
};

static void deepen_job(void *context, int id)
{
    struct deepening *d = context;

    if (id == 0)
        deepen_first(d->search, d->out);
    else
        deepen_helper(d->search, d->search->worker[id]);
}

static void deepen(struct search *s, struct search_result *out)
{
    struct deepening d = {s, out};

    crew_share(s->threads, deepen_job, &d);
    result_count(s, out);
}

/* ------------------------------------------------------------------------ tables -- */

/* Look up the root and each move in the tables: all of them, or nothing if one is missing. */
static enum status root_probe(struct search *s, const struct board *b, struct error *e)
{
    struct shared *sh = &s->shared;
    struct root *r = s->root[0];
    enum status rc = shared_value(sh, b, &sh->root_value, e);

    for (int i = 0; i < r->count && !rc; i++) {
        struct board next = board_after(b, &r->move[i].move);
        enum value v;

        if (!(rc = shared_value(sh, &next, &v, e)))
            r->move[i].value = value_negate(v);
    }
    return rc;
}

/* Sort the best first, so the order is good even if there is no time to search. */
static void root_sort(struct root *r)
{
    for (int i = 1; i < r->count; i++) {
        int to = i;

        while (to > 0 && move_class(&r->move[to - 1]) < move_class(&r->move[i]))
            to--;
        root_raise(r, i, to);
    }
}

static enum status root_ask(struct search *s, const struct board *b, struct error *e)
{
    enum status rc = shared_has(&s->shared, b) ? root_probe(s, b, e) : STATUS_MISSING;

    s->shared.root_known = rc == STATUS_OK;
    for (int i = 0; i < s->root[0]->count; i++)
        s->root[0]->move[i].known = rc == STATUS_OK;
    if (!rc)
        root_sort(s->root[0]);
    return rc == STATUS_MISSING ? STATUS_OK : rc;
}

static void line_from_tables(const struct source *source, const struct board *b,
                             const struct ranked_move *m, enum kind kind, struct line *work,
                             struct search_line *out)
{
    struct outcome o = m->verdict.of[kind];
    struct board next = board_after(b, &m->move);
    int size = kind == KIND_DTW ? score_win_in(o.plies) : score_db_win(o.plies, 0);

    *out = (struct search_line){.proven = true, .value = o.value, .plies = 1};
    out->score = o.value == VALUE_WIN ? size : o.value == VALUE_LOSS ? -size : SCORE_DRAW;
    out->rests_on_db_draw = o.value == VALUE_DRAW;
    out->pv[0] = m->move;
    if (o.value == VALUE_DRAW || line_play(source, &next, kind, work, NULL))
        return;
    for (int i = 0; i < work->plies && out->plies < SEARCH_PV_MAX; i++)
        out->pv[out->plies++] = work->ply[i].move;
}

/* If a source has distances for the root, there is nothing to search.  True: answered. */
static bool answer_from(struct search *s, struct source source, const struct board *b,
                        struct search_result *out)
{
    const struct shared *sh = &s->shared;
    struct answer *a = malloc(sizeof *a);
    struct line *work = malloc(sizeof *work);
    bool good = false;

    if (a && work && !answer_position(&source, b, WANT_DTW | WANT_DTC, a, NULL)) {
        enum kind kind = answer_rank_best(a);

        good = kind != KIND_WLD && a->verdict.value != VALUE_DRAW;
        if (good) {
            out->lines = lines_wanted(sh, s->root[0]);
            for (int i = 0; i < out->lines; i++)
                line_from_tables(&source, b, &a->move[i], kind, work, &out->line[i]);
        }
    }
    free(a);
    free(work);
    return good;
}

/* The tables have the root.  Have they its distances, or can these be had in half the time? */
static bool answer_from_distances(struct search *s, const struct board *b,
                                  struct search_result *out)
{
    const struct shared *sh = &s->shared;

    if (answer_from(s, source_from_tables(sh->options.tables), b, out))
        return true;
    return sh->root_value != VALUE_DRAW &&
           finish_solve(&s->finish, b, sh->limits.seconds / 2, sh->limits.stop) &&
           answer_from(s, finish_source(&s->finish), b, out);
}

/* -------------------------------------------------------------------------- exits -- */

/* The plies to the exit by each move that wins; false if they are not known. */
static bool exits_of_moves(struct search *s, const struct board *b, int plies[MOVES_MAX])
{
    const struct shared *sh = &s->shared;
    double half = sh->limits.soft > 0 ? sh->limits.soft / 2 : sh->limits.seconds / 2;
    const struct root *r = s->root[0];
    bool out = false; /* is there a move that leaves the block? */

    for (int i = 0; i < r->count; i++) {
        bool wins = r->move[i].value == VALUE_WIN;

        plies[i] = wins ? exits_by(&s->exits, b, &r->move[i].move) : INT_MAX;
        out |= plies[i] == 1;
    }
    if (out)
        return true;
    if (!exits_solve(&s->exits, sh->options.tables, b, half > 0 ? sh->started + half : 0,
                     sh->limits.stop))
        return false;
    for (int i = 0; i < r->count; i++)
        if (plies[i] != INT_MAX)
            plies[i] = exits_by(&s->exits, b, &r->move[i].move);
    return true;
}

/* The tables know that the root is won, but not how: only those moves that come nearer to a move
 * that cannot be taken back take part in the search of the first line (exits.h). */
static void root_head_out(struct search *s, const struct board *b)
{
    struct root *r = s->root[0];
    int plies[MOVES_MAX], least = INT_MAX;

    if (!exits_of_moves(s, b, plies))
        return;
    for (int i = 0; i < r->count; i++)
        least = plies[i] < least ? plies[i] : least;
    for (int i = 0; i < r->count; i++)
        r->move[i].slow = r->move[i].value == VALUE_WIN && plies[i] > least;
    root_sort(r);
}

/* --------------------------------------------------------------------------- run -- */

static void worker_begin(struct worker *w, const struct board *b, const struct board *history,
                         int plies)
{
    int kept = plies < PATH_HISTORY_MAX ? plies : PATH_HISTORY_MAX;

    w->nodes = w->cuts = w->first_cuts = 0;
    w->stopped = false;
    w->failed = STATUS_OK;
    w->base = kept;
    for (int i = 0; i < kept; i++)
        w->path[i] = history[plies - kept + i];
    w->path[kept] = *b;
    w->has_sums[0] = false;
    w->quiet[0] = 0;
    for (int i = 1; i <= kept; i++) {
        const struct board *from = &w->path[i - 1], *to = &w->path[i];
        bool stays = squares_count(from->side[0] | from->side[1]) !=
                         squares_count(to->side[0] | to->side[1]) ||
                     (from->side[from->turn] & ~from->kings) != (to->side[from->turn] & ~to->kings);

        w->quiet[i] = stays ? 0 : w->quiet[i - 1] + 1;
    }
}

static void shared_begin(struct search *s, const struct search_limits *limits)
{
    struct shared *sh = &s->shared;

    sh->limits = *limits;
    sh->started = clock_seconds();
    sh->deadline = limits->seconds > 0 ? sh->started + limits->seconds : 0;
    sh->nodes_each = limits->nodes
                         ? (limits->nodes + (uint64_t)s->threads - 1) / (uint64_t)s->threads
                         : UINT64_MAX;
    atomic_store(&sh->stop, false);
    tt_grow_old(&sh->tt);
}

static void root_begin(struct root *r, const struct board *b)
{
    struct move_list list;

    *r = (struct root){.count = moves_generate(b, &list)};
    for (int i = 0; i < r->count; i++)
        r->move[i] =
            (struct root_move){.move = list.move[i], .number = i, .plies = 1, .pv = {(uint8_t)i}};
}

enum status search_run(struct search *s, const struct board *b, const struct board *history,
                       int plies, const struct search_limits *limits, struct search_result *out,
                       struct error *e)
{
    enum status rc;

    memset(out, 0, sizeof *out);
    shared_begin(s, limits);
    root_begin(s->root[0], b);
    for (int i = 0; i < s->threads; i++)
        worker_begin(s->worker[i], b, history, plies);
    if (s->root[0]->count == 0)
        return STATUS_OK;
    if ((rc = root_ask(s, b, e)))
        return rc;
    if (s->shared.root_known && !s->shared.options.no_distances) {
        if (answer_from_distances(s, b, out)) {
            result_count(s, out);
            return STATUS_OK;
        }
        if (s->shared.root_value == VALUE_WIN)
            root_head_out(s, b);
    }
    for (int i = 1; i < s->threads; i++)
        *s->root[i] = *s->root[0];
    deepen(s, out);
    for (int i = 0; i < s->threads; i++)
        if (s->worker[i]->failed)
            return error_set(e, s->worker[i]->failed, "%s", s->worker[i]->error.text);
    return STATUS_OK;
}
