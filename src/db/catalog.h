/* SPDX-License-Identifier: MIT
 *
 * catalog.h -- a directory of tables.
 *
 * Knows which slices and kinds are there, opens tables when they are first asked
 * for and keeps them open.  MANIFEST lists name, size and digest of each file, one
 * line a file, for people and for copying; the files themselves are authoritative.
 *
 * (H1) MANIFEST is replaced atomically after each slice that is added.
 * (H2) one builder at a time: opening to build takes a lock on the directory.
 *
 * The catalog owns the tables it hands out.  catalog_table may be called from any
 * thread; opening to build, adding and closing belong to one. */
#ifndef KELSO_DB_CATALOG_H
#define KELSO_DB_CATALOG_H

#include "db/table.h"

struct catalog;

/* Open an existing directory to read.  Looks at names only: files are checked when
 * they are first asked for. */
enum status catalog_open(struct catalog **c, const char *dir, struct error *e);

/* Open a directory to build in: make it if need be, lock it, remove what a killed
 * builder left behind under temporary names, and open every table.  A damaged one is
 * an error, not a reason to build it again over somebody's data. */
enum status catalog_open_to_build(struct catalog **c, const char *dir, struct error *e);
void catalog_close(struct catalog **c);

const char *catalog_dir(const struct catalog *c);

/* Is there a file for it?  (A cheap look that does not open it.) */
bool catalog_has(const struct catalog *c, struct slice s, enum kind kind);

/* The table; STATUS_MISSING if there is none. */
enum status catalog_table(struct catalog *c, struct slice s, enum kind kind, const struct table **t,
                          struct error *e);

/* Does MANIFEST say what the files say?  STATUS_MISMATCH names the first difference;
 * a damaged file, or no MANIFEST beside files, is one. */
enum status catalog_check(struct catalog *c, struct error *e);

/* A file was just written: take it into the catalog ... */
enum status catalog_added(struct catalog *c, struct slice s, enum kind kind, uint64_t *bytes,
                          struct error *e);

/* A file was just replaced: take the new one.  Nobody may be using the old one. */
enum status catalog_replaced(struct catalog *c, struct slice s, enum kind kind, uint64_t *bytes,
                             struct error *e);

/* ... and, when all files of a slice were, into the MANIFEST. */
enum status catalog_write_manifest(struct catalog *c, struct error *e);

/* The directory to use: `dir` if not NULL, else $KELSO_DB, else $XDG_DATA_HOME/kelso,
 * else ~/.local/share/kelso.  Returns buf, or NULL if none of these is set. */
char *catalog_default_dir(const char *dir, char *buf, size_t size);

#endif
