/* SPDX-License-Identifier: MIT */
#include "proof/manager.h"

#include "base/array.h"
#include "base/clock.h"
#include "core/notation.h"
#include "proof/curve.h"
#include "proof/numbers.h"
#include "search/score.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static_assert((int)MANAGER_WIN > (int)SCORE_EVAL_MAX, "no estimate is a win");

enum {
    CHOICES_MAX = 256,      /* attempts to find a task */
    GROUP_MAX = 4096,       /* results that go to the disk together ... */
    GROUP_BYTES = 64 << 20, /* ... and bytes of claims */
    CLAIMS_BYTES = 16 << 20 /* of one question, at most */
};

static const double group_seconds = 0.25; /* no result waits longer for the disk */
static const double wait_seconds = 0.1;   /* for a result, between checks of `stop` */

/* A result that is searched a second time. */
struct audit {
    uint64_t id;
    struct prover_task task;
    struct bounds found;
};

/* The deep search of the position to settle (M6).  Effort is counted in full searches. */
struct deep {
    uint64_t id;    /* of the task under way, or 0 */
    uint32_t node;  /* its position */
    double of_node; /* spent on that, in this run ... */
    double spent;   /* ... on all deep searches ... */
    double others;  /* ... and on all others */
};

struct manager {
    const struct manager_options *o;
    struct tree tree;
    struct numbers numbers;
    struct curve curve;
    struct manager_report report;
    int under_way;       /* tasks */
    uint64_t expansions; /* this run */
    int grouped;         /* results that are not on the disk yet ... */
    size_t group_bytes;  /* ... and their claims ... */
    double group_began;  /* ... since then */
    struct deep deep;
    double audit_due;    /* at 1 the next proof is audited */
    struct audit *audit; /* under way; id 0: to be given */
    size_t audits, audit_room;
};

/* Has the solver been run at this threshold? */
static bool node_searched(const struct manager *m, const struct tree_node *n)
{
    int score = abs(n->record.score);

    if (!n->has_record)
        return false;
    return n->by_table || n->record.threshold >= m->report.threshold ||
           score < 2 * n->record.threshold;
}

static bool question_open(const struct manager *m, uint32_t root, enum side attacker)
{
    return !m->tree.node[root].likely[attacker];
}

/* ------------------------------------------------------------------ what follows -- */

/* Node i has changed, nodes from `fresh` on are new: update sets, numbers and backed-up bounds. */
static enum status follow(struct manager *m, uint32_t i, uint32_t fresh, struct error *e)
{
    enum status rc;

    if ((rc = tree_update(&m->tree, i, fresh, e)) ||
        (rc = numbers_update(&m->numbers, i, fresh, e)))
        return rc;
    rc = tree_save(&m->tree, e);
    tree_settled(&m->tree);
    return rc;
}

/* The same for all, at another threshold. */
static enum status follow_all(struct manager *m, struct error *e)
{
    enum status rc;

    if ((rc = tree_evaluate(&m->tree, m->report.threshold, e)) ||
        (rc = numbers_reset(&m->numbers, e)))
        return rc;
    rc = tree_save(&m->tree, e);
    tree_settled(&m->tree);
    return rc;
}

/* ---------------------------------------------------------------------- results -- */

/* Commit the group: its results are on disk when this returns. */
static enum status group_end(struct manager *m, struct error *e)
{
    enum status rc = store_commit(m->o->store, e);

    if (rc)
        return rc;
    provers_kept(m->o->provers); /* (M1) */
    m->report.commits += m->grouped > 0;
    m->grouped = 0;
    m->group_bytes = 0;
    return STATUS_OK;
}

/* One more result for the group. */
static void result_begin(struct manager *m)
{
    m->under_way--;
    m->report.searches++;
    if (m->grouped++ == 0)
        m->group_began = clock_seconds();
}

/* Record the claims in the same group as the result. */
static enum status record_claims(struct manager *m, const struct prover_result *r, struct error *e)
{
    enum status rc = STATUS_OK;

    for (enum side s = BLACK; !rc && s <= WHITE; s++) {
        struct pack_question q = {r->board, s, r->claims[s].wins};

        if (r->claims[s].kept == CLAIMS_NONE)
            continue;
        m->group_bytes += r->claims[s].size;
        rc = store_put_claims(m->o->store, &q, &r->claims[s], e);
    }
    return rc;
}

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
    return rc ? rc : record_claims(m, r, e);
}

/* ----------------------------------------------------------------------- audits -- */

