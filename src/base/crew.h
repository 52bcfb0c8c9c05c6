/* SPDX-License-Identifier: MIT
 *
 * crew.h -- threads that do one job together.
 *
 * The job fn(arg, id) is called once on each thread, with ids from 0; the caller's
 * thread has id 0.  There are two ways to run one.  crew_share is for work that
 * threads take piece by piece: if the system refuses threads, fewer of them do all of
 * it.  crew_run is for jobs that need every thread, because the work is divided
 * beforehand or because they meet at crew_wait, a barrier.  `stop`, if any, is set
 * from outside (by a signal handler) to ask for an early end; jobs check it between
 * pieces of work.
 *
 * (C1) Both return when all calls of the job have returned.
 * (C2) crew_run calls the job with all ids below c->threads; crew_share with the ids below some n,
 *      1 <= n <= threads.
 *
 * A crew runs one job at a time; a job may in turn call crew_share. */
#ifndef KELSO_BASE_CREW_H
#define KELSO_BASE_CREW_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { CREW_MAX = 256 };

struct team;

struct crew {
    int threads;
    const atomic_bool *stop; /* not owned; may be NULL */
    struct team *team;       /* other processes on the same job; not owned; may be NULL */
    pthread_barrier_t barrier;
};

typedef void crew_job(void *arg, int id);

/* The requested number, clamped to 1 .. CREW_MAX. */
int crew_size(int threads);

void crew_share(int threads, crew_job *fn, void *arg);

int crew_open(struct crew *c, int threads, const atomic_bool *stop); /* 0, or -1 */
void crew_close(struct crew *c);
void crew_run(struct crew *c, crew_job *fn, void *arg);
void crew_wait(struct crew *c);

static inline bool crew_stopped(const struct crew *c)
{
    return c->stop && atomic_load_explicit(c->stop, memory_order_relaxed);
}

#endif
