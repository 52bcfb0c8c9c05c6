/* SPDX-License-Identifier: MIT */
#include "cli/longjob.h"

#include "base/clock.h"
#include "cli/command.h"

#include <unistd.h>

static const int signals[2] = {SIGINT, SIGTERM};

/* Set by the signal handler: the only things that must be global. */
static atomic_bool stop_requested;
static atomic_int stop_signal;

static void on_signal(int sig)
{
    atomic_store(&stop_signal, sig);
    atomic_store(&stop_requested, true);
}

int longjob_exit(int status)
{
    return atomic_load(&stop_requested) ? 128 + atomic_load(&stop_signal) : status;
}

static void leave(struct longjob *job)
{
    progress_erase(&job->progress);
    app_error("%s", job->parting);
    _exit(longjob_exit(EXIT_BAD));
}

static void *watch(void *context)
{
    struct longjob *job = context;

    while (!atomic_load(&job->ended)) {
        if (job->parting && atomic_load(&stop_requested))
            leave(job);
        if (job->halted && (atomic_load(&stop_requested) ||
                            (job->deadline > 0 && clock_seconds() > job->deadline)))
            atomic_store(job->halted, true);
        progress_set(&job->progress, atomic_load(&job->done));
        usleep(50000);
    }
    return NULL;
}

static void begin(struct longjob *job, int progress_mode, const char *parting, double seconds,
                  atomic_bool *halted)
{
    struct sigaction act = {.sa_handler = on_signal};

    progress_open(&job->progress, (enum progress_mode)progress_mode);
    job->parting = parting;
    job->halted = halted;
    job->deadline = seconds > 0 ? clock_seconds() + seconds : 0;
    atomic_store(&job->done, 0);
    atomic_store(&job->ended, false);
    job->watched = pthread_create(&job->watch, NULL, watch, job) == 0;
    for (int i = 0; i < 2; i++) /* without the watch a loose job would not notice the flag */
        sigaction(signals[i], job->watched || !parting ? &act : NULL, &job->old[i]);
}

const atomic_bool *longjob_begin(struct longjob *job, int progress_mode, const char *label,
                                 const char *unit, uint64_t total)
{
    begin(job, progress_mode, NULL, 0, NULL);
    progress_stage(&job->progress, label, unit, total);
    return &stop_requested;
}

bool longjob_begin_limited(struct longjob *job, int progress_mode, const char *label,
                           const char *unit, double seconds, atomic_bool *halted,
                           const atomic_bool **stopped)
{
    atomic_store(halted, false);
    begin(job, progress_mode, NULL, seconds, halted);
    if (!job->watched) {
        longjob_end(job);
        return false;
    }
    progress_stage(&job->progress, label, unit, 0);
    *stopped = &stop_requested;
    return true;
}

void longjob_begin_loose(struct longjob *job, int progress_mode, const char *parting)
{
    begin(job, progress_mode, parting, 0, NULL);
}

void longjob_stage(struct longjob *job, const char *label, const char *unit, uint64_t total)
{
    atomic_store(&job->done, 0);
    progress_stage(&job->progress, label, unit, total);
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

void longjob_forget(void)
{
    atomic_store(&stop_requested, false);
}
