/* SPDX-License-Identifier: MIT
 *
 * swap.h -- tables swapped out of the builder's pool.
 *
 * Reading a finished table back from its file, and recomputing the values of its captures, costs
 * more than solving it did.  So the pool packs the tables it has no room for (zstd at its fastest
 * level, in pieces, on all threads).  A packed table takes about a quarter of the space and unpacks
 * in well under a nanosecond per value.  It is kept in memory, or in a scratch directory with one
 * file per table:
 *
 *     OFFSET     SIZE  FIELD
 *     0          8     "KELSOSWP"
 *     8          4     version, 1
 *     12         4     kings, men, opponent's kings and men, a byte each
 *     16         1     kind;  17: form;  18: 6 zero bytes
 *     24         8     bytes of the table
 *     32         8     pieces
 *     40         16 p  offset, length and checksum (xxh3, low 32 bits) of each piece
 *     40 + 16 p  8     checksum of everything before
 *     ...              pieces
 *
 * (X1) A file under its final name is complete; damage is detected before a value of it
 *      is used.
 * (X2) The next builder uses the files that a killed one left: values do not depend on
 *      which run computed them.
 *
 * The swap owns its packed copies; the raws belong to the caller.  One thread manages it;
 * packing and unpacking run on a crew. */
#ifndef KELSO_DB_SWAP_H
#define KELSO_DB_SWAP_H

#include "base/crew.h"
#include "base/status.h"
#include "db/raw.h"
#include "db/scratch.h"

struct swap;

/* dir NULL: keep everything in memory.  Otherwise the directory is created if necessary
 * and locked; it may already hold tables. */
enum status swap_open(struct swap **s, const char *dir, struct error *e);
void swap_close(struct swap **s); /* the files stay */

bool swap_has(const struct swap *s, enum kind kind, struct slice table);

/* Is it in this form?  The builder that left it may have held distances in another. */
bool swap_fits(const struct swap *s, enum kind kind, struct slice table, enum raw_form form);

/* Pack a table, unless it has been packed already. */
enum status swap_out(struct swap *s, struct crew *crew, enum kind kind, const struct raw *r,
                     struct error *e);

/* Unpack into r, which must have the slice and form of the table. */
enum status swap_in(struct swap *s, struct crew *crew, enum kind kind, struct raw *r,
                    struct error *e);

/* For a table that is too large for memory: map a file "SLICE.KIND.raw" over the addresses of r,
 * which was created sparse.  With `keep`, an existing file of the right size keeps its content, and
 * *kept is set; otherwise the content is undefined.  After a failure only raw_free. */
enum status swap_map(struct swap *s, enum kind kind, struct raw *r, bool keep, bool *kept,
                     struct error *e);
bool swap_on_disk(const struct swap *s);

/* The path "DIR/SLICE.KIND.parts", for parts.h. */
char *swap_journal(const struct swap *s, enum kind kind, struct slice table,
                   char path[SCRATCH_PATH_MAX]);

/* Fill *e for a file of the scratch directory whose checksum does not match. */
enum status swap_damaged(const char *path, struct error *e);

/* Remove everything kept for a table, which must not be mapped. */
void swap_drop(struct swap *s, enum kind kind, struct slice table);

/* Bytes of memory and of files in use. */
uint64_t swap_memory(const struct swap *s);
uint64_t swap_files(const struct swap *s);

#endif
