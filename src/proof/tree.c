/* SPDX-License-Identifier: MIT */
#include "proof/tree.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "base/array.h"

#include <stdlib.h>

void tree_close(struct tree *t)
{
    key_map_free(&t->map);
    free(t->node);
    free(t->child);
    *t = (struct tree){0};
}

/* --------------------------------------------------------------------- growing -- */

static enum status no_memory(struct error *e)
{
    return error_set(e, STATUS_NO_MEMORY, "not enough memory for the tree of a proof");
}

/* The store may know a position from a time when the tables did not: they must agree. */
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

static enum status node_get(struct tree *t, const struct board *b, uint32_t *out, struct error *e)
{
    struct pn_key key = pn_key_of(b, BLACK);
    int64_t at = key_map_get(&t->map, &key);
    enum status rc;

    *out = (uint32_t)at;
    if (at != KEY_MAP_NONE)
        return STATUS_OK;
    *out = (uint32_t)t->nodes;
    if (!array_room((void **)&t->node, &t->node_room, t->nodes + 1, sizeof *t->node))
        return no_memory(e);
    t->node[t->nodes] = (struct tree_node){.board = *b};
    if ((rc = node_load(t, &t->node[t->nodes], e)))
        return rc;
    if (!key_map_put(&t->map, &key, *out))
        return no_memory(e);
    t->nodes++;
    return STATUS_OK;
}

/* What the search of a position saw of its moves goes to the nodes after them. */
static enum status numbers_load(struct tree *t, const struct tree_node *n, struct error *e)
{
    struct solve_numbers after[MOVES_MAX];
    struct error why;
    int count = 0;
    enum status rc =
        t->store ? store_get_numbers(t->store, &n->board, after, &count, &why) : STATUS_MISSING;

    for (uint32_t k = 0; !rc && k < (uint32_t)count && k < n->count; k++)
        t->node[t->child[n->first + k]].seen = after[k];
    return rc && rc != STATUS_MISSING ? error_pass(e, &why) : STATUS_OK;
}

/* The successors of a node, one for each move. */
static enum status node_children(struct tree *t, uint32_t i, struct error *e)
{
    struct board b = t->node[i].board;
    struct move_list list;
    enum status rc = STATUS_OK;
    size_t first = t->children;

    moves_generate(&b, &list);
    if (!array_room((void **)&t->child, &t->child_room, first + (size_t)list.count,
                    sizeof *t->child))
        return no_memory(e);
    for (int m = 0; !rc && m < list.count; m++) {
        struct board next = board_after(&b, &list.move[m]);
        uint32_t child;

        if (!(rc = node_get(t, &next, &child, e)))
            t->child[t->children++] = child;
    }
    t->node[i].first = (uint32_t)first;
    t->node[i].count = (uint32_t)(t->children - first);
    return rc ? rc : numbers_load(t, &t->node[i], e);
}

/* Nodes from `i` on are new: follow those that the store says are expanded. */
static enum status nodes_follow(struct tree *t, uint32_t i, struct error *e)
{
    enum status rc = STATUS_OK;

    for (; !rc && i < t->nodes; i++)
        if (t->node[i].record.expanded)
            rc = node_children(t, i, e);
    return rc;
}

enum status tree_add(struct tree *t, const struct board *b, uint32_t *out, struct error *e)
{
    uint32_t before = (uint32_t)t->nodes;
    enum status rc = node_get(t, b, out, e);

    return rc ? rc : nodes_follow(t, before, e);
}

enum status tree_expand(struct tree *t, uint32_t i, struct error *e)
{
    uint32_t before = (uint32_t)t->nodes;
    enum status rc = node_children(t, i, e);

    if (!rc) {
        t->node[i].record.expanded = true;
        rc = t->store ? store_put(t->store, &t->node[i].board, &t->node[i].record, e) : STATUS_OK;
    }
    return rc ? rc : nodes_follow(t, before, e);
}

/* ------------------------------------------------------------------ evaluating -- */

