/* SPDX-License-Identifier: MIT
 *
 * limiter.h -- how much one client may ask for: a bucket for each address.
 *
 * A bucket fills with tokens at `rate` a second up to two seconds' worth; a request takes
 * one.  It also counts what the address holds: connections, and requests at work.
 * Addresses share LIMITER_BUCKETS buckets by hash: two that share one are limited
 * together, which errs on the side of the server.
 *
 * (L1) what was held is dropped again by the same caller, once.
 *
 * Any thread. */
#ifndef KELSO_SERVE_LIMITER_H
#define KELSO_SERVE_LIMITER_H

#include <stdbool.h>
#include <stddef.h>

enum { LIMITER_BUCKETS = 4096, LIMITER_HELD = 4 };

struct limiter;

/* `rate` 0: no limit.  NULL without memory. */
struct limiter *limiter_open(double rate);
void limiter_close(struct limiter **l);

/* The bucket of an address. */
unsigned limiter_bucket(const void *address, size_t length);

/* May this address make a request at time `now` (seconds on a clock that runs forward)? */
bool limiter_take(struct limiter *l, unsigned bucket, double now);

/* Take one of at most `max` things of a kind, 0 <= what < LIMITER_HELD; give it back. */
bool limiter_hold(struct limiter *l, unsigned bucket, int what, int max);
void limiter_drop(struct limiter *l, unsigned bucket, int what);

#endif
