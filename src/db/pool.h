/* SPDX-License-Identifier: MIT
 *
 * pool.h -- finished tables in memory, within a budget.
 *
 * The builder needs, for one slice, the tables of all slices that a move can lead
 * to.  The pool keeps what was built or read; when room is short it drops the table
 * that is needed again last (Belady's rule: the order of the build is known), and
 * the builder reads it back from its file should it be wanted.
 *
 * (O1) `used` is the sum of the memory of all raws held.
 * (O2) a pinned slice is never dropped.
 *
 * The pool owns its raws.  One thread manages it; others may read the sets. */
#ifndef KELSO_DB_POOL_H
#define KELSO_DB_POOL_H

#include "db/raw.h"
#include "base/status.h"

struct pool {
    uint64_t budget, used, peak;
    struct raw_set set[KINDS];     /* what is held, both mirrors */
    uint8_t pinned[SLICE_CODES];   /* by canonical slice: how often */
    int32_t next_use[SLICE_CODES]; /* by canonical slice: when again; INT32_MAX never */
};

struct pool *pool_create(uint64_t budget);
void pool_free(struct pool **p);

/* Both mirrors of a slice, zeroed; NULL on failure.  out[1] == out[0] if symmetric. */
enum status pool_add(struct pool *p, enum kind kind, struct slice s, enum raw_form form,
                     struct raw *out[2], struct error *e);
void pool_drop(struct pool *p, enum kind kind, struct slice s);
bool pool_has(const struct pool *p, enum kind kind, struct slice s);

/* Make room for `bytes` beside what is held, dropping what is not pinned. */
enum status pool_reserve(struct pool *p, uint64_t bytes, struct error *e);

void pool_pin(struct pool *p, struct slice s, int by);

#endif
