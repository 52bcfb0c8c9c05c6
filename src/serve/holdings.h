/* SPDX-License-Identifier: MIT
 *
 * holdings.h -- what the server can answer from, at this moment.
 *
 * The tables of a directory, and a few endings that were solved on demand.  Both change
 * while requests are being answered: a build adds tables, a solve adds an ending.  So a
 * request takes a snapshot, which stays as it is until the last one who holds it lets go.
 *
 * (O1) a snapshot's answers are exact, or STATUS_MISSING.
 * (O2) holdings_refresh opens the directory anew when its MANIFEST has changed, whoever
 *      changed it.
 * (O3) solved endings are kept within `endings_bytes`, the latest first.
 *
 * Any thread; open and close belong to one. */
#ifndef KELSO_SERVE_HOLDINGS_H
#define KELSO_SERVE_HOLDINGS_H

#include "db/answer.h"
#include "db/ondemand.h"

struct holdings;

enum { ENDINGS_MAX = 4 };

struct snapshot {
    struct tables *tables;   /* NULL: there are none */
    struct catalog *catalog; /* of the tables */
    struct source source;
    int endings; /* solved endings among them */
};

/* The directory need not exist yet.  NULL without memory. */
struct holdings *holdings_open(const char *dir, uint64_t page_bytes, uint64_t endings_bytes);
void holdings_close(struct holdings **h);

const char *holdings_dir(const struct holdings *h);

const struct snapshot *holdings_take(struct holdings *h);
void holdings_release(struct holdings *h, const struct snapshot *s);

/* Look whether the tables have changed; what stands in their way is in *e. */
enum status holdings_refresh(struct holdings *h, struct error *e);

/* Forget the oldest endings until those that are left take no more than `bytes`; what is
 * being read is freed when it has been. */
void holdings_trim(struct holdings *h, uint64_t bytes);

/* Takes over a solved ending, of that many bytes. */
void holdings_add(struct holdings *h, struct ondemand **ending, uint64_t bytes);

#endif
