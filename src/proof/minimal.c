/* SPDX-License-Identifier: MIT */
#include "proof/minimal.h"
#include "base/array.h"

#include <stdlib.h>

struct maker {
    struct tree *t;
    struct minimal *out;
    uint8_t *seen; /* by node: one bit for each question */
    struct error *e;
};

void minimal_free(struct minimal *m)
{
    free(m->item);
    *m = (struct minimal){0};
}

static unsigned question_bit(enum side attacker, bool wins)
{
    return 1u << (2 * attacker + wins);
}

static unsigned flag_of(bool wins)
{
    return wins ? TREE_WINS : TREE_HOLDS;
}

/* Does it follow from the position's own record? */
static bool own_result(const struct tree_node *n, enum side attacker, bool wins)
{
    bool mover = n->board.turn == attacker;
    enum value least = mover ? n->record.own.lower : value_negate(n->record.own.upper);
    enum value most = mover ? n->record.own.upper : value_negate(n->record.own.lower);

    return wins ? least == VALUE_WIN : most != VALUE_WIN;
}

static enum status item_add(struct maker *k, uint32_t node, enum side attacker, bool wins, int ply)
{
    const struct tree_node *n = &k->t->node[node];
    unsigned bit = question_bit(attacker, wins);

    if (k->seen[node] & bit)
        return STATUS_OK;
    k->seen[node] |= (uint8_t)bit;
    if (n->by_table) {
        k->out->table_leaves++;
        return STATUS_OK;
    }
    if (!array_room((void **)&k->out->item, &k->out->room, k->out->items + 1, sizeof *k->out->item))
        return error_set(k->e, STATUS_NO_MEMORY, "not enough memory for a minimal tree");
    k->out->item[k->out->items++] =
        (struct minimal_item){node, attacker, wins, own_result(n, attacker, wins), TREE_NONE, ply};
    k->out->longest = ply > k->out->longest ? ply : k->out->longest;
    return STATUS_OK;
}

/* Choose one sufficient successor: one in the tables, else one already included, a leaf, any. */
static uint32_t answer_choose(const struct maker *k, const struct minimal_item *item)
{
    const struct tree_node *n = &k->t->node[item->node];
    uint32_t best = TREE_NONE;
    int best_rank = -1;

    for (uint32_t i = 0; i < n->count; i++) {
        uint32_t child = k->t->edge[n->first + i].child;
        const struct tree_node *c = &k->t->node[child];
        bool seen = k->seen[child] & question_bit(item->attacker, item->wins);
        int rank = c->by_table ? 3 : seen ? 2 : own_result(c, item->attacker, item->wins);

        if (!(c->exact[item->attacker] & flag_of(item->wins)))
            continue;
        if (item->wins && c->rank[item->attacker] >= n->rank[item->attacker])
            continue; /* it may depend on this node */
        if (rank > best_rank) {
            best_rank = rank;
            best = child;
        }
    }
    return best;
}

static enum status item_follow(struct maker *k, size_t at)
{
    struct minimal_item item = k->out->item[at];
    const struct tree_node *n = &k->t->node[item.node];
    bool one = (n->board.turn == item.attacker) == item.wins;
    enum status rc = STATUS_OK;

    if (item.leaf) {
        k->out->leaves++;
        return STATUS_OK;
    }
    if (one) {
        k->out->item[at].answer = answer_choose(k, &item);
        if (k->out->item[at].answer == TREE_NONE)
            return error_set(k->e, STATUS_MISMATCH, "the tree does not hold what it claims");
        return item_add(k, k->out->item[at].answer, item.attacker, item.wins, item.ply + 1);
    }
    for (uint32_t i = 0; !rc && i < n->count; i++)
        rc = item_add(k, k->t->edge[n->first + i].child, item.attacker, item.wins, item.ply + 1);
    return rc;
}

/* Sort leaves first, then by rank. */
struct keyed_item {
    uint64_t key;
    struct minimal_item item;
};

static int order_compare(const void *a, const void *b)
{
    uint64_t x = ((const struct keyed_item *)a)->key, y = ((const struct keyed_item *)b)->key;

    return x < y ? -1 : x > y;
}

static enum status items_sort(struct maker *k)
{
    size_t n = k->out->items;
    struct keyed_item *order = malloc((n + 1) * sizeof *order);

    if (!order)
        return error_set(k->e, STATUS_NO_MEMORY, "not enough memory for a minimal tree");
    for (size_t i = 0; i < n; i++) {
        const struct minimal_item *item = &k->out->item[i];
        uint64_t rank = item->leaf ? 0 : k->t->node[item->node].rank[item->attacker];

        order[i] = (struct keyed_item){(rank + !item->leaf) << 32 | i, *item};
    }
    qsort(order, n, sizeof *order, order_compare);
    for (size_t i = 0; i < n; i++)
        k->out->item[i] = order[i].item;
    free(order);
    return STATUS_OK;
}

static enum status roots_add(struct maker *k, uint32_t root)
{
    const struct tree_node *n = &k->t->node[root];
    enum status rc = STATUS_OK;

    for (enum side s = BLACK; s <= WHITE; s++)
        if (n->exact[s] & TREE_WINS) /* then the other side's hold follows */
            return item_add(k, root, s, true, 0);
    for (enum side s = BLACK; !rc && s <= WHITE; s++)
        if (n->exact[s] & TREE_HOLDS)
            rc = item_add(k, root, s, false, 0);
    return rc;
}

enum status minimal_make(struct tree *t, uint32_t root, struct minimal *out, struct error *e)
{
    struct maker k = {t, out, calloc(t->nodes + 1, 1), e};
    enum status rc;

    *out = (struct minimal){0};
    if (!k.seen)
        return error_set(e, STATUS_NO_MEMORY, "not enough memory for a minimal tree");
    rc = roots_add(&k, root);
    for (size_t i = 0; !rc && i < out->items; i++)
        rc = item_follow(&k, i);
    if (!rc)
        rc = items_sort(&k);
    free(k.seen);
    if (rc)
        minimal_free(out);
    return rc;
}
