/* SPDX-License-Identifier: MIT
 *
 * table.h -- one file: the values of a slice and its mirror, of one kind.
 *
 * Values follow the numbering of slice.h, cut into pages of TABLE_PAGE positions that are
 * compressed independently (codec.h) and found through an index.  A page in which all stored values
 * are the same takes no bytes.  Positions in which the mover has a capture are not stored; a page
 * may hold anything there.  A distance file omits what the win/loss/draw file of the same slice
 * already says, so the two are read together.
 *
 * A win/loss/draw page is further divided into parts that are compressed independently: a value is
 * found by decoding its part up to that value.  The file's header gives the size of its parts.
 * Without parts (the dense form) a file is a tenth smaller, and looking up an uncached value takes
 * ten times as long.
 *
 * All numbers are little-endian.
 *
 *     OFFSET  SIZE  WHAT
 *          0     8  magic "kelso tb"
 *          8     2  version: wld 2 (1 without parts), dtc 2 (1), dtw 3 (2)
 *         10     1  kind: 0 wld, 1 dtc, 2 dtw
 *         11     1  tables: 1 (symmetric slice) or 2 (the slice, then its mirror)
 *         12     4  the canonical slice: kings, men, opponent's kings, men
 *         16     4  positions per page
 *         20     4  positions per part, in wld: a power of two, 512 to 4096; 0: no parts
 *         24    16  number of pages of each table
 *         40     8  offset of the pages (always 512)
 *         48     8  offset of the models, where the pages end
 *         56    16  size of the model of each table
 *         72     8  offset of the page index, where the models end
 *         80     8  size of the file, where the index ends
 *         88     8  XXH3 of models and index
 *         96   384  statistics, 192 for each table
 *        480    24  reserved, 0
 *        504     8  XXH3 of bytes 0 to 503
 *        512        pages, models, index
 *
 * Statistics of a table; quiet positions are those in which the mover has no capture:
 *
 *     OFFSET  SIZE  WHAT
 *          0    24  wins, draws, losses among all positions, 8 each
 *         24    24  wins, draws, losses among the quiet ones, 8 each
 *         48    32  the longest win, the longest loss among all positions
 *         80    32  the longest win, the longest loss among the quiet ones
 *        112    80  reserved, 0
 *
 * A record of a longest win or loss:
 *
 *     OFFSET  SIZE  WHAT
 *          0     8  index of the first such position, all ones if there is none
 *          8     4  plies
 *         12     4  reserved, 0
 *
 * The index holds for each table a whole number of groups of 64 pages:
 *
 *     OFFSET  SIZE  WHAT
 *          0     8  offset of the group's first byte, from the first page of the file
 *          8   192  size of each page in bytes, 3 each
 *        200   256  low 32 bits of the XXH3 of each page, 4 each
 *
 * A page of size 0 has one value throughout, the one in its 4 bytes: 0 loss, 1 draw, 2 win;
 * plies in dtc; in dtw plies / 2, since a win is odd and a loss even.  Unused entries after the
 * last page have size 0 and value 0.
 *
 * A page with parts begins with a directory of one or two bytes per part; the bytes of the
 * parts follow in order:
 *
 *     0, 1, 2            the part has this value throughout, and no bytes
 *     b = 3 .. 239       it has b - 2 bytes
 *     b = 240 .. 255, c  it has (b - 240) * 256 + c + 238 bytes
 *
 * (T1) A file under its final name is complete: it is written under a temporary name, synced
 *      and renamed, then the directory is synced.
 * (T2) The same values give the same bytes.
 * (T3) A damaged file never yields a value: pages are checked against their checksums when they
 *      are read, everything else when the file is opened.
 *
 * (T4) A file that is changed or truncated while open gives STATUS_DAMAGED, never a wrong
 *      value: what is kept in memory is a checked copy.
 *
 * A struct table is read-only after table_open and safe on any thread.  It keeps the file open,
 * and the models and the index in memory.  A writer belongs to one thread, except for
 * table_page_encode, which only reads it. */
#ifndef KELSO_DB_TABLE_H
#define KELSO_DB_TABLE_H

#include "db/sets.h"
#include "db/slice.h"
#include "base/status.h"
#include "db/value.h"

#include <stdint.h>

enum {
    TABLE_PAGE = 16384,
    TABLE_PAGE_BYTES_MAX = 2 * TABLE_PAGE,
    TABLE_PART = 2048, /* the size in new files */
    TABLE_PART_MIN = 512,
    TABLE_PART_MAX = 4096,
    TABLE_PATH_MAX = 4096,
    TABLE_MODEL_BYTES_MAX = 4 * 38912,
};

/* Values of a page are of enum value; TABLE_ANY means "don't care" and stands exactly where the
 * mover has a capture.  Distances are in plies; those of draws and captures don't matter and
 * are TABLE_ANY_DISTANCE. */
enum { TABLE_ANY = 3, TABLE_ANY_DISTANCE = 0xFFFF };

struct table_record { /* a longest distance, and the first position that has it */
    int plies;        /* -1: there is none */
    uint64_t index;
};

struct table_counts {
    uint64_t count[3];              /* by enum value */
    struct table_record longest[3]; /* by enum value; none for VALUE_DRAW, none in wld */
};

struct table_stats {
    struct table_counts all, quiet; /* quiet: the mover has no capture */
};

/* The memory a thread needs to code pages.  It caches what the rules say about the current page, so
 * it is best to code the values and distances of one page in succession.  `sets` stays the caller's
 * and must have the families of table_sets for all slices used with this scratch.  NULL when memory
 * is short. */
struct table_scratch;

