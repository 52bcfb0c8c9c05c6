/* SPDX-License-Identifier: MIT */
#include "app/longjob.h"

#include <unistd.h>

static const int signals[2] = {SIGINT, SIGTERM};

/* Set by the signal handler: the one thing that must be global. */
static atomic_bool stop_requested;

static void on_signal(int sig)
{
    (void)sig;
    atomic_store(&stop_requested, true);
}

static void *watch(void *context)
{
    struct longjob *job = context;

    while (!atomic_load(&job->ended)) {
        progress_set(&job->progress, atomic_load(&job->done));
        usleep(100000);
    }
    return NULL;
}

const atomic_bool *longjob_begin(struct longjob *job, int progress_mode, const char *label,
                                 const char *unit, uint64_t total)
{
    struct sigaction act = {.sa_handler = on_signal};

    progress_open(&job->progress, (enum progress_mode)progress_mode);
    progress_stage(&job->progress, label, unit, total);
    atomic_store(&job->done, 0);
    atomic_store(&job->ended, false);
    for (int i = 0; i < 2; i++)
        sigaction(signals[i], &act, &job->old[i]);
    job->watched = pthread_create(&job->watch, NULL, watch, job) == 0;
    return &stop_requested;
}

void longjob_end(struct longjob *job)
{
    atomic_store(&job->ended, true);
    if (job->watched)
        pthread_join(job->watch, NULL);
    for (int i = 0; i < 2; i++)
        sigaction(signals[i], &job->old[i], NULL);
    progress_close(&job->progress);
}
