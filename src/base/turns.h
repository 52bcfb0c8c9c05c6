/* SPDX-License-Identifier: MIT
 *
 * turns.h -- pieces of work, made in any order and delivered in theirs.
 *
 * Several threads make numbered pieces, and what they make must leave in the order of the numbers,
 * as pages go to a file.  A thread that is ahead does not wait for its turn: it leaves its piece
 * in a slot and takes the next number.  Whoever completes the piece whose turn it is delivers that
 * piece and the finished ones after it.  A thread waits only while all slots are in use.
 *
 *     while (turns_take(&t, &number, &slot)) {
 *         ... make piece `number` in slot `slot` ...
 *         turns_give(&t, number, deliver, context);
 *     }
 *
 * (O1) Each number is delivered once, in order, by one thread at a time.
 * (O2) A slot is taken again only after its piece was delivered.
 * (O3) After turns_fail nothing more is delivered.
 *
 * A thread gives every piece that it took, made or not: others wait for it.  One thread opens,
 * begins and closes. */
#ifndef KELSO_BASE_TURNS_H
#define KELSO_BASE_TURNS_H

#include "base/status.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { TURNS_SLOTS_MAX = 1024 };

struct turns {
    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t freed;
    uint32_t slots;
    uint64_t next, end; /* to take */
    uint64_t due;       /* to deliver */
    bool delivering;
    bool made[TURNS_SLOTS_MAX]; /* but not delivered */
    struct error error;         /* the first failure */
};

typedef void turns_deliver(void *context, uint64_t number, uint32_t slot);

void turns_open(struct turns *t, uint32_t slots); /* at most TURNS_SLOTS_MAX */
void turns_close(struct turns *t);

/* The numbers first .. end - 1; no piece is in the making, and no failure yet. */
void turns_begin(struct turns *t, uint64_t first, uint64_t end);

/* The next number, and the slot for it; false when there are no more. */
bool turns_take(struct turns *t, uint64_t *number, uint32_t *slot);

/* The piece is made, or given up.  Deliver what is due. */
void turns_give(struct turns *t, uint64_t number, turns_deliver *deliver, void *context);

/* Any thread, `deliver` too; the first failure counts. */
void turns_fail(struct turns *t, const struct error *e);
bool turns_failed(struct turns *t);

#endif
