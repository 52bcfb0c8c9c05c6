/* SPDX-License-Identifier: MIT
 *
 * The sets of tree.h: where each side wins, and where it does not. */
#include "proof/tree.h"
#include "base/array.h"

#include <string.h>

/* In `exact` and `likely` while holds are computed: it holds unless a refutation is found. */
enum { SUSPECT = 4 };

/* One of the four questions: a side, by proofs alone or also by scores. */
struct question {
    struct tree *t;
    enum side side;
    bool exact;
    bool again; /* a set has shrunk: only a full evaluation is correct */
    struct error *e;
};

/* ----------------------------------------------------------------------- lists -- */

static enum status list_push(struct tree_list *l, uint32_t i, struct error *e)
{
    if (!array_room((void **)&l->node, &l->room, l->count + 1, sizeof *l->node))
        return error_set(e, STATUS_NO_MEMORY, "not enough memory for the tree of a proof");
    l->node[l->count++] = i;
    return STATUS_OK;
}

static enum status parents_push(const struct question *q, struct tree_list *l, uint32_t i)
{
    const struct tree *t = q->t;
    enum status rc = STATUS_OK;

    for (uint32_t k = t->node[i].parents; !rc && k != TREE_NONE; k = t->edge[k].next)
        rc = list_push(l, t->edge[k].parent, q->e);
    return rc;
}

static enum status node_touch(const struct question *q, uint32_t i)
{
    if (q->t->node[i].touched)
        return STATUS_OK;
    q->t->node[i].touched = true;
    return list_push(&q->t->touched, i, q->e);
}

void tree_settled(struct tree *t)
{
    for (size_t i = 0; i < t->touched.count; i++)
        t->node[t->touched.node[i]].touched = false;
    t->touched.count = 0;
}

/* ----------------------------------------------------------------------- flags -- */

static unsigned flags_from_bounds(const struct tree_node *n, enum side side)
{
    bool mover = n->board.turn == side;
    enum value lower = n->record.own.lower, upper = n->record.own.upper;
    enum value best = mover ? upper : value_negate(lower);  /* the most that side can get */
    enum value worst = mover ? lower : value_negate(upper); /* the least */

    return (worst == VALUE_WIN ? TREE_WINS : 0) | (best != VALUE_WIN ? TREE_HOLDS : 0);
}

/* The flags that follow from a score at a threshold; only for positions without successors in
 * the tree. */
static unsigned flags_from_score(const struct tree_node *n, enum side side, int threshold)
{
    int score = n->board.turn == side ? n->record.score : -n->record.score;

    if (!threshold || !n->has_record || n->by_table || n->record.expanded)
        return 0;
    return score >= threshold ? TREE_WINS : score <= -threshold ? TREE_HOLDS : 0;
}

unsigned tree_own_flags(const struct tree *t, const struct tree_node *n, enum side side, bool exact)
{
    unsigned flags = exact ? flags_from_bounds(n, side) : n->exact[side];

    return exact || flags ? flags : flags_from_score(n, side, t->threshold);
}

static uint8_t *flags_of(const struct question *q, uint32_t i)
{
    struct tree_node *n = &q->t->node[i];

    return q->exact ? &n->exact[q->side] : &n->likely[q->side];
}

static uint64_t *struck_of(const struct question *q, uint32_t i)
{
    return &q->t->node[i].struck[q->exact][q->side];
}

/* For a win the side to move needs one successor if it is the winner, all otherwise; for a hold it
 * is the other way round. */
static bool needs_one(const struct question *q, const struct tree_node *n, unsigned flag)
{
    return (n->board.turn == q->side) == (flag == TREE_WINS);
}

/* Does one of `flags` (all of one kind: wins or holds) follow from the successors? */
static bool flag_follows(const struct question *q, const struct tree_node *n, unsigned flags)
{
    bool one = needs_one(q, n, flags & TREE_WINS ? TREE_WINS : TREE_HOLDS);

    for (uint32_t k = 0; k < n->count; k++) {
        bool has = *flags_of(q, q->t->edge[n->first + k].child) & flags;

        if (has == one)
            return one;
    }
    return !one;
}

