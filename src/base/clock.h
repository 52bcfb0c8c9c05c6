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

/* The time `seconds` from now on that clock, for pthread_cond_timedwait and similar. */
static inline struct timespec clock_after(clockid_t id, double seconds)
{
    struct timespec t;
    time_t whole = (time_t)seconds;

    clock_gettime(id, &t);
    t.tv_sec += whole;
    t.tv_nsec += (long)((seconds - (double)whole) * 1e9);
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

#endif
