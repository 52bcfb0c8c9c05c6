/* SPDX-License-Identifier: MIT
 *
 * recall.h -- what is known about the moves of a position that was expanded not long ago.
 *
 * Four of ten expansions are of positions that were expanded before, and most of these came soon
 * after.  What the tables say about the moves of a position and the first numbers of the others
 * are the same every time, and looking them up again is dear.  So they are kept for the positions
 * expanded last, a cache line for each.
 *
 * (R1) Keys are exact: position, side to move, attacker.
 * (R2) Only what is always the same is kept, so a search is the same with and without it.
 *
 * The caller owns it.  It belongs to one search thread and one set of tables. */
#ifndef KELSO_PROOF_RECALL_H
#define KELSO_PROOF_RECALL_H

#include "proof/estimate.h"
#include "proof/pn_table.h"

#include <stdlib.h>
#include <string.h>

enum {
    RECALL_MOVES = 12, /* of each position; nothing is kept for further ones */
    RECALL_POSITIONS = 1 << 13,
    RECALL_DECIDED = UINT16_MAX
};

_Static_assert((int)ESTIMATE_MAX < (int)RECALL_DECIDED, "estimates fit");

/* phi, delta: 0, 0: nothing is known.  0, 1: the tables do not have it.  RECALL_DECIDED, w: they
 * do, and the attacker wins if w.  Others: the tables do not have it, and these are its first
 * numbers. */
struct recalled_move {
    uint16_t phi, delta;
};

static const struct recalled_move recalled_nothing = {0, 0}, recalled_nowhere = {0, 1};

struct recalled {
    struct placement pieces;
    uint8_t turn, attacker;
    uint8_t rest[2];
    struct recalled_move move[RECALL_MOVES];
};

_Static_assert(sizeof(struct recalled) == 64, "a cache line");

struct recall {
    struct recalled *slot;
};

static inline bool recall_open(struct recall *r)
{
    size_t bytes = RECALL_POSITIONS * sizeof *r->slot;

    r->slot = aligned_alloc(sizeof *r->slot, bytes);
    if (r->slot)
        memset(r->slot, 0, bytes); /* a position without pieces is none */
    return r->slot != NULL;
}

static inline void recall_close(struct recall *r)
{
    free(r->slot);
    r->slot = NULL;
}

static inline struct recalled *recall_slot(const struct recall *r, const struct pn_key *k)
{
    return &r->slot[(k->hash >> 32) % RECALL_POSITIONS]; /* the low bits are those of pn_table */
}

static inline void recall_prefetch(const struct recall *r, const struct pn_key *k)
{
    __builtin_prefetch(recall_slot(r, k), 1);
}

/* What is kept for a position: valid until the next call. */
static inline struct recalled *recall_find(struct recall *r, const struct pn_key *k)
{
    struct recalled *s = recall_slot(r, k);

    if (!placement_equal(s->pieces, k->pieces) || s->turn != k->turn || s->attacker != k->attacker)
        *s = (struct recalled){.pieces = k->pieces, .turn = k->turn, .attacker = k->attacker};
    return s;
}

/* Move i; what is found out about one that is not kept goes to *other. */
static inline struct recalled_move *recalled_move(struct recalled *s, int i,
                                                  struct recalled_move *other)
{
    *other = recalled_nothing;
    return i < RECALL_MOVES ? &s->move[i] : other;
}

static inline struct recalled_move recalled_answer(bool attacker_wins)
{
    return (struct recalled_move){RECALL_DECIDED, attacker_wins};
}

static inline struct recalled_move recalled_numbers(const struct pn_numbers *n)
{
    return (struct recalled_move){(uint16_t)n->phi, (uint16_t)n->delta};
}

static inline bool recalled_decided(const struct recalled_move *m)
{
    return m->phi == RECALL_DECIDED;
}

static inline bool recalled_outside(const struct recalled_move *m)
{
    return m->delta && !recalled_decided(m);
}

#endif