/* Does the result prove anything new?  Then it may be audited (M5). */
static enum status audit_consider(struct manager *m, const struct tree_node *n,
                                  const struct prover_result *r, struct error *e)
{
    struct prover_task again = {.board = r->board,
                                .threshold = MANAGER_WIN,
                                .known = bounds_unknown,
                                .limits = m->o->limits,
                                .table = PROVER_EMPTY,
                                .avoid = r->worker};

    if (!bounds_narrower(r->bounds, n->record.bounds))
        return STATUS_OK;
    if ((m->audit_due += m->o->audit) < 1)
        return STATUS_OK;
    m->audit_due -= 1;
    if (!array_room((void **)&m->audit, &m->audit_room, m->audits + 1, sizeof *m->audit))
        return error_set(e, STATUS_NO_MEMORY, "not enough memory for audits");
    m->audit[m->audits++] = (struct audit){0, again, r->bounds};
    return STATUS_OK;
}

/* Give out the audits that have not been given yet. */
static enum status audits_give(struct manager *m, int *room, struct error *e)
{
    enum status rc = STATUS_OK;

    for (size_t i = 0; !rc && *room > 0 && i < m->audits; i++)
        if (!m->audit[i].id &&
            !(rc = provers_give(m->o->provers, &m->audit[i].task, &m->audit[i].id, e)))
            --*room;
    return rc;
}

/* Check a second result: it may be weaker than the first, but not contradict it.  *mine: this
 * was an audit. */
static enum status audit_take(struct manager *m, const struct prover_result *r, bool *mine,
                              struct error *e)
{
    char fen[FEN_TEXT_MAX];
    struct bounds both;
    size_t i = 0;

    while (i < m->audits && m->audit[i].id != r->id)
        i++;
    if (!(*mine = i < m->audits))
        return STATUS_OK;
    both = m->audit[i].found;
    m->audit[i] = m->audit[--m->audits];
    m->report.audits++;
    if (bounds_join(&both, r->bounds))
        return STATUS_OK;
    fen_format(&r->board, fen);
    return error_set(e, STATUS_MISMATCH, "%s: one search says %s, an audit says %s", fen,
                     bounds_name(both), bounds_name(r->bounds));
}

/* ---------------------------------------------------------------- deep search -- */

static double effort(const struct manager *m, uint64_t nodes, double seconds)
{
    const struct prover_limits *l = &m->o->limits;

    return l->solve_nodes ? (double)nodes / (double)(l->look_nodes + l->solve_nodes)
                          : seconds / (l->look + l->solve);
}

/* What is left for deep searches of a position. */
static double deep_left(const struct manager *m, const struct tree_node *n)
{
    if (m->o->deepest <= 0)
        return 0;
    return m->o->deepest - effort(m, n->record.nodes, (double)n->record.microseconds / 1e6);
}

/* Continue the deep search for as long as it has taken in this run, once half as much as all deep
 * searches would take then has been spent on others.  Its table is its own: a proof that rests on
 * entries of other searches, some of them lost by now, could not be written down. */
static enum status deep_give(struct manager *m, uint32_t root, int *room, struct error *e)
{
    const struct tree_node *n = &m->tree.node[root];
    double left = deep_left(m, n), so_far = m->deep.node == root ? m->deep.of_node : 0;
    double length = so_far > 1 ? so_far : 1;
    struct prover_task task = {
        .board = n->board,
        .threshold = MANAGER_WIN, /* the solver, whatever the score */
        .known = n->record.own,
        .idle = {!question_open(m, root, BLACK), !question_open(m, root, WHITE)},
        .limits = m->o->limits,
        .table = PROVER_DEEP,
        .claims = CLAIMS_BYTES};
    enum status rc;

    length = length < left ? length : left;
    if (m->deep.id || *room <= 0 || !n->record.expanded || left <= 0 ||
        2 * m->deep.others < m->deep.spent + length)
        return STATUS_OK;
    task.limits.solve *= length;
    task.limits.solve_nodes = (uint64_t)((double)task.limits.solve_nodes * length);
    if ((rc = provers_give(m->o->provers, &task, &m->deep.id, e)))
        return rc;
    m->deep.node = root;
    m->deep.of_node = so_far;
    m->under_way++;
    --*room;
    return STATUS_OK;
}

/* What was found joins the record; score and threshold are of no use to a position that has
 * successors.  *mine: this was the deep search. */
static enum status deep_take(struct manager *m, const struct prover_result *r, bool *mine,
                             struct error *e)
{
    struct tree_node *n = &m->tree.node[m->deep.node];
    char fen[FEN_TEXT_MAX];
    enum status rc;

