/* SPDX-License-Identifier: MIT
 *
 * workers.h -- a few threads and a short queue in front of them.
 *
 * (P1) workers_submit never waits: it says no when the queue is full.
 * (P2) workers_close lets what was submitted run to its end.
 *
 * Any thread may submit; open and close belong to one. */
#ifndef KELSO_SERVE_WORKERS_H
#define KELSO_SERVE_WORKERS_H

#include <stdbool.h>

struct workers;

typedef void workers_task(void *arg);

/* NULL without memory or threads. */
struct workers *workers_open(int threads, int queue_max);
bool workers_submit(struct workers *w, workers_task *task, void *arg);
void workers_close(struct workers **w);

#endif
