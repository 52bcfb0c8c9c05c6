/* SPDX-License-Identifier: MIT */
#include "proof/certificate_prune.h"
#include "core/movegen.h"
#include "proof/claim_index.h"

#include <stdlib.h>

struct pruner {
    const struct certificate *c;
    const struct tables *tables;
    struct claim_index index;
    bool *needed;    /* by claim */
    uint32_t *stack; /* claims whose premises must still be found */
    size_t waiting;
};

/* A claim like `like` about b, unless the tables know b. */
static void pruner_add(struct pruner *p, const struct board *b, const struct claim *like)
{
    int64_t at;

    if (tables_knows(p->tables, b))
        return;
    at = claim_index_find(&p->index, b, (enum side)like->attacker, like->wins);
    if (at < 0 || p->needed[at])
        return;
    p->needed[at] = true;
    p->stack[p->waiting++] = (uint32_t)at;
}

/* Add what a claim depends on.  Moves with the named ends may lead to several positions (P2). */
static void pruner_step(struct pruner *p)
{
    const struct claim *c = &p->c->claim[p->stack[--p->waiting]];
    struct board b = claim_board(c);
    struct move_list list;

    if (c->by_solver)
        return;
    moves_generate(&b, &list);
    for (int i = 0; i < list.count; i++) {
        struct board next = board_after(&b, &list.move[i]);

        if (!c->from || (square_number(list.move[i].from) == c->from &&
                         square_number(list.move[i].to) == c->to))
            pruner_add(p, &next, c);
    }
}

static void pruner_run(struct pruner *p)
{
    for (int question = 0; question < 4; question++) {
        struct claim like = {.attacker = question & 1, .wins = question & 2};

        pruner_add(p, &p->c->root, &like);
    }
    while (p->waiting > 0)
        pruner_step(p);
}

enum status certificate_prune(struct certificate *c, const struct tables *t, struct error *e)
{
    struct pruner p = {.c = c,
                       .tables = t,
                       .needed = calloc(c->claims + 1, sizeof *p.needed),
                       .stack = malloc((c->claims + 1) * sizeof *p.stack)};
    enum status rc = p.needed && p.stack
                         ? claim_index_open(&p.index, c, e)
                         : error_set(e, STATUS_NO_MEMORY, "not enough memory to prune a proof");
    size_t n = 0;

    if (!rc) {
        pruner_run(&p);
        for (size_t i = 0; i < c->claims; i++)
            if (p.needed[i])
                c->claim[n++] = c->claim[i];
        c->claims = n;
        claim_index_close(&p.index);
    }
    free(p.needed);
    free(p.stack);
    return rc;
}
