/* SPDX-License-Identifier: MIT */
#include "proof/export.h"

#include "base/clock.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "proof/certificate_prune.h"
#include "proof/extract.h"
#include "proof/stored_claims.h"

#include <assert.h>

struct exporter {
    const struct tree *tree;
    const struct export_options *o;
    struct certificate *out;
    struct export_report *report;
    struct stored_claims stored;
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

static enum status stopped(const struct exporter *x, struct error *e)
{
    return x->o->stop && atomic_load(x->o->stop) ? error_set(e, STATUS_INTERRUPTED, "stopped")
                                                 : STATUS_OK;
}

static enum status question_solve(const struct exporter *x, const struct minimal_item *item,
                                  double seconds, struct error *e)
{
    const struct board *b = &x->tree->node[item->node].board;
    struct dfpn_limits limits = {seconds, 0};
    struct dfpn_work work = {0};
    enum pn_state verdict;
    char fen[FEN_TEXT_MAX];
    enum status rc = dfpn_ask(x->o->dfpn, b, item->attacker, limits, &verdict, &work, e);

    if (rc || (rc = stopped(x, e)))
        return rc;
    if (verdict == (item->wins ? PN_PROVEN : PN_DISPROVEN))
        return extract_question(
            x->o->dfpn, x->tree->tables, b, item->attacker, item->wins,
            (struct extract_limits){
                .search = limits, .together = true, .seconds = seconds, .stop = x->o->stop},
            x->out, e);
    fen_format(b, fen);
    return error_set(e, STATUS_MISMATCH, "%s: not solved again; give more --time", fen);
}

/* What earlier questions left in the table saves work, but a search that builds on it may fail to
 * show its proof: then once more from an empty table, in the time that is left. */
static enum status leaf_solve(const struct exporter *x, const struct minimal_item *item,
                              struct error *e)
{
    double began = clock_seconds(), left;
    enum status rc = question_solve(x, item, x->o->seconds, e);

    left = x->o->seconds - (clock_seconds() - began);
    if (rc != STATUS_MISMATCH || (x->o->seconds > 0 && left <= 0))
        return rc;
    dfpn_clear(x->o->dfpn);
    return question_solve(x, item, x->o->seconds > 0 ? left : 0, e);
}

static enum status leaf_write(struct exporter *x, const struct minimal_item *item, struct error *e)
{
    struct pack_question q = {x->tree->node[item->node].board, item->attacker, item->wins};
    bool found;
    enum status rc = stored_claims_add(&x->stored, &q, &found, e);

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

static enum status item_write(struct exporter *x, const struct minimal_item *item, struct error *e)
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
    struct exporter x = {t,
                         o,
                         out,
                         report,
                         {.store = t->store,
                          .tables = t->tables,
                          .stop = o->stop,
                          .out = out,
                          .tell = o->tell,
                          .context = o->context}};
    struct bounds b = tree_bounds(&t->node[root]);
    enum status rc = STATUS_OK;

    *report = (struct export_report){0};
    *out = (struct certificate){.root = t->node[root].board, .lower = b.lower, .upper = b.upper};
    for (size_t i = 0; !rc && i < m->items; i++) {
        if (!(rc = stopped(&x, e)))
            rc = item_write(&x, &m->item[i], e);
        if (o->done)
            atomic_store(o->done, i + 1);
    }
    stored_claims_free(&x.stored);
    if (!rc)
        rc = certificate_unique(out, e);                   /* (E1) */
    return rc ? rc : certificate_prune(out, t->tables, e); /* (E2) */
}
