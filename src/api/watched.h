/* SPDX-License-Identifier: MIT
 *
 * watched.h -- a long job of the public library, with progress and a way to cancel it.
 *
 * The job runs on a thread of its own; the caller's thread calls the progress function about
 * ten times a second and sets `stop` when it returns 0.
 *
 * (W1) watched_run returns after the job has ended.  The progress function is called only on
 *      the caller's thread, and never afterwards.
 * (W2) After a successful job the last call reports 1.
 *
 * The caller owns the struct.  One thread. */
#ifndef KELSO_API_WATCHED_H
#define KELSO_API_WATCHED_H

#include "api/public.h"

#include <stdatomic.h>
#include <stdbool.h>

struct watched {
    enum status (*job)(struct watched *w, struct error *e);
    void *arg;
    uint64_t work;  /* the final value of `done`; 0: the share is of `seconds` */
    double seconds; /* how long it may take; 0: not known */
    _Atomic uint64_t done;
    atomic_bool stop;
};

/* `progress` may be NULL. */
kelso_status watched_run(struct watched *w, kelso_progress *progress, void *context,
                         kelso_error *error);

#endif
