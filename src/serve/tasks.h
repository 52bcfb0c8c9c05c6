/* SPDX-License-Identifier: MIT
 *
 * tasks.h -- the work of the server's jobs: solve an ending, build tables, find a proof.
 *
 * The results appear in the sources or among the proofs.
 *
 * (K1) Each ends within two seconds after its stop flag is set.
 * (K2) Each takes at most `memory`; a proof at most TASKS_PROVE_BYTES.
 * (K3) A build is stopped when the directory of tables becomes larger than `disk`; finished
 *      tables stay.
 *
 * The caller owns the struct.  tasks_run is a jobs_runner (jobs.h); estimates are safe on any
 * thread. */
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

/* The cost of solving b, as an object; "bytes" is null if it exceeds the limit, or could not be
 * determined before `stop`. */
enum status tasks_estimate(const struct tasks *t, const struct board *b, const atomic_bool *stop,
                           struct json *out, struct error *e);

/* Bytes of the files of a directory; 0 if there is none. */
uint64_t directory_bytes(const char *dir);

/* The default disk limit for builds: the current size plus half of the free space. */
uint64_t disk_default(const char *dir);

#endif
