/* SPDX-License-Identifier: MIT
 *
 * tables.h -- the endgame tables of a directory, behind one handle.
 *
 * Code that looks up values opens a `struct tables`.  It finds the files (catalog.h), decodes
 * and caches their pages (probe.h), and keeps a list of the slices present, so a search can
 * query millions of positions and only those with an answer reach the files.  A directory may
 * hold every slice up to some number of pieces and a few larger ones, such as 4 against 4
 * without the rest of 8 pieces.
 *
 * (T1) If tables_knows(t, b), then tables_value(t, b) never returns STATUS_MISSING.
 * (T2) Answers are those of probe.h; nothing is guessed.
 *
 * The caller owns the handle.  Any number of threads may look up values at once; one thread
 * opens and closes. */
#ifndef KELSO_DB_TABLES_H
#define KELSO_DB_TABLES_H

#include "db/probe.h"

struct tables;

struct tables_options {
    const char *dir;   /* NULL: the default directory (catalog_default_dir) */
    uint64_t cache;    /* bytes of decoded pages; 0: tables_cache_default() */
    int pieces;        /* use no table of more pieces; 0: use all */
    bool without_flat; /* ignore flat and quick files */
};

/* The default memory for decoded pages: 1 GiB, or an eighth of the machine's memory if that is
 * less.  It is committed as pages are decoded. */
uint64_t tables_cache_default(void);

/* STATUS_MISSING if there is no such directory. */
enum status tables_open(struct tables **t, const struct tables_options *o, struct error *e);
void tables_close(struct tables **t);

/* Is there a directory to open?  Players and on-demand solvers work without one. */
bool tables_exist(const char *dir);

/* What the directory holds. */
struct catalog *tables_catalog(const struct tables *t); /* owned by the handle */
const char *tables_dir(const struct tables *t);
int tables_complete(const struct tables *t); /* every slice of this many pieces or fewer is there */
int tables_most(const struct tables *t);     /* some slice of this many pieces is there */

/* A digest of the contents of all wld tables in use: two directories with the same digest give
 * the same answers.  Opens every file. */
enum status tables_digest(const struct tables *t, uint64_t *digest, struct error *e);

/* Is the table of b's own slice there?  For a position without a capture this is all that
 * matters. */
bool tables_has(const struct tables *t, const struct board *b);

/* Is the value of b available?  Its captures may lead into tables although its own slice is
 * missing. */
bool tables_knows(const struct tables *t, const struct board *b);

/* The least number of pieces that must be captured before every remaining position is in the
 * tables. */
int tables_distance(const struct tables *t, const struct board *b);

/* Win, draw or loss for the side to move (probe_value). */
enum status tables_value(const struct tables *t, const struct board *b, enum value *v,
                         struct error *e);

/* The same for a side that need not be the one to move. */
enum status tables_value_for(const struct tables *t, const struct board *b, enum side side,
                             enum value *v, struct error *e);

/* The same, but only if no page has to be decoded (probe_at_hand). */
bool tables_at_hand(const struct tables *t, const struct board *b, enum value *v);

/* Does this side, which need not be the one to move, win?  Cheaper than the value (probe_reaches);
 * the second only if no page has to be decoded. */
enum status tables_wins(const struct tables *t, const struct board *b, enum side side, bool *wins,
                        struct error *e);
bool tables_wins_at_hand(const struct tables *t, const struct board *b, enum side side, bool *wins);

/* The values of many positions (probe_batch), and a hint before a lookup (probe_prefetch). */
enum status tables_batch(const struct tables *t, const struct view_source *source, size_t count,
                         int8_t *values, struct error *e);
void tables_prefetch(const struct tables *t, const struct board *b);

/* With the distance of a kind (probe_outcome). */
enum status tables_outcome(const struct tables *t, const struct board *b, enum kind kind,
                           struct outcome *o, struct error *e);

/* Count lookups in *profile from now on; NULL: stop counting.  Not while other threads look up
 * values.  The profile belongs to the caller. */
void tables_profile(struct tables *t, struct profile *profile);

/* Decode pages in advance, as many as fit into the cache, and count them (probe_fill,
 * probe_pages). */
enum status tables_fill(struct tables *t, struct crew *crew, _Atomic uint64_t *done,
                        struct error *e);
enum status tables_fill_slice(struct tables *t, struct slice s, struct crew *crew,
                              _Atomic uint64_t *done, struct error *e);
struct probe_stats tables_stats(const struct tables *t);
enum status tables_pages(struct tables *t, uint64_t *pages, struct error *e);

#endif
