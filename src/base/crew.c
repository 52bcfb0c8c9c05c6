/* SPDX-License-Identifier: MIT */
#include "base/crew.h"

struct member {
    crew_job *fn;
    void *arg;
    int id;
    pthread_t thread;
};

static void *member_run(void *p)
{
    struct member *s = p;

    s->fn(s->arg, s->id);
    return NULL;
}

/* `all`: the whole crew or none, because a job may wait for all at the barrier. */
static void run(int threads, bool all, crew_job *fn, void *arg)
{
    struct member member[CREW_MAX];
    int n = 1;

    while (n < threads) {
        member[n] = (struct member){.fn = fn, .arg = arg, .id = n};
        if (pthread_create(&member[n].thread, NULL, member_run, &member[n]) == 0)
            n++;
        else if (all)
            sched_yield(); /* the system is short of threads for a moment */
        else
            break;
    }
    fn(arg, 0);
    while (n > 1)
        pthread_join(member[--n].thread, NULL);
}

int crew_size(int threads)
{
    return threads < 1 ? 1 : threads > CREW_MAX ? CREW_MAX : threads;
}

void crew_share(int threads, crew_job *fn, void *arg)
{
    run(crew_size(threads), false, fn, arg);
}

int crew_open(struct crew *c, int threads, const atomic_bool *stop)
{
    c->threads = crew_size(threads);
    c->stop = stop;
    c->team = NULL;
    return pthread_barrier_init(&c->barrier, NULL, (unsigned)c->threads) ? -1 : 0;
}

void crew_close(struct crew *c)
{
    pthread_barrier_destroy(&c->barrier);
}

void crew_run(struct crew *c, crew_job *fn, void *arg)
{
    run(c->threads, true, fn, arg);
}

void crew_wait(struct crew *c)
{
    pthread_barrier_wait(&c->barrier);
}
