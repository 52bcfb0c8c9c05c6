/* SPDX-License-Identifier: MIT
 *
 * provers.h -- a group of provers: give them tasks, collect results.
 *
 * The provers may be threads of this process (provers_open), machines that take tasks from a
 * queue (queue.h), or fakes in a test.  Each kind is a table of functions.  The number of tasks
 * they can take depends on how many provers are running and may change at any time.
 *
 * (W1) Each result belongs to a task that was given and not forgotten, and is delivered once.
 * (W2) A collected result is not final until provers_kept: a kind that outlives its manager
 *      delivers it again to the next one, or repeats the task.
 * (W3) The claims of a result stay valid until the next task is given or the next result collected.
 *
 * The caller owns the group.  One thread gives and collects. */
#ifndef KELSO_PROOF_PROVERS_H
#define KELSO_PROOF_PROVERS_H

#include "proof/prover.h"

enum { PROVERS_MAX = 64 }; /* threads */

/* The functions of a kind; `self` is its private data.  Only `kept` and `forget` may be NULL. */
struct provers_kind {
    int (*room)(void *self);
    enum status (*give)(void *self, uint64_t id, const struct prover_task *task, struct error *e);
    enum status (*collect)(void *self, double seconds, struct prover_result *r, struct error *e);
    void (*kept)(void *self);
    void (*forget)(void *self);
    void (*close)(void *self);
};

struct provers;

/* Create provers of a kind.  They own `self`, which is closed at once if this fails. */
enum status provers_create(struct provers **w, const struct provers_kind *kind, void *self,
                           struct error *e);

/* Provers on threads of this process.  They share `o->memory`, and if `deep` a deep search of their
 * own, which gets half of it; o->deep is not used. */
enum status provers_open(struct provers **w, int count, bool deep, const struct prover_options *o,
                         struct error *e);
void provers_close(struct provers **w);

/* The number of tasks that idle provers could take. */
int provers_room(struct provers *w);

/* *id is never 0. */
enum status provers_give(struct provers *w, const struct prover_task *task, uint64_t *id,
                         struct error *e);

/* Wait at most `seconds` for a result.  r->id is 0 if there was none.  After an error r->id is
 * the failed task, if any. */
enum status provers_collect(struct provers *w, double seconds, struct prover_result *r,
                            struct error *e);

/* Report that all collected results are on disk. */
void provers_kept(struct provers *w);

/* Drop the tasks in progress. */
void provers_forget(struct provers *w);

#endif
