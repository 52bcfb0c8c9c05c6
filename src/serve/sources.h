/* SPDX-License-Identifier: MIT
 *
 * sources.h -- the tables and solved endings that the server answers from.
 *
 * These are the tables of a directory and a few endings solved on demand.  Both change while
 * requests are being answered: a build adds tables, a solve adds an ending.  So a request takes
 * a reference-counted snapshot, which does not change.
 *
 * (O1) A snapshot's answers are exact, or STATUS_MISSING; tables that are there and cannot be
 *      opened are not missing, but an error.
 * (O2) sources_refresh reopens the directory when its MANIFEST has changed, in this process or
 *      another.
 * (O3) Solved endings take at most `endings_bytes`; the oldest are dropped first.
 *
 * The caller owns the handle and releases its snapshots.  Safe on any thread; one thread opens
 * and closes. */
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

/* Cut the directory from a text that visitors may read ("DIR/2K-1K.wld: ..."). */
void sources_hide(const struct sources *src, char *text);

const struct snapshot *sources_take(struct sources *src);
void sources_release(struct sources *src, const struct snapshot *s);

/* Check whether the tables have changed; *e tells why they could not be opened. */
enum status sources_refresh(struct sources *src, struct error *e);

/* Drop the oldest endings until the rest take at most `bytes`; those in use are freed when
 * released. */
void sources_trim(struct sources *src, uint64_t bytes);

/* Add a solved ending of that many bytes; takes ownership. */
void sources_add(struct sources *src, struct ondemand **ending, uint64_t bytes);

#endif