    if (!(*mine = m->deep.id && m->deep.id == r->id))
        return STATUS_OK;
    m->deep.id = 0;
    m->deep.of_node += effort(m, r->nodes, r->seconds);
    m->deep.spent += effort(m, r->nodes, r->seconds);
    if ((rc = audit_consider(m, n, r, e)))
        return rc;
    result_begin(m);
    n->record.searches++;
    n->record.nodes += r->nodes;
    n->record.microseconds += (uint64_t)(r->seconds * 1e6);
    n->record.own = r->bounds;
    if (!bounds_join(&n->record.bounds, r->bounds)) {
        fen_format(&n->board, fen);
        return error_set(e, STATUS_MISMATCH, "%s: a search says %s, its successors %s", fen,
                         bounds_name(r->bounds), bounds_name(n->record.bounds));
    }
    if ((rc = store_put(m->o->store, &n->board, &n->record, e)) || (rc = record_claims(m, r, e)))
        return rc;
    return follow(m, m->deep.node, (uint32_t)m->tree.nodes, e);
}

/* ---------------------------------------------------------------------- taking -- */

/* Take a result from the provers, if it belongs to the current task of a known node. */
static enum status result_take(struct manager *m, const struct prover_result *r, struct error *e)
{
    int64_t at = position_map_get(&m->tree.map, position_of(&r->board));
    enum status rc;
    bool mine;

    if ((rc = audit_take(m, r, &mine, e)) || mine || (rc = deep_take(m, r, &mine, e)) || mine)
        return rc;
    if (at == POSITION_MAP_NONE || m->tree.node[at].task != r->id)
        return STATUS_OK;
    if ((rc = audit_consider(m, &m->tree.node[at], r, e)))
        return rc;
    m->tree.node[at].task = 0;
    m->deep.others += effort(m, r->nodes, r->seconds);
    result_begin(m);
    if ((rc = record_result(m, (uint32_t)at, r, e)))
        return rc;
    return follow(m, (uint32_t)at, (uint32_t)m->tree.nodes, e);
}

/* Wait for one result; *any says whether there was one. */
static enum status collect_one(struct manager *m, double seconds, bool *any, struct error *e)
{
    struct prover_result r;
    enum status rc = provers_collect(m->o->provers, seconds, &r, e);

    *any = r.id != 0;
    return rc || !*any ? rc : result_take(m, &r, e);
}

/* Commit the group if it is large or old.  Called when new tasks have been given out: provers need
 * not wait for the disk, and positions expanded meanwhile are often those that the group has. */
static enum status group_end_if_due(struct manager *m, struct error *e)
{
    bool due = m->grouped >= GROUP_MAX || m->group_bytes >= GROUP_BYTES ||
               (m->grouped && clock_seconds() - m->group_began > group_seconds);

    return due ? group_end(m, e) : STATUS_OK;
}

/* Take all results that have arrived; if there are none, commit, then wait. */
static enum status collect(struct manager *m, struct error *e)
{
    enum status rc = STATUS_OK;
    bool any = true;
    int n = 0;

    while (!rc && any && n < GROUP_MAX && m->group_bytes < GROUP_BYTES &&
           !(rc = collect_one(m, 0, &any, e)))
        n += any;
    if (!rc && n == 0 && !(rc = group_end(m, e)))
        rc = collect_one(m, wait_seconds, &any, e);
    return rc;
}

/* ------------------------------------------------------------------------ rounds -- */

/* Give a task for the question that is open at the root; the other question is not needed. */
static enum status node_give(struct manager *m, uint32_t root, uint32_t i, struct error *e)
{
    struct tree_node *n = &m->tree.node[i];
    struct prover_task task = {
        .board = n->board,
        .threshold = m->report.threshold,
        .known = n->record.bounds,
        .idle = {!question_open(m, root, BLACK), !question_open(m, root, WHITE)},
        .limits = m->o->limits,
        .claims = CLAIMS_BYTES};
    enum status rc = provers_give(m->o->provers, &task, &n->task, e);

    if (rc)
        return rc;
    m->under_way++;
    return numbers_update(&m->numbers, i, (uint32_t)m->tree.nodes, e);
}

static enum status node_expand(struct manager *m, uint32_t i, struct error *e)
{
    uint32_t fresh = (uint32_t)m->tree.nodes;
    enum status rc = tree_expand(&m->tree, i, e);

    m->expansions++;
    return rc ? rc : follow(m, i, fresh, e);
}

/* Give out tasks until there is no room or nothing to choose.  *nothing: there is nothing left
 * to do. */
static enum status give_out(struct manager *m, uint32_t root, bool *nothing, struct error *e)
{
    int room = provers_room(m->o->provers), idle = 0;
    enum status rc = audits_give(m, &room, e);

    if (!rc)
        rc = deep_give(m, root, &room, e);
    for (int tries = 0; !rc && idle < 2 && tries < CHOICES_MAX + 2 * room && room > 0; tries++) {
        enum side attacker = (enum side)(tries & 1);
        uint32_t i = TREE_NONE;

        if (question_open(m, root, attacker))
            rc = numbers_choose(&m->numbers, root, attacker, &i, e);
        if (rc || i == TREE_NONE) {
            idle++;
            continue;
        }
        idle = 0;
        if (node_searched(m, &m->tree.node[i])) {
            rc = node_expand(m, i, e);
        } else {
            rc = node_give(m, root, i, e);
            room--;
        }
    }
    *nothing = idle == 2;
    return rc;
}

