/* SPDX-License-Identifier: MIT
 *
 * pn_table.h -- the transposition table of the proof-number search, in a fixed amount of
 * memory.
 *
 * The question is always "can this side (the attacker) force a win?".  An entry holds the
 * numbers of one position for one attacker, from the point of view of the side to move: phi is
 * the work left for that side to reach its goal, delta the work left for the other (Nagai).
 *
 * A table starts small and grows in place, because a search is faster while its data stays in
 * the caches.  Most lookups are for absent positions; a byte of each entry's hash, kept in a
 * separate array, detects these without touching the entry.
 *
 * (K1) Keys are exact: pieces, kings, side to move, attacker.  One entry is never mistaken for
 *      another.
 * (K2) An entry that is PN_PROVEN or PN_DISPROVEN never changes; it can only be replaced.
 * (K3) When a bucket is full, the entry that took the least work is replaced, undecided and old
 *      ones sooner.  The search must cope with lost entries.
 *
 * (K4) Entries move when a table grows: the result of pn_table_entry is valid until the next
 *      put, forget, season, grow or clear.
 * (K5) A shared table grows only in pn_table_grow; pn_table_crowded tells when it should.
 *
 * The caller owns the table.  If it is shared, any thread may get and put; pn_table_entry,
 * pn_table_forget, pn_table_at, pn_table_season, pn_table_grow and pn_table_clear need exclusive
 * access. */
#ifndef KELSO_PROOF_PN_TABLE_H
#define KELSO_PROOF_PN_TABLE_H

#include "core/position.h"

#include <stddef.h>

enum { PN_INFINITE = 1 << 30 };

enum pn_state {
    PN_OPEN,
    PN_TENTATIVE, /* not a win, provided that repeated positions are not wins either */
    PN_DISPROVEN, /* the attacker cannot force a win, on any path */
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
    uint8_t busy; /* threads searching below this position */
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

/* NULL without memory.  `bytes` is the maximum for entries (tags take 1/32 more); `shared` is set
 * if more than one thread uses the table. */
struct pn_table *pn_table_create(uint64_t bytes, bool shared);
void pn_table_free(struct pn_table **t);
void pn_table_clear(struct pn_table *t);

/* Start another search.  Entries stay, but unused ones lose their priority: the worth of an entry
 * halves with each season in which it was not written. */
void pn_table_season(struct pn_table *t);

/* Is the table of a single thread as large as it may be, and more than half full?  Then it begins
 * to lose entries that cost work. */
bool pn_table_full(const struct pn_table *t);

/* A get usually misses all caches.  Announcing it some time before (a prefetch) makes it
 * cheaper; entries that cannot be present are not fetched. */
void pn_table_announce(const struct pn_table *t, const struct pn_key *key);
bool pn_table_expect(const struct pn_table *t, const struct pn_key *key);

/* Prefetch for a put some time later. */
void pn_table_prepare(const struct pn_table *t, const struct pn_key *key);

bool pn_table_get(struct pn_table *t, const struct pn_key *key, struct pn_numbers *out);
void pn_table_put(struct pn_table *t, const struct pn_key *key, const struct pn_numbers *n,
                  uint64_t work);

/* A thread starts or ends searching below a position; other threads then prefer other moves. */
void pn_table_busy(struct pn_table *t, const struct pn_key *key, int change);

/* (K5) A shared table has lost entries for lack of room, and there is memory for more. */
bool pn_table_crowded(const struct pn_table *t);

/* -------------------------------------------------------- exclusive access -- */

/* Twice the size, within the limit. */
void pn_table_grow(struct pn_table *t);

struct pn_entry {
    struct placement pieces;
    uint32_t phi, delta;
    uint32_t work;
    uint32_t mark; /* for traversals; 0 between them */
    uint8_t turn : 1, attacker : 1, state : 2;
    uint8_t busy;
    uint8_t season; /* when it was last written */
};

struct pn_entry *pn_table_entry(struct pn_table *t, const struct pn_key *key); /* or NULL */

/* Lose what is known of a position. */
void pn_table_forget(struct pn_table *t, const struct pn_key *key);

/* The places of the table, and the entry in one of them; NULL if it is free. */
uint64_t pn_table_places(const struct pn_table *t);
const struct pn_entry *pn_table_at(const struct pn_table *t, uint64_t place);

struct board pn_entry_board(const struct pn_entry *e);

#endif
