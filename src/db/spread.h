/* SPDX-License-Identifier: MIT
 *
 * spread.h -- tables whose values are divided among the ranks of a team.
 *
 * No rank holds a whole table.  Each holds a share of every table, in its pool (raw.h, pool.h).
 * What kernels and pages read and write is a view: a raw with addresses for the whole table, and
 * memory only where blocks were brought.  So the code that reads tables does not know of shares.
 * Before a batch of work its chunks or blocks are brought from their owners; afterwards the blocks
 * it wrote are put back to theirs, and the view's memory is released.
 *
 *     spread_use, spread_fetch   chunks of finished tables, kept for later batches
 *     spread_get                 single blocks of the table that is being solved
 *     spread_put                 finished blocks, to their owners
 *
 * (U1) A block that was brought has the bytes that its owner holds.
 * (U2) Only spread_put changes a share.
 * (U3) Messages are checked: one that asks for or brings what is not there is an error.
 *
 * The ranks open the same tables in the same order, and call fetch, get and put together; no two
 * of these run at once in a process.  spread_use is safe on any thread.  spread_fetch may run while
 * other threads read what was brought before.  The pool and the team belong to the caller. */
#ifndef KELSO_DB_SPREAD_H
#define KELSO_DB_SPREAD_H

#include "base/team.h"
#include "db/pool.h"

#include <stdatomic.h>

struct spread_view {
    struct raw raw; /* sparse */
    enum kind kind;
    uint32_t number; /* in spread.view */
    struct raw_cut cut;
    uint8_t *share;            /* the pool's */
    int turn;                  /* chunk c belongs to rank (c + turn) % ranks */
    uint64_t *present;         /* chunks, by bit */
    _Atomic uint64_t *used[2]; /* the same, for two batches */
};

/* What is known of the traffic: bytes brought from other ranks and from the own share, and put to
 * others. */
struct spread_traffic {
    uint64_t brought, own, put;
};

struct spread {
    struct team *team;
    struct pool *pool;
    int count;
    struct spread_view **view;
    struct spread_view *at[KINDS][SLICE_CODES];
    struct raw_set set[KINDS]; /* the views, for kernels */
    uint64_t held;             /* bytes of chunks that are present */
    struct spread_traffic traffic;
    uint32_t parts, kept; /* that spread_run solved; that an earlier run had finished */
    struct team_mail out, in, reply;
};

/* Blocks of a table that lie in one chunk. */
struct spread_piece {
    uint64_t block;
    uint32_t count, view;
};

enum status spread_open(struct spread **s, struct pool *pool, struct team *team, struct error *e);
void spread_close(struct spread **s);

/* Make a view of a table whose share is in the pool. */
enum status spread_add(struct spread *s, enum kind kind, struct slice table, struct error *e);

/* A batch will read these blocks. */
void spread_use(struct spread_view *v, uint64_t first, uint64_t count, int batch);
void spread_unuse(struct spread *s, int batch);          /* forget what the batch will read */
uint64_t spread_used(const struct spread *s, int batch); /* its bytes */

/* Bring the chunks that the batch will read.  Together. */
enum status spread_fetch(struct spread *s, int batch, struct error *e);

/* Release the chunks that neither batch uses. */
void spread_trim(struct spread *s);

/* Bring blocks; put blocks to their owners.  The list of get is put into order, without
 * duplicates.  `log`, if not NULL, is also given the bytes that are put.  Together. */
typedef enum status spread_log(void *context, const uint8_t *bytes, size_t n, struct error *e);

enum status spread_get(struct spread *s, struct spread_piece *list, size_t n, struct error *e);
enum status spread_put(struct spread *s, const struct spread_piece *list, size_t n, spread_log *log,
                       void *context, struct error *e);

/* Put again what a log was given; n may be 0.  *count tells how many blocks it was.  Together. */
enum status spread_replay(struct spread *s, const uint8_t *bytes, size_t n, size_t *count,
                          struct error *e);

/* Release the memory of a view, what was brought and what was written. */
void spread_release(struct spread *s, struct spread_view *v);

#endif
