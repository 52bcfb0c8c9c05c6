/* SPDX-License-Identifier: MIT */
#include "proof/tree.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "base/big_array.h"

#include <assert.h>
#include <stdlib.h>

void tree_close(struct tree *t)
{
    position_map_free(&t->map);
    big_array_free(t->node, t->node_room, sizeof *t->node);
    big_array_free(t->edge, t->edge_room, sizeof *t->edge);
    free(t->touched.node);
    free(t->work.node);
    free(t->suspects.node);
    *t = (struct tree){0};
}

/* --------------------------------------------------------------------- growing -- */

static enum status no_memory(struct error *e)
{
    return error_set(e, STATUS_NO_MEMORY, "not enough memory for the tree of a proof");
}

/* The store may have a record from before the tables had the position: they must agree. */
static enum status tables_agree(const struct board *b, struct bounds known, enum value v,
                                struct error *e)
{
    char fen[FEN_TEXT_MAX];

    if (known.lower <= v && v <= known.upper)
        return STATUS_OK;
    fen_format(b, fen);
    return error_set(e, STATUS_MISMATCH, "%s: the store says %s, the tables say %s", fen,
                     bounds_name(known), bounds_name((struct bounds){v, v}));
}

static enum status node_load(struct tree *t, struct tree_node *n, struct error *e)
{
    struct error why;
    enum value v;
    enum status rc = t->store ? store_get(t->store, &n->board, &n->record, &why) : STATUS_MISSING;

    if (rc && rc != STATUS_MISSING)
        return error_pass(e, &why);
    n->has_record = rc == STATUS_OK;
    if (rc)
        n->record.bounds = n->record.own = bounds_unknown;
    if (!tables_knows(t->tables, &n->board))
        return STATUS_OK;
    if ((rc = tables_value(t->tables, &n->board, &v, e)) ||
        (rc = tables_agree(&n->board, n->record.bounds, v, e)))
        return rc;
    n->by_table = n->has_record = true;
    n->record = (struct store_record){.bounds = {v, v}, .own = {v, v}, .how = HOW_TABLES};
    return STATUS_OK;
}

static enum status node_get(struct tree *t, const struct board *b, uint32_t level, uint32_t *out,
                            struct error *e)
{
    struct position p = position_of(b);
    int64_t at = position_map_get(&t->map, p);
    enum status rc;

    *out = (uint32_t)at;
    assert(at == POSITION_MAP_NONE || board_equal(&t->node[at].board, b)); /* (F2) */
    if (at != POSITION_MAP_NONE)
        return STATUS_OK;
    *out = (uint32_t)t->nodes;
    if (t->nodes >= TREE_NONE ||
        !big_array_room((void **)&t->node, &t->node_room, t->nodes + 1, sizeof *t->node))
        return no_memory(e);
    t->node[t->nodes] = (struct tree_node){
        .board = *b, .turn = (uint8_t)b->turn, .parents = TREE_NONE, .level = level};
    if ((rc = node_load(t, &t->node[t->nodes], e)))
        return rc;
    if (!position_map_put(&t->map, p, *out))
        return no_memory(e);
    t->nodes++;
    return STATUS_OK;
}

/* Pass the numbers that a search left for its moves on to the child nodes. */
static enum status numbers_load(struct tree *t, const struct tree_node *n, struct error *e)
{
    struct solve_numbers after[MOVES_MAX];
    struct error why;
    int count = 0;
    enum status rc =
        t->store ? store_get_numbers(t->store, &n->board, after, &count, &why) : STATUS_MISSING;

    for (uint32_t k = 0; !rc && k < (uint32_t)count && k < n->count; k++)
        t->node[t->edge[n->first + k].child].seen = after[k];
    return rc && rc != STATUS_MISSING ? error_pass(e, &why) : STATUS_OK;
}

