/* SPDX-License-Identifier: MIT
 *
 * clock.h -- the time in seconds, for durations and deadlines.
 *
 * Any thread. */
#ifndef KELSO_BASE_CLOCK_H
#define KELSO_BASE_CLOCK_H

#include <time.h>

/* CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID or CLOCK_THREAD_CPUTIME_ID. */
static inline double clock_now(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The monotonic clock. */
static inline double clock_seconds(void)
{
    return clock_now(CLOCK_MONOTONIC);
}

#endif
