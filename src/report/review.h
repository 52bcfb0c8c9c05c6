/* SPDX-License-Identifier: MIT
 *
 * review.h -- compare a game move by move with the best play.
 *
 * (R1) A position that the source cannot answer is skipped, not guessed.
 *
 * The structs are large: allocate them on the heap.  The caller owns them.  Safe on any thread
 * that the source allows. */
#ifndef KELSO_REPORT_REVIEW_H
#define KELSO_REPORT_REVIEW_H

#include "report/record.h"
#include "db/answer.h"

struct review_ply {
    bool asked;     /* false: the source does not know the position */
    enum kind kind; /* what the slip is counted by */
    struct slip slip;
};

struct review {
    enum kind kind;
    struct review_ply ply[RECORD_PLIES_MAX];
};

/* Review each ply; if distances are missing and `values` is set, by value alone.  On an error
 * other than a gap, *at is the ply. */
enum status review_record(const struct source *s, const struct record *record, enum kind kind,
                          bool values, struct review *out, int *at, struct error *e);

/* Did the move give away the result, or plies? */
bool slip_gives_away(const struct slip *s);

#endif
