/* SPDX-License-Identifier: MIT */
#include "proof/provers.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum prover_state { PROVER_FREE, PROVER_GIVEN, PROVER_DONE };

struct prover_thread {
    struct provers *pool;
    pthread_t thread;
    bool started;
    struct prover *prover;
    enum prover_state state; /* guarded by the lock, as all that follows */
    struct prover_task task;
    struct prover_result result;
    enum status status;
    struct error error;
};

struct provers {
    int count;
    bool closing;
    pthread_mutex_t lock;
    pthread_cond_t given, done;
    struct prover_thread thread[PROVERS_MAX];
};

static void *work(void *arg)
{
    struct prover_thread *s = arg;
    struct provers *w = s->pool;

    pthread_mutex_lock(&w->lock);
    for (;;) {
        struct prover_task task;
        struct prover_result result;
        struct error error = {0};
        enum status status;

        while (!w->closing && s->state != PROVER_GIVEN)
            pthread_cond_wait(&w->given, &w->lock);
        if (w->closing)
            break;
        task = s->task;
        pthread_mutex_unlock(&w->lock);
        status = prover_run(s->prover, &task, &result, &error);
        pthread_mutex_lock(&w->lock);
        s->status = status;
        s->result = result;
        s->error = error;
        s->state = PROVER_DONE;
        pthread_cond_signal(&w->done);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

enum status provers_open(struct provers **out, int count, const struct prover_options *o,
                         struct error *e)
{
    struct provers *w = calloc(1, sizeof *w);
    struct prover_options each = *o;
    enum status rc = STATUS_OK;

    *out = w;
    if (!w)
        return error_set(e, STATUS_NO_MEMORY, "not enough memory for provers");
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->given, NULL);
    pthread_cond_init(&w->done, NULL);
    w->count = count < 1 ? 1 : count > PROVERS_MAX ? PROVERS_MAX : count;
    each.memory /= (uint64_t)w->count;
    for (int i = 0; !rc && i < w->count; i++) {
        struct prover_thread *s = &w->thread[i];

        s->pool = w;
        if (!(rc = prover_open(&s->prover, &each, e))) {
            s->started = pthread_create(&s->thread, NULL, work, s) == 0;
            if (!s->started)
                rc = error_set(e, STATUS_NO_MEMORY, "no thread for a prover");
        }
    }
    if (rc)
        provers_close(out);
    return rc;
}

void provers_close(struct provers **out)
{
    struct provers *w = *out;

    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->closing = true;
    pthread_cond_broadcast(&w->given);
    pthread_mutex_unlock(&w->lock);
    for (int i = 0; i < w->count; i++) {
        if (w->thread[i].started)
            pthread_join(w->thread[i].thread, NULL);
        prover_close(&w->thread[i].prover);
    }
    pthread_cond_destroy(&w->given);
    pthread_cond_destroy(&w->done);
    pthread_mutex_destroy(&w->lock);
    free(w);
    *out = NULL;
}

void provers_give(struct provers *w, const struct prover_task *task)
{
    int i = 0;

    pthread_mutex_lock(&w->lock);
    while (i < w->count && w->thread[i].state != PROVER_FREE)
        i++;
    assert(i < w->count);
    w->thread[i].task = *task;
    w->thread[i].state = PROVER_GIVEN;
    pthread_cond_broadcast(&w->given);
    pthread_mutex_unlock(&w->lock);
}

enum status provers_collect(struct provers *w, struct prover_result *r, struct error *e)
{
    enum status rc;
    int i;

    pthread_mutex_lock(&w->lock);
    for (;;) {
        for (i = 0; i < w->count && w->thread[i].state != PROVER_DONE; i++)
            ;
        if (i < w->count)
            break;
        pthread_cond_wait(&w->done, &w->lock);
    }
    rc = w->thread[i].status;
    *r = w->thread[i].result;
    if (rc)
        error_pass(e, &w->thread[i].error);
    w->thread[i].state = PROVER_FREE;
    pthread_mutex_unlock(&w->lock);
    return rc;
}
