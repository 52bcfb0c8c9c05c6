/* SPDX-License-Identifier: MIT
 *
 * pn_table.h -- what a proof-number search knows of positions, in a fixed amount of memory.
 *
 * The question is always "can this side (the attacker) force a win?".  An entry keeps
 * the numbers of one position for one attacker, seen by the side to move there: phi is
 * what that side still has to do to get its way, delta what the other has (Nagai).
 *
 * (K1) keys are exact: pieces, kings, side to move, attacker.  No entry is ever taken
 *      for another's.
 * (K2) an entry that is PN_PROVEN or PN_DISPROVEN never changes, except to vanish.
 * (K3) when a bucket is full the entry with the least work behind it goes, undecided
 *      ones first and old ones sooner; the search must cope with what is gone.
 *
 * Any thread may get and put; pn_table_entry and what it returns are for one thread
 * while no other is at work. */
#ifndef KELSO_PROOF_PN_TABLE_H
#define KELSO_PROOF_PN_TABLE_H

#include "core/board.h"

#include <stddef.h>

enum { PN_INFINITE = 1 << 28 };

enum pn_state {
    PN_OPEN,
    PN_TENTATIVE, /* no win, provided that positions that came back are no wins either */
    PN_DISPROVEN, /* the attacker cannot force a win, whatever happened before */
    PN_PROVEN     /* the attacker wins */
};

struct pn_key {
    uint32_t black, white, kings; /* packed squares */
    uint8_t turn, attacker;
};

struct pn_numbers {
    uint32_t phi, delta;
    enum pn_state state;
    uint8_t busy; /* threads that are below this position */
};

static inline struct pn_key pn_key_of(const struct board *b, enum side attacker)
{
    return (struct pn_key){squares_pack(b->side[BLACK]), squares_pack(b->side[WHITE]),
                           squares_pack(b->kings), (uint8_t)b->turn, (uint8_t)attacker};
}

static inline bool pn_key_equal(const struct pn_key *a, const struct pn_key *b)
{
    return a->black == b->black && a->white == b->white && a->kings == b->kings &&
           a->turn == b->turn && a->attacker == b->attacker;
}

struct pn_table;

/* NULL without memory.  `shared`: by more than one thread. */
struct pn_table *pn_table_create(uint64_t bytes, bool shared);
void pn_table_free(struct pn_table **t);
void pn_table_clear(struct pn_table *t);

/* Another search begins.  What is known stays, and what nobody needs any more fades: an
 * entry is worth half as much with each season that it was not written in. */
void pn_table_season(struct pn_table *t);

/* A get is a miss of all caches; one that is announced costs less. */
void pn_table_announce(const struct pn_table *t, const struct pn_key *key);
bool pn_table_get(struct pn_table *t, const struct pn_key *key, struct pn_numbers *out);
void pn_table_put(struct pn_table *t, const struct pn_key *key, const struct pn_numbers *n,
                  uint64_t work);

/* A thread goes below a position, or comes back: others look elsewhere. */
void pn_table_busy(struct pn_table *t, const struct pn_key *key, int change);

/* How full it is, in thousandths, from a sample. */
int pn_table_fill(const struct pn_table *t);

/* ---------------------------------------------------- alone with the table -- */

struct pn_entry {
    uint32_t black, white, kings;
    uint32_t phi, delta;
    uint32_t work;
    uint32_t mark; /* for whoever walks over the entries; 0 between walks */
    uint8_t turn : 1, attacker : 1, state : 2;
    uint8_t busy;
    uint8_t age;    /* of the table when it was made; others are free */
    uint8_t season; /* when it was last written */
};

struct pn_entry *pn_table_entry(struct pn_table *t, const struct pn_key *key); /* or NULL */
struct board pn_entry_board(const struct pn_entry *e);

#endif
