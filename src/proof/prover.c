/* SPDX-License-Identifier: MIT */
#include "proof/prover.h"
#include "base/clock.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "proof/extract.h"
#include "search/search.h"

#include <stdlib.h>

enum { ITEM_BYTES = 512 }; /* of memory for each position that claims are taken from */

/* Taking claims may last so much longer than the solver may: the last part of a deep search can be
 * a short one, while its proof rests on all parts before it. */
static const double claims_seconds = 15;

struct prover {
    struct prover_options o;
    struct search *search;
    struct dfpn *dfpn;
    struct pack pack[2];
};

enum status prover_open(struct prover **out, const struct prover_options *o, struct error *e)
{
    struct prover *b = calloc(1, sizeof *b);
    struct search_options look = {
        .hash = (size_t)(o->memory / 8), .threads = 1, .tables = o->tables, .no_distances = true};
    struct dfpn_options solve = {.tables = o->tables,
                                 .memory = o->memory - o->memory / 8,
                                 .threads = 1,
                                 .knobs = dfpn_default,
                                 .stop = o->stop};
    enum status rc;

    *out = b;
    if (!b)
        return error_set(e, STATUS_NO_MEMORY, "not enough memory for a prover");
    b->o = *o;
    if ((rc = search_open(&b->search, &look, e)) || (rc = dfpn_open(&b->dfpn, &solve, e)))
        prover_close(out);
    return rc;
}

void prover_close(struct prover **b)
{
    if (*b) {
        search_close(&(*b)->search);
        dfpn_close(&(*b)->dfpn);
        pack_free(&(*b)->pack[BLACK]);
        pack_free(&(*b)->pack[WHITE]);
    }
    free(*b);
    *b = NULL;
}

/* The player's result may be proven too; then it must not contradict the solver's. */
static enum status compare(const struct board *b, const struct search_line *line,
                           struct bounds bounds, struct error *e)
{
    char fen[FEN_TEXT_MAX];

    if (!line->proven || (bounds.lower <= line->value && line->value <= bounds.upper))
        return STATUS_OK;
    fen_format(b, fen);
    return error_set(e, STATUS_MISMATCH, "%s: the solver says %s, the player proves %s", fen,
                     bounds_name(bounds), bounds_name((struct bounds){line->value, line->value}));
}

/* The numbers of each move, as far as the solver's table still has them. */
static void numbers_read(struct dfpn *d, struct prover_result *out)
{
    struct move_list list;

    out->moves = moves_generate(&out->board, &list);
    for (int i = 0; i < list.count; i++) {
        struct board next = board_after(&out->board, &list.move[i]);

        out->after[i] = (struct solve_numbers){{0}, {0}};
        for (enum side attacker = BLACK; attacker <= WHITE; attacker++) {
            struct pn_key key = pn_key_of(&next, attacker);
            struct pn_numbers n;

            if (!pn_table_get(dfpn_table(d), &key, &n) || n.state != PN_OPEN)
                continue;
            out->after[i].proof[attacker] = next.turn == attacker ? n.phi : n.delta;
            out->after[i].disproof[attacker] = next.turn == attacker ? n.delta : n.phi;
        }
    }
}

/* ---------------------------------------------------------------------- claims -- */

/* If the search has lost the proof, or it is too large, or the prover is to stop, only that is
 * recorded. */
static enum status claims_fail(enum status rc, struct prover_claims *out, const struct error *why,
                               struct error *e)
{
    out->kept = rc == STATUS_OVERFLOW ? CLAIMS_LARGE : CLAIMS_LOST;
    return rc == STATUS_OVERFLOW || rc == STATUS_MISMATCH || rc == STATUS_INTERRUPTED
               ? STATUS_OK
               : error_pass(e, why);
}

/* The most positions that a proof may take.  With many provers each has little memory, but the
 * table of their deep search has half of all. */
static size_t items_most(const struct prover *b, const struct dfpn *d)
{
    uint64_t half = dfpn_memory(d) / 2;

    return (size_t)((half > b->o.memory ? half : b->o.memory) / ITEM_BYTES);
}

/* `seconds`: what has been spent on the other question. */
static enum status question_pack(struct prover *b, struct dfpn *d, const struct prover_task *task,
                                 enum side attacker, bool wins, double seconds,
                                 struct prover_claims *out, struct error *e)
{
    double solve = task->limits.solve, left = solve > 0 ? solve + claims_seconds - seconds : 0;
    struct extract_limits limits = {{left < solve ? left : solve, task->limits.solve_nodes},
                                    .together = true,
                                    .seconds = left,
                                    .items = items_most(b, d),
                                    .stop = b->o.stop};
    struct pack_question q = {task->board, attacker, wins};
    struct pack *pack = &b->pack[attacker];
    struct certificate c = {0};
    struct error why = {0};
    enum status rc;

