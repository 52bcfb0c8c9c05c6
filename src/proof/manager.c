/* SPDX-License-Identifier: MIT */
#include "proof/manager.h"
#include "search/score.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static_assert((int)MANAGER_WIN > (int)SCORE_EVAL_MAX, "no estimate is a win");

enum {
    NUMBER_MAX = 1 << 28,
    NUMBER_ELSEWHERE = 1 << 24, /* of a position that is being searched, or is on the path */
    NUMBER_SEEN = 1 << 20,      /* no search leaves more */
    CHOICES_MAX = 256           /* tries to find something to do */
};

struct manager {
    const struct manager_options *o;
    struct tree tree;
    struct manager_report report;
    int under_way;       /* tasks */
    uint64_t expansions; /* this run */
    uint32_t epoch;
};

/* --------------------------------------------------------------------- numbers -- */

static uint32_t add_up(uint32_t a, uint32_t b)
{
    return a + b < NUMBER_MAX ? a + b : NUMBER_MAX;
}

/* Has the solver had its chance at this threshold? */
static bool node_searched(const struct manager *m, const struct tree_node *n)
{
    int score = abs(n->record.score);

    if (!n->has_record)
        return false;
    return n->by_table || n->record.threshold >= m->report.threshold ||
           score < 2 * n->record.threshold;
}

/* Numbers of a position without successors in the tree: as a search came upon them from
 * above, else the solver's first guess. */
static void leaf_numbers(const struct manager *m, struct tree_node *n, enum side attacker)
{
    struct estimate guess = estimate_numbers(&dfpn_default.estimate, &n->board, attacker,
                                             tables_distance(m->o->tables, &n->board));
    uint32_t proof = n->seen.proof[attacker], disproof = n->seen.disproof[attacker];

    n->proof = proof ? (proof < NUMBER_SEEN ? proof : NUMBER_SEEN) : guess.proof;
    n->disproof = disproof ? (disproof < NUMBER_SEEN ? disproof : NUMBER_SEEN) : guess.disproof;
    if (n->busy)
        n->proof = n->disproof = NUMBER_ELSEWHERE;
}

/* Numbers of everything below i for "does attacker win?", each node once an epoch. */
static void numbers_compute(struct manager *m, uint32_t i, enum side attacker)
{
    struct tree_node *n = &m->tree.node[i];
    uint32_t least = NUMBER_MAX, sum = 0;
    bool chooses = n->board.turn == attacker;

    n->mark = m->epoch;
    n->proof = n->disproof = NUMBER_ELSEWHERE; /* as long as we are below it */
    if (n->likely[attacker]) {
        n->proof = n->likely[attacker] & TREE_WINS ? 0 : NUMBER_MAX;
        n->disproof = n->likely[attacker] & TREE_WINS ? NUMBER_MAX : 0;
        return;
    }
    if (!n->record.expanded) {
        leaf_numbers(m, n, attacker);
        return;
    }
    for (uint32_t k = 0; k < n->count; k++) {
        const struct tree_node *c;

        if (m->tree.node[m->tree.child[n->first + k]].mark != m->epoch)
            numbers_compute(m, m->tree.child[n->first + k], attacker);
        c = &m->tree.node[m->tree.child[n->first + k]];
        least = chooses ? (c->proof < least ? c->proof : least)
                        : (c->disproof < least ? c->disproof : least);
        sum = add_up(sum, chooses ? c->disproof : c->proof);
    }
    n->proof = chooses ? least : sum;
    n->disproof = chooses ? sum : least;
}

/* ------------------------------------------------------------------- choosing -- */

/* The open successor that promises most and is not on the path (marked 0). */
static uint32_t node_choose(const struct manager *m, uint32_t i, enum side attacker)
{
    const struct tree_node *n = &m->tree.node[i];
    uint32_t best = TREE_NONE, least = UINT32_MAX;

    for (uint32_t k = 0; k < n->count; k++) {
        uint32_t child = m->tree.child[n->first + k];
        const struct tree_node *c = &m->tree.node[child];
        uint32_t number = n->board.turn == attacker ? c->proof : c->disproof;

        if (!c->likely[attacker] && c->mark != 0 && number < least) {
            least = number;
            best = child;
        }
    }
    return best;
}

