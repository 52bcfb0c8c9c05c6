/* SPDX-License-Identifier: MIT
 *
 * store.h -- every position that was ever examined, in a B-tree on disk (LMDB).
 *
 * One record a position: bounds, the player's score, how they were found and at what
 * cost.  Records are shared by all proofs in the store.  Beside them a few named texts:
 * what is being proven, and how far it has come.
 *
 * store_codec.h has the bytes.  Each record, list of numbers and text carries a checksum, which
 * is looked at whenever it is read.
 *
 * What a search without a result left for the moves of a position is kept beside its record
 * under the same key: the numbers of struct solve_numbers for each move, in the order of
 * moves_generate.  It only helps to choose; without it a proof goes on as well.
 *
 * (G1) store_put returns after the record is on the disk: a kill loses nothing before it.  In a
 *      group (store_group) that is so after store_commit: of a group all is kept, or nothing.
 * (G2) bounds in a record never become wider: store_put joins old and new.
 * (G3) a store is open once to write, any number of times to read: a second writer gets
 *      STATUS_LOCKED.
 * (G4) what is damaged is never read as something else: it gives STATUS_DAMAGED.
 *
 * One thread. */
#ifndef KELSO_PROOF_STORE_H
#define KELSO_PROOF_STORE_H

#include "core/move.h"
#include "proof/solve.h"

enum record_how { HOW_SCORE, HOW_TABLES, HOW_SOLVER, HOW_BACKED_UP };

struct store_record {
    struct bounds bounds; /* all that is known */
    struct bounds own;    /* without what is backed up from successors */
    enum record_how how;
    int score;
    bool expanded;
    int threshold;
    uint32_t searches;
    uint64_t nodes, microseconds;
};

struct store;

/* STATUS_MISSING if there is none to read. */
enum status store_open(struct store **s, const char *dir, bool write, struct error *e);
void store_close(struct store **s);

/* From here on what is put is gathered until store_commit, which begins the next group, or until
 * store_ungroup, which ends it.  Reads see it at once, other processes after the commit.  Closing
 * a store drops a group that is open. */
void store_group(struct store *s);
enum status store_commit(struct store *s, struct error *e);
enum status store_ungroup(struct store *s, struct error *e);

/* STATUS_MISSING if there is no record. */
enum status store_get(struct store *s, const struct board *b, struct store_record *r,
                      struct error *e);

/* STATUS_MISMATCH where old and new bounds contradict each other: nothing is written. */
enum status store_put(struct store *s, const struct board *b, const struct store_record *r,
                      struct error *e);

/* STATUS_MISSING if there are none. */
enum status store_get_numbers(struct store *s, const struct board *b,
                              struct solve_numbers after[MOVES_MAX], int *count, struct error *e);
enum status store_put_numbers(struct store *s, const struct board *b,
                              const struct solve_numbers *after, int count, struct error *e);

/* Named texts; *text is freed by the caller. */
enum status store_get_text(struct store *s, const char *name, char **text, struct error *e);
enum status store_put_text(struct store *s, const char *name, const char *text, struct error *e);

/* All records, in the order of their keys. */
typedef void store_visit(void *context, const struct board *b, const struct store_record *r);
enum status store_each(struct store *s, store_visit *visit, void *context, struct error *e);

/* Look at every record: STATUS_DAMAGED says how many are damaged, or how many are gone; `tell`
 * hears of each that is damaged ("the record of FEN"). */
typedef void store_tell(void *context, const char *what);
enum status store_check(struct store *s, store_tell *tell, void *context, struct error *e);

#endif
