/* SPDX-License-Identifier: MIT
 *
 * probe.h -- the exact value and distances of a position, from the tables.
 *
 * Tables leave out positions in which the mover has a capture.  Here the captures are played;
 * each leads to fewer pieces, so this terminates.  All other values are read from pages, which
 * are decoded on first use and cached (page_cache.h), or from a flat or quick file beside the
 * table, which holds them decoded (flat.h) or as run lengths (quick.h).
 *
 * A mover without pieces or without a move has lost in 0 plies.  A position in which the opponent
 * has no pieces is invalid, because the game is already over: the result is STATUS_POSITION.
 *
 * (Q1) The answer comes from the tables and is never a guess: a missing or damaged table gives
 *      an error status.
 * (Q2) The distance to conversion of a position with a capture is 1, unless it is drawn.
 * (Q3) Colours do not matter: a position and its flip have the same answer.
 *
 * Any number of threads may probe at once.  The catalog must outlive the probe. */
#ifndef KELSO_DB_PROBE_H
#define KELSO_DB_PROBE_H

#include "db/catalog.h"
#include "base/crew.h"
#include "db/profile.h"
#include "db/views.h"

struct probe;

/* `bytes`: memory for decoded pages, at least 256 KiB. */
enum status probe_open(struct probe **p, struct catalog *c, uint64_t bytes, struct error *e);
void probe_close(struct probe **p);

/* Ignore flat and quick files: decode every page from its table.  Call it before the first lookup.
 */
void probe_without_flat(struct probe *p);

/* Count lookups in *profile from now on; NULL: stop counting.  Not while other threads probe. */
void probe_profile(struct probe *p, struct profile *profile);

/* Decode the wld pages of slices of at most `pieces` pieces in advance, as many as fit, on all
 * threads of the crew, and check those of flat files.  A search then never waits for a page.
 * `done` counts pages and may be NULL.  STATUS_INTERRUPTED if the crew was told to stop. */
enum status probe_fill(struct probe *p, int pieces, struct crew *crew, _Atomic uint64_t *done,
                       struct error *e);

/* The same for one slice and its mirror. */
enum status probe_fill_slice(struct probe *p, struct slice s, struct crew *crew,
                             _Atomic uint64_t *done, struct error *e);

/* The number of these pages. */
enum status probe_pages(struct probe *p, int pieces, uint64_t *pages, struct error *e);

/* Win, draw or loss for the side to move.  Needs the wld table of the position's slice or, if it
 * has captures, those of the slices they lead to; of these, one that shows a win is enough. */
enum status probe_value(struct probe *p, const struct board *b, enum value *v, struct error *e);

/* The same without waiting: false if a page would have to be decoded first, or if there is an
 * error, which probe_value then reports.  For callers that can do without the answer. */
bool probe_at_hand(struct probe *p, const struct board *b, enum value *v);

/* Does the side to move get at least `enough`, a draw or a win?  With captures this may need fewer
 * lookups than the value: the first capture that is enough decides, and those that need no decoding
 * are tried first. */
enum status probe_reaches(struct probe *p, const struct board *b, enum value enough, bool *yes,
                          struct error *e);

/* The same without waiting, like probe_at_hand. */
bool probe_reaches_at_hand(struct probe *p, const struct board *b, enum value enough, bool *yes);

/* Positions by number, from `first` on, as views; one without any piece is no position. */
struct view_source {
    void (*read)(const void *context, size_t first, size_t count, const struct views *views);
    const void *context;
};

/* The values of `count` positions.  For random positions this is faster than one at a time: they
 * are looked up table by table, and the waits for memory overlap.  values[i] is -1 if a table is
 * missing or there is no position, and probe_value then gives the reason; any other fault ends the
 * call with its status. */
enum status probe_batch(struct probe *p, const struct view_source *source, size_t count,
                        int8_t *values, struct error *e);

/* Prefetch what a probe of the position reads first.  Never waits. */
void probe_prefetch(const struct probe *p, const struct board *b);

/* The value with its distance of a kind (0 for KIND_WLD). */
enum status probe_outcome(struct probe *p, const struct board *b, enum kind kind, struct outcome *o,
                          struct error *e);

/* The work done so far, and the memory in use. */
struct probe_stats {
    uint64_t decoded;            /* pages and parts decoded from tables */
    uint64_t read;               /* pages of flat files and chapters of quick files read */
    uint64_t cache;              /* bytes for decoded pages, at most */
    uint64_t kept;               /* bytes for flat and quick files, at most */
    int flat, quick, compressed; /* open wld tables by form, one for each side to move */
};

struct probe_stats probe_stats(struct probe *p);

#endif
