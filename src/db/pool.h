/* SPDX-License-Identifier: MIT
 *
 * pool.h -- finished tables in memory, within a budget.
 *
 * The builder needs, for one slice, the tables that a move can lead to.  A move is
 * answered by the opponent, so of a slice's two tables (by the side to move) often
 * one alone is read: the pool holds tables, not slices.  When room is short it takes
 * away the table that is needed again last (Belady's rule: the order of the build is
 * known) and packs it onto the shelf (shelf.h), or forgets it if nobody will ask.
 *
 * A table that finds no room beside those that are pinned becomes a file of the scratch
 * directory, if there is one, mapped into memory: the system then keeps what is in use.
 *
 * (O1) `used` is the sum of the memory of all raws held that are not mapped files.
 * (O2) a pinned table is never taken away.
 * (O3) used + aside + the shelf's memory + what is reserved stays within the budget.
 *
 * The pool owns its raws.  One thread manages it; others may read the sets. */
#ifndef KELSO_DB_POOL_H
#define KELSO_DB_POOL_H

#include "base/status.h"
#include "db/raw.h"
#include "db/shelf.h"

struct pool {
    uint64_t budget, used, peak;
    uint64_t aside;                  /* kept free of tables, for workspaces */
    struct raw_set set[KINDS];       /* what is held, by table */
    bool mapped[KINDS][SLICE_CODES]; /* of these, files */
    uint8_t pinned[SLICE_CODES];     /* by table: how often */
    int32_t next_use[SLICE_CODES];   /* by table: when again; POOL_NEVER */
    struct frames *frames;           /* the memory of the raws and of workspaces */
    struct shelf *shelf;
    struct crew *crew;  /* packs and unpacks; not owned */
    uint64_t unpacked;  /* values that came back from the shelf */
    uint64_t unshelved; /* tables dropped from the shelf's memory though wanted again */
};

enum { POOL_NEVER = INT32_MAX };

/* scratch: the shelf's directory, or NULL to keep it in memory. */
enum status pool_open(struct pool **p, uint64_t budget, const char *scratch, struct crew *crew,
                      struct error *e);
void pool_close(struct pool **p);

/* A table with any content, to be filled. */
enum status pool_add(struct pool *p, enum kind kind, struct slice table, enum raw_form form,
                     struct raw **out, struct error *e);

/* The same as a mapped file, in any case; keep, kept: as shelf_map has them. */
enum status pool_map(struct pool *p, enum kind kind, struct slice table, enum raw_form form,
                     bool keep, bool *kept, struct raw **out, struct error *e);

/* The same, filled from the shelf, which has it. */
enum status pool_unshelve(struct pool *p, enum kind kind, struct slice table, enum raw_form form,
                          struct error *e);

void pool_drop(struct pool *p, enum kind kind, struct slice table);
bool pool_has(const struct pool *p, enum kind kind, struct slice table);

/* Forget all tables that are never used again, here and on the shelf. */
void pool_forget(struct pool *p);

/* Make room for `bytes` beside what is held, taking away what is not pinned. */
enum status pool_reserve(struct pool *p, uint64_t bytes, struct error *e);

void pool_pin(struct pool *p, struct slice table, int by);

#endif
