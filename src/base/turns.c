/* SPDX-License-Identifier: MIT */
#include "base/turns.h"

#include <assert.h>
#include <string.h>

void turns_open(struct turns *t, uint32_t slots)
{
    assert(slots > 0 && slots <= TURNS_SLOTS_MAX);
    memset(t, 0, sizeof *t);
    t->slots = slots;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->freed, NULL);
}

void turns_close(struct turns *t)
{
    pthread_cond_destroy(&t->freed);
    pthread_mutex_destroy(&t->lock);
}

void turns_begin(struct turns *t, uint64_t first, uint64_t end)
{
    assert(t->next == t->due && !t->delivering);
    t->next = t->due = first;
    t->end = end;
    t->error = (struct error){0};
}

bool turns_take(struct turns *t, uint64_t *number, uint32_t *slot)
{
    bool more;

    pthread_mutex_lock(&t->lock);
    while (t->next < t->end && t->next - t->due == t->slots)
        pthread_cond_wait(&t->freed, &t->lock);
    if ((more = t->next < t->end)) {
        *number = t->next++;
        *slot = (uint32_t)(*number % t->slots);
    }
    pthread_mutex_unlock(&t->lock);
    return more;
}

void turns_give(struct turns *t, uint64_t number, turns_deliver *deliver, void *context)
{
    pthread_mutex_lock(&t->lock);
    assert(number >= t->due && number < t->next && !t->made[number % t->slots]);
    t->made[number % t->slots] = true;
    while (!t->delivering && t->made[t->due % t->slots]) {
        if (!t->error.status) {
            t->delivering = true;
            pthread_mutex_unlock(&t->lock);
            deliver(context, t->due, (uint32_t)(t->due % t->slots)); /* nobody else changes due */
            pthread_mutex_lock(&t->lock);
            t->delivering = false;
        }
        t->made[t->due++ % t->slots] = false;
        pthread_cond_broadcast(&t->freed);
    }
    pthread_mutex_unlock(&t->lock);
}

void turns_fail(struct turns *t, const struct error *e)
{
    pthread_mutex_lock(&t->lock);
    if (!t->error.status)
        t->error = *e;
    pthread_mutex_unlock(&t->lock);
}

bool turns_failed(struct turns *t)
{
    bool yes;

    pthread_mutex_lock(&t->lock);
    yes = t->error.status != STATUS_OK;
    pthread_mutex_unlock(&t->lock);
    return yes;
}
