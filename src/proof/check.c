/* SPDX-License-Identifier: MIT */
#include "proof/check.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "proof/resolve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOWHERE = -1 };

/* The subject of a claim, ordered for searching. */
struct subject {
    struct placement pieces;
    uint8_t turn, attacker, wins, unused; /* no padding: compared as bytes */
    uint32_t number;                      /* of the claim */
};

struct checker {
    const struct certificate *c;
    const struct check_options *o;
    struct subject *subject; /* sorted; of equal ones the first claim's */
    size_t subjects;
    struct check_result *result;
    char missing[200]; /* the table that lacks the last move's position, if it has no claim */
};

/* -------------------------------------------------------------------- finding -- */

static struct subject subject_of(const struct claim *c, size_t number)
{
    return (struct subject){c->pieces, c->turn, c->attacker, c->wins, 0, (uint32_t)number};
}

static int subject_compare(const void *a, const void *b)
{
    return memcmp(a, b, offsetof(struct subject, number));
}

static int subject_compare_all(const void *a, const void *b)
{
    const struct subject *x = a, *y = b;
    int order = subject_compare(a, b);

    return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* Of equal claims the first counts: it must be valid at its place, and others may depend on it. */
static void subjects_sort(struct checker *k)
{
    for (size_t i = 0; i < k->c->claims; i++)
        k->subject[i] = subject_of(&k->c->claim[i], i);
    qsort(k->subject, k->c->claims, sizeof *k->subject, subject_compare_all);
    k->subjects = 0;
    for (size_t i = 0; i < k->c->claims; i++)
        if (k->subjects == 0 || subject_compare(&k->subject[k->subjects - 1], &k->subject[i]) != 0)
            k->subject[k->subjects++] = k->subject[i];
}

/* The number of the claim about b, or NOWHERE. */
static int64_t claim_find(const struct checker *k, const struct board *b, const struct claim *like)
{
    struct claim wanted = {.pieces = placement_of(b),
                           .turn = (uint8_t)b->turn,
                           .attacker = like->attacker,
                           .wins = like->wins};
    struct subject key = subject_of(&wanted, 0), *found;

    found =
        k->subjects ? bsearch(&key, k->subject, k->subjects, sizeof key, subject_compare) : NULL;
    return found ? (int64_t)found->number : NOWHERE;
}

/* ------------------------------------------------------------------- one claim -- */

/* Is the position after a move of claim `number` what the claim needs? */
static enum status child_stands(struct checker *k, size_t number, const struct board *b, bool *yes,
                                struct error *e)
{
    const struct claim *c = &k->c->claim[number];
    int64_t at = claim_find(k, b, c);
    enum value v;
    enum status rc;

    k->result->moves++;
    k->missing[0] = '\0';
    if (at != NOWHERE) {
        *yes = !c->wins || (size_t)at < number; /* (P1) */
        return STATUS_OK;
    }
    *yes = false;
    rc = tables_value_for(k->o->tables, b, c->attacker, &v, e);
    if (rc == STATUS_MISSING) { /* neither a claim nor in the tables */
        if (e)
            snprintf(k->missing, sizeof k->missing, "; there is no claim, and in %.140s", e->text);
        return STATUS_OK;
    }
    if (rc)
        return rc;
    k->result->probes++;
    *yes = (v == VALUE_WIN) == c->wins;
    return STATUS_OK;
}

/* The side to move chooses: one move with the named ends is enough. */
static enum status choice_stands(struct checker *k, size_t number, const struct board *b, bool *yes,
                                 struct error *e)
{
    const struct claim *c = &k->c->claim[number];
    struct move_list list;
    enum status rc = STATUS_OK;

    *yes = false;
    moves_generate(b, &list);
    for (int i = 0; !rc && !*yes && i < list.count; i++) {
        const struct move *m = &list.move[i];
        struct board next = board_after(b, m);

        if (square_number(m->from) == c->from && square_number(m->to) == c->to)
            rc = child_stands(k, number, &next, yes, e);
    }
    return rc;
}

/* The other side is to move: all moves must be answered. */
static enum status all_stand(struct checker *k, size_t number, const struct board *b, bool *yes,
                             struct move *failing, struct error *e)
{
    struct move_list list;
    enum status rc = STATUS_OK;

    *yes = true;
    moves_generate(b, &list);
    for (int i = 0; !rc && *yes && i < list.count; i++) {
        struct board next = board_after(b, &list.move[i]);

        rc = child_stands(k, number, &next, yes, e);
        *failing = list.move[i];
    }
    return rc;
}

static enum status claim_refuse(struct checker *k, size_t number, const char *what,
                                const struct move *m, struct error *e)
{
    const struct claim *c = &k->c->claim[number];
    struct board b = claim_board(c);
    char fen[FEN_TEXT_MAX], move[MOVE_TEXT_MAX] = "";

    k->result->wrong = number;
    fen_format(&b, fen);
    if (m)
        move_format(m, NULL, MOVE_NUMBERS, move);
    return error_set(e, STATUS_MISMATCH, "claim %zu, %s: %s %s: %s%s%s", number, fen,
                     side_name((enum side)c->attacker), c->wins ? "wins" : "does not win", what,
                     move, k->missing);
}

static enum status claim_resolve(struct checker *k, size_t number, struct error *e)
{
    const struct claim *c = &k->c->claim[number];
    struct board b = claim_board(c);
    enum resolve_answer answer = RESOLVE_OPEN;
    enum status rc = STATUS_OK;

    if (k->o->resolve_limit)
        rc = resolve_position(k->o->tables, &b, (enum side)c->attacker, k->o->resolve_limit,
                              k->o->stop, &answer, e);
    if (rc)
        return rc;
    k->result->resolved++;
    if (answer == (c->wins ? RESOLVE_WINS : RESOLVE_HOLDS))
        return STATUS_OK;
    return claim_refuse(k, number,
                        answer == RESOLVE_OPEN
                            ? "proven only by the solver, and not solved again here"
                            : "solved again, it is wrong",
                        NULL, e);
}

static enum status claim_check(struct checker *k, size_t number, struct error *e)
{
    const struct claim *c = &k->c->claim[number];
    struct board b = claim_board(c);
    bool chooses = (c->turn == c->attacker) == c->wins, yes;
    struct move failing = {0};
    enum status rc;

    if (c->by_solver)
        return claim_resolve(k, number, e);
    if (chooses) {
        rc = choice_stands(k, number, &b, &yes, e);
        if (!rc && !yes)
            rc = claim_refuse(k, number, "the move named does not lead to it", NULL, e);
        return rc;
    }
    rc = all_stand(k, number, &b, &yes, &failing, e);
    if (!rc && !yes)
        rc = claim_refuse(k, number, "no answer to ", &failing, e);
    return rc;
}

/* ------------------------------------------------------------------------ whole -- */

/* Is "attacker wins" (or "does not win") established for the root? */
static enum status root_stands(struct checker *k, enum side attacker, bool wins, struct error *e)
{
    struct claim like = {.attacker = (uint8_t)attacker, .wins = wins};
    enum value v = VALUE_DRAW;
    enum status rc;

    if (claim_find(k, &k->c->root, &like) != NOWHERE)
        return STATUS_OK;
    rc = tables_value_for(k->o->tables, &k->c->root, attacker, &v, e);
    if (rc && rc != STATUS_MISSING)
        return rc;
    if (!rc && (v == VALUE_WIN) == wins)
        return STATUS_OK;
    return error_set(e, STATUS_MISMATCH, "the root: no claim that %s %s, which the bounds need",
                     side_name(attacker), wins ? "wins" : "does not win");
}

static enum status bounds_stand(struct checker *k, struct error *e)
{
    enum side us = k->c->root.turn, them = side_other(us);
    enum value lower = k->c->lower, upper = k->c->upper;
    enum status rc = STATUS_OK;

    if (lower == VALUE_WIN)
        return root_stands(k, us, true, e);
    if (upper == VALUE_LOSS)
        return root_stands(k, them, true, e);
    if (lower == VALUE_DRAW)
        rc = root_stands(k, them, false, e);
    if (!rc && upper == VALUE_DRAW)
        rc = root_stands(k, us, false, e);
    return rc;
}

static enum status check_all(struct checker *k, struct error *e)
{
    enum status rc = STATUS_OK;

    for (size_t i = 0; !rc && i < k->c->claims; i++) {
        rc = claim_check(k, i, e);
        k->result->claims++;
        if (k->o->done)
            atomic_fetch_add_explicit(k->o->done, 1, memory_order_relaxed);
        if (!rc && k->o->stop && atomic_load_explicit(k->o->stop, memory_order_relaxed))
            rc = error_set(e, STATUS_INTERRUPTED, "stopped");
    }
    return rc ? rc : bounds_stand(k, e);
}

enum status check_certificate(const struct certificate *c, const struct check_options *o,
                              struct check_result *result, struct error *e)
{
    struct checker k = {.c = c, .o = o, .result = result};
    enum status rc;

    *result = (struct check_result){0};
    if (c->claims > UINT32_MAX) /* a truncated number would put a claim before its premises */
        return error_set(e, STATUS_FORMAT, "%zu claims: more than %u", c->claims, UINT32_MAX);
    if (!(k.subject = malloc((c->claims + 1) * sizeof *k.subject)))
        return error_set(e, STATUS_NO_MEMORY, "not enough memory to check a proof");
    subjects_sort(&k);
    rc = check_all(&k, e);
    free(k.subject);
    return rc;
}
