/* SPDX-License-Identifier: MIT
 *
 * oracle.h -- what the tables say, for whoever proves something.
 *
 * A catalog may hold all slices up to some number of pieces and a few beyond, as all of
 * 4 against 4 when 8 pieces are too many.  The oracle knows which, so that a search can
 * ask about millions of positions and only those that can be answered reach the tables.
 *
 * (O1) oracle_knows(b) says that oracle_value(b) will not find a table missing.
 * (O2) an answer is that of db/probe.h; nothing is guessed.
 *
 * Constant after oracle_open: any thread.  Catalog and probe must outlive it. */
#ifndef KELSO_PROOF_ORACLE_H
#define KELSO_PROOF_ORACLE_H

#include "db/probe.h"

struct oracle {
    struct probe *probe;
    int complete; /* every slice of so many pieces, or fewer, is there */
    int most;     /* some slice of so many pieces is there */
    bool has[SLICE_CODES];
    bool whole[PIECES_MAX + 1][PIECES_MAX + 1]; /* every slice of at most so many a side */
    uint8_t above[33][33]; /* by the squares of each side: the fewest captures into such slices */
};

/* Look at what the catalog has, up to `pieces` (0: all). */
void oracle_open(struct oracle *o, const struct catalog *c, struct probe *p, int pieces);

bool oracle_knows(const struct oracle *o, const struct board *b);

/* How many pieces must go, at least, before the tables know whatever is left. */
int oracle_distance(const struct oracle *o, const struct board *b);

enum status oracle_value(const struct oracle *o, const struct board *b, enum value *v,
                         struct error *e);

/* The same if no page has to be decoded for it (probe_at_hand). */
bool oracle_at_hand(const struct oracle *o, const struct board *b, enum value *v);

#endif
