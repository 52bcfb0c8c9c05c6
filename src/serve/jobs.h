/* SPDX-License-Identifier: MIT
 *
 * jobs.h -- work that outlives a request: a queue of jobs and their results.
 *
 * One job runs at a time, on its own thread; a few may wait.  Submitting the same task again
 * while its job waits or runs returns that job.  The work itself is done by a callback
 * (tasks.h).
 *
 * (J1) At most JOBS_WAITING jobs wait, of them at most JOBS_GUESTS of guests; further ones are
 *      refused (STATUS_LOCKED).  The owner's jobs run before those of guests.
 * (J2) Finished jobs can still be queried; at most JOBS_KEPT jobs are kept in all.
 * (J3) A job's number is never reused; the slot of a waiting or running job is never reused.
 * (J4) jobs_stop, the end of a job's time (jobs_tick) and jobs_close set its stop flag.
 *
 * The caller owns the handle.  Safe on any thread; one thread opens and closes. */
#ifndef KELSO_SERVE_JOBS_H
#define KELSO_SERVE_JOBS_H

#include "base/status.h"
#include "core/board.h"
#include "db/slice.h"
#include "db/value.h"
#include "report/json.h"

#include <stdatomic.h>

enum { JOBS_WAITING = 8, JOBS_GUESTS = 4, JOBS_KEPT = 32, JOB_LABEL_MAX = 64, JOB_KEY_MAX = 33 };

enum task_kind { TASK_SOLVE, TASK_BUILD, TASK_PROVE };

/* The work to do. */
struct task {
    enum task_kind kind;
    struct board board; /* to solve, to prove */
    int pieces;         /* to build: all slices of at most this many pieces, or ... */
    struct slice slice; /* ... if pieces is 0, this one and its dependencies */
    bool build[KINDS];
    double seconds; /* time limit */
    bool guest;     /* not the owner's */
};

struct job;

/* For the function that does the work. */
const struct task *job_task(const struct job *job);
const atomic_bool *job_stop(const struct job *job);
void job_label(struct job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Atomic uint64_t *job_done(struct job *job);
_Atomic uint64_t *job_total(struct job *job);

/* Stop the job and mark it failed for this reason.  Safe on any thread. */
void job_abort(struct job *job, const char *why);

typedef enum status jobs_runner(void *context, struct job *job, struct error *e);

struct jobs;

/* NULL without memory or a thread. */
struct jobs *jobs_open(jobs_runner *runner, void *context);
void jobs_close(struct jobs **j);

/* Call about once a second: stops jobs that exceed their time limit. */
void jobs_tick(struct jobs *j);

/* Returns the number of the job and its key ("" if the job was already there).  A client with
 * the key may stop the job. */
enum status jobs_submit(struct jobs *j, const struct task *what, unsigned *id,
                        char key[JOB_KEY_MAX], struct error *e);

/* STATUS_MISSING: no such job; STATUS_LOCKED: wrong key.  With key NULL (the owner) no key is
 * needed. */
enum status jobs_stop(struct jobs *j, unsigned id, const char *key);

/* False if there is no such job.  `key`, if not NULL, is written too. */
bool jobs_write(struct jobs *j, unsigned id, const char *key, struct json *out);

/* All of them, the latest first, as an array. */
void jobs_write_all(struct jobs *j, const char *name, struct json *out);

#endif
