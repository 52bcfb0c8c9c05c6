/* SPDX-License-Identifier: MIT
 *
 * longjob.h -- a long job with progress that Ctrl-C can stop.
 *
 *     struct longjob job;
 *     options.stop = longjob_begin(&job, args.progress, "verifying", "positions", total);
 *     options.done = &job.done;
 *     ... the job ...
 *     longjob_end(&job);
 *
 * (W1) Between begin and end, SIGINT and SIGTERM set the flag that begin returns; afterwards
 *      the previous handlers are restored.
 * (W2) A job that cannot check the flag often enough, and loses nothing when killed, starts
 *      with longjob_begin_loose: then a signal ends the program at once.  The status line is
 *      erased, the job's `parting` line is printed, and the exit status is that of (W3).
 * (W3) After a stopped job the program exits with 128 plus the signal number.
 * (W4) A job with a time limit has a flag of its own, set by a signal or when its time is over.
 *
 * The caller owns the struct; it must not move while the job runs.  One job at a time, on the
 * main thread. */
#ifndef KELSO_CLI_LONGJOB_H
#define KELSO_CLI_LONGJOB_H

#include "report/progress.h"

#include <signal.h>

struct longjob {
    struct progress progress;
    _Atomic uint64_t done; /* for the job to count up, from any thread */
    atomic_bool ended;
    const char *parting; /* (W2); NULL: the job checks the flag */
    atomic_bool *halted; /* (W4), or NULL */
    double deadline;     /* by clock_seconds; 0: none */
    bool watched;
    pthread_t watch;
    struct sigaction old[2];
};

const atomic_bool *longjob_begin(struct longjob *job, int progress_mode, const char *label,
                                 const char *unit, uint64_t total);

/* (W4).  `seconds` <= 0: no limit.  False if no thread can watch the time: then the job has not
 * begun.  *stopped, as long as the job runs: by a signal? */
bool longjob_begin_limited(struct longjob *job, int progress_mode, const char *label,
                           const char *unit, double seconds, atomic_bool *halted,
                           const atomic_bool **stopped);

/* (W2).  `parting` is the last line to print: "stopped", and how to continue. */
void longjob_begin_loose(struct longjob *job, int progress_mode, const char *parting);

/* The next stage of the work; `done` counts from 0 again. */
void longjob_stage(struct longjob *job, const char *label, const char *unit, uint64_t total);

void longjob_end(struct longjob *job);

/* Clear a received signal: for a command that continues after it. */
void longjob_forget(void);

/* The exit status of a program that would end with `status`: 130 if SIGINT stopped it, 143 if
 * SIGTERM did, as shells do. */
int longjob_exit(int status);

#endif
