/* SPDX-License-Identifier: MIT
 *
 * pool.h -- finished tables in memory, within a budget.
 *
 * To solve one slice, the builder reads the tables that a move can lead to.  After a move
 * the opponent is to move, so often only one of a slice's two tables (one per side to
 * move) is read: the pool holds tables, not slices.  When room is short, it evicts the
 * table that is needed again last (Belady's rule: the order of the build is known).  An
 * evicted table goes to the swap (swap.h), or is dropped if it is never needed again.
 *
 * A table that does not fit beside the pinned ones becomes a mapped file in the scratch
 * directory, if there is one; the pages of it that are in use take what is left of the budget
 * (residents.h).
 *
 * (O1) `used` is the memory of all raws held, not counting mapped files.
 * (O2) A pinned table is never evicted.
 * (O3) used + aside + window + the swap's memory stay within the budget.
 * (O4) The pages of mapped files have the window and what else is left of the budget, or a
 *      sixteenth of it if that is less.
 *
 * A team whose members cannot hold whole tables has pools of shares (spread.h).
 *
 * The pool owns its raws, its frames and its swap.  One thread manages it; others may
 * read the sets. */
#ifndef KELSO_DB_POOL_H
#define KELSO_DB_POOL_H

#include "base/residents.h"
#include "base/status.h"
#include "db/raw.h"
#include "db/swap.h"

struct pool {
    uint64_t budget, used, peak;
    int ranks; /* more than 1: the raws are shares of tables, for one of so many ranks (raw.h) */
    uint64_t aside;                  /* set aside for workspaces, */
    uint64_t window;                 /* and for pages of mapped files */
    struct raw_set set[KINDS];       /* the tables held */
    bool mapped[KINDS][SLICE_CODES]; /* those that are files, */
    int files;                       /* so many */
    uint8_t pinned[SLICE_CODES];     /* by table: a count */
    int32_t next_use[SLICE_CODES];   /* by table: the step that needs it next, or POOL_NEVER */
    struct frames *frames;           /* the memory of the raws and of workspaces */
    struct swap *swap;
    struct residents *residents; /* the mapped files */
    struct crew *crew;           /* packs and unpacks; not owned */
    uint64_t unpacked;           /* values that came back from the swap */
    uint64_t forgotten;          /* packed tables dropped from memory although needed again */
};

enum { POOL_NEVER = INT32_MAX };

/* scratch: the directory of the swap, or NULL to keep the swap in memory. */
enum status pool_open(struct pool **p, uint64_t budget, const char *scratch, struct crew *crew,
                      struct error *e);
void pool_close(struct pool **p);

/* Add a table for the caller to fill; its content is undefined. */
enum status pool_add(struct pool *p, enum kind kind, struct slice table, enum raw_form form,
                     struct raw **out, struct error *e);

/* Add a table as a mapped file; keep and kept are those of swap_map. */
enum status pool_map(struct pool *p, enum kind kind, struct slice table, enum raw_form form,
                     bool keep, bool *kept, struct raw **out, struct error *e);

/* Add a table and fill it from the swap, which must have it. */
enum status pool_swap_in(struct pool *p, enum kind kind, struct slice table, enum raw_form form,
                         struct error *e);

void pool_drop(struct pool *p, enum kind kind, struct slice table);
bool pool_has(const struct pool *p, enum kind kind, struct slice table);

/* Drop all tables that are never used again, here and in the swap. */
void pool_forget(struct pool *p);

/* Make room for `bytes` more, evicting what is not pinned: for tables, which could be files as
 * well, ... */
enum status pool_room(struct pool *p, uint64_t bytes, struct error *e);
/* ... and set it aside, for workspaces: if nothing else helps, the window shrinks.  Who reserved
 * puts `aside` and `window` back. */
enum status pool_reserve(struct pool *p, uint64_t bytes, struct error *e);

void pool_pin(struct pool *p, struct slice table, int by);

#endif