struct table_scratch *table_scratch_create(const struct sets *sets);
void table_scratch_free(struct table_scratch **scratch);
int table_sets(struct slice s); /* kmax for sets_create */

/* Bit i is set if the mover has a capture in position i of a page of l.  The bitmap belongs to
 * the scratch. */
const uint64_t *table_captures(struct table_scratch *scratch, const struct layout *l,
                               uint64_t page);

/* ------------------------------------------------------------------- reading -- */

struct table;

enum status table_open(struct table **t, const char *path, struct error *e);
void table_close(struct table **t);

struct slice table_slice(const struct table *t);
enum kind table_kind(const struct table *t);
uint64_t table_size(const struct table *t);    /* bytes of the file */
uint64_t table_memory(const struct table *t);  /* bytes of its models and index in memory */
uint64_t table_digest(const struct table *t);  /* the header's XXH3: it identifies the contents */
const char *table_name(const struct table *t); /* the path, for messages */

/* `mirror` 0 is the canonical slice, 1 its mirror (0 again if symmetric). */
const struct layout *table_layout(const struct table *t, int mirror);
uint64_t table_pages(const struct table *t, int mirror);
const struct table_stats *table_stats(const struct table *t, int mirror);

/* Number of positions in a page (the last one is short). */
uint32_t table_page_length(const struct table *t, int mirror, uint64_t page);

/* Positions per part; TABLE_PAGE if pages have no parts. */
uint32_t table_part(const struct table *t);

/* Distances of an earlier version depend on the filling of a wld table without parts:
 * STATUS_MISMATCH if `wld` has parts. */
enum status table_fits(const struct table *distances, const struct table *wld, struct error *e);
bool table_newest(const struct table *t); /* it has the version that writers write */

/* Does the index say that all values of a wld page are the same?  Nothing is read or decoded. */
bool table_page_one(const struct table *t, int mirror, uint64_t page, uint32_t *one);

/* Decode a page: values[TABLE_PAGE] of a wld table ... */
enum status table_read_values(const struct table *t, struct table_scratch *scratch, int mirror,
                              uint64_t page, uint8_t *values, struct error *e);

/* Decode a part of a wld table as far as needed: the values of positions *first .. *end - 1,
 * from the start of the part past `index` to the next multiple of 64 or the part's end.  If the
 * whole part has one value, *one is that value, and `values` (room for TABLE_PAGE) is not
 * written; otherwise *one is TABLE_ANY. */
enum status table_read_part(const struct table *t, struct table_scratch *scratch, int mirror,
                            uint64_t index, uint8_t *values, uint64_t *first, uint64_t *end,
                            uint8_t *one, struct error *e);

/* ... or distances of a dtc or dtw table, given the values of the same page. */
enum status table_read_distances(const struct table *t, struct table_scratch *scratch, int mirror,
                                 uint64_t page, const uint8_t *values, uint16_t *distances,
                                 struct error *e);

/* Check a page's checksum without decoding it. */
enum status table_check_page(const struct table *t, int mirror, uint64_t page, struct error *e);

/* ------------------------------------------------------------------- writing -- */

struct table_writer;

/* A writer for dir/NAME.KIND.  The file is dir/NAME.KIND.tmp until table_writer_finish
 * succeeds.  A writer without a directory (NULL) can train and encode; it must be abandoned. */
enum status table_writer_create(struct table_writer **w, const char *dir, struct slice s,
                                enum kind kind, struct error *e);

/* The same for a wld table with parts of that size, or TABLE_PAGE for none. */
enum status table_writer_create_parts(struct table_writer **w, const char *dir, struct slice s,
                                      uint32_t part, struct error *e);

/* Train the model on some pages of a mirror before the first of them is encoded: any
 * deterministic choice of pages.  For distances, `values` are those that a reader will see.
 * Then call table_writer_train_end once. */
void table_writer_train(struct table_writer *w, struct table_scratch *scratch, int mirror,
                        uint64_t page, const uint8_t *values, const uint16_t *distances);
void table_writer_train_end(struct table_writer *w, int mirror);

/* The model as bytes, at most TABLE_MODEL_BYTES_MAX, for another writer of the same table to use
 * instead of training; false if the bytes are not a model. */
size_t table_writer_model(const struct table_writer *w, int mirror, uint8_t *bytes);
bool table_writer_take_model(struct table_writer *w, int mirror, const uint8_t *bytes, size_t n);

struct table_page { /* an encoded page */
    uint32_t size;  /* 0: all values are `check` */
    uint32_t check;
    uint8_t bytes[TABLE_PAGE_BYTES_MAX];
};

/* Encode a page, on any number of threads at once.  For wld, *values is replaced by what a
 * reader will see (TABLE_ANY filled in); distance pages must be given exactly these values. */
void table_page_encode(const struct table_writer *w, struct table_scratch *scratch, int mirror,
                       uint64_t page, uint8_t *values, const uint16_t *distances,
                       struct table_page *out);

/* Append pages in order: all of mirror 0, then all of mirror 1.  After an error call only
 * table_writer_abandon. */
enum status table_writer_append(struct table_writer *w, const struct table_page *p,
                                struct error *e);

/* Complete, sync and rename the file; or remove it.  Both free the writer, and finish removes
 * the file when it fails.  stats[1] is ignored for a symmetric slice. */
enum status table_writer_finish(struct table_writer **w, const struct table_stats stats[2],
                                struct error *e);
void table_writer_abandon(struct table_writer **w);

/* "3K1C-2K1C.dtw" in dir; returns buf. */
char *table_path(char *buf, size_t size, const char *dir, struct slice s, enum kind kind);
const char *kind_name(enum kind kind); /* "wld", "dtc", "dtw" */

#endif
