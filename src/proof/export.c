/* SPDX-License-Identifier: MIT */
#include "proof/export.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "proof/certificate_prune.h"
#include "proof/check.h"
#include "proof/extract.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct exporter {
    const struct tree *tree;
    const struct export_options *o;
    struct certificate *out;
    struct export_report *report;
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

/* ---------------------------------------------------------------------- leaves -- */

static void tell(const struct exporter *x, const struct board *b, const char *why)
{
    char fen[FEN_TEXT_MAX], line[FEN_TEXT_MAX + sizeof((struct error *)0)->text + 64];

    if (!x->o->tell)
        return;
    fen_format(b, fen);
    snprintf(line, sizeof line, "the claims of %s cannot be used: %s", fen, why);
    x->o->tell(x->o->context, line);
}

/* The bounds that the answer to one question gives. */
static struct bounds question_bounds(const struct pack_question *q)
{
    bool mover = q->root.turn == q->attacker;

    if (q->wins)
        return mover ? (struct bounds){VALUE_WIN, VALUE_WIN}
                     : (struct bounds){VALUE_LOSS, VALUE_LOSS};
    return mover ? (struct bounds){VALUE_LOSS, VALUE_DRAW} : (struct bounds){VALUE_DRAW, VALUE_WIN};
}

/* The claims of a question, if the store has them and they stand by themselves. */
static enum status claims_read(const struct exporter *x, const struct pack_question *q,
                               struct certificate *c, struct error *e)
{
    struct check_options o = {.tables = x->tree->tables, .stop = x->o->stop};
    struct bounds b = question_bounds(q);
    struct prover_claims kept;
    struct check_result result;
    uint8_t *bytes;
    enum status rc = x->tree->store ? store_get_claims(x->tree->store, q, &kept, &bytes, e)
                                    : error_set(e, STATUS_MISSING, "there is no store");

    if (rc)
        return rc;
    *c = (struct certificate){.root = q->root, .lower = b.lower, .upper = b.upper};
    rc = kept.kept == CLAIMS_KEPT ? pack_read(kept.bytes, kept.size, q, c, e)
                                  : error_set(e, STATUS_MISSING, "they were not kept");
    free(bytes);
    return rc ? rc : check_certificate(c, &o, &result, e);
}

/* A side that wins also keeps the other from winning, with the same moves in the same positions. */
static void claims_turn(struct certificate *c)
{
    for (size_t i = 0; i < c->claims; i++) {
        c->claim[i].attacker = !c->claim[i].attacker;
        c->claim[i].wins = false;
    }
}

/* *found: the store had them. */
static enum status leaf_keep(const struct exporter *x, const struct minimal_item *item, bool *found,
                             struct error *e)
{
    const struct board *b = &x->tree->node[item->node].board;
    struct pack_question q = {*b, item->attacker, item->wins};
    struct certificate c = {0};
    struct error why = {0};
    enum status rc = claims_read(x, &q, &c, &why);

    if (rc == STATUS_MISSING && !item->wins) {
        struct pack_question other = {*b, side_other(item->attacker), true};

        certificate_free(&c);
        rc = claims_read(x, &other, &c, &why);
        claims_turn(&c);
    }
    *found = rc == STATUS_OK;
    for (size_t i = 0; !rc && i < c.claims; i++)
        rc = certificate_add(x->out, &c.claim[i], &why);
    certificate_free(&c);
    if (rc == STATUS_MISSING)
        return STATUS_OK;
    if (rc == STATUS_DAMAGED || rc == STATUS_MISMATCH) {
        tell(x, b, why.text);
        return STATUS_OK;
    }
    return rc ? error_pass(e, &why) : STATUS_OK;
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

static enum status leaf_write(const struct exporter *x, const struct minimal_item *item,
                              struct error *e)
{
    bool found;
    enum status rc = leaf_keep(x, item, &found, e);

    if (rc)
        return rc;
    if (found) {
        x->report->kept++;
        return STATUS_OK;
    }
    x->report->solved++;
    return leaf_solve(x, item, e);
}

/* ----------------------------------------------------------------------- whole -- */

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
        return leaf_write(x, item, e);
    x->report->words += item->leaf;
    if (item->answer != TREE_NONE) {
        struct move m = move_between(n, &x->tree->node[item->answer]);

        c.from = (uint8_t)square_number(m.from);
        c.to = (uint8_t)square_number(m.to);
    }
    return certificate_add(x->out, &c, e);
}

enum status export_certificate(const struct tree *t, uint32_t root, const struct minimal *m,
                               const struct export_options *o, struct certificate *out,
                               struct export_report *report, struct error *e)
{
    struct exporter x = {t, o, out, report};
    struct bounds b = tree_bounds(&t->node[root]);
    enum status rc = STATUS_OK;

    *report = (struct export_report){0};
    *out = (struct certificate){.root = t->node[root].board, .lower = b.lower, .upper = b.upper};
    for (size_t i = 0; !rc && i < m->items; i++) {
        rc = o->stop && atomic_load(o->stop) ? error_set(e, STATUS_INTERRUPTED, "stopped")
                                             : item_write(&x, &m->item[i], e);
        if (o->done)
            atomic_store(o->done, i + 1);
    }
    if (!rc)
        rc = certificate_unique(out, e);                   /* (E1) */
    return rc ? rc : certificate_prune(out, t->tables, e); /* (E2) */
}
