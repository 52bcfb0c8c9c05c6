/* SPDX-License-Identifier: MIT
 *
 * tasks.h -- what the jobs of the server do: solve an ending, build tables, find a proof.
 *
 * What they make shows up in the sources or among the proofs.
 *
 * (K1) each ends within two seconds of its flag.
 * (K2) each takes no more than `memory`; a proof no more than TASKS_PROVE_BYTES.
 * (K3) a build that makes the directory of tables larger than `disk` is stopped; what it has
 *      finished stays.
 *
 * tasks_run is a jobs_runner (jobs.h); any thread may ask for estimates. */
#ifndef KELSO_SERVE_TASKS_H
#define KELSO_SERVE_TASKS_H

#include "serve/jobs.h"
#include "serve/proofs.h"

enum { TASKS_PROVE_BYTES = 256 << 20 };

struct tasks {
    struct sources *sources; /* not owned */
    struct proofs *proofs;   /* not owned */
    int threads;
    uint64_t memory, disk;
};

enum status tasks_run(void *context, struct job *job, struct error *e);

/* What solving b would take, as an object; "bytes" is null where that is more than is allowed,
 * or could not be found out before `stop`. */
enum status tasks_estimate(const struct tasks *t, const struct board *b, const atomic_bool *stop,
                           struct json *out, struct error *e);

/* Bytes of the files of a directory; 0 if there is none. */
uint64_t directory_bytes(const char *dir);

/* How much disk builds may take if nobody says: what is there, and half of what is free. */
uint64_t disk_default(const char *dir);

#endif
