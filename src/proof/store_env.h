/* SPDX-License-Identifier: MIT
 *
 * store_env.h -- what the parts of the store share: store.c, and store_each.c, which reads all of
 * it.
 *
 * Internal to store.h. */
#ifndef KELSO_PROOF_STORE_ENV_H
#define KELSO_PROOF_STORE_ENV_H

#include "base/files.h"
#include "proof/store.h"
#include "proof/store_filter.h"
#include "proof/store_guard.h"

#include <lmdb.h>

struct store {
    MDB_env *env;
    MDB_dbi records, texts, numbers, claims;
    bool has_numbers, has_claims; /* an older store may have none */
    bool grouped;                 /* puts share `group` ... */
    MDB_txn *group;               /* ... NULL until the first write */
    MDB_txn *reading;             /* outside a group */
    struct store_filter filter;   /* keys of `records`, for a writer: nobody else adds any */
    bool cut;                     /* a guard was needed: nothing is read or written any more */
    int lock;                     /* the writer's lock; -1: read only */
    char dir[TABLE_PATH_MAX];
};

/* Is the store unusable, or has it become so since the guard was entered? */
#define STORE_CUT(s, g) ((s)->cut || store_guard_enter(g))

/* Leave the guard with the outcome of what it guarded. */
static inline enum status guarded(const struct store_guard *g, enum status rc)
{
    store_guard_leave(g);
    return rc;
}

/* The file changed under LMDB, which cannot be called again. */
enum status store_cut(struct store *s, struct error *e);

/* The error for a code of LMDB. */
enum status store_lmdb_error(const struct store *s, int code, struct error *e);

/* The error for a value that cannot be decoded. */
enum status store_damaged(const struct store *s, const char *what, const char *whose,
                          struct error *e);
enum status store_damaged_at(const struct store *s, const char *what, const struct board *b,
                             struct error *e);

/* The error for the value of a record that cannot be decoded: damaged, or of a newer kelso. */
enum status store_record_bad(const struct store *s, const struct board *b, const uint8_t *key,
                             const MDB_val *value, struct error *e);

/* Start reading; writes of the open group are visible.  Returns a code of LMDB. */
int store_read_begin(struct store *s, MDB_txn **txn);
void store_read_end(struct store *s, MDB_txn *txn);

/* Check every record and text: STATUS_DAMAGED names the first bad one. */
enum status store_check_whole(struct store *s, struct error *e);

#endif
