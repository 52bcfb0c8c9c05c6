/* SPDX-License-Identifier: MIT */
#include "proof/numbers.h"
#include "base/array.h"
#include "proof/estimate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(offsetof(struct tree_node, task) == 64, "what is read here is one line of the cache");

enum { NUMBER_SEEN = 1 << 20 }; /* upper limit of a search's numbers */

void numbers_close(struct numbers *x)
{
    for (size_t i = 0; i < x->levels; i++)
        free(x->level[i].node);
    free(x->level);
    free(x->path.node);
    *x = (struct numbers){0};
}

static enum status no_memory(struct error *e)
{
    return error_set(e, STATUS_NO_MEMORY, "not enough memory for the numbers of a proof");
}

/* A mark that no node carries. */
static uint32_t mark_new(struct numbers *x)
{
    if (++x->mark == 0) {
        for (size_t i = 0; i < x->tree->nodes; i++)
            x->tree->node[i].mark = 0;
        x->mark = 1;
    }
    return x->mark;
}

/* -------------------------------------------------------------------- one node -- */

static uint64_t add_up(uint64_t a, uint64_t b)
{
    return a + b < NUMBER_MAX ? a + b : NUMBER_MAX;
}

static uint64_t seen_or_guess(uint32_t seen, uint32_t guess)
{
    return seen ? (seen < NUMBER_SEEN ? seen : NUMBER_SEEN) : guess;
}

/* The numbers found by a search of a parent, else the solver's initial estimate. */
static void leaf_numbers(const struct tree *t, struct tree_node *n, enum side attacker)
{
    struct estimate guess =
        estimate_numbers(&n->board, attacker, tables_distance(t->tables, &n->board));

    n->proof[attacker] = seen_or_guess(n->seen.proof[attacker], guess.proof);
    n->disproof[attacker] = seen_or_guess(n->seen.disproof[attacker], guess.disproof);
    if (n->task)
        n->proof[attacker] = n->disproof[attacker] = NUMBER_ELSEWHERE;
}

static void settled_numbers(const struct tree_node *n, enum side attacker, uint64_t *proof,
                            uint64_t *disproof)
{
    bool wins = n->likely[attacker] & TREE_WINS;

    *proof = wins ? 0 : NUMBER_MAX;
    *disproof = wins ? NUMBER_MAX : 0;
}

static void inner_numbers(const struct tree *t, struct tree_node *n, enum side attacker)
{
    const struct tree_edge *edge = &t->edge[n->first];
    bool chooses = n->turn == attacker;
    uint64_t least = NUMBER_MAX, sum = 0;

    for (uint32_t k = 0; k < n->count; k++) {
        uint64_t proof = edge[k].proof[attacker], disproof = edge[k].disproof[attacker];
        uint64_t one = chooses ? proof : disproof;

        least = one < least ? one : least;
        sum = add_up(sum, chooses ? disproof : proof);
    }
    n->proof[attacker] = chooses ? least : sum;
    n->disproof[attacker] = chooses ? sum : least;
}

/* An open node without successors has not been expanded. */
static void node_compute(const struct tree *t, struct tree_node *n)
{
    for (enum side attacker = BLACK; attacker <= WHITE; attacker++) {
        if (n->likely[attacker])
            settled_numbers(n, attacker, &n->proof[attacker], &n->disproof[attacker]);
        else if (n->count)
            inner_numbers(t, n, attacker);
        else
            leaf_numbers(t, n, attacker);
        assert(!n->likely[attacker] == (n->proof[attacker] && n->disproof[attacker])); /* (N3) */
    }
}

/* What the child counts for the parent.  The target of a back edge is computed later: only its
 * flags are current.  True if it has changed. */
static bool edge_refresh(struct tree *t, uint32_t edge, const struct tree_node *child)
{
    struct tree_edge *to = &t->edge[edge];
    bool back = child->level <= t->node[to->parent].level, changed = false;

    for (enum side attacker = BLACK; attacker <= WHITE; attacker++) {
        uint64_t proof = back ? NUMBER_ELSEWHERE : child->proof[attacker];
        uint64_t disproof = back ? NUMBER_ELSEWHERE : child->disproof[attacker];

        if (child->likely[attacker])
            settled_numbers(child, attacker, &proof, &disproof);
        changed |= to->proof[attacker] != proof || to->disproof[attacker] != disproof;
        to->proof[attacker] = proof;
        to->disproof[attacker] = disproof;
    }
    return changed;
}

/* ------------------------------------------------------------- nodes to compute -- */

/* Ask for what computing the node reads: it is soon its turn. */
static void node_prefetch(const struct tree *t, const struct tree_node *n)
{
    if (n->parents != TREE_NONE)
        __builtin_prefetch(&t->edge[n->parents]);
    for (uint32_t k = 0; k < n->count; k++)
        __builtin_prefetch(&t->edge[n->first + k]);
}

static bool levels_room(struct numbers *x, uint32_t level)
{
    size_t had = x->levels;

    if (!array_room((void **)&x->level, &x->levels, level + (size_t)1, sizeof *x->level))
        return false;
    memset(x->level + had, 0, (x->levels - had) * sizeof *x->level);
    return true;
}

