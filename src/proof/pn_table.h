/* SPDX-License-Identifier: MIT
 *
 * pn_table.h -- what a proof-number search knows of positions, in a fixed amount of memory.
 *
 * The question is always "can this side (the attacker) force a win?".  An entry keeps
 * the numbers of one position for one attacker, seen by the side to move there: phi is
 * what that side still has to do to get its way, delta what the other has (Nagai).
 *
 * A table begins small and grows in its place: a search is faster as long as what it knows
 * is near.  Most lookups are of positions that are not there, and a byte of each entry's
 * hash, kept apart, says so without a look at the entry.
 *
 * (K1) keys are exact: pieces, kings, side to move, attacker.  No entry is ever taken
 *      for another's.
 * (K2) an entry that is PN_PROVEN or PN_DISPROVEN never changes, except to vanish.
 * (K3) when a bucket is full the entry with the least work behind it goes, undecided
 *      ones first and old ones sooner; the search must cope with what is gone.
 *
 * (K4) entries move when a table grows: what pn_table_entry returns holds until the next
 *      put, season or clear.
 *
 * Any thread may get and put if the table is shared; pn_table_entry, pn_table_season and
 * pn_table_clear are for one thread while no other is at work. */
#ifndef KELSO_PROOF_PN_TABLE_H
#define KELSO_PROOF_PN_TABLE_H

#include "core/position.h"

#include <stddef.h>

enum { PN_INFINITE = 1 << 28 };

enum pn_state {
    PN_OPEN,
    PN_TENTATIVE, /* no win, provided that positions that came back are no wins either */
    PN_DISPROVEN, /* the attacker cannot force a win, whatever happened before */
    PN_PROVEN     /* the attacker wins */
};

struct pn_key {
    struct placement pieces;
    uint8_t turn, attacker;
    uint64_t hash; /* of the above */
};

struct pn_numbers {
    uint32_t phi, delta;
    enum pn_state state;
    uint8_t busy; /* threads that are below this position */
};

static inline uint64_t pn_hash(struct placement pieces, int turn, int attacker)
{
    return placement_hash(pieces, (uint64_t)turn << 1 | (uint64_t)attacker);
}

static inline struct pn_key pn_key_of(const struct board *b, enum side attacker)
{
    struct pn_key k = {placement_of(b), (uint8_t)b->turn, (uint8_t)attacker, 0};

    k.hash = pn_hash(k.pieces, k.turn, k.attacker);
    return k;
}

static inline bool pn_key_equal(const struct pn_key *a, const struct pn_key *b)
{
    return placement_equal(a->pieces, b->pieces) && a->turn == b->turn &&
           a->attacker == b->attacker;
}

struct pn_table;

/* NULL without memory.  `bytes`: the most that its entries take (a 32nd more for their tags).
 * `shared`: by more than one thread; then it has its full size at once. */
struct pn_table *pn_table_create(uint64_t bytes, bool shared);
void pn_table_free(struct pn_table **t);
void pn_table_clear(struct pn_table *t);

/* Another search begins.  What is known stays, and what nobody needs any more fades: an
 * entry is worth half as much with each season that it was not written in. */
void pn_table_season(struct pn_table *t);

/* A get is a miss of all caches.  One that is announced, and some time later expected, costs
 * less; entries that cannot be there are not looked for. */
void pn_table_announce(const struct pn_table *t, const struct pn_key *key);
bool pn_table_expect(const struct pn_table *t, const struct pn_key *key);

/* A put will come, some time later. */
void pn_table_prepare(const struct pn_table *t, const struct pn_key *key);

bool pn_table_get(struct pn_table *t, const struct pn_key *key, struct pn_numbers *out);
void pn_table_put(struct pn_table *t, const struct pn_key *key, const struct pn_numbers *n,
                  uint64_t work);

/* A thread goes below a position, or comes back: others look elsewhere. */
void pn_table_busy(struct pn_table *t, const struct pn_key *key, int change);

/* ---------------------------------------------------- alone with the table -- */

struct pn_entry {
    struct placement pieces;
    uint32_t phi, delta;
    uint32_t work;
    uint32_t mark; /* for whoever walks over the entries; 0 between walks */
    uint8_t turn : 1, attacker : 1, state : 2;
    uint8_t busy;
    uint8_t season; /* when it was last written */
};

struct pn_entry *pn_table_entry(struct pn_table *t, const struct pn_key *key); /* or NULL */
struct board pn_entry_board(const struct pn_entry *e);

#endif
