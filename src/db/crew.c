/* SPDX-License-Identifier: MIT */
#include "db/crew.h"

struct seat {
    crew_job *fn;
    void *arg;
    int id;
};

int crew_open(struct crew *c, int threads, const atomic_bool *stop)
{
    c->threads = threads < 1 ? 1 : threads > CREW_MAX ? CREW_MAX : threads;
    c->stop = stop;
    return pthread_barrier_init(&c->barrier, NULL, (unsigned)c->threads) ? -1 : 0;
}

void crew_close(struct crew *c)
{
    pthread_barrier_destroy(&c->barrier);
}

static void *sit(void *p)
{
    struct seat *s = p;

    s->fn(s->arg, s->id);
    return NULL;
}

/* The whole crew or nobody: a job may wait for all at the barrier. */
void crew_run(struct crew *c, crew_job *fn, void *arg)
{
    struct seat seat[CREW_MAX];
    pthread_t thread[CREW_MAX];

    for (int i = 1; i < c->threads; i++) {
        seat[i] = (struct seat){fn, arg, i};
        while (pthread_create(&thread[i], NULL, sit, &seat[i]))
            sched_yield(); /* the system is short of threads for a moment */
    }
    fn(arg, 0);
    for (int i = 1; i < c->threads; i++)
        pthread_join(thread[i], NULL);
}

void crew_wait(struct crew *c)
{
    pthread_barrier_wait(&c->barrier);
}
