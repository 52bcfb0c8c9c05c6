/* SPDX-License-Identifier: MIT
 *
 * shelf.h -- tables that are not wanted just now, packed.
 *
 * To decode a table from its file and to find the values of its captures again costs
 * more than to solve it did.  So the pool packs what it has no room for (zstd, its
 * fastest level, piece by piece with all threads: a quarter of the size as a rule, and
 * far below a nanosecond a value to unpack) and keeps it here: in memory, or as files
 * of a scratch directory, one a table:
 *
 *     OFFSET     SIZE  FIELD
 *     0          8     "KELSOSHF"
 *     8          4     version, 1
 *     12         4     kings, men, opponent's kings and men, a byte each
 *     16         1     kind;  17: form;  18: 6 zero bytes
 *     24         8     bytes of the table
 *     32         8     pieces
 *     40         16 p  offset, length and checksum (xxh3, low 32 bits) of each piece
 *     40 + 16 p  8     checksum of all before
 *     ...              pieces
 *
 * (X1) a file under its final name is complete; one that is damaged is found out
 *      before its values are used.
 * (X2) files that a killed builder left are used by the next: a value does not depend
 *      on who computed it.
 *
 * One thread manages the shelf; packing and unpacking use a crew. */
#ifndef KELSO_DB_SHELF_H
#define KELSO_DB_SHELF_H

#include "base/crew.h"
#include "base/status.h"
#include "db/raw.h"

struct shelf;

/* dir NULL: in memory.  A directory is made if need be, locked, and may hold tables. */
enum status shelf_open(struct shelf **s, const char *dir, struct error *e);
void shelf_close(struct shelf **s); /* files stay */

bool shelf_has(const struct shelf *s, enum kind kind, struct slice table);

/* Pack a table, unless it is there already. */
enum status shelf_put(struct shelf *s, struct crew *crew, enum kind kind, const struct raw *r,
                      struct error *e);

/* Unpack into r, which has the slice and form of the table. */
enum status shelf_get(struct shelf *s, struct crew *crew, enum kind kind, struct raw *r,
                      struct error *e);

/* A table that is too large for memory: put a file "SLICE.KIND.raw" behind the addresses
 * of r, which was made sparse.  With `keep` a file that is there and has the right size
 * stays as it is, and *kept says so; otherwise its content is any. */
enum status shelf_map(struct shelf *s, enum kind kind, struct raw *r, bool keep, bool *kept,
                      struct error *e);
bool shelf_on_disk(const struct shelf *s);

/* "DIR/SLICE.KIND.parts", for parts.h. */
enum { SHELF_PATH_MAX = 4096 };
char *shelf_journal(const struct shelf *s, enum kind kind, struct slice table,
                    char path[SHELF_PATH_MAX]);

/* Remove all there is of a table; it must not be mapped. */
void shelf_drop(struct shelf *s, enum kind kind, struct slice table);

/* Memory that the tables on the shelf take, and the bytes of its files. */
uint64_t shelf_memory(const struct shelf *s);
uint64_t shelf_files(const struct shelf *s);

#endif