static unsigned flags_from_bounds(const struct tree_node *n, enum side side)
{
    bool mover = n->board.turn == side;
    enum value lower = n->record.own.lower, upper = n->record.own.upper;
    enum value best = mover ? upper : value_negate(lower);  /* the most that side can get */
    enum value worst = mover ? lower : value_negate(upper); /* the least */

    return (worst == VALUE_WIN ? TREE_WINS : 0) | (best != VALUE_WIN ? TREE_HOLDS : 0);
}

/* What a score says at a threshold; only of positions without successors in the tree. */
static unsigned flags_from_score(const struct tree_node *n, enum side side, int threshold)
{
    int score = n->board.turn == side ? n->record.score : -n->record.score;

    if (!threshold || !n->has_record || n->by_table || n->record.expanded)
        return 0;
    return score >= threshold ? TREE_WINS : score <= -threshold ? TREE_HOLDS : 0;
}

static uint8_t *flags_of(struct tree_node *n, enum side side, bool exact)
{
    return exact ? &n->exact[side] : &n->likely[side];
}

/* Does a flag follow from the successors?  Of a win the side to move needs one if it is
 * the side that wins, all otherwise; of a hold it is the other way round. */
static bool flag_follows(struct tree *t, const struct tree_node *n, enum side side, bool exact,
                         unsigned flag)
{
    bool one = (n->board.turn == side) == (flag == TREE_WINS);

    for (uint32_t k = 0; k < n->count; k++) {
        bool has = *flags_of(&t->node[t->child[n->first + k]], side, exact) & flag;

        if (has == one)
            return one;
    }
    return !one;
}

/* Least set: add what follows until nothing does.  What is proven to be no win is none for
 * the time being either, whatever scores below it say. */
static void spread_wins(struct tree *t, enum side side, bool exact)
{
    unsigned settled = exact ? TREE_WINS : TREE_WINS | TREE_HOLDS;
    uint32_t rank = 1;
    bool changed = true;

    while (changed) {
        changed = false;
        for (size_t i = t->nodes; i-- > 0;) {
            struct tree_node *n = &t->node[i];
            uint8_t *flags = flags_of(n, side, exact);

            if (*flags & settled || !n->record.expanded ||
                !flag_follows(t, n, side, exact, TREE_WINS))
                continue;
            *flags |= TREE_WINS;
            if (exact)
                n->rank[side] = rank++;
            changed = true;
        }
    }
}

/* Largest set: begin with all that might, strike out what does not follow. */
static void spread_holds(struct tree *t, enum side side, bool exact)
{
    bool changed = true;

    for (size_t i = 0; i < t->nodes; i++)
        if (t->node[i].record.expanded && !(*flags_of(&t->node[i], side, exact) & TREE_WINS))
            *flags_of(&t->node[i], side, exact) |= TREE_HOLDS;
    while (changed) {
        changed = false;
        for (size_t i = t->nodes; i-- > 0;) {
            struct tree_node *n = &t->node[i];
            uint8_t *flags = flags_of(n, side, exact);

            if (!(*flags & TREE_HOLDS) || !n->record.expanded ||
                flags_from_bounds(n, side) & TREE_HOLDS ||
                flag_follows(t, n, side, exact, TREE_HOLDS))
                continue;
            *flags &= (uint8_t)~TREE_HOLDS;
            changed = true;
        }
    }
}

void tree_evaluate(struct tree *t, int threshold)
{
    for (int exact = 1; exact >= 0; exact--)
        for (enum side side = BLACK; side <= WHITE; side++) {
            for (size_t i = 0; i < t->nodes; i++) {
                struct tree_node *n = &t->node[i];
                unsigned flags = exact ? flags_from_bounds(n, side) : n->exact[side];

                if (!exact && !flags)
                    flags = flags_from_score(n, side, threshold);
                *flags_of(n, side, exact) = (uint8_t)flags;
                if (exact)
                    n->rank[side] = 0;
            }
            spread_wins(t, side, exact);
            spread_holds(t, side, exact);
        }
}

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

    for (size_t i = 0; !rc && i < t->nodes; i++) {
        struct tree_node *n = &t->node[i];
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
