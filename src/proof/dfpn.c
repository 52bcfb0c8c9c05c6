/* SPDX-License-Identifier: MIT */
#include "proof/dfpn.h"

#include "base/clock.h"
#include "core/movegen.h"
#include "base/crew.h"
#include "proof/closure.h"
#include "proof/estimate.h"
#include "proof/recall.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEPTH_MAX = 1500,     /* of a path; deeper positions count as very hard */
    CLOCK_EVERY = 1 << 8, /* expansions between checks of the clock */
    REFRESH_WORK = 16,    /* expansions below a child that may have changed its siblings */
    DECODING = 16         /* expansions in the time of decoding a page */
};

const struct dfpn_knobs dfpn_default = {.slack = 25, .patience = 25, .sum = 1};

/* A position after a move, as the side to move there sees it. */
struct child {
    struct board board;
    struct pn_key key;
    struct pn_numbers n;
    bool known;      /* by tables, rules or repetition: never looked up again */
    bool later;      /* known, but not yet read from the tables: n is an estimate */
    bool reversible; /* the move was a king's quiet step */
    bool expected;   /* in the table */
};

struct frame {
    struct board board;
    struct pn_key key;
    bool reversible; /* how we came here */
    int children;
    uint64_t work; /* expansions from here on, this visit */
    struct child child[MOVES_MAX];
};

/* One thread's search. */
struct dfpn_thread {
    struct dfpn *d;
    struct frame *frame;        /* [DEPTH_MAX + 1]: the path */
    struct recall recall;       /* of what was expanded before */
    struct estimate_sums sums;  /* of the position that is expanded, once they are needed ... */
    const struct board *summed; /* ... which it then is */
    struct dfpn_work work;
    uint64_t told; /* of its nodes, those counted in options.done */
    struct error error;
    char apart[64]; /* keeps other threads' counters off this cache line */
};

struct dfpn {
    struct dfpn_options o;
    struct pn_table *table;
    struct crew crew;
    struct dfpn_thread *thread;
    enum side attacker;
    struct board root;
    double deadline;       /* 0: none */
    uint64_t node_limit;   /* for each thread; 0: none */
    atomic_bool finished;  /* the round is over, for whatever reason */
    _Atomic int round_end; /* enum round_end */
};

enum round_end { ROUND_OPEN, ROUND_LIMIT, ROUND_GROW, ROUND_DECIDED, ROUND_FAILED };

double dfpn_clock(const struct dfpn *d)
{
    return clock_now(d->o.cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC);
}

/* -------------------------------------------------------------------- opening -- */

enum status dfpn_open(struct dfpn **out, const struct dfpn_options *o, struct error *e)
{
    struct dfpn *d = calloc(1, sizeof *d);
    bool ok = d && (d->thread = calloc((size_t)o->threads, sizeof *d->thread)) &&
              (d->table = pn_table_create(o->memory, o->threads > 1)) &&
              crew_open(&d->crew, o->threads, o->stop) == 0;

    *out = d;
    if (d)
        d->o = *o;
    for (int i = 0; ok && i < o->threads; i++) {
        d->thread[i].d = d;
        ok = (d->thread[i].frame = malloc((DEPTH_MAX + 1) * sizeof(struct frame))) != NULL &&
             recall_open(&d->thread[i].recall);
    }
    if (ok)
        return STATUS_OK;
    dfpn_close(out);
    return error_set(e, STATUS_NO_MEMORY, "not enough memory to search");
}

void dfpn_close(struct dfpn **out)
{
    struct dfpn *d = *out;

    if (!d)
        return;
    for (int i = 0; d->thread && i < d->o.threads; i++) {
        free(d->thread[i].frame);
        recall_close(&d->thread[i].recall);
    }
    if (d->crew.threads)
        crew_close(&d->crew);
    free(d->thread);
    pn_table_free(&d->table);
    free(d);
    *out = NULL;
}

void dfpn_stop_on(struct dfpn *d, const atomic_bool *stop)
{
    d->o.stop = stop;
    d->crew.stop = stop;
}

void dfpn_clear(struct dfpn *d)
{
    pn_table_clear(d->table);
}

void dfpn_next(struct dfpn *d)
{
    if (pn_table_full(d->table))
        pn_table_clear(d->table);
    else
        pn_table_season(d->table);
}

struct pn_table *dfpn_table(struct dfpn *d)
{
    return d->table;
}

uint64_t dfpn_memory(const struct dfpn *d)
{
    return d->o.memory;
}

/* -------------------------------------------------------------------- numbers -- */

