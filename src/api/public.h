/* SPDX-License-Identifier: MIT
 *
 * public.h -- what the files of the public library share.
 *
 * Each public function checks what comes from outside, turns it into the types of the
 * layers below, and turns the answer back.  These are the turns.
 *
 * (P1) a board made by public_board is board_valid and has a piece that moved last.
 * (P2) an error is written only when a call fails; NULL is allowed everywhere.
 *
 * Pure functions on the caller's memory; any thread. */
#ifndef KELSO_API_PUBLIC_H
#define KELSO_API_PUBLIC_H

#include "base/status.h"
#include "core/move.h"
#include "db/value.h"
#include "kelso.h"

/* Fill *error (if any) and return the status. */
kelso_status public_fail(kelso_error *error, kelso_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Pass on what a layer below reported; KELSO_OK for STATUS_OK. */
kelso_status public_report(kelso_error *error, enum status status, const struct error *e);

/* A position from outside, checked. */
kelso_status public_board(const kelso_position *p, struct board *b, kelso_error *error);

kelso_position public_position(const struct board *b);
kelso_move public_move(const struct move *m);

/* Plies as the public functions give them: -1 for a draw. */
static inline int public_plies(struct outcome o)
{
    return o.value == VALUE_DRAW ? -1 : o.plies;
}

#endif