/* ------------------------------------------------------------------------ wins -- */

/* Least set: add what follows until nothing does.  `work` holds the nodes to examine.  A proven
 * hold is not a likely win either, whatever the scores below it. */
static enum status wins_spread(struct question *q)
{
    struct tree *t = q->t;
    enum status rc = STATUS_OK;

    while (!rc && t->work.count) {
        uint32_t i = t->work.node[--t->work.count];
        struct tree_node *n = &t->node[i];
        uint8_t *flags = flags_of(q, i);
        bool own = tree_own_flags(t, n, q->side, q->exact) & TREE_WINS;

        if (*flags & TREE_WINS)
            continue;
        if (!own && ((!q->exact && n->exact[q->side] & TREE_HOLDS) || !n->record.expanded ||
                     !flag_follows(q, n, TREE_WINS)))
            continue;
        if (*flags & TREE_HOLDS && !(flags_from_bounds(n, q->side) & TREE_HOLDS))
            q->again = true; /* records contradict each other, or a score has changed */
        *flags |= TREE_WINS;
        if (q->exact && !own)
            n->rank[q->side] = ++t->wins;
        *struck_of(q, i) = 0;
        if (!(rc = node_touch(q, i)))
            rc = parents_push(q, &t->work, i);
    }
    return rc;
}

/* ----------------------------------------------------------------------- holds -- */

/* Nodes that never hold, whatever their successors: won ones, and leaves about which nothing is
 * known.  Their `struck` is 0. */
static bool never_holds(const struct question *q, uint32_t i)
{
    return *flags_of(q, i) & TREE_WINS || !q->t->node[i].record.expanded;
}

/* Does node i, which was struck out, depend on successors that were struck out earlier? */
static bool stays_struck(const struct question *q, uint32_t i)
{
    const struct tree *t = q->t;
    const struct tree_node *n = &t->node[i];
    bool one = needs_one(q, n, TREE_HOLDS);

    for (uint32_t k = 0; k < n->count; k++) {
        uint32_t child = t->edge[n->first + k].child;
        bool before = !(*flags_of(q, child) & (TREE_HOLDS | SUSPECT)) &&
                      (never_holds(q, child) || *struck_of(q, child) < *struck_of(q, i));

        if (before != one)
            return before;
    }
    return one;
}

/* From the nodes in `work` upward: whatever may now hold becomes a suspect. */
static enum status suspects_find(const struct question *q)
{
    struct tree *t = q->t;
    enum status rc = STATUS_OK;

    while (!rc && t->work.count) {
        uint32_t i = t->work.node[--t->work.count];
        uint8_t *flags = flags_of(q, i);
        bool own = tree_own_flags(t, &t->node[i], q->side, q->exact) & TREE_HOLDS;

        if (*flags & (TREE_HOLDS | SUSPECT) || (*flags & TREE_WINS && !own))
            continue;
        if (!own && (never_holds(q, i) || stays_struck(q, i)))
            continue;
        *flags |= SUSPECT;
        if (!(rc = list_push(&t->suspects, i, q->e)))
            rc = parents_push(q, &t->work, i);
    }
    return rc;
}

static bool suspect_stands(const struct question *q, uint32_t i)
{
    const struct tree_node *n = &q->t->node[i];

    if (tree_own_flags(q->t, n, q->side, q->exact) & TREE_HOLDS &&
        (q->exact || !n->record.expanded || flags_from_bounds(n, q->side) & TREE_HOLDS))
        return true;
    return n->record.expanded && flag_follows(q, n, TREE_HOLDS | SUSPECT);
}

/* Strike out suspects that do not follow, until nothing changes: the others hold. */
static enum status suspects_judge(const struct question *q)
{
    struct tree *t = q->t;
    enum status rc = STATUS_OK;