/* The numbers of a state, for the side to move. */
static struct pn_numbers numbers_decided(enum pn_state state, bool attacker_moves)
{
    bool mover_succeeds = (state == PN_PROVEN) == attacker_moves;

    return (struct pn_numbers){mover_succeeds ? 0 : PN_INFINITE, mover_succeeds ? PN_INFINITE : 0,
                               state, 0};
}

/* The estimate of b, the position after a move in `parent`. */
static struct pn_numbers numbers_estimated(struct dfpn_thread *w, const struct board *parent,
                                           const struct board *b)
{
    const struct dfpn *d = w->d;
    struct estimate g;

    if (w->summed != parent) {
        estimate_refresh(&w->sums, parent, d->attacker);
        w->summed = parent;
    }
    g = estimate_after(&w->sums, parent, b, d->attacker, tables_distance(d->o.tables, b));
    return b->turn == d->attacker ? (struct pn_numbers){g.proof, g.disproof, PN_OPEN, 0}
                                  : (struct pn_numbers){g.disproof, g.proof, PN_OPEN, 0};
}

/* The first numbers of a child. */
static struct pn_numbers numbers_first(struct dfpn_thread *w, const struct board *parent,
                                       const struct board *b, struct recalled_move *m)
{
    if (!m->phi) {
        struct pn_numbers n = numbers_estimated(w, parent, b);

        *m = recalled_numbers(&n);
    }
    return (struct pn_numbers){m->phi, m->delta, PN_OPEN, 0};
}

static uint32_t add_up(uint32_t a, uint32_t b)
{
    return a + b < PN_INFINITE ? a + b : PN_INFINITE - 1;
}

/* ------------------------------------------------------------------ expanding -- */

static void thread_fail(struct dfpn_thread *w)
{
    atomic_store(&w->d->round_end, ROUND_FAILED);
    atomic_store(&w->d->finished, true);
}

static void child_decide(const struct dfpn_thread *w, struct child *c, bool won)
{
    c->n = numbers_decided(won ? PN_PROVEN : PN_DISPROVEN, c->board.turn == w->d->attacker);
}

/* The numbers of a child whose page must be decoded: the expansions that the decoding takes as long
 * as, more if the tables are likely to say the contrary.  The work that the estimate expects of
 * either answer stands for how unlikely that is. */
static struct pn_numbers numbers_later(struct dfpn_thread *w, const struct board *parent,
                                       const struct board *b)
{
    struct pn_numbers n = numbers_estimated(w, parent, b);
    uint32_t phi = n.phi, delta = n.delta;

    n.phi = DECODING + DECODING * phi / delta;
    n.delta = DECODING + DECODING * delta / phi;
    return n;
}

/* Is it in the tables?  They are read at once if no page must be decoded.  Decoding takes
 * as long as some expansions (DECODING), and most moves are never examined. */
static bool child_probe(struct dfpn_thread *w, const struct board *parent, struct child *c,
                        struct recalled_move *m)
{
    const struct tables *o = w->d->o.tables;
    bool won;

    if (!tables_knows(o, &c->board)) {
        *m = recalled_nowhere;
        return false;
    }
    if (tables_wins_at_hand(o, &c->board, w->d->attacker, &won)) {
        *m = recalled_answer(won);
        w->work.probes++;
        child_decide(w, c, won);
    } else {
        c->later = true;
        c->n = numbers_later(w, parent, &c->board);
    }
    return true;
}

/* The same, unless it is known from before. */
static bool child_known(struct dfpn_thread *w, const struct board *parent, struct child *c,
                        struct recalled_move *m)
{
    c->later = false;
    if (recalled_outside(m))
        return false;
    if (!recalled_decided(m))
        return child_probe(w, parent, c, m);
    child_decide(w, c, m->delta);
    return true;
}

/* Read the value of a child when its turn comes. */
static void child_read(struct dfpn_thread *w, struct child *c)
{
    bool won;

    c->later = false;
    if (tables_wins(w->d->o.tables, &c->board, w->d->attacker, &won, &w->error))
        thread_fail(w);
    else
        child_decide(w, c, won);
    w->work.probes++;
}

/* Is the position on the path?  Only quiet king moves lead back. */
static bool on_path(const struct dfpn_thread *w, int depth, const struct child *c)
{
    bool reversible = c->reversible;

    for (int i = depth; i > 0 && reversible; i--) {
        reversible = w->frame[i].reversible;
        if (pn_key_equal(&w->frame[i - 1].key, &c->key) && reversible)
            return true;
    }
    return false;
}

