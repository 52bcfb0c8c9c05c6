/* SPDX-License-Identifier: MIT */
#include "proof/stored_claims.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "proof/check.h"

#include <stdio.h>
#include <stdlib.h>

enum { DEPTH_MAX = 200 }; /* plies that an answer is followed */

void stored_claims_free(struct stored_claims *s)
{
    for (int i = 0; i < STORED_CLAIMS_QUESTIONS; i++) {
        position_map_free(&s->tried[i]);
        position_map_free(&s->found[i]);
    }
}

static void tell(const struct stored_claims *s, const struct board *b, const char *why)
{
    char fen[FEN_TEXT_MAX], line[FEN_TEXT_MAX + sizeof((struct error *)0)->text + 64];

    if (!s->tell)
        return;
    fen_format(b, fen);
    snprintf(line, sizeof line, "the claims of %s cannot be used: %s", fen, why);
    s->tell(s->context, line);
}

/* --------------------------------------------------------------- under a question -- */

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
static enum status claims_read(const struct stored_claims *s, const struct pack_question *q,
                               struct certificate *c, struct error *e)
{
    struct check_options o = {.tables = s->tables, .stop = s->stop};
    struct bounds b = question_bounds(q);
    struct prover_claims kept;
    struct check_result result;
    uint8_t *bytes;
    enum status rc = s->store ? store_get_claims(s->store, q, &kept, &bytes, e)
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

/* Add the claims that are stored under the question. */
static enum status kept_add(struct stored_claims *s, const struct pack_question *q, bool *found,
                            struct error *e)
{
    struct certificate c = {0};
    struct error why = {0};
    enum status rc = claims_read(s, q, &c, &why);

    if (rc == STATUS_MISSING && !q->wins) {
        struct pack_question other = {q->root, side_other(q->attacker), true};

        certificate_free(&c);
        rc = claims_read(s, &other, &c, &why);
        claims_turn(&c);
    }
    *found = rc == STATUS_OK;
    for (size_t i = 0; !rc && i < c.claims; i++)
        rc = certificate_add(s->out, &c.claim[i], &why);
    certificate_free(&c);
    if (rc == STATUS_MISSING)
        return STATUS_OK;
    if (rc == STATUS_DAMAGED || rc == STATUS_MISMATCH) {
        tell(s, &q->root, why.text);
        return STATUS_OK;
    }
    return rc ? error_pass(e, &why) : STATUS_OK;
}

/* ----------------------------------------------------------------- by successors -- */

static enum status question_follow(struct stored_claims *s, const struct pack_question *q,
                                   int depth, bool *found, struct error *e);

/* Has the store a record that says so? */
static enum status record_says(const struct stored_claims *s, const struct pack_question *q,
                               bool *says, struct error *e)
{
    struct store_record r;
    struct error why = {0};
    struct bounds b = question_bounds(q);
    enum status rc = store_get(s->store, &q->root, &r, &why);

    *says = !rc && r.bounds.lower >= b.lower && r.bounds.upper <= b.upper;
    return rc && rc != STATUS_MISSING ? error_pass(e, &why) : STATUS_OK;
}

/* Do the tables, or else the store, answer the same question after a move? */
static enum status move_answers(struct stored_claims *s, const struct pack_question *q,
                                const struct move *m, int depth, bool *found, struct error *e)
{
    struct pack_question next = {board_after(&q->root, m), q->attacker, q->wins};
    enum value v;
    enum status rc;

    if (!tables_knows(s->tables, &next.root))
        return question_follow(s, &next, depth + 1, found, e);
    rc = tables_value_for(s->tables, &next.root, q->attacker, &v, e);
    *found = !rc && (v == VALUE_WIN) == q->wins;
    return rc;
}

static enum status successors_follow(struct stored_claims *s, const struct pack_question *q,
                                     int depth, bool *found, struct error *e)
{
    bool one = (q->root.turn == q->attacker) == q->wins; /* one move is enough */
    struct claim c = {.pieces = placement_of(&q->root),
                      .turn = (uint8_t)q->root.turn,
                      .attacker = (uint8_t)q->attacker,
                      .wins = q->wins};
    struct move_list list;
    enum status rc = STATUS_OK;

    moves_generate(&q->root, &list);
    *found = !one;
    for (int i = 0; !rc && *found != one && i < list.count; i++) {
        rc = move_answers(s, q, &list.move[i], depth, found, e);
        if (one && *found) {
            c.from = (uint8_t)square_number(list.move[i].from);
            c.to = (uint8_t)square_number(list.move[i].to);
        }
    }
    return rc || !*found ? rc : certificate_add(s->out, &c, e);
}

/* Mark a question as tried, or as found.  False if memory is short. */
static bool mark(struct position_map *map, const struct pack_question *q)
{
    return position_map_put(map, position_of(&q->root), 0);
}

/* *found: its claims are in the certificate.  A question that is being followed counts as not
 * found, so nothing depends on itself. */
static enum status question_follow(struct stored_claims *s, const struct pack_question *q,
                                   int depth, bool *found, struct error *e)
{
    int which = 2 * (int)q->attacker + q->wins;
    bool says = false;
    enum status rc;

    *found = position_map_get(&s->found[which], position_of(&q->root)) != POSITION_MAP_NONE;
    if (*found || position_map_get(&s->tried[which], position_of(&q->root)) != POSITION_MAP_NONE ||
        depth > DEPTH_MAX || s->count++ >= STORED_CLAIMS_MAX)
        return STATUS_OK;
    if (!mark(&s->tried[which], q))
        return error_no_memory(e);
    rc = kept_add(s, q, found, e);
    if (!rc && !*found && s->store && !(rc = record_says(s, q, &says, e)) && says)
        rc = successors_follow(s, q, depth, found, e);
    if (!rc && *found && !mark(&s->found[which], q))
        rc = error_no_memory(e);
    s->answers += *found;
    return rc;
}

/* A question that was tried while one that it needs was being followed may be answered the next
 * time: go on while there is something new. */
enum status stored_claims_add(struct stored_claims *s, const struct pack_question *q, bool *found,
                              struct error *e)
{
    enum status rc;
    int before;

    s->count = 0;
    do {
        for (int i = 0; i < STORED_CLAIMS_QUESTIONS; i++)
            position_map_free(&s->tried[i]);
        before = s->answers;
        rc = question_follow(s, q, 0, found, e);
    } while (!rc && !*found && s->answers > before);
    return rc;
}
