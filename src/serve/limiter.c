/* SPDX-License-Identifier: MIT */
#include "serve/limiter.h"
#include "base/bytes.h"
#include "base/sha256.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>

enum { SECRET_BYTES = 32 };

struct bucket {
    double tokens, when;
    int held[LIMITER_HELD];
};

struct limiter {
    pthread_mutex_t lock; /* guards the buckets */
    double rate;
    uint8_t secret[SECRET_BYTES]; /* (L2); constant, as is the rate */
    struct bucket bucket[LIMITER_BUCKETS];
};

static double bucket_room(const struct limiter *l)
{
    return l->rate < 1 ? 2 : 2 * l->rate;
}

struct limiter *limiter_open(double rate)
{
    struct limiter *l = calloc(1, sizeof *l);

    if (!l)
        return NULL;
    if (getrandom(l->secret, sizeof l->secret, 0) != (ssize_t)sizeof l->secret) {
        free(l);
        return NULL;
    }
    pthread_mutex_init(&l->lock, NULL);
    l->rate = rate;
    for (int i = 0; i < LIMITER_BUCKETS; i++)
        l->bucket[i].tokens = bucket_room(l);
    return l;
}

void limiter_close(struct limiter **l)
{
    if (!*l)
        return;
    pthread_mutex_destroy(&(*l)->lock);
    free(*l);
    *l = NULL;
}

unsigned limiter_bucket(const struct limiter *l, const void *address, size_t length)
{
    uint8_t digest[SHA256_BYTES];
    struct sha256 hash;

    sha256_begin(&hash);
    sha256_add(&hash, l->secret, sizeof l->secret);
    sha256_add(&hash, address, length);
    sha256_end(&hash, digest);
    return (unsigned)(bytes_get(digest, 4) % LIMITER_BUCKETS);
}

bool limiter_take(struct limiter *l, unsigned bucket, double now)
{
    struct bucket *b = &l->bucket[bucket];
    bool allowed;

    if (l->rate <= 0)
        return true;
    pthread_mutex_lock(&l->lock);
    b->tokens += (now - b->when) * l->rate;
    b->when = now;
    if (b->tokens > bucket_room(l))
        b->tokens = bucket_room(l);
    allowed = b->tokens >= 1;
    if (allowed)
        b->tokens -= 1;
    pthread_mutex_unlock(&l->lock);
    return allowed;
}

bool limiter_hold(struct limiter *l, unsigned bucket, int what, int max)
{
    bool allowed;

    pthread_mutex_lock(&l->lock);
    allowed = l->bucket[bucket].held[what] < max;
    l->bucket[bucket].held[what] += allowed;
    pthread_mutex_unlock(&l->lock);
    return allowed;
}

void limiter_drop(struct limiter *l, unsigned bucket, int what)
{
    pthread_mutex_lock(&l->lock);
    assert(l->bucket[bucket].held[what] > 0); /* (L1) */
    l->bucket[bucket].held[what]--;
    pthread_mutex_unlock(&l->lock);
}