    out->wins = wins;
    if (solve > 0 && left <= 0) {
        out->kept = CLAIMS_LOST;
        return STATUS_OK;
    }
    rc = extract_question(d, b->o.tables, &task->board, attacker, wins, limits, &c, &why);
    if (!rc && c.claims && !(rc = pack_write(pack, &q, &c, &why)) && pack->size > task->claims)
        rc = STATUS_OVERFLOW;
    if (rc)
        rc = claims_fail(rc, out, &why, e);
    else if (c.claims)
        *out = (struct prover_claims){CLAIMS_KEPT, wins, pack->bytes, pack->size};
    certificate_free(&c);
    return rc;
}

/* The claims for what the solver found beyond the known bounds. */
static enum status claims_take(struct prover *b, struct dfpn *d, const struct prover_task *task,
                               struct prover_result *out, struct error *e)
{
    enum side us = task->board.turn, them = side_other(us);
    struct bounds before = task->known, now = out->bounds;
    double began = clock_seconds();
    enum status rc = STATUS_OK;

    if (!task->claims || !bounds_narrower(now, before))
        return STATUS_OK;
    if (now.lower == VALUE_WIN)
        return question_pack(b, d, task, us, true, 0, &out->claims[us], e);
    if (now.upper == VALUE_LOSS)
        return question_pack(b, d, task, them, true, 0, &out->claims[them], e);
    if (now.lower > before.lower)
        rc = question_pack(b, d, task, them, false, 0, &out->claims[them], e);
    if (!rc && now.upper < before.upper)
        rc = question_pack(b, d, task, us, false, clock_seconds() - began, &out->claims[us], e);
    return rc;
}

/* ------------------------------------------------------------------------- run -- */

/* The player found the position worth the solver's time. */
static enum status solve(struct prover *b, struct dfpn *d, const struct prover_task *task,
                         struct prover_result *out, struct error *e)
{
    struct dfpn_limits limits = {task->limits.solve, task->limits.solve_nodes};
    struct solve_hint hint = {task->known, out->score, {task->idle[BLACK], task->idle[WHITE]}};
    struct solution s = {.bounds = task->known};
    enum status rc = solve_position(d, &task->board, hint, limits, &s, e);

    out->bounds = s.bounds;
    out->nodes += s.work.nodes;
    out->seconds += s.work.seconds;
    if (!bounds_closed(out->bounds))
        numbers_read(d, out);
    return rc ? rc : claims_take(b, d, task, out, e);
}

/* The same with the table that the task wants. */
static enum status solve_begin(struct prover *b, const struct prover_task *task,
                               struct prover_result *out, struct error *e)
{
    struct dfpn *deep = task->table == PROVER_DEEP && b->o.deep
                            ? deep_search_borrow(b->o.deep, &task->board, b->o.stop)
                            : NULL;
    enum status rc;

    if (deep) {
        rc = solve(b, deep, task, out, e);
        deep_search_return(b->o.deep);
        return rc;
    }
    if (task->table == PROVER_EMPTY)
        dfpn_clear(b->dfpn);
    else
        dfpn_next(b->dfpn);
    return solve(b, b->dfpn, task, out, e);
}

enum status prover_run(struct prover *b, const struct prover_task *task, struct prover_result *out,
                       struct error *e)
{
    struct search_limits look = {.seconds = task->limits.look,
                                 .nodes = task->limits.look_nodes,
                                 .stop = b->o.stop,
                                 .end_when_proven = true};
    struct search_result r;
    enum status rc;
    int score;

    *out = (struct prover_result){.board = task->board, .bounds = task->known};
    if (task->table == PROVER_EMPTY)
        search_clear(b->search);
    if ((rc = search_run(b->search, &task->board, NULL, 0, &look, &r, e)))
        return rc;
    score = r.lines ? score_clamp(r.line[0].score, SCORE_EVAL_MAX) : -SCORE_EVAL_MAX;
    out->score = score;
    out->threshold = task->threshold;
    out->nodes = r.nodes;
    out->seconds = r.seconds;
    out->solved = abs(score) < 2 * task->threshold;
    if (!out->solved)
        return STATUS_OK;
    rc = solve_begin(b, task, out, e);
    return rc || !r.lines ? rc : compare(&task->board, &r.line[0], out->bounds, e);
}