/* Initialize a child without the search's table. */
static void child_open(struct dfpn_thread *w, int depth, struct child *c, struct recalled_move *m)
{
    c->known = child_known(w, &w->frame[depth].board, c, m);
    if (c->known)
        return;
    c->key = pn_key_of(&c->board, w->d->attacker);
    c->known = on_path(w, depth, c);
    if (c->known)
        c->n = numbers_decided(PN_TENTATIVE, c->board.turn == w->d->attacker);
    else
        pn_table_announce(w->d->table, &c->key);
}

/* Fill frame[depth].child; a move that is enough makes the others unnecessary. */
static void frame_expand(struct dfpn_thread *w, int depth)
{
    struct frame *f = &w->frame[depth];
    struct recalled_move other;
    struct recalled *known;
    struct move_list list;

    f->work = 1;
    recall_prefetch(&w->recall, &f->key);
    w->summed = NULL; /* this frame may have held another position */
    pn_table_prepare(w->d->table, &f->key);
    f->children = moves_generate(&f->board, &list);
    w->work.nodes++;
    w->work.moves += (uint64_t)f->children;
    known = recall_find(&w->recall, &f->key);
    if (w->d->o.knobs.forgetful)
        memset(known->move, 0, sizeof known->move);
    for (int i = 0; i < f->children; i++) {
        struct child *c = &f->child[i];
        const struct move *m = &list.move[i];

        c->board = board_after(&f->board, m);
        c->reversible = !m->jumps && (f->board.kings & squares_of(m->from));
        child_open(w, depth, c, recalled_move(known, i, &other));
        if (c->known && c->n.delta == 0)
            f->children = i + 1;
    }
    for (int i = 0; i < f->children; i++)
        if (!f->child[i].known)
            f->child[i].expected = pn_table_expect(w->d->table, &f->child[i].key);
    for (int i = 0; i < f->children; i++) {
        struct child *c = &f->child[i];

        if (!c->known && !(c->expected && pn_table_get(w->d->table, &c->key, &c->n)))
            c->n = numbers_first(w, &f->board, &c->board, recalled_move(known, i, &other));
        if (c->n.delta == 0)
            f->children = i + 1;
    }
}

/* May the work of other threads, or ours below a sibling, have changed it? */
static bool child_may_change(const struct child *c)
{
    return !c->known && c->n.state < PN_DISPROVEN;
}

static void frame_refresh(struct dfpn_thread *w, int depth)
{
    struct frame *f = &w->frame[depth];

    for (int i = 0; i < f->children; i++)
        if (child_may_change(&f->child[i]))
            pn_table_announce(w->d->table, &f->child[i].key);
    for (int i = 0; i < f->children; i++)
        if (child_may_change(&f->child[i]))
            f->child[i].expected = pn_table_expect(w->d->table, &f->child[i].key);
    for (int i = 0; i < f->children; i++)
        if (child_may_change(&f->child[i]) && f->child[i].expected)
            pn_table_get(w->d->table, &f->child[i].key, &f->child[i].n);
}

/* ------------------------------------------------------------------- backing up -- */

/* The state of a node: one side needs one move, the other all. */
static enum pn_state frame_state(const struct frame *f, bool attacker_moves)
{
    int count[PN_PROVEN + 1] = {0};

    for (int i = 0; i < f->children; i++)
        count[f->child[i].n.state]++;
    if (attacker_moves) {
        if (count[PN_PROVEN])
            return PN_PROVEN;
        return count[PN_OPEN] ? PN_OPEN : count[PN_TENTATIVE] ? PN_TENTATIVE : PN_DISPROVEN;
    }
    if (count[PN_DISPROVEN])
        return PN_DISPROVEN;
    return count[PN_TENTATIVE] ? PN_TENTATIVE : count[PN_OPEN] ? PN_OPEN : PN_PROVEN;
}

/* phi: the least that some move needs; delta: what all moves need together. */
static struct pn_numbers frame_numbers(const struct dfpn_thread *w, const struct frame *f)
{
    bool attacker_moves = f->board.turn == w->d->attacker;
    struct pn_numbers n = {PN_INFINITE, 0, frame_state(f, attacker_moves), 0};
    uint32_t largest = 0, others = 0;

    if (n.state != PN_OPEN)
        return numbers_decided(n.state, attacker_moves);
    for (int i = 0; i < f->children; i++) {
        const struct pn_numbers *c = &f->child[i].n;

        if (c->delta < n.phi)
            n.phi = c->delta;
        n.delta = add_up(n.delta, c->phi);
        largest = c->phi > largest ? c->phi : largest;
        others += c->phi != 0;
    }
    if (!w->d->o.knobs.sum)
        n.delta = add_up(largest, others - 1);
    return n;
}

struct choice {
    int best;
    uint32_t second; /* delta of the runner-up */
};

