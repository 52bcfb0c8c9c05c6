/* SPDX-License-Identifier: MIT
 *
 * store_guard.h -- an error instead of a signal when the file of an open store is truncated.
 *
 * LMDB maps its file.  If the file is truncated while it is open, reading the map raises SIGBUS; if
 * it is overwritten, an assertion of LMDB may fail.  Inside a guard, both return to where the guard
 * was entered:
 *
 *     struct store_guard g;
 *
 *     if (store_guard_enter(&g))
 *         return STATUS_DAMAGED;
 *     ...
 *     store_guard_leave(&g);
 *
 * What the guarded code held at that moment (a transaction, a lock of LMDB) stays held: the store
 * must not be used again.
 *
 * (N1) Outside a guard, SIGBUS ends the process as always.
 * (N2) Guards nest; each thread has its own.
 *
 * The caller owns the guard.  Any thread. */
#ifndef KELSO_PROOF_STORE_GUARD_H
#define KELSO_PROOF_STORE_GUARD_H

#include <setjmp.h>

struct store_guard {
    sigjmp_buf back;
    struct store_guard *outer;
};

/* Catch SIGBUS from now on. */
void store_guard_install(void);

/* Not 0 when the guarded code was cut off.  A macro: sigsetjmp returns into its caller. */
#define store_guard_enter(g) (store_guard_arm(g), sigsetjmp((g)->back, 0))
void store_guard_arm(struct store_guard *g);
void store_guard_leave(const struct store_guard *g);

/* Return to the innermost guard of this thread; returns if there is none. */
void store_guard_escape(void);

#endif
