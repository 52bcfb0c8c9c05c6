/* SPDX-License-Identifier: MIT
 *
 * jobs.h -- work that outlives a request: a queue, and what became of it.
 *
 * One job runs at a time, on a thread of its own; a few may wait.  Who asks again for what is
 * waiting or under way gets the same job.  What a job does is not known here: a function
 * does it (tasks.h).
 *
 * (J1) at most JOBS_WAITING wait; the next is refused (STATUS_LOCKED).
 * (J2) the last jobs can be looked at after their end: JOBS_KEPT at most, all told.
 * (J3) a number stands for one job and is never given again; the place of a job that waits
 *      or runs is never given to another.
 * (J4) jobs_stop, the end of a job's time (jobs_tick) and jobs_close raise its flag.
 *
 * Any thread; open and close belong to one. */
#ifndef KELSO_SERVE_JOBS_H
#define KELSO_SERVE_JOBS_H

#include "base/status.h"
#include "core/board.h"
#include "db/slice.h"
#include "db/value.h"
#include "report/json.h"

#include <stdatomic.h>

enum { JOBS_WAITING = 8, JOBS_KEPT = 32, JOB_LABEL_MAX = 64, JOB_KEY_MAX = 33 };

enum task_kind { TASK_SOLVE, TASK_BUILD, TASK_PROVE };

/* What is to be done. */
struct task {
    enum task_kind kind;
    struct board board; /* to solve, to prove */
    int pieces;         /* to build: all slices of at most so many, or ... */
    struct slice slice; /* ... if pieces is 0, this one and what it needs */
    bool build[KINDS];
    double seconds; /* it is stopped after this time */
};

struct job;

/* For the function that does the work. */
const struct task *job_task(const struct job *job);
const atomic_bool *job_stop(const struct job *job);
void job_label(struct job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Atomic uint64_t *job_done(struct job *job);
_Atomic uint64_t *job_total(struct job *job);

/* Stop the job, which then has failed for this reason.  Any thread. */
void job_abort(struct job *job, const char *why);

typedef enum status jobs_runner(void *context, struct job *job, struct error *e);

struct jobs;

/* NULL without memory or a thread. */
struct jobs *jobs_open(jobs_runner *runner, void *context);
void jobs_close(struct jobs **j);

/* To be called about once a second: stops what has taken too long. */
void jobs_tick(struct jobs *j);

/* Gives the number of the job, and its key if it is new ("" if it was there): whoever has
 * the key may stop it. */
enum status jobs_submit(struct jobs *j, const struct task *what, unsigned *id,
                        char key[JOB_KEY_MAX], struct error *e);

/* STATUS_MISSING: there is no such job; STATUS_LOCKED: this is not its key.  NULL: the owner
 * asks, no key is needed. */
enum status jobs_stop(struct jobs *j, unsigned id, const char *key);

/* False if there is no such job.  `key`, if not NULL, is told with it. */
bool jobs_write(struct jobs *j, unsigned id, const char *key, struct json *out);

/* All of them, the latest first, as an array. */
void jobs_write_all(struct jobs *j, const char *name, struct json *out);

#endif