/* The child with the least delta; one that another thread is searching counts as larger. */
static struct choice frame_choose(const struct frame *f)
{
    struct choice c = {-1, PN_INFINITE};
    uint64_t least = UINT64_MAX, second = PN_INFINITE;

    for (int i = 0; i < f->children; i++) {
        const struct pn_numbers *n = &f->child[i].n;
        uint64_t seen = n->state == PN_OPEN ? (uint64_t)n->delta * (1u + n->busy) : UINT64_MAX;

        if (seen < least) {
            second = least;
            least = seen;
            c.best = i;
        } else if (seen < second) {
            second = seen;
        }
    }
    c.second = second < PN_INFINITE ? (uint32_t)second : PN_INFINITE;
    return c;
}

/* ---------------------------------------------------------------- the search -- */

struct thresholds {
    uint32_t phi, delta;
};

/* n increased by `percent`. */
static uint32_t beyond(uint32_t n, int percent)
{
    uint64_t sum = n + n * (uint64_t)percent / 100 + 1;

    return sum < PN_INFINITE ? (uint32_t)sum : PN_INFINITE;
}

/* The thresholds for child c: search until its rival looks better by some slack.  If another
 * thread is searching the best move, c is not the best but gets some work anyway; otherwise it
 * would be left at once and chosen again forever. */
static struct thresholds child_thresholds(const struct dfpn_thread *w, const struct pn_numbers *n,
                                          const struct child *c, uint32_t second,
                                          struct thresholds t)
{
    bool attacks = c->key.turn != w->d->attacker;
    int percent = attacks ? w->d->o.knobs.slack : w->d->o.knobs.patience;
    uint32_t rival = beyond(second, percent);
    struct thresholds next = {t.delta, t.phi < rival ? t.phi : rival};

    if (next.delta <= c->n.delta)
        next.delta = beyond(c->n.delta, percent);
    if (next.phi < PN_INFINITE)
        next.phi = t.delta > n->delta ? add_up(c->n.phi, t.delta - n->delta) : c->n.phi + 1;
    return next;
}

static bool time_is_up(const struct dfpn *d)
{
    return (d->deadline > 0 && dfpn_clock(d) > d->deadline) || crew_stopped(&d->crew);
}

static bool round_stop(struct dfpn *d, enum round_end why)
{
    int open = ROUND_OPEN;

    atomic_compare_exchange_strong(&d->round_end, &open, why);
    atomic_store(&d->finished, true);
    return true;
}

static void thread_tell(struct dfpn_thread *w)
{
    if (w->d->o.done)
        atomic_fetch_add_explicit(w->d->o.done, w->work.nodes - w->told, memory_order_relaxed);
    w->told = w->work.nodes;
}

/* Is a limit reached?  From time to time also check the clock and `stop`. */
static bool thread_halted(struct dfpn_thread *w)
{
    struct dfpn *d = w->d;
    bool enough = d->node_limit && w->work.nodes >= d->node_limit;

    if (atomic_load_explicit(&d->finished, memory_order_relaxed))
        return true;
    if (!enough && w->work.nodes % CLOCK_EVERY)
        return false;
    thread_tell(w);
    if (enough || time_is_up(d))
        return round_stop(d, ROUND_LIMIT);
    if (pn_table_crowded(d->table))
        return round_stop(d, ROUND_GROW);
    return false;
}

static void frame_save(struct dfpn_thread *w, const struct frame *f, const struct pn_numbers *n)
{
    pn_table_put(w->d->table, &f->key, n, f->work);
}

/* Search below frame[depth] until it is decided or a number reaches its threshold. */
static struct pn_numbers search(struct dfpn_thread *w, int depth, struct thresholds t)
{
    struct frame *f = &w->frame[depth];
    bool shared = w->d->o.threads > 1;
    struct pn_numbers n;

    frame_expand(w, depth); /* 1. the moves, and what is known after them */
    for (;;) {
        struct choice choice;
        struct child *c;
        struct frame *next = f + 1;

        n = frame_numbers(w, f); /* 2.  the numbers of this position */
        if (n.state != PN_OPEN || n.phi >= t.phi || n.delta >= t.delta || thread_halted(w))
            break;
        if (depth == DEPTH_MAX) {
            n.phi = n.delta = PN_INFINITE - 1;
            break;
        }
        choice = frame_choose(f); /* 3. the most promising move ... */
        assert(choice.best >= 0);
        c = &f->child[choice.best];
        if (c->later) {
            child_read(w, c);
            continue;
        }
        next->board = c->board;
        next->key = c->key;
        next->reversible = c->reversible;
        if (shared)
            pn_table_busy(w->d->table, &c->key, 1);
        c->n = search(w, depth + 1,
                      child_thresholds(w, &n, c, choice.second, t)); /* 4. ... below it */
        if (shared)
            pn_table_busy(w->d->table, &c->key, -1);
        f->work += next->work;
        if (next->work >= REFRESH_WORK)
            frame_refresh(w, depth); /* 5. and what that changed elsewhere */
    }
    frame_save(w, f, &n);
    return n;
}

