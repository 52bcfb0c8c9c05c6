/* SPDX-License-Identifier: MIT */
#include "proof/numbers.h"
#include "base/array.h"

#include <stdlib.h>

enum { NUMBER_SEEN = 1 << 20 }; /* upper limit of a search's numbers */

void numbers_close(struct numbers *x)
{
    free(x->heap.node);
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
    struct estimate guess = estimate_numbers(&dfpn_default.estimate, &n->board, attacker,
                                             tables_distance(t->tables, &n->board));

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

/* The numbers that a successor contributes.  The target of a back edge is computed later: only
 * its flags are current. */
static void child_numbers(const struct tree_node *n, const struct tree_node *c, enum side attacker,
                          uint64_t *proof, uint64_t *disproof)
{
    if (c->likely[attacker]) {
        settled_numbers(c, attacker, proof, disproof);
        return;
    }
    *proof = c->level > n->level ? c->proof[attacker] : NUMBER_ELSEWHERE;
    *disproof = c->level > n->level ? c->disproof[attacker] : NUMBER_ELSEWHERE;
}

/* Ask for all successors at once: in a large tree none of them is in the cache. */
static void children_prefetch(const struct tree *t, const struct tree_node *n)
{
    for (uint32_t k = 0; k < n->count; k++)
        __builtin_prefetch(&t->node[t->child[n->first + k]]);
}

static void inner_numbers(const struct tree *t, struct tree_node *n, enum side attacker)
{
    bool chooses = n->board.turn == attacker;
    uint64_t least = NUMBER_MAX, sum = 0;

    for (uint32_t k = 0; k < n->count; k++) {
        uint64_t proof, disproof, one;

        child_numbers(n, &t->node[t->child[n->first + k]], attacker, &proof, &disproof);
        one = chooses ? proof : disproof;
        least = one < least ? one : least;
        sum = add_up(sum, chooses ? disproof : proof);
    }
    n->proof[attacker] = chooses ? least : sum;
    n->disproof[attacker] = chooses ? sum : least;
}

/* True if any has changed. */
static bool node_compute(const struct tree *t, struct tree_node *n)
{
    bool changed = false;

    if (n->record.expanded)
        children_prefetch(t, n);
    for (enum side attacker = BLACK; attacker <= WHITE; attacker++) {
        uint64_t proof = n->proof[attacker], disproof = n->disproof[attacker];

        if (n->likely[attacker])
            settled_numbers(n, attacker, &n->proof[attacker], &n->disproof[attacker]);
        else if (n->record.expanded)
            inner_numbers(t, n, attacker);
        else
            leaf_numbers(t, n, attacker);
        changed |= proof != n->proof[attacker] || disproof != n->disproof[attacker];
    }
    return changed;
}

/* -------------------------------------------------------- the heap, deepest first -- */

static bool deeper(const struct numbers *x, size_t a, size_t b)
{
    return x->tree->node[x->heap.node[a]].level > x->tree->node[x->heap.node[b]].level;
}

static void swap(struct numbers *x, size_t a, size_t b)
{
    uint32_t node = x->heap.node[a];

    x->heap.node[a] = x->heap.node[b];
    x->heap.node[b] = node;
}

/* Push a node unless it is in the heap. */
static enum status heap_push(struct numbers *x, uint32_t i, struct error *e)
{
    struct tree_list *h = &x->heap;
    size_t at = h->count;

    if (x->tree->node[i].mark == x->mark)
        return STATUS_OK;
    if (!array_room((void **)&h->node, &h->room, at + 1, sizeof *h->node))
        return no_memory(e);
    x->tree->node[i].mark = x->mark;
    h->node[h->count++] = i;
    for (; at && deeper(x, at, (at - 1) / 2); at = (at - 1) / 2)
        swap(x, at, (at - 1) / 2);
    return STATUS_OK;
}

static uint32_t heap_pop(struct numbers *x)
{
    struct tree_list *h = &x->heap;
    uint32_t top = h->node[0];
    size_t at = 0, best;

    h->node[0] = h->node[--h->count];
    for (;; at = best) {
        best = at;
        for (size_t k = 2 * at + 1; k <= 2 * at + 2; k++)
            if (k < h->count && deeper(x, k, best))
                best = k;
        if (best == at)
            return top;
        swap(x, at, best);
    }
}

/* Parents have lower levels: each is computed after all that it depends on. */
static enum status heap_run(struct numbers *x, struct error *e)
{
    struct tree *t = x->tree;
    enum status rc = STATUS_OK;

    while (!rc && x->heap.count) {
        struct tree_node *n = &t->node[heap_pop(x)];

        x->visits++;
        if (!node_compute(t, n))
            continue;
        for (uint32_t k = n->parents; !rc && k != TREE_NONE; k = t->edge[k].next)
            if (t->node[t->edge[k].parent].level < n->level)
                rc = heap_push(x, t->edge[k].parent, e);
    }
    return rc;
}

/* Push the node and all its parents, along edges of either kind. */
static enum status push_around(struct numbers *x, uint32_t i, struct error *e)
{
    const struct tree *t = x->tree;
    enum status rc = heap_push(x, i, e);

    for (uint32_t k = t->node[i].parents; !rc && k != TREE_NONE; k = t->edge[k].next)
        rc = heap_push(x, t->edge[k].parent, e);
    return rc;
}

enum status numbers_reset(struct numbers *x, struct error *e)
{
    enum status rc = STATUS_OK;

    mark_new(x);
    for (uint32_t i = 0; !rc && i < x->tree->nodes; i++)
        rc = heap_push(x, i, e);
    return rc ? rc : heap_run(x, e);
}

enum status numbers_update(struct numbers *x, uint32_t i, uint32_t fresh, struct error *e)
{
    const struct tree *t = x->tree;
    const struct tree_node *n = &t->node[i];
    enum status rc;

    mark_new(x);
    rc = push_around(x, i, e);
    for (uint32_t k = 0; !rc && k < n->count; k++) /* a search saw them, if it was expanded */
        rc = heap_push(x, t->child[n->first + k], e);
    for (uint32_t k = fresh; !rc && k < t->nodes; k++)
        rc = heap_push(x, k, e);
    for (size_t k = 0; !rc && k < t->touched.count; k++)
        rc = push_around(x, t->touched.node[k], e);
    return rc ? rc : heap_run(x, e);
}

/* ------------------------------------------------------------------- choosing -- */

/* The most promising open successor that has not been tried. */
static uint32_t node_choose(const struct numbers *x, uint32_t i, enum side attacker)
{
    const struct tree *t = x->tree;
    const struct tree_node *n = &t->node[i];
    uint64_t least = UINT64_MAX;
    uint32_t best = TREE_NONE;

    children_prefetch(t, n);
    for (uint32_t k = 0; k < n->count; k++) {
        uint32_t child = t->child[n->first + k];
        const struct tree_node *c = &t->node[child];
        uint64_t number = n->board.turn == attacker ? c->proof[attacker] : c->disproof[attacker];

        if (!c->likely[attacker] && c->mark != x->mark && number < least) {
            least = number;
            best = child;
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
    mark_new(x);
    x->path.count = 0;
    rc = path_push(x, root, e);
    while (!rc && x->path.count) {
        uint32_t i = x->path.node[x->path.count - 1], child;

        if (!t->node[i].record.expanded && !t->node[i].task) {
            *leaf = i;
            return STATUS_OK;
        }
        child = t->node[i].record.expanded ? node_choose(x, i, attacker) : TREE_NONE;
        if (child == TREE_NONE)
            x->path.count--;
        else
            rc = path_push(x, child, e);
    }
    return rc;
}
