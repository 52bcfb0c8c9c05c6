/* SPDX-License-Identifier: MIT
 *
 * limiter.h -- how many requests a client may make: a bucket of tokens for each address.
 *
 * A bucket fills at `rate` tokens a second up to two seconds' worth; a request takes one.
 * Addresses share LIMITER_BUCKETS buckets by hash: two that share one are limited
 * together, which errs on the side of the server.
 *
 * Any thread. */
#ifndef KELSO_SERVE_LIMITER_H
#define KELSO_SERVE_LIMITER_H

#include <stdbool.h>
#include <stddef.h>

enum { LIMITER_BUCKETS = 4096 };

struct limiter;

struct limiter *limiter_open(double rate); /* NULL without memory */
void limiter_close(struct limiter **l);

/* May this address make a request at time `now` (seconds on a clock that runs forward)? */
bool limiter_take(struct limiter *l, const void *address, size_t length, double now);

#endif
