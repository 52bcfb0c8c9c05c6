/* SPDX-License-Identifier: MIT */
#include "proof/claim_index.h"
#include "core/movegen.h"

#include <assert.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------- order -- */

static struct position claim_position(const struct claim *c)
{
    return (struct position){c->pieces, c->turn};
}

static int order_compare(const void *a, const void *b, void *claims)
{
    const struct claim *claim = claims;

    return position_compare(claim_position(&claim[*(const uint32_t *)a]),
                            claim_position(&claim[*(const uint32_t *)b]));
}

enum status claim_index_open(struct claim_index *x, const struct certificate *c, struct error *e)
{
    *x = (struct claim_index){.certificate = c};
    if (c->claims > UINT32_MAX)
        return error_set(e, STATUS_FORMAT, "%zu claims: more than %u", c->claims, UINT32_MAX);
    if (!(x->order = calloc(c->claims + 1, sizeof *x->order)))
        return error_set(e, STATUS_NO_MEMORY, "not enough memory to index a proof");
    for (size_t i = 0; i < c->claims; i++)
        x->order[i] = (uint32_t)i;
    qsort_r(x->order, c->claims, sizeof *x->order, order_compare, c->claim);
    return STATUS_OK;
}

void claim_index_close(struct claim_index *x)
{
    free(x->order);
    *x = (struct claim_index){0};
}

/* ----------------------------------------------------------------------- finding -- */

static const struct claim *claim_at(const struct claim_index *x, size_t i)
{
    return &x->certificate->claim[x->order[i]];
}

/* The first place in the order whose position does not come before `wanted`. */
static size_t index_find(const struct claim_index *x, struct position wanted)
{
    size_t low = 0, high = x->certificate->claims;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (position_compare(claim_position(claim_at(x, middle)), wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t claim_index_find(const struct claim_index *x, const struct board *b, enum side attacker,
                         bool wins)
{
    struct position wanted = position_of(b);

    for (size_t i = index_find(x, wanted); i < x->certificate->claims; i++) {
        const struct claim *c = claim_at(x, i);

        if (!position_equal(claim_position(c), wanted))
            return -1;
        if (c->attacker == (uint8_t)attacker && c->wins == wins)
            return x->order[i];
    }
    return -1;
}

/* The bounds of a claim, for the side to move. */
static struct bounds claim_bounds(const struct claim *c)
{
    bool mover = c->attacker == c->turn;

    if (c->wins)
        return mover ? (struct bounds){VALUE_WIN, VALUE_WIN}
                     : (struct bounds){VALUE_LOSS, VALUE_LOSS};
    return mover ? (struct bounds){VALUE_LOSS, VALUE_DRAW} : (struct bounds){VALUE_DRAW, VALUE_WIN};
}

bool claim_index_bounds(const struct claim_index *x, const struct board *b, struct bounds *out)
{
    struct position wanted = position_of(b);
    size_t first = index_find(x, wanted), i = first;

    *out = bounds_unknown;
    for (; i < x->certificate->claims && position_equal(claim_position(claim_at(x, i)), wanted);
         i++)
        bounds_join(out, claim_bounds(claim_at(x, i))); /* checked claims do not contradict */
    return i > first;
}

/* -------------------------------------------------------------------------- size -- */

/* A traversal of the claims that depend on each other. */
struct index_walk {
    const struct claim_index *index;
    uint8_t *seen;   /* a bit for each claim */
    uint32_t *stack; /* room for `most` */
    size_t waiting, size, most;
};

static void walk_add(struct index_walk *w, const struct board *b)
{
    const struct claim_index *x = w->index;
    struct position wanted = position_of(b);

    for (size_t i = index_find(x, wanted); i < x->certificate->claims; i++) {
        uint32_t number = x->order[i];

        if (!position_equal(claim_position(&x->certificate->claim[number]), wanted))
            return;
        if (w->seen[number / 8] >> number % 8 & 1 || w->size >= w->most)
            continue;
        assert(w->waiting < w->most);
        w->seen[number / 8] |= (uint8_t)(1u << number % 8);
        w->stack[w->waiting++] = number;
        w->size++;
    }
}

/* Does the claim depend on this move: is it the named one, or are all needed? */
static bool claim_follows(const struct claim *c, const struct move *m)
{
    return !c->from || (square_number(m->from) == c->from && square_number(m->to) == c->to);
}

static void walk_step(struct index_walk *w)
{
    const struct claim *c = &w->index->certificate->claim[w->stack[--w->waiting]];
    struct board at = claim_board(c);
    struct move_list legal;

    moves_generate(&at, &legal);
    for (int i = 0; i < legal.count; i++) {
        struct board next = board_after(&at, &legal.move[i]);

        if (claim_follows(c, &legal.move[i]))
            walk_add(w, &next);
    }
}

size_t claim_index_size(const struct claim_index *x, const struct board *b, size_t most)
{
    struct index_walk w = {.index = x,
                           .most = most,
                           .seen = calloc(x->certificate->claims / 8 + 1, 1),
                           .stack = malloc((most + 1) * sizeof *w.stack)};

    if (w.seen && w.stack)
        walk_add(&w, b);
    while (w.waiting > 0)
        walk_step(&w);
    free(w.seen);
    free(w.stack);
    return w.size;
}
