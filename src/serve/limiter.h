/* SPDX-License-Identifier: MIT
 *
 * limiter.h -- rate limits per client: a token bucket for each address.
 *
 * A bucket fills with tokens at `rate` per second, up to two seconds' worth; a request takes
 * one.  It also counts what the address holds: connections, and requests being worked on.
 * Addresses are hashed to LIMITER_BUCKETS buckets; two addresses in one bucket are limited
 * together.
 *
 * (L1) Each successful limiter_hold is followed by exactly one limiter_drop.
 * (L2) Nobody can choose an address that shares a bucket with another's: the hash is SHA-256 of a
 *      random secret, new for each limiter, and the address.
 *
 * The caller owns the limiter.  Safe on any thread. */
#ifndef KELSO_SERVE_LIMITER_H
#define KELSO_SERVE_LIMITER_H

#include <stdbool.h>
#include <stddef.h>

enum { LIMITER_BUCKETS = 4096, LIMITER_HELD = 4 };

struct limiter;

/* `rate` 0: no limit.  NULL without memory or random bytes. */
struct limiter *limiter_open(double rate);
void limiter_close(struct limiter **l);

/* The bucket of an address. */
unsigned limiter_bucket(const struct limiter *l, const void *address, size_t length);

/* May this address make a request at time `now` (seconds on a monotonic clock)? */
bool limiter_take(struct limiter *l, unsigned bucket, double now);

/* Take one of at most `max` slots of a kind, 0 <= what < LIMITER_HELD; release it. */
bool limiter_hold(struct limiter *l, unsigned bucket, int what, int max);
void limiter_drop(struct limiter *l, unsigned bucket, int what);

#endif
