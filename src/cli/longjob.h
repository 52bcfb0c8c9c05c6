/* SPDX-License-Identifier: MIT
 *
 * longjob.h -- a job that takes a while: it counts, we show how far it has come, and
 * Ctrl-C asks it to stop.
 *
 *     struct longjob job;
 *     options.stop = longjob_begin(&job, args.progress, "verifying", "positions", total);
 *     options.done = &job.done;
 *     ... the job ...
 *     longjob_end(&job);
 *
 * (W1) between begin and end SIGINT and SIGTERM set the flag that begin returns;
 *      afterwards they do again what they did before.
 * (W2) a job that cannot look at a flag often enough, and loses nothing by it, is begun
 *      with longjob_begin_loose: then a signal ends the program within a moment, with
 *      the status line gone, a last line of the job's own and the status of (W3).
 * (W3) a job that was stopped ends the program with 128 and the signal's number.
 *
 * One job at a time, from the main thread.  The structure must not move while the job
 * is under way. */
#ifndef KELSO_CLI_LONGJOB_H
#define KELSO_CLI_LONGJOB_H

#include "report/progress.h"

#include <signal.h>

struct longjob {
    struct progress progress;
    _Atomic uint64_t done; /* for the job to count up, from any thread */
    atomic_bool ended;
    const char *parting; /* (W2); NULL: the job looks at the flag */
    bool watched;
    pthread_t watch;
    struct sigaction old[2];
};

const atomic_bool *longjob_begin(struct longjob *job, int progress_mode, const char *label,
                                 const char *unit, uint64_t total);

/* (W2).  `parting` is what to say then: "stopped", and how to go on. */
void longjob_begin_loose(struct longjob *job, int progress_mode, const char *parting);

/* The next stage of the work; `done` counts from 0 again. */
void longjob_stage(struct longjob *job, const char *label, const char *unit, uint64_t total);

void longjob_end(struct longjob *job);

/* Forget a signal that came: for a command that goes on after it. */
void longjob_forget(void);

/* The exit status of a program that would end with `status`: 130 if SIGINT stopped it, 143 if
 * SIGTERM did, as shells count it. */
int longjob_exit(int status);

#endif
