/* SPDX-License-Identifier: MIT
 *
 * tables.h -- the endgame tables of a directory, behind one handle.
 *
 * Whoever asks for values opens a `struct tables`: it finds the files (catalog.h), decodes
 * and keeps their pages (probe.h), and knows which slices are there, so that a search can
 * ask about millions of positions and only those with an answer reach the files.  A
 * directory may hold every slice up to some number of pieces and a few beyond, such as
 * all of 4 against 4 when 8 pieces are too many.
 *
 * (T1) if tables_knows(t, b), then tables_value(t, b) does not find a table missing.
 * (T2) an answer is that of probe.h; nothing is guessed.
 *
 * The caller owns the handle.  Any number of threads may ask at once; opening and closing
 * belong to one. */
#ifndef KELSO_DB_TABLES_H
#define KELSO_DB_TABLES_H

#include "db/probe.h"

struct tables;

struct tables_options {
    const char *dir;   /* NULL: the usual directory (catalog_default_dir) */
    uint64_t cache;    /* bytes of decoded pages; 0: tables_cache_default() */
    int pieces;        /* use no table of more pieces; 0: use all */
    bool without_flat; /* decode every page, whatever flat files there are */
};

/* How much memory decoded pages may take unless the user says otherwise: 1 GiB, or an eighth
 * of the machine's memory if that is less.  Memory is taken as pages are decoded. */
uint64_t tables_cache_default(void);

/* STATUS_MISSING if there is no such directory. */
enum status tables_open(struct tables **t, const struct tables_options *o, struct error *e);
void tables_close(struct tables **t);

/* Is there a directory to open?  Players and on-demand solvers do without if there is none. */
bool tables_exist(const char *dir);

/* What is there. */
struct catalog *tables_catalog(const struct tables *t); /* goes with the handle */
const char *tables_dir(const struct tables *t);
int tables_complete(const struct tables *t); /* every slice of this many pieces or fewer is there */
int tables_most(const struct tables *t);     /* some slice of this many pieces is there */

/* A number that names the contents of all wld tables in use: two directories with the same one
 * answer alike.  Opens every file. */
enum status tables_digest(const struct tables *t, uint64_t *digest, struct error *e);

/* Is the table of b's own slice there?  All that counts for a position without a capture. */
bool tables_has(const struct tables *t, const struct board *b);

/* Can the value of b be told?  Its captures may lead into tables though its slice is missing. */
bool tables_knows(const struct tables *t, const struct board *b);

/* How many pieces must go, at least, before the tables know whatever is left. */
int tables_distance(const struct tables *t, const struct board *b);

/* Win, draw or loss for the side to move (probe_value). */
enum status tables_value(const struct tables *t, const struct board *b, enum value *v,
                         struct error *e);

/* The same if no page has to be decoded for it (probe_at_hand). */
bool tables_at_hand(const struct tables *t, const struct board *b, enum value *v);

/* With the distance of a kind (probe_outcome). */
enum status tables_outcome(const struct tables *t, const struct board *b, enum kind kind,
                           struct outcome *o, struct error *e);

/* Decode pages beforehand, as many as fit the cache, and count them (probe_fill, probe_pages). */
enum status tables_fill(struct tables *t, struct crew *crew, _Atomic uint64_t *done,
                        struct error *e);
enum status tables_pages(struct tables *t, uint64_t *pages, struct error *e);

#endif
