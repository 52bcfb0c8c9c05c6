/* SPDX-License-Identifier: MIT
 *
 * watched.h -- a long job of the public library, with progress and a way to cancel it.
 *
 * The job runs on a thread of its own; the caller's thread calls the progress function about
 * ten times a second and raises `stop` when it returns 0.
 *
 * (W1) watched_run returns when the job has; the progress function is never called afterwards
 *      and only on the caller's thread.
 * (W2) after a job that succeeded, the last call says 1. */
#ifndef KELSO_API_WATCHED_H
#define KELSO_API_WATCHED_H

#include "api/public.h"

#include <stdatomic.h>
#include <stdbool.h>

struct watched {
    enum status (*job)(struct watched *w, struct error *e);
    void *arg;
    uint64_t work; /* what `done` will reach */
    _Atomic uint64_t done;
    atomic_bool stop;
};

/* `progress` may be NULL. */
kelso_status watched_run(struct watched *w, kelso_progress *progress, void *context,
                         kelso_error *error);

#endif
