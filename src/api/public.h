/* SPDX-License-Identifier: MIT
 *
 * public.h -- helpers shared by the files of the public library.
 *
 * Each public function checks its arguments, converts them to the types of the layers below,
 * and converts the answer back.  These are the conversions.
 *
 * (P1) A board made by public_board is board_valid, and the side that moved last has a piece.
 * (P2) An error is written only when a call fails; NULL is allowed everywhere.
 *
 * Pure functions on the caller's memory; safe on any thread. */
#ifndef KELSO_API_PUBLIC_H
#define KELSO_API_PUBLIC_H

#include "base/status.h"
#include "core/move.h"
#include "db/value.h"
#include "kelso.h"

/* Fill *error, if not NULL, and return the status. */
kelso_status public_fail(kelso_error *error, kelso_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Pass on an error of a layer below; KELSO_OK for STATUS_OK. */
kelso_status public_report(kelso_error *error, enum status status, const struct error *e);

/* A position from outside, checked. */
kelso_status public_board(const kelso_position *p, struct board *b, kelso_error *error);

/* Many of them, as views; one that public_board would refuse has no pieces. */
struct views;
void public_views(const kelso_position *p, size_t count, const struct views *views);

/* The tables behind a handle. */
struct tables;
struct tables *public_tables(const kelso_tables *tables);

kelso_position public_position(const struct board *b);
kelso_move public_move(const struct move *m);

/* Plies as the public functions give them: -1 for a draw. */
static inline int public_plies(struct outcome o)
{
    return o.value == VALUE_DRAW ? -1 : o.plies;
}

#endif
