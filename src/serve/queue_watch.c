/* SPDX-License-Identifier: MIT */
#include "serve/queue_watch.h"
#include "base/clock.h"
#include "report/queue_status.h"

#include <pthread.h>
#include <stdlib.h>

struct queue_watch {
    const struct queue_access *access;
    pthread_mutex_t lock;
    pthread_cond_t read;
    bool reading, has; /* has: the rest is the last answer */
    double at;         /* when it came */
    struct queue_status status;
    struct error error;
};

struct queue_watch *queue_watch_open(const struct queue_access *a)
{
    struct queue_watch *w = calloc(1, sizeof *w);

    if (!w)
        return NULL;
    w->access = a;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->read, NULL);
    return w;
}

void queue_watch_close(struct queue_watch **w)
{
    if (!*w)
        return;
    free((*w)->status.worker);
    pthread_cond_destroy(&(*w)->read);
    pthread_mutex_destroy(&(*w)->lock);
    free(*w);
    *w = NULL;
}

/* Holds the lock, except while it reads. */
static void watch_read(struct queue_watch *w)
{
    struct queue_status now;
    struct error e = {0};

    w->reading = true;
    pthread_mutex_unlock(&w->lock);
    queue_status_read(w->access, &now, &e);
    pthread_mutex_lock(&w->lock);
    free(w->status.worker);
    w->status = now;
    w->error = e;
    w->at = clock_seconds();
    w->reading = false;
    w->has = true;
    pthread_cond_broadcast(&w->read);
}

enum status queue_watch_write(struct queue_watch *w, bool owner, struct json *j, struct error *e)
{
    enum status rc;

    pthread_mutex_lock(&w->lock);
    if (!w->reading && (!w->has || clock_seconds() - w->at >= QUEUE_WATCH_SECONDS))
        watch_read(w);
    while (!w->has)
        pthread_cond_wait(&w->read, &w->lock);
    rc = w->error.status;
    if (!rc)
        queue_status_json(j, &w->status, owner);
    else if (owner)
        *e = w->error;
    else
        error_set(e, rc, "the queue does not answer");
    pthread_mutex_unlock(&w->lock);
    return rc;
}