/* A node waits once. */
static enum status node_wait(struct numbers *x, uint32_t i, struct error *e)
{
    struct tree_node *n = &x->tree->node[i];
    struct tree_list *l;

    if (n->mark == x->mark)
        return STATUS_OK;
    if (!levels_room(x, n->level))
        return no_memory(e);
    l = &x->level[n->level];
    if (!array_room((void **)&l->node, &l->room, l->count + 1, sizeof *l->node))
        return no_memory(e);
    n->mark = x->mark;
    l->node[l->count++] = i;
    x->waiting++;
    node_prefetch(x->tree, n);
    return STATUS_OK;
}

/* The parents for which node i now counts something else. */
static enum status parents_wait(struct numbers *x, uint32_t i, struct error *e)
{
    struct tree *t = x->tree;
    enum status rc = STATUS_OK;

    for (uint32_t k = t->node[i].parents; !rc && k != TREE_NONE; k = t->edge[k].next)
        if (edge_refresh(t, k, &t->node[i]))
            rc = node_wait(x, t->edge[k].parent, e);
    return rc;
}

/* A parent at a lower level is computed after all that it depends on.  One at the same level or a
 * deeper one knows the flags of the node already. */
enum status numbers_settle(struct numbers *x, struct error *e)
{
    enum status rc = STATUS_OK;

    for (size_t level = x->levels; !rc && x->waiting && level-- > 0;)
        while (!rc && x->level[level].count) {
            uint32_t i = x->level[level].node[--x->level[level].count];

            x->waiting--;
            x->visits++;
            node_compute(x->tree, &x->tree->node[i]);
            rc = parents_wait(x, i, e);
        }
    return rc;
}

static void waiting_begin(struct numbers *x)
{
    if (!x->waiting)
        mark_new(x);
}

/* Edges to nodes that are computed later have their flags now. */
static enum status expanded_wait(struct numbers *x, uint32_t i, struct error *e)
{
    struct tree *t = x->tree;
    const struct tree_node *n = &t->node[i];

    for (uint32_t k = n->first; k < n->first + n->count; k++)
        edge_refresh(t, k, &t->node[t->edge[k].child]);
    return node_wait(x, i, e);
}

enum status numbers_reset(struct numbers *x, struct error *e)
{
    enum status rc = STATUS_OK;

    waiting_begin(x);
    for (uint32_t i = 0; !rc && i < x->tree->nodes; i++)
        rc = expanded_wait(x, i, e);
    return rc ? rc : numbers_settle(x, e);
}

enum status numbers_update(struct numbers *x, uint32_t i, uint32_t fresh, struct error *e)
{
    const struct tree *t = x->tree;
    const struct tree_node *n = &t->node[i];
    enum status rc;

    waiting_begin(x);
    rc = expanded_wait(x, i, e);
    for (uint32_t k = 0; !rc && k < n->count; k++) /* a search saw them, if it was expanded */
        rc = node_wait(x, t->edge[n->first + k].child, e);
    for (uint32_t k = fresh; !rc && k < t->nodes; k++)
        rc = expanded_wait(x, k, e);
    for (size_t k = 0; !rc && k < t->touched.count; k++)
        if (!(rc = node_wait(x, t->touched.node[k], e)))
            rc = parents_wait(x, t->touched.node[k], e);
    return rc;
}

/* ------------------------------------------------------------------- choosing -- */

/* The most promising open successor that has not been tried. */
static uint32_t node_choose(const struct numbers *x, uint32_t i, enum side attacker)
{
    const struct tree *t = x->tree;
    const struct tree_node *n = &t->node[i];
    uint64_t least = UINT64_MAX;
    uint32_t best = TREE_NONE;

    for (uint32_t k = n->first; k < n->first + n->count; k++) {
        const struct tree_edge *to = &t->edge[k];
        uint64_t number = n->turn == attacker ? to->proof[attacker] : to->disproof[attacker];

        if (number < least && to->proof[attacker] && to->disproof[attacker] &&
            t->node[to->child].mark != x->mark) {
            least = number;
            best = to->child;
        }
    }
    return best;
}

static enum status path_push(struct numbers *x, uint32_t i, struct error *e)
{
    struct tree_list *p = &x->path;

    if (!array_room((void **)&p->node, &p->room, p->count + 1, sizeof *p->node))
        return no_memory(e);
    p->node[p->count++] = i;
    x->tree->node[i].mark = x->mark;
    x->visits++;
    return STATUS_OK;
}

/* If all ways lead back or to tasks under way, try the next best; each node is visited once. */
enum status numbers_choose(struct numbers *x, uint32_t root, enum side attacker, uint32_t *leaf,
                           struct error *e)
{
    struct tree *t = x->tree;
    enum status rc;

    *leaf = TREE_NONE;
    if ((rc = numbers_settle(x, e)))
        return rc;
    mark_new(x);
    x->path.count = 0;
    rc = path_push(x, root, e);
    while (!rc && x->path.count) {
        uint32_t i = x->path.node[x->path.count - 1], child;

        if (!t->node[i].count && !t->node[i].task) {
            *leaf = i;
            return STATUS_OK;
        }
        child = node_choose(x, i, attacker);
        if (child == TREE_NONE)
            x->path.count--;
        else
            rc = path_push(x, child, e);
    }
    return rc;
}