static bool manager_stopped(const struct manager *m)
{
    return (m->o->stop && atomic_load(m->o->stop)) ||
           (m->o->searches && m->report.searches >= m->o->searches);
}

static void report(struct manager *m)
{
    store_count(m->o->store, &m->report.positions, NULL); /* 0 if it cannot be read */
    m->report.tree = m->tree.nodes;
    m->report.evaluations = m->tree.evaluations;
    m->report.visits = m->numbers.visits;
    m->report.root = m->tree.nodes ? tree_bounds(&m->tree.node[0]) : bounds_unknown;
    if (m->o->report)
        m->o->report(m->o->context, &m->report);
}

/* Settle one position at the threshold. */
static enum status settle(struct manager *m, uint32_t root, struct error *e)
{
    enum status rc = STATUS_OK;

    report(m);
    while (!rc && !manager_stopped(m) &&
           (question_open(m, root, BLACK) || question_open(m, root, WHITE))) {
        uint64_t before = m->expansions;
        bool nothing;

        if ((rc = give_out(m, root, &nothing, e)))
            break;
        if (nothing && m->under_way == 0 && m->expansions == before)
            break;
        if (!(rc = group_end_if_due(m, e)) && !(rc = collect(m, e)))
            rc = curve_grow(&m->curve, m->report.searches, e);
        report(m);
    }
    return rc;
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
    enum status rc = follow_all(m, e);

    for (int k = m->o->plies - 1; !rc && k >= 0 && !manager_stopped(m); k--) {
        uint32_t fresh = (uint32_t)m->tree.nodes, i;

        m->report.seed_ply = k;
        rc = tree_add(&m->tree, &m->o->line[k], (uint32_t)k, &i, e);
        if (!rc && m->tree.nodes > fresh)
            rc = follow(m, i, fresh, e);
        if (!rc)
            rc = settle(m, i, e);
    }
    return rc;
}

/* (M5) */
static enum status audits_finish(struct manager *m, struct error *e)
{
    enum status rc = STATUS_OK;

    while (!rc && m->audits && !manager_stopped(m)) {
        int room = provers_room(m->o->provers);

        if (!(rc = audits_give(m, &room, e)) && !(rc = group_end_if_due(m, e)))
            rc = collect(m, e);
    }
    return rc;
}

static enum status thresholds_run(struct manager *m, struct error *e)
{
    const struct manager_options *o = m->o;
    enum status rc = STATUS_OK;

    for (m->report.threshold = o->from; !rc; m->report.threshold = threshold_next(m)) {
        char text[16];

        snprintf(text, sizeof text, "%d", m->report.threshold);
        if ((rc = store_put_text(o->store, "threshold", text, e)) || (rc = line_settle(m, e)) ||
            (rc = curve_mark(&m->curve, m->report.searches, e)))
            break;
        report(m);
        if (manager_stopped(m) || bounds_closed(m->report.root) || m->report.threshold >= o->until)
            break;
    }
    return rc;
}

enum status manager_run(const struct manager_options *o, struct manager_report *out,
                        struct error *e)
{
    struct manager m = {.o = o, .tree = {.store = o->store, .tables = o->tables}};
    struct error why = {0};
    uint32_t root;
    enum status rc = tree_add(&m.tree, &o->line[0], 0, &root, &why), kept;

    m.numbers.tree = &m.tree;
    store_group(o->store);
    if (!rc)
        rc = curve_begin(&m.curve, o->store, o->tables, &why);
    if (!rc && m.tree.node[root].by_table) /* the store lists its roots */
        rc = store_put(o->store, &o->line[0], &m.tree.node[root].record, &why);
    if (!rc)
        rc = thresholds_run(&m, &why);
    if (!rc)
        rc = audits_finish(&m, &why);
    provers_forget(o->provers); /* (M4) */
    report(&m);
    if (!rc && manager_stopped(&m) && (!bounds_closed(m.report.root) || m.audits)) /* (M5) */
        rc = error_set(&why, STATUS_INTERRUPTED, "stopped");
    if (rc == STATUS_MISMATCH) /* (M3) */
        store_put_text(o->store, "contradiction", why.text, NULL);
    kept = group_end(&m, rc && rc != STATUS_INTERRUPTED ? NULL : &why);
    store_ungroup(o->store, NULL);
    *out = m.report;
    free(m.audit);
    numbers_close(&m.numbers);
    tree_close(&m.tree);
    if (kept && (!rc || rc == STATUS_INTERRUPTED))
        rc = kept;
    return rc ? error_pass(e, &why) : STATUS_OK;
}
