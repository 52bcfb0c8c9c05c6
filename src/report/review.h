/* SPDX-License-Identifier: MIT
 *
 * review.h -- a game that was played, move by move against the best there was.
 *
 * (R1) a position that the source cannot answer is passed over, not guessed.
 *
 * The structures are large: allocate them.  Any thread that the source allows. */
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

/* Ask about each ply; where distances are missing and `values` is set, by value alone.
 * On an error other than a gap, *at is the ply. */
enum status review_record(const struct source *s, const struct record *record, enum kind kind,
                          bool values, struct review *out, int *at, struct error *e);

/* Did the move give away the result, or plies? */
bool slip_gives_away(const struct slip *s);

#endif
