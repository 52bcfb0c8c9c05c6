/* SPDX-License-Identifier: MIT */
#include "api/watched.h"

#include "base/clock.h"

#include <pthread.h>

static const double interval = 0.1; /* seconds */

struct run {
    struct watched *watched;
    enum status status;
    struct error error;
    pthread_mutex_t lock; /* guards over */
    pthread_cond_t ended;
    bool over;
};

static void *run_job(void *arg)
{
    struct run *r = arg;

    r->status = r->watched->job(r->watched, &r->error);
    pthread_mutex_lock(&r->lock);
    r->over = true;
    pthread_cond_signal(&r->ended);
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* Wait for the interval, or until the job is over; true if it is over. */
static bool run_wait(struct run *r)
{
    struct timespec until = clock_after(CLOCK_REALTIME, interval);
    bool over;

    pthread_mutex_lock(&r->lock);
    while (!r->over && !pthread_cond_timedwait(&r->ended, &r->lock, &until))
        ;
    over = r->over;
    pthread_mutex_unlock(&r->lock);
    return over;
}

static double share_done(const struct watched *w, double gone)
{
    uint64_t done = atomic_load(&w->done);
    double share = w->work          ? (double)done / (double)w->work
                   : w->seconds > 0 ? gone / w->seconds
                                    : 0;

    return share < 1 ? share : 0.999;
}

kelso_status watched_run(struct watched *w, kelso_progress *progress, void *context,
                         kelso_error *error)
{
    struct run r = {
        .watched = w, .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};
    double began = clock_seconds();
    pthread_t thread;

    if (pthread_create(&thread, NULL, run_job, &r))
        return public_fail(error, KELSO_NO_MEMORY, "cannot start a thread");
    while (!run_wait(&r))
        if (progress && !progress(context, share_done(w, clock_seconds() - began)))
            atomic_store(&w->stop, true);
    pthread_join(thread, NULL);
    pthread_mutex_destroy(&r.lock);
    pthread_cond_destroy(&r.ended);
    if (!r.status && progress)
        progress(context, 1);
    return public_report(error, r.status, &r.error);
}