static void edge_add(struct tree *t, uint32_t parent, uint32_t child)
{
    uint32_t edge = (uint32_t)t->edges++;

    assert(parent < t->nodes && child < t->nodes);
    assert(edge < t->edge_room);
    t->edge[edge] = (struct tree_edge){child, parent, t->node[child].parents, {0}, {0}};
    t->node[child].parents = edge;
}

/* The successors of a node, one for each move. */
static enum status node_children(struct tree *t, uint32_t i, struct error *e)
{
    struct board b = t->node[i].board, next[MOVES_MAX];
    struct move_list list;
    enum status rc = STATUS_OK;
    size_t first = t->edges;

    moves_generate(&b, &list);
    if (first + (size_t)list.count >= TREE_NONE ||
        !big_array_room((void **)&t->edge, &t->edge_room, first + (size_t)list.count,
                        sizeof *t->edge))
        return no_memory(e);
    for (int m = 0; m < list.count; m++) {
        next[m] = board_after(&b, &list.move[m]);
        position_map_prefetch(&t->map, position_of(&next[m]));
    }
    for (int m = 0; !rc && m < list.count; m++) {
        uint32_t child;

        if (!(rc = node_get(t, &next[m], t->node[i].level + 1, &child, e)))
            edge_add(t, i, child);
    }
    t->node[i].first = (uint32_t)first;
    t->node[i].count = (uint32_t)(t->edges - first);
    return rc ? rc : numbers_load(t, &t->node[i], e);
}

/* Nodes from `i` on are new: add the successors of those that are expanded in the store. */
static enum status nodes_follow(struct tree *t, uint32_t i, struct error *e)
{
    enum status rc = STATUS_OK;

    for (; !rc && i < t->nodes; i++)
        if (t->node[i].record.expanded)
            rc = node_children(t, i, e);
    return rc;
}

enum status tree_add(struct tree *t, const struct board *b, uint32_t level, uint32_t *out,
                     struct error *e)
{
    uint32_t before = (uint32_t)t->nodes;
    enum status rc = node_get(t, b, level, out, e);

    return rc ? rc : nodes_follow(t, before, e);
}

enum status tree_expand(struct tree *t, uint32_t i, struct error *e)
{
    uint32_t before = (uint32_t)t->nodes;
    enum status rc;

    assert(i < t->nodes && !t->node[i].record.expanded && !t->node[i].by_table);
    rc = node_children(t, i, e);
    if (!rc) {
        t->node[i].record.expanded = true;
        rc = t->store ? store_put(t->store, &t->node[i].board, &t->node[i].record, e) : STATUS_OK;
    }
    return rc ? rc : nodes_follow(t, before, e);
}

/* ---------------------------------------------------------------------- saving -- */

struct bounds tree_bounds(const struct tree_node *n)
{
    enum side us = n->board.turn, them = side_other(us);
    struct bounds b = bounds_unknown;

    if (n->exact[us] & TREE_WINS)
        return (struct bounds){VALUE_WIN, VALUE_WIN};
    if (n->exact[them] & TREE_WINS)
        return (struct bounds){VALUE_LOSS, VALUE_LOSS};
    if (n->exact[us] & TREE_HOLDS)
        b.upper = VALUE_DRAW;
    if (n->exact[them] & TREE_HOLDS)
        b.lower = VALUE_DRAW;
    return b;
}

enum status tree_save(struct tree *t, struct error *e)
{
    enum status rc = STATUS_OK;

    for (size_t i = 0; !rc && i < t->touched.count; i++) {
        struct tree_node *n = &t->node[t->touched.node[i]];
        struct bounds b = tree_bounds(n);

        if (!n->record.expanded ||
            (b.lower <= n->record.bounds.lower && b.upper >= n->record.bounds.upper))
            continue;
        n->record.bounds = b;
        n->record.how = HOW_BACKED_UP;
        rc = t->store ? store_put(t->store, &n->board, &n->record, e) : STATUS_OK;
    }
    return rc;
}