/* Follow the numbers down from node i to one without successors in the tree that nobody is at
 * work on.  Where all ways lead back or to others' work, try the next best: what was tried is
 * marked as if it were on the path, so each node is met once. */
static uint32_t leaf_choose(struct manager *m, uint32_t i, enum side attacker)
{
    uint32_t child, leaf;

    m->tree.node[i].mark = 0;
    if (!m->tree.node[i].record.expanded)
        return m->tree.node[i].busy ? TREE_NONE : i;
    while ((child = node_choose(m, i, attacker)) != TREE_NONE)
        if ((leaf = leaf_choose(m, child, attacker)) != TREE_NONE)
            return leaf;
    return TREE_NONE;
}

static bool question_open(const struct manager *m, uint32_t root, enum side attacker)
{
    return !m->tree.node[root].likely[attacker];
}

/* ---------------------------------------------------------------------- results -- */

static enum status record_result(struct manager *m, uint32_t i, const struct prover_result *r,
                                 struct error *e)
{
    struct tree_node *n = &m->tree.node[i];
    enum status rc;

    n->record.bounds = n->record.own = r->bounds;
    if (n->record.how != HOW_BACKED_UP)
        n->record.how = r->solved ? HOW_SOLVER : HOW_SCORE;
    n->record.score = r->score;
    n->record.threshold = r->threshold;
    n->record.searches++;
    n->record.nodes += r->nodes;
    n->record.microseconds += (uint64_t)(r->seconds * 1e6);
    n->has_record = true;
    rc = store_put(m->o->store, &n->board, &n->record, e);
    if (!rc && r->solved && !bounds_closed(r->bounds))
        rc = store_put_numbers(m->o->store, &n->board, r->after, r->moves, e);
    return rc;
}

static enum status collect_one(struct manager *m, struct error *e)
{
    struct prover_result r;
    enum status rc = provers_collect(m->o->provers, &r, e);
    struct pn_key key;
    uint32_t i;

    m->under_way--;
    if (rc)
        return rc;
    key = pn_key_of(&r.board, BLACK);
    i = (uint32_t)key_map_get(&m->tree.map, &key);
    m->tree.node[i].busy = false;
    m->report.searches++;
    if (m->o->stop && atomic_load(m->o->stop)) /* it may have been cut short */
        return STATUS_OK;
    return record_result(m, i, &r, e);
}

/* ------------------------------------------------------------------------ rounds -- */

/* Ask what is open at the root: of the other question nobody needs an answer here. */
static void node_give(struct manager *m, uint32_t root, uint32_t i)
{
    struct tree_node *n = &m->tree.node[i];
    struct prover_task task = {
        .board = n->board,
        .threshold = m->report.threshold,
        .known = n->record.bounds,
        .idle = {!question_open(m, root, BLACK), !question_open(m, root, WHITE)}};

    n->busy = true;
    provers_give(m->o->provers, &task);
    m->under_way++;
}

/* Give out work until all provers are busy or there is nothing more to choose. */
static enum status give_out(struct manager *m, uint32_t root, struct error *e)
{
    enum status rc = STATUS_OK;

    for (int tries = 0; !rc && tries < CHOICES_MAX && m->under_way < m->o->prover_count; tries++) {
        enum side attacker = (enum side)(tries & 1);
        uint32_t i;

        if (!question_open(m, root, BLACK) && !question_open(m, root, WHITE))
            break;
        if (!question_open(m, root, attacker))
            continue;
        m->epoch++;
        numbers_compute(m, root, attacker);
        i = leaf_choose(m, root, attacker);
        if (i == TREE_NONE)
            continue;
        if (!node_searched(m, &m->tree.node[i])) {
            node_give(m, root, i);
            continue;
        }
        m->expansions++;
        if (!(rc = tree_expand(&m->tree, i, e)))
            tree_evaluate(&m->tree, m->report.threshold);
    }
    return rc;
}

