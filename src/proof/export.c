/* SPDX-License-Identifier: MIT */
#include "proof/export.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "proof/extract.h"

#include <assert.h>

struct exporter {
    const struct tree *tree;
    const struct export_options *o;
    struct certificate *out;
};

/* The move that leads from one node to its successor. */
static struct move move_between(const struct tree_node *from, const struct tree_node *to)
{
    struct move_list list;

    moves_generate(&from->board, &list);
    for (int i = 0; i < list.count; i++) {
        struct board next = board_after(&from->board, &list.move[i]);

        if (board_equal(&next, &to->board))
            return list.move[i];
    }
    assert(!"an answer is a successor");
    return (struct move){0};
}

static enum status leaf_solve(const struct exporter *x, const struct minimal_item *item,
                              struct error *e)
{
    const struct board *b = &x->tree->node[item->node].board;
    struct dfpn_limits limits = {x->o->seconds, 0};
    struct dfpn_work work = {0};
    enum pn_state verdict;
    char fen[FEN_TEXT_MAX];
    enum status rc = dfpn_ask(x->o->dfpn, b, item->attacker, limits, &verdict, &work, e);

    if (rc)
        return rc;
    if (verdict == (item->wins ? PN_PROVEN : PN_DISPROVEN))
        return extract_question(x->o->dfpn, x->tree->tables, b, item->attacker, item->wins, limits,
                                x->out, e);
    fen_format(b, fen);
    return error_set(e, STATUS_MISMATCH, "%s: not solved again; give more --time", fen);
}

static enum status item_write(const struct exporter *x, const struct minimal_item *item,
                              struct error *e)
{
    const struct tree_node *n = &x->tree->node[item->node];
    struct claim c = {.pieces = placement_of(&n->board),
                      .turn = (uint8_t)n->board.turn,
                      .attacker = (uint8_t)item->attacker,
                      .wins = item->wins,
                      .by_solver = item->leaf};

    if (item->leaf && !x->o->words)
        return leaf_solve(x, item, e);
    if (item->answer != TREE_NONE) {
        struct move m = move_between(n, &x->tree->node[item->answer]);

        c.from = (uint8_t)square_number(m.from);
        c.to = (uint8_t)square_number(m.to);
    }
    return certificate_add(x->out, &c, e);
}

enum status export_certificate(const struct tree *t, uint32_t root, const struct minimal *m,
                               const struct export_options *o, struct certificate *out,
                               struct error *e)
{
    struct exporter x = {t, o, out};
    struct bounds b = tree_bounds(&t->node[root]);
    enum status rc = STATUS_OK;

    *out = (struct certificate){.root = t->node[root].board, .lower = b.lower, .upper = b.upper};
    for (size_t i = 0; !rc && i < m->items; i++) {
        rc = o->stop && atomic_load(o->stop) ? error_set(e, STATUS_INTERRUPTED, "stopped")
                                             : item_write(&x, &m->item[i], e);
        if (o->done)
            atomic_store(o->done, i + 1);
    }
    return rc ? rc : certificate_unique(out, e); /* (E1) */
}
