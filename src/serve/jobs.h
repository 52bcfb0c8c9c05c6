/* SPDX-License-Identifier: MIT
 *
 * jobs.h -- work that outlives a request: builds, proofs, endings solved on demand.
 *
 * One job runs at a time, with all threads; a few may wait.  Who asks again for what is
 * waiting or under way gets the same job.  What a job has made shows up in the sources or
 * among the proofs.
 *
 * (J1) at most JOBS_WAITING wait; the next is refused (STATUS_LOCKED).
 * (J2) the last JOBS_KEPT jobs can be looked at after their end.
 * (J3) jobs_close stops the one that runs; tables under way are continued by the next
 *      build (db/build.h).
 *
 * Any thread; open and close belong to one.  Sources and proofs must outlive the jobs. */
#ifndef KELSO_SERVE_JOBS_H
#define KELSO_SERVE_JOBS_H

#include "report/json.h"
#include "serve/proofs.h"

enum { JOBS_WAITING = 8, JOBS_KEPT = 32 };

struct jobs;

/* NULL without memory or a thread. */
struct jobs *jobs_open(struct sources *sources, struct proofs *proofs, int threads,
                       uint64_t memory);
void jobs_close(struct jobs **j);

struct jobs_build {
    int pieces;         /* all slices of at most so many, or ... */
    struct slice slice; /* ... if pieces is 0, this one and what it needs */
    bool kind[KINDS];
};

/* Each gives the number of the job. */
enum status jobs_solve(struct jobs *j, const struct board *b, unsigned *id, struct error *e);
enum status jobs_start_build(struct jobs *j, const struct jobs_build *what, unsigned *id,
                             struct error *e);
enum status jobs_prove(struct jobs *j, const struct board *b, double seconds, unsigned *id,
                       struct error *e);

/* What solving b would take, as an object. */
enum status jobs_estimate(struct jobs *j, const struct board *b, struct json *out, struct error *e);

bool jobs_stop(struct jobs *j, unsigned id);                            /* false: no such job */
bool jobs_write(struct jobs *j, unsigned id, struct json *out);         /* the same */
void jobs_write_all(struct jobs *j, const char *key, struct json *out); /* the latest first */

#endif
