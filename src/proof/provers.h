/* SPDX-License-Identifier: MIT
 *
 * provers.h -- provers that work side by side: give them tasks, collect results.
 *
 * Where they are is their own business: threads of this process (provers_open), machines that
 * take tasks from a queue (queue.h), or nobody at all in a test.  Each kind is a table of
 * functions.  How many tasks there is room for follows from who is there, and may change from
 * one moment to the next.
 *
 * (W1) each result that is handed out belongs to a task that was given and not forgotten, and
 *      comes once.
 * (W2) what was collected counts as lost until provers_kept: a kind that can lose its manager
 *      brings it again to the next one, or has the task done again.
 *
 * One thread gives and collects. */
#ifndef KELSO_PROOF_PROVERS_H
#define KELSO_PROOF_PROVERS_H

#include "proof/prover.h"

enum { PROVERS_MAX = 64 }; /* threads */

/* What a kind can do; `self` is its own.  Only `kept` and `forget` may be NULL. */
struct provers_kind {
    int (*room)(void *self);
    enum status (*give)(void *self, uint64_t id, const struct prover_task *task, struct error *e);
    enum status (*collect)(void *self, double seconds, struct prover_result *r, struct error *e);
    void (*kept)(void *self);
    void (*forget)(void *self);
    void (*close)(void *self);
};

struct provers;

/* Provers of a kind.  `self` is closed with them, or at once if there is no memory. */
enum status provers_create(struct provers **w, const struct provers_kind *kind, void *self,
                           struct error *e);

/* Threads of this process.  `o->memory` is for all of them together. */
enum status provers_open(struct provers **w, int count, const struct prover_options *o,
                         struct error *e);
void provers_close(struct provers **w);

/* How many more tasks would find somebody to work on them. */
int provers_room(struct provers *w);

/* *id is never 0. */
enum status provers_give(struct provers *w, const struct prover_task *task, uint64_t *id,
                         struct error *e);

/* Wait for a result, so many seconds at most.  r->id is 0 if there was none.  After an error
 * r->id says which task failed, if it was one. */
enum status provers_collect(struct provers *w, double seconds, struct prover_result *r,
                            struct error *e);

/* All that was collected is on the disk. */
void provers_kept(struct provers *w);

/* Nobody wants the tasks under way any more. */
void provers_forget(struct provers *w);

#endif
