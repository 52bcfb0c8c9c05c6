/* SPDX-License-Identifier: MIT
 *
 * crew.h -- a fixed number of threads that do one job together.
 *
 * crew_run calls fn(arg, id) once on each of `threads` threads, ids from 0, and
 * returns when all have returned; the caller's thread is one of them.  Inside,
 * crew_wait is a barrier.  `stop`, if any, is set by others (a signal handler) to
 * ask for an early end; jobs look at it between pieces of work.
 *
 * One job at a time. */
#ifndef KELSO_DB_CREW_H
#define KELSO_DB_CREW_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { CREW_MAX = 64 };

struct crew {
    int threads;
    const atomic_bool *stop; /* not owned; may be NULL */
    pthread_barrier_t barrier;
};

typedef void crew_job(void *arg, int id);

int crew_open(struct crew *c, int threads, const atomic_bool *stop); /* 0, or -1 */
void crew_close(struct crew *c);
void crew_run(struct crew *c, crew_job *fn, void *arg);
void crew_wait(struct crew *c);

static inline bool crew_stopped(const struct crew *c)
{
    return c->stop && atomic_load_explicit(c->stop, memory_order_relaxed);
}

#endif
