/* SPDX-License-Identifier: MIT */
#include "proof/resolve.h"

#include "base/array.h"
#include "core/position.h"
#include "core/movegen.h"

#include <limits.h>
#include <stdlib.h>

enum { NONE = 0, CAPTURES_DEEP = 4 };

enum node_state { NODE_HELD, NODE_SAFE, NODE_LOST };

/* A position; numbered from 1. */
struct resolve_node {
    struct position position;
    uint32_t next;       /* in the hash chain */
    uint32_t dependents; /* edges to the nodes that rely on this one */
    uint32_t reply;      /* the defender's; NONE before the first look */
    uint8_t state;
    bool queued, looked_at;
};

struct resolve_edge {
    uint32_t node, next;
};

struct array { /* of nodes, edges or numbers */
    void *at;
    size_t count, room, size;
};

struct resolver {
    const struct tables *tables;
    enum side attacker;
    const atomic_bool *stop;
    struct array nodes, edges, stack;
    uint32_t *chain;
    size_t chains; /* a power of two */
};

/* --------------------------------------------------------------------- memory -- */

static struct resolve_node *node_at(const struct resolver *r, uint32_t i)
{
    return (struct resolve_node *)r->nodes.at + i;
}

static struct resolve_edge *edge_at(const struct resolver *r, uint32_t i)
{
    return (struct resolve_edge *)r->edges.at + i;
}

static enum status no_memory(struct error *e)
{
    return error_set(e, STATUS_NO_MEMORY, "not enough memory to solve a position again");
}

/* Room for one more; its place, or NULL.  Numbers have 32 bits. */
static void *array_push(struct array *a)
{
    if (a->count >= UINT32_MAX || !array_room(&a->at, &a->room, a->count + 1, a->size))
        return NULL;
    return (char *)a->at + a->count++ * a->size;
}

static size_t chain_of(const struct resolver *r, const struct resolve_node *n)
{
    return position_hash(n->position) & (r->chains - 1);
}

static bool chains_grow(struct resolver *r)
{
    size_t chains = r->chains ? 2 * r->chains : 1 << 12;
    uint32_t *chain = calloc(chains, sizeof *chain);

    if (!chain)
        return false;
    free(r->chain);
    r->chain = chain;
    r->chains = chains;
    for (uint32_t i = 1; i < r->nodes.count; i++) {
        struct resolve_node *n = node_at(r, i);
        size_t c = chain_of(r, n);

        n->next = chain[c];
        chain[c] = i;
    }
    return true;
}

/* ---------------------------------------------------------------------- nodes -- */

static struct resolve_node node_of(const struct board *b)
{
    return (struct resolve_node){.position = position_of(b)};
}

static struct board node_board(const struct resolve_node *n)
{
    return position_board(n->position);
}

static uint32_t node_find(const struct resolver *r, const struct resolve_node *like)
{
    uint32_t i = r->chain[chain_of(r, like)];

    for (; i != NONE; i = node_at(r, i)->next) {
        const struct resolve_node *n = node_at(r, i);

        if (position_equal(n->position, like->position))
            break;
    }
    return i;
}

static enum status work_push(struct resolver *r, uint32_t i, struct error *e)
{
    uint32_t *place;

    if (node_at(r, i)->queued)
        return STATUS_OK;
    if (!(place = array_push(&r->stack)))
        return no_memory(e);
    node_at(r, i)->queued = true;
    *place = i;
    return STATUS_OK;
}

static enum status node_get(struct resolver *r, const struct board *b, uint32_t *out,
                            struct error *e)
{
    struct resolve_node like = node_of(b), *n;
    size_t c;

    if ((*out = node_find(r, &like)) != NONE)
        return STATUS_OK;
    if ((r->nodes.count >= r->chains && !chains_grow(r)) || !(n = array_push(&r->nodes)))
        return no_memory(e);
    *out = (uint32_t)(r->nodes.count - 1);
    c = chain_of(r, &like);
    *n = like;
    n->next = r->chain[c];
    r->chain[c] = *out;
    return work_push(r, *out, e);
}

