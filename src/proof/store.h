/* SPDX-License-Identifier: MIT
 *
 * store.h -- every position examined so far, in a B-tree on disk (LMDB).
 *
 * One record per position: bounds, the player's score, how they were found and at what cost.  All
 * proofs in the store share its records.  A few named texts record what is being proven and how far
 * it has got.
 *
 * store_codec.h defines the bytes.  Each record, list of numbers and text has a checksum, which
 * is verified on every read.
 *
 * A search without a result leaves a struct solve_numbers for each move, in the order of
 * moves_generate.  These are kept beside the record under the same key.  They only help to
 * choose the next search; a proof can do without them.
 *
 * The proof of each answer is kept as well, under the question: the packed claims of the search, or
 * a note that they were too large to keep.  With them a proof can be exported without solving
 * anything again (export.h).
 *
 * (G1) store_put returns after the record is on disk, so a kill loses nothing written before.
 *      In a group (store_group) this holds after store_commit: a group is kept completely or
 *      not at all.
 * (G2) Bounds in a record never become wider: store_put joins old and new.
 * (G3) A store has one writer and any number of readers: a second writer gets STATUS_LOCKED.
 * (G4) Damaged data is never returned as valid: it gives STATUS_DAMAGED.  Opening checks every
 * record and text, so a record whose key is damaged is not taken for one that was never written.
 * (G5) A file that is truncated while it is open gives STATUS_DAMAGED too, from then on for every
 *      call (store_guard.h).
 *
 * The caller owns the handle.  One thread. */
#ifndef KELSO_PROOF_STORE_H
#define KELSO_PROOF_STORE_H

#include "core/move.h"
#include "proof/prover.h"

#include <stdatomic.h>

enum record_how { HOW_SCORE, HOW_TABLES, HOW_SOLVER, HOW_BACKED_UP };

struct store_record {
    struct bounds bounds; /* everything known */
    struct bounds own;    /* without what was backed up from successors */
    enum record_how how : 8;
    int16_t score;
    bool expanded;
    int threshold;
    uint32_t searches;
    uint64_t nodes, microseconds;
};

struct store;

/* STATUS_MISSING if there is none to read, STATUS_FORMAT if it is of a newer version. */
enum status store_open(struct store **s, const char *dir, bool write, struct error *e);

/* Open a store for store_check: to read, though records or texts may be damaged. */
enum status store_open_to_check(struct store **s, const char *dir, struct error *e);
void store_close(struct store **s);

/* Start a group: writes are collected until store_commit, which starts the next group, or
 * store_ungroup, which ends it.  This handle reads them at once, other processes after the
 * commit.  Closing a store discards an open group. */
void store_group(struct store *s);
enum status store_commit(struct store *s, struct error *e);
enum status store_ungroup(struct store *s, struct error *e);

/* STATUS_MISSING if there is no record. */
enum status store_get(struct store *s, const struct board *b, struct store_record *r,
                      struct error *e);

/* STATUS_MISMATCH if old and new bounds contradict each other; nothing is written. */
enum status store_put(struct store *s, const struct board *b, const struct store_record *r,
                      struct error *e);

/* The number of positions with a record. */
enum status store_count(struct store *s, uint64_t *records, struct error *e);

/* STATUS_MISSING if there are none. */
enum status store_get_numbers(struct store *s, const struct board *b,
                              struct solve_numbers after[MOVES_MAX], int *count, struct error *e);
enum status store_put_numbers(struct store *s, const struct board *b,
                              const struct solve_numbers *after, int count, struct error *e);

/* Store the claims for the answer to a question about q->root.  Claims in the store are never
 * replaced by a note that others were not kept. */
enum status store_put_claims(struct store *s, const struct pack_question *q,
                             const struct prover_claims *c, struct error *e);

/* STATUS_MISSING if there are none, STATUS_DAMAGED as in (G4).  The caller frees *bytes, which
 * c->bytes points into. */
enum status store_get_claims(struct store *s, const struct pack_question *q,
                             struct prover_claims *c, uint8_t **bytes, struct error *e);

/* All claims, in the order of their keys; damaged ones are skipped.  `stop` as in store_each. */
typedef void store_visit_claims(void *context, const struct pack_question *q,
                                const struct prover_claims *c);
enum status store_each_claims(struct store *s, store_visit_claims *visit, void *context,
                              const atomic_bool *stop, struct error *e);

/* Named texts; *text is freed by the caller. */
enum status store_get_text(struct store *s, const char *name, char **text, struct error *e);
enum status store_put_text(struct store *s, const char *name, const char *text, struct error *e);

/* All records, in the order of their keys.  STATUS_INTERRUPTED when `stop` (may be NULL) is set. */
typedef void store_visit(void *context, const struct board *b, const struct store_record *r);
enum status store_each(struct store *s, store_visit *visit, void *context, const atomic_bool *stop,
                       struct error *e);

/* Check every record and all claims.  STATUS_DAMAGED says how many are damaged or missing; `tell`
 * is called for each damaged one ("the record of FEN", "the claims of FEN"). */
typedef void store_tell(void *context, const char *what);
enum status store_check(struct store *s, store_tell *tell, void *context, struct error *e);

#endif
