/* SPDX-License-Identifier: MIT
 *
 * flat.h -- the values of a wld table, decoded, in a file beside it.
 *
 * SLICE.flat holds the decoded pages of SLICE.wld, 2 bits per value, each page at a fixed offset.
 * Reading and checking a page takes a few microseconds; decoding it takes hundreds.  The file is
 * made from the table and may be deleted at any time.  A page with a single value is a hole in the
 * file and takes no disk space.
 *
 * All numbers are little-endian.
 *
 *     OFFSET  SIZE  WHAT
 *          0     8  magic "kelso fl"
 *          8     2  version of the flat file: 1
 *         10     1  tables: 1 or 2, as in the wld file
 *         11     1  reserved, 0
 *         12     4  the canonical slice, as in the wld file
 *         16     8  digest of the wld file: the last 8 bytes of its header
 *         24    16  number of pages of each table, as in the wld file
 *         40     8  offset of the first page, a multiple of 4096
 *         48     8  size of the flat file
 *         56     8  XXH3 of the bytes from 512 to the first page
 *         64   440  reserved, 0
 *        504     8  XXH3 of bytes 0 to 503, in every version
 *        512        8 bytes for each page, then 0 up to the first page
 *
 * The 8 bytes of a page are 0, 1 or 2 if all its values are the same (loss, draw, win); otherwise
 * they are the XXH3 of its 4096 bytes, with bit 63 set.  Value i of a page is in its byte i / 4,
 * bits 2 * (i % 4) and up; the bits after the last value are zero.
 *
 * (L1) A file under its final name is complete, like a table: temporary name, sync, rename.
 * (L2) The same table gives the same bytes for any number of threads.
 * (L3) A damaged file never yields a value, even if it is changed or truncated while open:
 *      pages are checked against their checksums in the reader's own memory when they are read,
 *      everything else when the file is opened.
 * (L4) A file that was made from another table, or has another version, is not damaged: it
 *      gives STATUS_MISMATCH, and readers ignore it.
 *
 * A struct flat is read-only and safe on any thread.  It keeps the file open and its index in
 * memory.  The table must outlive it. */
#ifndef KELSO_DB_FLAT_H
#define KELSO_DB_FLAT_H

#include "base/crew.h"
#include "db/table.h"

enum { FLAT_PAGE_BYTES = TABLE_PAGE / 4, FLAT_MIXED = 3 };

struct flat;

/* "3K1C-2K1C.flat" in dir; returns buf. */
char *flat_path(char *buf, size_t size, const char *dir, struct slice s);

/* The flat file of wld table t in dir; STATUS_MISSING if there is none. */
enum status flat_open(struct flat **f, const char *dir, const struct table *t, struct error *e);
void flat_close(struct flat **f);

/* Read and check a page. *one is its only value, or FLAT_MIXED if it has several; then `packed`
 * holds them in the file's form. */
enum status flat_read_packed(const struct flat *f, int mirror, uint64_t page,
                             uint8_t packed[FLAT_PAGE_BYTES], uint32_t *one, struct error *e);

/* The same with one byte per value, as table_read_values gives them. */
enum status flat_read(const struct flat *f, int mirror, uint64_t page, uint8_t *values,
                      struct error *e);

/* Check the checksum of a page. */
enum status flat_check(const struct flat *f, int mirror, uint64_t page, struct error *e);

/* Write the flat file of wld table t to dir; on failure an existing file stays as it was.  One
 * process at a time.  `sets` must cover table_sets of the slice; `done` counts pages and may be
 * NULL. */
enum status flat_make(const char *dir, const struct table *t, const struct sets *sets,
                      struct crew *crew, _Atomic uint64_t *done, struct error *e);

/* The temporary name; a killed process may leave such a file. */
char *flat_temporary(char *buf, size_t size, const char *dir, struct slice s);

#endif
