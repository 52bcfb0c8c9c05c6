/* SPDX-License-Identifier: MIT */
#include "serve/workers.h"

#include <pthread.h>
#include <stdlib.h>

struct item {
    workers_task *task;
    void *arg;
};

struct workers {
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    bool closing;
    int threads, room, first, count; /* a ring of `room` items */
    struct item *item;
    pthread_t thread[];
};

static bool take(struct workers *w, struct item *out)
{
    bool found;

    pthread_mutex_lock(&w->lock);
    while (w->count == 0 && !w->closing)
        pthread_cond_wait(&w->changed, &w->lock);
    found = w->count > 0;
    if (found) {
        *out = w->item[w->first];
        w->first = (w->first + 1) % w->room;
        w->count--;
    }
    pthread_mutex_unlock(&w->lock);
    return found;
}

static void *work(void *arg)
{
    struct item item;

    while (take(arg, &item))
        item.task(item.arg);
    return NULL;
}

struct workers *workers_open(int threads, int queue_max)
{
    struct workers *w = calloc(1, sizeof *w + (size_t)threads * sizeof *w->thread);

    if (!w || !(w->item = calloc((size_t)queue_max, sizeof *w->item))) {
        free(w);
        return NULL;
    }
    w->room = queue_max;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    while (w->threads < threads && !pthread_create(&w->thread[w->threads], NULL, work, w))
        w->threads++;
    if (w->threads == 0)
        workers_close(&w);
    return w;
}

bool workers_submit(struct workers *w, workers_task *task, void *arg)
{
    bool room;

    pthread_mutex_lock(&w->lock);
    room = w->count < w->room && !w->closing;
    if (room) {
        w->item[(w->first + w->count++) % w->room] = (struct item){task, arg};
        pthread_cond_signal(&w->changed);
    }
    pthread_mutex_unlock(&w->lock);
    return room;
}

void workers_close(struct workers **out)
{
    struct workers *w = *out;

    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->closing = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    for (int i = 0; i < w->threads; i++)
        pthread_join(w->thread[i], NULL);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w->item);
    free(w);
    *out = NULL;
}
