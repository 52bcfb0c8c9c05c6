/* SPDX-License-Identifier: MIT
 *
 * queue_watch.h -- the state of a queue of proofs (proof/queue.h), read for many visitors at once.
 *
 * Reading takes a third of a second, or seconds if the queue does not answer.  So one request
 * reads; others get the last answer, which may be an error.
 *
 * (V1) At most one read is in progress, and a new one begins no sooner than QUEUE_WATCH_SECONDS
 *      after the last one ended.  Without requests nothing is read.
 * (V2) Only the owner sees the names of machines and the address of the queue.
 *
 * The caller owns the handle and the access.  Safe on any thread; one thread opens and closes. */
#ifndef KELSO_SERVE_QUEUE_WATCH_H
#define KELSO_SERVE_QUEUE_WATCH_H

#include "proof/queue.h"
#include "report/json.h"

#define QUEUE_WATCH_SECONDS 1.0

struct queue_watch;

struct queue_watch *queue_watch_open(const struct queue_access *a); /* NULL without memory */
void queue_watch_close(struct queue_watch **w);

/* The object of `kelso proof status --queue --json`. */
enum status queue_watch_write(struct queue_watch *w, bool owner, struct json *j, struct error *e);

#endif
