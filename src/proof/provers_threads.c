/* SPDX-License-Identifier: MIT
 *
 * Provers that are threads of this process. */
#include "base/clock.h"
#include "proof/provers.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum prover_state { PROVER_FREE, PROVER_GIVEN, PROVER_DONE };

struct prover_thread {
    struct thread_pool *pool;
    pthread_t thread;
    bool started;
    struct prover *prover;
    atomic_bool cancel;
    enum prover_state state; /* guarded by the lock, as all that follows */
    uint64_t id;
    struct prover_task task;
    struct prover_result result;
    enum status status;
    struct error error;
};

struct thread_pool {
    struct deep_search *deep;
    int count;
    bool closing;
    pthread_mutex_t lock;
    pthread_cond_t given, done;
    struct prover_thread thread[PROVERS_MAX];
};

static void *work(void *arg)
{
    struct prover_thread *s = arg;
    struct thread_pool *p = s->pool;

    pthread_mutex_lock(&p->lock);
    for (;;) {
        struct prover_task task;
        struct prover_result result;
        struct error error = {0};
        enum status status;

        while (!p->closing && s->state != PROVER_GIVEN)
            pthread_cond_wait(&p->given, &p->lock);
        if (p->closing)
            break;
        task = s->task;
        pthread_mutex_unlock(&p->lock);
        status = prover_run(s->prover, &task, &result, &error);
        pthread_mutex_lock(&p->lock);
        s->status = status;
        s->result = result;
        s->result.id = s->id;
        s->error = error;
        s->state = PROVER_DONE;
        pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static int pool_room(void *self)
{
    struct thread_pool *p = self;
    int room = 0;

    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < p->count; i++)
        room += p->thread[i].state == PROVER_FREE;
    pthread_mutex_unlock(&p->lock);
    return room;
}

static enum status pool_give(void *self, uint64_t id, const struct prover_task *task,
                             struct error *e)
{
    struct thread_pool *p = self;
    int i = 0;

    (void)e;
    pthread_mutex_lock(&p->lock);
    while (i < p->count && p->thread[i].state != PROVER_FREE)
        i++;
    assert(i < p->count);
    p->thread[i].id = id;
    p->thread[i].task = *task;
    p->thread[i].state = PROVER_GIVEN;
    atomic_store(&p->thread[i].cancel, false);
    pthread_cond_broadcast(&p->given);
    pthread_mutex_unlock(&p->lock);
    return STATUS_OK;
}

/* One that is done; NULL if there is none in time. */
static struct prover_thread *done_wait(struct thread_pool *p, double seconds)
{
    struct timespec end = clock_after(CLOCK_MONOTONIC, seconds);

    for (;;) {
        for (int i = 0; i < p->count; i++)
            if (p->thread[i].state == PROVER_DONE)
                return &p->thread[i];
        if (seconds <= 0 || pthread_cond_timedwait(&p->done, &p->lock, &end))
            return NULL;
    }
}

static enum status pool_collect(void *self, double seconds, struct prover_result *r,
                                struct error *e)
{
    struct thread_pool *p = self;
    struct prover_thread *s;
    enum status rc = STATUS_OK;

    r->id = 0;
    pthread_mutex_lock(&p->lock);
    if ((s = done_wait(p, seconds))) {
        rc = s->status;
        *r = s->result;
        if (rc)
            error_pass(e, &s->error);
        s->state = PROVER_FREE;
    }
    pthread_mutex_unlock(&p->lock);
    return rc;
}

static void pool_forget(void *self)
{
    struct thread_pool *p = self;

    for (int i = 0; i < p->count; i++)
        atomic_store(&p->thread[i].cancel, true);
}

static void pool_close(void *self)
{
    struct thread_pool *p = self;

    pool_forget(p);
    pthread_mutex_lock(&p->lock);
    p->closing = true;
    pthread_cond_broadcast(&p->given);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->count; i++) {
        if (p->thread[i].started)
            pthread_join(p->thread[i].thread, NULL);
        prover_close(&p->thread[i].prover);
    }
    deep_search_close(&p->deep);
    pthread_cond_destroy(&p->given);
    pthread_cond_destroy(&p->done);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

static const struct provers_kind pool_kind = {.room = pool_room,
                                              .give = pool_give,
                                              .collect = pool_collect,
                                              .forget = pool_forget,
                                              .close = pool_close};

static void pool_init(struct thread_pool *p, int count)
{
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->given, NULL);
    pthread_cond_init(&p->done, &monotonic);
    pthread_condattr_destroy(&monotonic);
    p->count = count < 1 ? 1 : count > PROVERS_MAX ? PROVERS_MAX : count;
}

enum status provers_open(struct provers **out, int count, bool deep, const struct prover_options *o,
                         struct error *e)
{
    struct thread_pool *p = calloc(1, sizeof *p);
    struct prover_options each = *o;
    enum status rc = STATUS_OK;

    *out = NULL;
    if (!p)
        return error_set(e, STATUS_NO_MEMORY, "not enough memory for provers");
    pool_init(p, count);
    if (deep)
        rc = deep_search_open(&p->deep, o->tables, o->memory / 2, e);
    each.deep = p->deep;
    each.memory = (deep ? o->memory / 2 : o->memory) / (uint64_t)p->count;
    for (int i = 0; !rc && i < p->count; i++) {
        struct prover_thread *s = &p->thread[i];

        s->pool = p;
        each.stop = &s->cancel;
        if (!(rc = prover_open(&s->prover, &each, e))) {
            s->started = pthread_create(&s->thread, NULL, work, s) == 0;
            if (!s->started)
                rc = error_set(e, STATUS_NO_MEMORY, "no thread for a prover");
        }
    }
    if (rc) {
        pool_close(p);
        return rc;
    }
    return provers_create(out, &pool_kind, p, e);
}