/* Record that `who` relies on `on`. */
static enum status depend(struct resolver *r, uint32_t who, uint32_t on, struct error *e)
{
    struct resolve_edge *edge = array_push(&r->edges);

    if (!edge)
        return no_memory(e);
    *edge = (struct resolve_edge){who, node_at(r, on)->dependents};
    node_at(r, on)->dependents = (uint32_t)(r->edges.count - 1);
    return STATUS_OK;
}

/* The node is lost: the nodes that rely on it must be examined again. */
static enum status node_lose(struct resolver *r, uint32_t i, struct error *e)
{
    enum status rc = STATUS_OK;

    node_at(r, i)->state = NODE_LOST;
    for (uint32_t k = node_at(r, i)->dependents; !rc && k != NONE; k = edge_at(r, k)->next)
        if (node_at(r, edge_at(r, k)->node)->state == NODE_HELD)
            rc = work_push(r, edge_at(r, k)->node, e);
    return rc;
}

/* ---------------------------------------------------------------- looking at one -- */

enum leaf { LEAF_NONE, LEAF_SAFE, LEAF_LOST };

static enum status leaf_of(struct resolver *r, const struct board *b, enum leaf *leaf,
                           struct error *e)
{
    enum value v;
    enum status rc = tables_value_for(r->tables, b, r->attacker, &v, e);

    *leaf = LEAF_NONE;
    if (rc)
        return rc == STATUS_MISSING ? STATUS_OK : rc;
    *leaf = v == VALUE_WIN ? LEAF_LOST : LEAF_SAFE;
    return STATUS_OK;
}

/* All moves of the attacker must lead to safe or held positions. */
static enum status attacker_look(struct resolver *r, uint32_t i, struct error *e)
{
    struct board b = node_board(node_at(r, i)), open[MOVES_MAX];
    struct move_list list;
    enum status rc;
    int n = 0;

    if (node_at(r, i)->looked_at) /* one that it relied on is lost */
        return node_lose(r, i, e);
    moves_generate(&b, &list);
    for (int m = 0; m < list.count; m++) {
        enum leaf leaf;

        open[n] = board_after(&b, &list.move[m]);
        if ((rc = leaf_of(r, &open[n], &leaf, e)))
            return rc;
        if (leaf == LEAF_LOST)
            return node_lose(r, i, e);
        n += leaf == LEAF_NONE;
    }
    for (int m = 0; m < n; m++) {
        uint32_t child;

        if ((rc = node_get(r, &open[m], &child, e)))
            return rc;
        if (node_at(r, child)->state == NODE_LOST)
            return node_lose(r, i, e);
        if (node_at(r, child)->state == NODE_HELD && (rc = depend(r, i, child, e)))
            return rc;
    }
    node_at(r, i)->looked_at = true;
    return STATUS_OK;
}

static int material_of(const struct board *b, enum side us)
{
    enum side them = side_other(us);

    return 2 * (squares_count(b->side[us]) - squares_count(b->side[them])) +
           squares_count(board_kings(b, us)) - squares_count(board_kings(b, them));
}

/* Material after all captures: the initial estimate of a reply. */
static int captures_played(const struct board *b, enum side us, int depth)
{
    struct move_list list;
    int best = 0;

    if (depth == 0 || !board_must_capture(b))
        return material_of(b, us);
    moves_generate(b, &list);
    for (int m = 0; m < list.count; m++) {
        struct board next = board_after(b, &list.move[m]);
        int value = captures_played(&next, us, depth - 1);

        if (m == 0 || (b->turn == us ? value > best : value < best))
            best = value;
    }
    return best;
}

/* The candidate replies of one position. */
struct replies {
    bool safe;     /* the tables hold one */
    uint32_t held; /* one that was met before */
    struct board best;
    int score; /* of best */
};

static enum status reply_consider(struct resolver *r, const struct board *next, struct replies *c,
                                  struct error *e)
{
    struct resolve_node like = node_of(next);
    enum leaf leaf;
    uint32_t at;
    enum status rc = leaf_of(r, next, &leaf, e);

