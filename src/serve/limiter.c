/* SPDX-License-Identifier: MIT */
#include "serve/limiter.h"

#include <pthread.h>
#include <stdlib.h>
#include <xxhash.h>

struct bucket {
    double tokens, when;
};

struct limiter {
    pthread_mutex_t lock; /* guards the buckets */
    double rate;
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

bool limiter_take(struct limiter *l, const void *address, size_t length, double now)
{
    struct bucket *b = &l->bucket[XXH3_64bits(address, length) % LIMITER_BUCKETS];
    bool allowed;

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
