/* SPDX-License-Identifier: MIT
 *
 * catalog.h -- a directory of tables.
 *
 * The catalog lists the slices and kinds of a directory, opens tables on first use and keeps
 * them open.  The file MANIFEST has one line per table file with its name, size and digest, for
 * people and for copying; the table files themselves are authoritative.
 *
 * (H1) MANIFEST is replaced atomically after each added slice.
 * (H2) One builder at a time: opening to build locks the directory.
 *
 * The catalog owns the tables it hands out.  catalog_table may be called from any thread;
 * opening to build, adding and closing from one thread only. */
#ifndef KELSO_DB_CATALOG_H
#define KELSO_DB_CATALOG_H

#include "db/table.h"

struct catalog;

/* Open an existing directory for reading.  Only file names are read here; each file is checked
 * on first use. */
enum status catalog_open(struct catalog **c, const char *dir, struct error *e);

/* Open a directory to build in: create it if necessary, lock it, remove temporary files that a
 * killed builder left, and open every table.  A damaged table is an error; it is never silently
 * overwritten. */
enum status catalog_open_to_build(struct catalog **c, const char *dir, struct error *e);
void catalog_close(struct catalog **c);

const char *catalog_dir(const struct catalog *c);

/* Is there a file?  (Cheap: does not open it.) */
bool catalog_has(const struct catalog *c, struct slice s, enum kind kind);

/* Get a table; STATUS_MISSING if there is none. */
enum status catalog_table(struct catalog *c, struct slice s, enum kind kind, const struct table **t,
                          struct error *e);

/* The memory for models and indexes of all open tables: 7 bytes for 16,384 values. */
uint64_t catalog_memory(const struct catalog *c);

/* Compare MANIFEST with the files.  STATUS_MISMATCH names the first difference; a damaged file
 * counts as one, and so does a missing MANIFEST if there are files. */
enum status catalog_check(struct catalog *c, struct error *e);

/* Add a file that was just written to the catalog ... */
enum status catalog_added(struct catalog *c, struct slice s, enum kind kind, uint64_t *bytes,
                          struct error *e);

/* Reopen a file that was just replaced.  The old table must not be in use. */
enum status catalog_replaced(struct catalog *c, struct slice s, enum kind kind, uint64_t *bytes,
                             struct error *e);

/* ... and, once all files of a slice are written, to MANIFEST. */
enum status catalog_write_manifest(struct catalog *c, struct error *e);

/* The same, unless MANIFEST is right: a run may have been killed before it wrote it. */
enum status catalog_mend_manifest(struct catalog *c, struct error *e);

/* The directory to use: `dir` if not NULL, else $KELSO_DB, else $XDG_DATA_HOME/kelso,
 * else ~/.local/share/kelso.  Returns buf, or NULL if none of these is set. */
char *catalog_default_dir(const char *dir, char *buf, size_t size);

#endif