static bool manager_stopped(const struct manager *m)
{
    return (m->o->stop && atomic_load(m->o->stop)) ||
           (m->o->searches && m->report.searches >= m->o->searches);
}

static void report(struct manager *m)
{
    m->report.positions = m->tree.nodes;
    m->report.root = m->tree.nodes ? tree_bounds(&m->tree.node[0]) : bounds_unknown;
    if (m->o->report)
        m->o->report(m->o->context, &m->report);
}

static enum status drain(struct manager *m, struct error *e)
{
    enum status rc = STATUS_OK;

    while (m->under_way) {
        enum status one = collect_one(m, rc ? NULL : e);

        rc = rc ? rc : one;
    }
    return rc;
}

/* What follows from all results so far, here and in the store. */
static enum status back_up(struct manager *m, struct error *e)
{
    enum status rc;

    tree_evaluate(&m->tree, m->report.threshold);
    rc = tree_save(&m->tree, e);
    report(m);
    return rc;
}

/* Settle one position at the threshold. */
static enum status settle(struct manager *m, uint32_t root, struct error *e)
{
    enum status rc = back_up(m, e), drained;

    while (!rc && !manager_stopped(m) &&
           (question_open(m, root, BLACK) || question_open(m, root, WHITE))) {
        uint64_t before = m->expansions;

        if ((rc = give_out(m, root, e)) || (m->under_way == 0 && m->expansions == before))
            break; /* an error, or nothing left */
        if (m->under_way && (rc = collect_one(m, e)))
            break;
        rc = back_up(m, e);
    }
    drained = drain(m, rc ? NULL : e);
    return rc ? rc : drained ? drained : back_up(m, e);
}

/* The next threshold: the next step, or the first that changes anything. */
static int threshold_next(const struct manager *m)
{
    int next = m->report.threshold + m->o->step, least = MANAGER_WIN;

    for (size_t i = 0; i < m->tree.nodes; i++) {
        const struct tree_node *n = &m->tree.node[i];
        int score = abs(n->record.score) + 1;

        if (n->has_record && !n->by_table && !n->record.expanded && score > m->report.threshold &&
            score < least)
            least = score;
    }
    next = next > least ? next : least;
    return next < MANAGER_WIN ? next : MANAGER_WIN;
}

static enum status line_settle(struct manager *m, struct error *e)
{
    enum status rc = STATUS_OK;

    for (int k = m->o->plies - 1; !rc && k >= 0 && !manager_stopped(m); k--) {
        uint32_t i;

        m->report.seed_ply = k;
        if (!(rc = tree_add(&m->tree, &m->o->line[k], &i, e)))
            rc = settle(m, i, e);
    }
    return rc;
}

enum status manager_run(const struct manager_options *o, struct manager_report *out,
                        struct error *e)
{
    struct manager m = {.o = o, .tree = {.store = o->store, .tables = o->tables}};
    struct error why = {0};
    uint32_t root;
    enum status rc = tree_add(&m.tree, &o->line[0], &root, &why);

    if (!rc && m.tree.node[root].by_table) /* the store lists what was asked of it */
        rc = store_put(o->store, &o->line[0], &m.tree.node[root].record, &why);
    m.report.threshold = o->from;
    while (!rc) {
        char text[16];

        snprintf(text, sizeof text, "%d", m.report.threshold);
        if ((rc = store_put_text(o->store, "threshold", text, &why)) ||
            (rc = line_settle(&m, &why)))
            break;
        report(&m);
        if (manager_stopped(&m) || bounds_closed(m.report.root) || m.report.threshold >= o->until)
            break;
        m.report.threshold = threshold_next(&m);
    }
    report(&m);
    *out = m.report;
    tree_close(&m.tree);
    if (!rc && manager_stopped(&m) && !bounds_closed(out->root))
        rc = error_set(&why, STATUS_INTERRUPTED, "stopped");
    if (rc == STATUS_MISMATCH) /* (M3) */
        store_put_text(o->store, "contradiction", why.text, NULL);
    return rc ? error_pass(e, &why) : STATUS_OK;
}