static void walk(void *arg, int id)
{
    struct dfpn *d = arg;
    struct dfpn_thread *w = &d->thread[id];
    struct frame *f = &w->frame[0];
    struct pn_numbers n;

    f->board = d->root;
    f->key = pn_key_of(&d->root, d->attacker);
    f->reversible = false;
    n = search(w, 0, (struct thresholds){PN_INFINITE, PN_INFINITE});
    if (n.state != PN_OPEN)
        round_stop(d, ROUND_DECIDED);
    thread_tell(w);
}

/* ------------------------------------------------------------------- questions -- */

static void work_add(struct dfpn_work *sum, const struct dfpn_work *w)
{
    sum->nodes += w->nodes;
    sum->moves += w->moves;
    sum->probes += w->probes;
}

/* One round: all threads search until the root is decided, the limits are reached, or the table
 * must grow, which needs them to stop. */
static enum status round_run(struct dfpn *d, struct dfpn_work *work, struct error *e)
{
    atomic_store(&d->round_end, ROUND_OPEN);
    atomic_store(&d->finished, false);
    for (int i = 0; i < d->o.threads; i++) {
        d->thread[i].work = (struct dfpn_work){0};
        d->thread[i].told = 0;
        d->thread[i].error.status = STATUS_OK; /* there may be one of an earlier question */
    }
    crew_run(&d->crew, walk, d);
    if (pn_table_crowded(d->table))
        pn_table_grow(d->table);
    for (int i = 0; i < d->o.threads; i++) {
        work_add(work, &d->thread[i].work);
        if (atomic_load(&d->round_end) == ROUND_FAILED && d->thread[i].error.status)
            return error_pass(e, &d->thread[i].error);
    }
    return STATUS_OK;
}

/* The state of the root, once its tentative disproofs are checked. */
static enum status round_check(struct dfpn *d, enum pn_state *verdict, struct dfpn_work *work,
                               struct error *e)
{
    struct pn_key key = pn_key_of(&d->root, d->attacker);
    struct pn_numbers n = {0};
    struct closure_result c;
    enum status rc;

    pn_table_get(d->table, &key, &n);
    *verdict = n.state;
    if (n.state != PN_TENTATIVE)
        return STATUS_OK;
    if (d->o.knobs.trust_repetitions) {
        *verdict = PN_DISPROVEN;
        return STATUS_OK;
    }
    rc = closure_check(d->table, d->o.tables, &d->root, d->attacker, d->o.stop, &c, e);
    work->checks++;
    work->checked += c.looked_at;
    *verdict = c.root;
    return rc;
}

/* The root itself may be in the tables. */
static enum status root_known(struct dfpn *d, enum pn_state *verdict, struct error *e)
{
    enum value v;
    enum status rc;

    *verdict = PN_OPEN;
    if (!tables_knows(d->o.tables, &d->root))
        return STATUS_OK;
    if ((rc = tables_value_for(d->o.tables, &d->root, d->attacker, &v, e)))
        return rc;
    *verdict = v == VALUE_WIN ? PN_PROVEN : PN_DISPROVEN;
    return STATUS_OK;
}

enum status dfpn_ask(struct dfpn *d, const struct board *b, enum side attacker,
                     struct dfpn_limits limits, enum pn_state *verdict, struct dfpn_work *work,
                     struct error *e)
{
    double start = dfpn_clock(d);
    uint64_t nodes = work->nodes;
    enum status rc;

    d->attacker = attacker;
    d->root = *b;
    d->deadline = limits.seconds > 0 ? start + limits.seconds : 0;
    rc = root_known(d, verdict, e);
    while (!rc && *verdict == PN_OPEN) {
        uint64_t used = work->nodes - nodes;

        if (limits.nodes && used >= limits.nodes)
            break;
        d->node_limit = limits.nodes ? (limits.nodes - used) / (uint64_t)d->o.threads + 1 : 0;
        rc = round_run(d, work, e);
        if (!rc)
            rc = round_check(d, verdict, work, e);
        if (atomic_load(&d->round_end) == ROUND_LIMIT || time_is_up(d)) /* a round may be short */
            break;
    }
    work->seconds += dfpn_clock(d) - start;
    return rc;
}
