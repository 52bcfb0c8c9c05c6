/* SPDX-License-Identifier: MIT
 *
 * probe.h -- the exact value and distances of a position, from the tables.
 *
 * Tables leave out positions in which the mover has a capture: the captures are
 * played here, and each leads to fewer pieces, so this ends.  All other values are
 * read from pages, which are decoded when first needed and kept (page_cache.h), or from a
 * flat file beside the table, which holds them decoded (flat.h).
 *
 * A mover without pieces or without a move has lost in 0 plies.  A position in which
 * the mover's opponent has no pieces is no position: the game was over before, and
 * the answer is STATUS_POSITION.
 *
 * (Q1) the answer is that of the tables, never a guess: whatever stands in the way
 *      (a table that is missing, damage) is a status.
 * (Q2) the distance to conversion of a position with a capture is 1, unless it is drawn.
 * (Q3) colours do not matter: a position and its flip have the same answer.
 *
 * Any number of threads may probe at once.  The catalog must outlive the probe. */
#ifndef KELSO_DB_PROBE_H
#define KELSO_DB_PROBE_H

#include "db/catalog.h"
#include "base/crew.h"

struct probe;

/* `bytes`: for decoded pages; at least 256 KiB are taken. */
enum status probe_open(struct probe **p, struct catalog *c, uint64_t bytes, struct error *e);
void probe_close(struct probe **p);

/* Before the first question: decode every page from its table, whatever flat files there are. */
void probe_without_flat(struct probe *p);

/* Decode all wld pages of at most so many pieces beforehand, on all threads of the crew, as many
 * as there is room for, and check those of flat files; a search that asks everywhere then never
 * waits for a page.  `done` counts pages and may be NULL.  STATUS_INTERRUPTED if the crew was asked
 * to stop. */
enum status probe_fill(struct probe *p, int pieces, struct crew *crew, _Atomic uint64_t *done,
                       struct error *e);

/* How many pages there are. */
enum status probe_pages(struct probe *p, int pieces, uint64_t *pages, struct error *e);

/* Win, draw or loss for the side to move.  Needs the wld tables of the position's slice
 * and, if it has captures, of what they lead to. */
enum status probe_value(struct probe *p, const struct board *b, enum value *v, struct error *e);

/* The same without waiting: false if a page would have to be decoded first, or if something
 * stands in the way, which probe_value then tells.  For whoever may not need the answer. */
bool probe_at_hand(struct probe *p, const struct board *b, enum value *v);

/* With the distance of a kind (0 for KIND_WLD). */
enum status probe_outcome(struct probe *p, const struct board *b, enum kind kind, struct outcome *o,
                          struct error *e);

#endif