    for (size_t k = 0; !rc && k < t->suspects.count; k++)
        rc = list_push(&t->work, t->suspects.node[k], q->e);
    while (!rc && t->work.count) {
        uint32_t i = t->work.node[--t->work.count];
        uint8_t *flags = flags_of(q, i);

        if (!(*flags & SUSPECT) || suspect_stands(q, i))
            continue;
        *flags &= (uint8_t)~SUSPECT;
        *struck_of(q, i) = ++t->order;
        rc = parents_push(q, &t->work, i);
    }
    for (size_t k = 0; !rc && k < t->suspects.count; k++) {
        uint32_t i = t->suspects.node[k];
        uint8_t *flags = flags_of(q, i);

        if (!(*flags & SUSPECT))
            continue;
        *flags = (uint8_t)((*flags & ~SUSPECT) | TREE_HOLDS);
        *struck_of(q, i) = 0;
        rc = node_touch(q, i);
    }
    t->suspects.count = 0;
    return rc;
}

/* ----------------------------------------------------------------------- whole -- */

enum status tree_evaluate(struct tree *t, int threshold, struct error *e)
{
    enum status rc = STATUS_OK;

    t->threshold = threshold;
    t->order = 0;
    t->wins = 0;
    t->evaluations++;
    for (uint32_t i = 0; i < t->nodes; i++) {
        struct tree_node *n = &t->node[i];

        memset(n->exact, 0, sizeof n->exact);
        memset(n->likely, 0, sizeof n->likely);
        memset(n->rank, 0, sizeof n->rank);
        memset(n->struck, 0, sizeof n->struck);
    }
    for (int k = 0; !rc && k < 4; k++) {
        struct question q = {t, k & 1 ? WHITE : BLACK, k < 2, false, e};

        for (uint32_t i = 0; !rc && i < t->nodes; i++)
            rc = list_push(&t->work, i, e);
        if (!rc)
            rc = wins_spread(&q);
        for (uint32_t i = 0; !rc && i < t->nodes; i++)
            if (!never_holds(&q, i) ||
                tree_own_flags(t, &t->node[i], q.side, q.exact) & TREE_HOLDS) {
                *flags_of(&q, i) |= SUSPECT;
                rc = list_push(&t->suspects, i, e);
            }
        if (!rc)
            rc = suspects_judge(&q);
    }
    for (uint32_t i = 0; !rc && i < t->nodes; i++)
        rc = node_touch(&(struct question){.t = t, .e = e}, i);
    t->work.count = t->suspects.count = 0;
    return rc;
}

/* Initialize the work list: the node, new nodes, and touched nodes. */
static enum status work_begin(const struct question *q, uint32_t i, uint32_t fresh)
{
    struct tree *t = q->t;
    enum status rc = list_push(&t->work, i, q->e);

    for (uint32_t k = fresh; !rc && k < t->nodes; k++)
        rc = list_push(&t->work, k, q->e);
    for (size_t k = 0; !rc && !q->exact && k < t->touched.count; k++)
        rc = list_push(&t->work, t->touched.node[k], q->e);
    return rc;
}

/* Sets only grow while the threshold is unchanged.  Has this one shrunk at node i, which had its
 * flags from its own record before?  (A score that is no longer the same, or no longer counts.) */
static bool own_flags_lost(const struct question *q, uint32_t i)
{
    return *flags_of(q, i) & ~tree_own_flags(q->t, &q->t->node[i], q->side, q->exact);
}

static enum status question_update(struct question *q, uint32_t i, uint32_t fresh)
{
    enum status rc = work_begin(q, i, fresh);

    q->again = own_flags_lost(q, i);
    if (!rc)
        rc = wins_spread(q);
    if (!rc)
        rc = work_begin(q, i, fresh);
    for (size_t k = 0; !rc && k < q->t->work.count; k++) /* an expanded leaf is no longer a leaf */
        if (q->t->work.node[k] == i || q->t->work.node[k] >= fresh)
            *struck_of(q, q->t->work.node[k]) = 0;
    if (!rc)
        rc = suspects_find(q);
    return rc ? rc : suspects_judge(q);
}

enum status tree_update(struct tree *t, uint32_t i, uint32_t fresh, struct error *e)
{
    enum status rc = STATUS_OK;

    for (int k = 0; !rc && k < 4; k++) {
        struct question q = {t, k & 1 ? WHITE : BLACK, k < 2, false, e};

        rc = question_update(&q, i, fresh);
        if (!rc && q.again)
            return tree_evaluate(t, t->threshold, e);
    }
    return rc;
}
