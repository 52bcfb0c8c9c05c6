/* SPDX-License-Identifier: MIT
 *
 * table.h -- one file: the values of a slice and its mirror, of one kind.
 *
 * Values follow the numbering of slice.h, cut into pages of TABLE_PAGE positions
 * that are compressed on their own (codec.h) and found through an index.  A page
 * in which every value that matters is the same costs no bytes.  Positions in
 * which the mover has a capture are not stored: a page holds anything there.  A
 * distance file leaves out what the win/loss/draw file of the same slice says, so
 * it is read together with that.
 *
 * All numbers are little-endian.
 *
 *     OFFSET  SIZE  WHAT
 *          0     8  magic "kelso tb"
 *          8     2  version, 1
 *         10     1  kind: 0 wld, 1 dtc, 2 dtw
 *         11     1  tables: 1 (symmetric slice) or 2 (the slice, then its mirror)
 *         12     4  the canonical slice: kings, men, opponent's kings, men
 *         16     4  positions a page
 *         20     4  reserved, 0
 *         24    16  number of pages of each table
 *         40     8  offset of the models (always 512)
 *         48    16  size of the model of each table
 *         64     8  offset of the page index
 *         72     8  offset of the pages
 *         80     8  size of the file
 *         88     8  XXH3 of models and index
 *         96   384  statistics, 192 for each table (see below)
 *        480    24  reserved, 0
 *        504     8  XXH3 of bytes 0 to 503
 *        512        models, index, pages
 *
 * Statistics of a table: wins, draws, losses (8 each); then four records, 16 each,
 * of the longest win and the longest loss among all positions, and among those in
 * which the mover has no capture: plies (4), reserved (4), index of the first such
 * position (8; all ones where there is none); then wins, draws, losses among the
 * latter (8 each); the rest is 0.  A wld file has no plies.
 *
 * Index: for each table a whole number of groups of 64 pages: the offset of the
 * group's first byte relative to the first page (8), then for each page its size
 * in bytes (3) and the low 32 bits of its XXH3 (4).  Size 0: all values of the page
 * are the one in those 4 bytes.
 *
 * (T1) a file under its final name is complete: it is written under a temporary
 *      name, synced and renamed, then the directory is synced.
 * (T2) the same values make the same bytes.
 * (T3) no byte of a damaged file is taken for a value: pages are checked against
 *      their sums when they are read, the rest when the file is opened.
 *
 * A struct table is read-only after table_open: any thread.  A writer belongs to
 * one thread, but for table_page_encode, which only reads it. */
#ifndef KELSO_DB_TABLE_H
#define KELSO_DB_TABLE_H

#include "db/slice.h"
#include "db/status.h"
#include "db/value.h"

#include <stdint.h>

enum { TABLE_PAGE = 32768, TABLE_PAGE_BYTES_MAX = 4 * TABLE_PAGE };

/* In pages: win/loss/draw are enum value, TABLE_ANY is "does not matter".
 * Distances are in plies, TABLE_ANY_DISTANCE likewise. */
enum { TABLE_ANY = 3, TABLE_ANY_DISTANCE = 0xFFFF };

struct table_record { /* the longest of something */
    int plies;        /* -1: there is none */
    uint64_t index;
};

struct table_counts {
    uint64_t count[3]; /* by enum value */
    struct table_record longest[3]; /* by enum value; none for VALUE_DRAW, none in wld */
};

struct table_stats {
    struct table_counts all, quiet; /* quiet: the mover has no capture */
};

/* ------------------------------------------------------------------- reading -- */

struct table;

enum status table_open(struct table **t, const char *path, struct error *e);
void table_close(struct table **t);

struct slice table_slice(const struct table *t);
enum kind table_kind(const struct table *t);
uint64_t table_size(const struct table *t); /* bytes of the file */
uint64_t table_digest(const struct table *t); /* XXH3 of the whole header: names the contents */

/* `mirror` 0 is the canonical slice, 1 its mirror (0 again if symmetric). */
uint64_t table_pages(const struct table *t, int mirror);
const struct table_stats *table_stats(const struct table *t, int mirror);

/* Number of positions in a page (the last one is short). */
uint32_t table_page_length(const struct table *t, int mirror, uint64_t page);

/* Decode a page: values[TABLE_PAGE] of a wld table ... */
enum status table_read_values(const struct table *t, int mirror, uint64_t page, uint8_t *values,
                              struct error *e);

/* ... or distances of a dtc or dtw table, given the values of the same page. */
enum status table_read_distances(const struct table *t, int mirror, uint64_t page,
                                 const uint8_t *values, uint16_t *distances, struct error *e);

/* ------------------------------------------------------------------- writing -- */

struct table_writer;

/* A writer for dir/NAME.KIND.  Nothing is on disk under that name before
 * table_writer_finish says so. */
enum status table_writer_create(struct table_writer **w, const char *dir, struct slice s,
                                enum kind kind, struct error *e);

/* Show the writer some pages before the first is encoded, so that it can fit its
 * model: any deterministic choice.  `values` as in table_read_values with TABLE_ANY;
 * for distances also those.  Call table_writer_train_end once for each mirror. */
void table_writer_train(struct table_writer *w, int mirror, uint64_t page, const uint8_t *values,
                        const uint16_t *distances, uint32_t n);
enum status table_writer_train_end(struct table_writer *w, int mirror, struct error *e);

struct table_page { /* an encoded page */
    uint32_t size;  /* 0: all values are `check` */
    uint32_t check;
    uint8_t bytes[TABLE_PAGE_BYTES_MAX];
};

/* Encode; any number of threads at once.  For wld, *values is replaced by what a
 * reader will see (TABLE_ANY filled in); distance pages must be given exactly that. */
void table_page_encode(const struct table_writer *w, int mirror, uint64_t page, uint8_t *values,
                       const uint16_t *distances, uint32_t n, struct table_page *out);

/* Append pages in order: all of mirror 0, then all of mirror 1. */
enum status table_writer_append(struct table_writer *w, const struct table_page *p,
                                struct error *e);

/* Complete, sync, rename; or leave no trace.  Both free the writer. */
enum status table_writer_finish(struct table_writer **w, const struct table_stats stats[2],
                                struct error *e);
void table_writer_abandon(struct table_writer **w);

/* "3K1C-2K1C.dtw" in dir; returns buf. */
char *table_path(char *buf, size_t size, const char *dir, struct slice s, enum kind kind);
const char *kind_name(enum kind kind); /* "wld", "dtc", "dtw" */

#endif