    if (rc || leaf == LEAF_LOST)
        return rc;
    if (leaf == LEAF_SAFE) {
        c->safe = true;
        return STATUS_OK;
    }
    at = node_find(r, &like);
    if (at != NONE && node_at(r, at)->state == NODE_LOST)
        return STATUS_OK;
    if (at != NONE)
        c->held = at;
    if (c->held == NONE) {
        int score = captures_played(next, side_other(r->attacker), CAPTURES_DEEP);

        if (score > c->score) {
            c->score = score;
            c->best = *next;
        }
    }
    return STATUS_OK;
}

static enum status defender_look(struct resolver *r, uint32_t i, struct error *e)
{
    struct board b = node_board(node_at(r, i));
    struct replies c = {.score = INT_MIN};
    struct move_list list;
    enum status rc = STATUS_OK;
    uint32_t reply = node_at(r, i)->reply;

    if (reply != NONE && node_at(r, reply)->state != NODE_LOST)
        return STATUS_OK; /* it has found another reply since */
    moves_generate(&b, &list);
    for (int m = 0; !rc && !c.safe && m < list.count; m++) {
        struct board next = board_after(&b, &list.move[m]);

        rc = reply_consider(r, &next, &c, e);
    }
    if (rc)
        return rc;
    if (c.safe) {
        node_at(r, i)->state = NODE_SAFE;
        return STATUS_OK;
    }
    if (c.held == NONE && c.score == INT_MIN)
        return node_lose(r, i, e);
    if (c.held == NONE && (rc = node_get(r, &c.best, &c.held, e)))
        return rc;
    node_at(r, i)->reply = c.held;
    return depend(r, i, c.held, e);
}

static enum status node_look(struct resolver *r, uint32_t i, struct error *e)
{
    struct resolve_node *n = node_at(r, i);

    n->queued = false;
    if (n->state != NODE_HELD)
        return STATUS_OK;
    return n->position.turn == r->attacker ? attacker_look(r, i, e) : defender_look(r, i, e);
}

/* ------------------------------------------------------------------------ whole -- */

static enum status stop_check(const struct resolver *r, struct error *e)
{
    return r->stop && atomic_load_explicit(r->stop, memory_order_relaxed)
               ? error_set(e, STATUS_INTERRUPTED, "stopped")
               : STATUS_OK;
}

static enum status resolve_run(struct resolver *r, const struct board *b, uint64_t limit,
                               enum resolve_answer *answer, struct error *e)
{
    uint32_t root = NONE;
    enum status rc;

    if (!array_push(&r->nodes) || !array_push(&r->edges) || !chains_grow(r)) /* number 0: none */
        return no_memory(e);
    rc = node_get(r, b, &root, e);
    while (!rc && r->stack.count && limit-- > 0 && node_at(r, root)->state != NODE_LOST)
        if (!(rc = stop_check(r, e)))
            rc = node_look(r, ((uint32_t *)r->stack.at)[--r->stack.count], e);
    if (!rc)
        *answer = node_at(r, root)->state == NODE_LOST ? RESOLVE_WINS
                  : r->stack.count                     ? RESOLVE_OPEN
                                                       : RESOLVE_HOLDS;
    return rc;
}

enum status resolve_position(const struct tables *t, const struct board *b, enum side attacker,
                             uint64_t limit, const atomic_bool *stop, enum resolve_answer *answer,
                             struct error *e)
{
    struct resolver r = {.tables = t,
                         .attacker = attacker,
                         .stop = stop,
                         .nodes = {.size = sizeof(struct resolve_node)},
                         .edges = {.size = sizeof(struct resolve_edge)},
                         .stack = {.size = sizeof(uint32_t)}};
    enum status rc;

    *answer = RESOLVE_OPEN;
    rc = resolve_run(&r, b, limit, answer, e);
    free(r.nodes.at);
    free(r.edges.at);
    free(r.stack.at);
    free(r.chain);
    return rc;
}
