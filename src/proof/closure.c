/* SPDX-License-Identifier: MIT */
#include "proof/closure.h"
#include "core/movegen.h"
#include "base/array.h"

#include <stdlib.h>

struct closure_node {
    struct pn_entry *entry;
    uint32_t support; /* defender: moves that lead to something safe or remaining */
    uint32_t first;   /* into `parent`, once they are sorted */
    bool struck;
};

struct closure_edge {
    uint32_t parent, child;
};

/* Nodes are numbered from 1, in the order found; entry->mark is the number, of 32 bits. */
struct closure {
    struct pn_table *table;
    const struct tables *tables;
    enum side attacker;
    struct closure_node *node;
    size_t nodes, node_room;
    struct closure_edge *edge;
    size_t edges, edge_room;
    uint32_t *parent, *queue;
};

/* ---------------------------------------------------------------- collecting -- */

static enum status no_memory(struct error *e)
{
    return error_set(e, STATUS_NO_MEMORY, "not enough memory to check a disproof");
}

static enum status node_add(struct closure *c, struct pn_entry *entry, struct error *e)
{
    if (c->nodes == 0)
        c->nodes = 1;
    if (c->nodes >= UINT32_MAX ||
        !array_room((void **)&c->node, &c->node_room, c->nodes + 1, sizeof *c->node))
        return no_memory(e);
    entry->mark = (uint32_t)c->nodes;
    c->node[c->nodes++] = (struct closure_node){.entry = entry};
    return STATUS_OK;
}

static enum status edge_add(struct closure *c, uint32_t parent, uint32_t child, struct error *e)
{
    if (c->edges >= UINT32_MAX ||
        !array_room((void **)&c->edge, &c->edge_room, c->edges + 1, sizeof *c->edge))
        return no_memory(e);
    c->edge[c->edges++] = (struct closure_edge){parent, child};
    return STATUS_OK;
}

enum child_kind { CHILD_SAFE, CHILD_TENTATIVE, CHILD_OTHER };

/* Is the position after a move good for the defender? */
static enum status child_look(struct closure *c, const struct board *b, enum child_kind *kind,
                              struct pn_entry **entry, struct error *e)
{
    struct pn_key key;
    enum value v;
    enum status rc;

    if (tables_knows(c->tables, b)) {
        if ((rc = tables_value_for(c->tables, b, c->attacker, &v, e)))
            return rc;
        *kind = v == VALUE_WIN ? CHILD_OTHER : CHILD_SAFE;
        return STATUS_OK;
    }
    key = pn_key_of(b, c->attacker);
    *entry = pn_table_entry(c->table, &key);
    *kind = !*entry                           ? CHILD_OTHER
            : (*entry)->state == PN_DISPROVEN ? CHILD_SAFE
            : (*entry)->state == PN_TENTATIVE ? CHILD_TENTATIVE
                                              : CHILD_OTHER;
    return STATUS_OK;
}

/* Examine all moves of node i; add new positions. */
static enum status node_expand(struct closure *c, uint32_t i, struct error *e)
{
    struct board b = pn_entry_board(c->node[i].entry);
    struct move_list list;

    moves_generate(&b, &list);
    for (int m = 0; m < list.count; m++) {
        struct board next = board_after(&b, &list.move[m]);
        struct pn_entry *entry = NULL;
        enum child_kind kind;
        enum status rc = child_look(c, &next, &kind, &entry, e);

        if (!rc && kind == CHILD_TENTATIVE) {
            if (!entry->mark)
                rc = node_add(c, entry, e);
            if (!rc)
                rc = edge_add(c, i, entry->mark, e);
        }
        if (rc)
            return rc;
        if (kind != CHILD_OTHER)
            c->node[i].support++;
        else if (b.turn == c->attacker)
            c->node[i].struck = true;
    }
    if (b.turn != c->attacker && c->node[i].support == 0)
        c->node[i].struck = true;
    return STATUS_OK;
}

/* ------------------------------------------------------------------ striking -- */

/* Parents by child: counting sort of the edges. */
static enum status edges_sort(struct closure *c, struct error *e)
{
    uint32_t sum = 0;

    c->parent = malloc((c->edges + 1) * sizeof *c->parent);
    c->queue = malloc(c->nodes * sizeof *c->queue);
    if (!c->parent || !c->queue)
        return no_memory(e);
    for (size_t i = 0; i < c->edges; i++)
        c->node[c->edge[i].child].first++;
    for (size_t i = 1; i < c->nodes; i++) {
        sum += c->node[i].first;
        c->node[i].first = sum; /* its end; filling moves it down to its start */
    }
    for (size_t i = c->edges; i-- > 0;)
        c->parent[--c->node[c->edge[i].child].first] = c->edge[i].parent;
    return STATUS_OK;
}

static size_t node_end(const struct closure *c, uint32_t i)
{
    return i + 1 < c->nodes ? c->node[i + 1].first : c->edges;
}

static void strike(struct closure *c)
{
    size_t head = 0, tail = 0;

    for (uint32_t i = 1; i < c->nodes; i++)
        if (c->node[i].struck)
            c->queue[tail++] = i;
    while (head < tail) {
        uint32_t i = c->queue[head++];

        for (size_t k = c->node[i].first; k < node_end(c, i); k++) {
            struct closure_node *p = &c->node[c->parent[k]];

            if (p->struck)
                continue;
            if (p->entry->turn == c->attacker || --p->support == 0) {
                p->struck = true;
                c->queue[tail++] = c->parent[k];
            }
        }
    }
}

static void settle(struct closure *c, struct closure_result *out)
{
    for (uint32_t i = 1; i < c->nodes; i++) {
        struct pn_entry *entry = c->node[i].entry;

        if (c->node[i].struck) {
            entry->state = PN_OPEN;
            entry->phi = entry->delta = 1;
        } else {
            entry->state = PN_DISPROVEN;
            out->confirmed++;
        }
    }
    out->looked_at = c->nodes ? c->nodes - 1 : 0;
}

enum status closure_check(struct pn_table *t, const struct tables *o, const struct board *root,
                          enum side attacker, const atomic_bool *stop, struct closure_result *out,
                          struct error *e)
{
    struct closure c = {.table = t, .tables = o, .attacker = attacker};
    struct pn_key key = pn_key_of(root, attacker);
    struct pn_entry *entry = pn_table_entry(t, &key);
    enum status rc = STATUS_OK;
    bool stopped = false;

    *out = (struct closure_result){.root = entry ? (enum pn_state)entry->state : PN_OPEN};
    if (out->root != PN_TENTATIVE)
        return STATUS_OK;
    rc = node_add(&c, entry, e);
    for (uint32_t i = 1; !rc && !stopped && i < c.nodes; i++) { /* 1.  all that it can depend on */
        rc = node_expand(&c, i, e);
        stopped = stop && atomic_load_explicit(stop, memory_order_relaxed);
    }
    if (!rc && !stopped)
        rc = edges_sort(&c, e);
    if (stopped) {
        out->root = PN_OPEN;
    } else if (!rc) {
        strike(&c);      /* 2.  remove what does not hold, and what depends on that */
        settle(&c, out); /* 3. the rest holds */
        out->root = (enum pn_state)entry->state;
    }
    for (uint32_t i = 1; i < c.nodes; i++)
        c.node[i].entry->mark = 0;
    free(c.node);
    free(c.edge);
    free(c.parent);
    free(c.queue);
    return rc;
}
