/* SPDX-License-Identifier: MIT
 *
 * progress.h -- the progress of a long job.
 *
 * A job is a sequence of stages; each has a label, a unit and a total.  On a terminal one
 * status line shows label, bar, rate and time left, as far as they fit.  On request, or on a
 * dumb terminal, plain lines or JSON lines are written at intervals instead.  Without a
 * terminal and without a request nothing is written.
 *
 *     struct progress p;
 *     progress_open(&p, args.progress);
 *     progress_stage(&p, "building 2K1v2K", "positions", total);
 *     ... progress_add(&p, n); from any thread ...
 *     progress_note(&p, "2K1v2K: %s wins", text);      a line that stays
 *     progress_close(&p);
 *
 * (P1) The status line is removed before this module writes anything else.
 * (P2) progress_add costs an atomic addition and, a few times a second, a redraw.
 *
 * open, close and stage are called by one thread at a time, the rest by any.  The caller owns
 * the struct; it must not move while open. */
#ifndef KELSO_REPORT_PROGRESS_H
#define KELSO_REPORT_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The value of the option --progress, in the order of its choices. */
enum progress_mode { PROGRESS_AUTO, PROGRESS_BAR, PROGRESS_PLAIN, PROGRESS_JSON, PROGRESS_NONE };

enum { PROGRESS_LABEL_MAX = 80 };

struct progress {
    FILE *out;
    enum progress_mode mode; /* never PROGRESS_AUTO */
    bool colour;
    pthread_mutex_t lock; /* guards everything below except the atomics, and `out` */
    char label[PROGRESS_LABEL_MAX];
    const char *unit;
    double started;
    double limit; /* seconds the stage may take; 0: no limit */
    bool shown;   /* a status line is on the terminal */
    _Atomic uint64_t done, total;
    _Atomic uint64_t next_draw; /* milliseconds of clock_seconds() */
};

/* Progress goes to standard error. */
void progress_open(struct progress *p, enum progress_mode mode);
void progress_close(struct progress *p);

/* Begin a stage of `total` units (0: unknown).  `unit` must outlive the stage. */
void progress_stage(struct progress *p, const char *label, const char *unit, uint64_t total);
void progress_label(struct progress *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The stage takes at most `seconds`: used to show the time left if there is no total. */
void progress_limit(struct progress *p, double seconds);
void progress_add(struct progress *p, uint64_t n);
void progress_set(struct progress *p, uint64_t done);

/* Erase the status line; it is redrawn when it is next due. */
void progress_erase(struct progress *p);

/* Write a line of its own above the status line (on standard error, in every mode except
 * PROGRESS_NONE). */
void progress_note(struct progress *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
