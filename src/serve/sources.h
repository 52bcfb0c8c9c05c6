/* SPDX-License-Identifier: MIT
 *
 * sources.h -- what the server can answer from, at this moment.
 *
 * The tables of a directory, and a few endings that were solved on demand.  Both change
 * while requests are being answered: a build adds tables, a solve adds an ending.  So a
 * request takes a snapshot, which stays as it is until the last one who holds it lets go.
 *
 * (O1) a snapshot's answers are exact, or STATUS_MISSING.
 * (O2) sources_refresh opens the directory anew when its MANIFEST has changed, whoever
 *      changed it.
 * (O3) solved endings are kept within `endings_bytes`, the latest first.
 *
 * Any thread; open and close belong to one. */
#ifndef KELSO_SERVE_SOURCES_H
#define KELSO_SERVE_SOURCES_H

#include "db/answer.h"
#include "db/ondemand.h"

struct sources;

enum { ENDINGS_MAX = 4 };

struct snapshot {
    struct tables *tables;   /* NULL: there are none */
    struct catalog *catalog; /* of the tables */
    struct source source;
    int endings; /* solved endings among them */
};

/* The directory need not exist yet.  NULL without memory. */
struct sources *sources_open(const char *dir, uint64_t page_bytes, uint64_t endings_bytes);
void sources_close(struct sources **src);

const char *sources_dir(const struct sources *src);

const struct snapshot *sources_take(struct sources *src);
void sources_release(struct sources *src, const struct snapshot *s);

/* Look whether the tables have changed; what stands in their way is in *e. */
enum status sources_refresh(struct sources *src, struct error *e);

/* Forget the oldest endings until those that are left take no more than `bytes`; what is
 * being read is freed when it has been. */
void sources_trim(struct sources *src, uint64_t bytes);

/* Takes over a solved ending, of that many bytes. */
void sources_add(struct sources *src, struct ondemand **ending, uint64_t bytes);

#endif
