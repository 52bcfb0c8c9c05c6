/* SPDX-License-Identifier: MIT
 *
 * workers.h -- a pool of threads with a bounded queue.
 *
 * (P1) workers_submit never blocks: it returns false when the queue is full.
 * (P2) workers_close waits until everything submitted has finished.
 *
 * The caller owns the pool.  Any thread may submit; one thread opens and closes. */
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
