/* SPDX-License-Identifier: MIT
 *
 * queue.h -- provers on any number of machines, fed from a queue on a NATS server (JetStream).
 *
 * The manager publishes tasks; workers that are idle pull them, say from time to time that they
 * are at work, and publish results.  The store of the manager is the only truth: the server may
 * lose all it has, and only searches under way are lost with it.
 *
 *     stream        subjects               what is in it
 *     KELSO_TASK    kelso.task             tasks, until a worker acknowledges one
 *     KELSO_RESULT  kelso.result           results, until the manager has one on its disk
 *     KELSO_STATE   kelso.state.manager    the last notice of the manager, for a few seconds
 *                   kelso.state.worker.N   the last sign of life of worker N, the same
 *     (none)        kelso.cancel           what nobody wants any more
 *
 * (U1) a task that no worker acknowledges or reports as under way for `lease` seconds goes to
 *      another one.  A worker that hangs stops reporting.
 * (U2) a result that comes twice, late, or from another manager's run is dropped.
 * (U3) one manager at a time: a second one gets STATUS_LOCKED.
 * (U4) a worker with other tables, or another version of the program, gets STATUS_MISMATCH and no
 *      task.
 * (U5) no clock of one machine is compared with that of another.
 * (U6) tasks that the server has lost are given again.
 *
 * Without NATS (make NATS=1) all functions return STATUS_MISSING.  `say` gets lines for people
 * from any thread, one at a time. */
#ifndef KELSO_PROOF_QUEUE_H
#define KELSO_PROOF_QUEUE_H

#include "proof/provers.h"
#include "proof/wire.h"

/* How to get at the server.  Secrets come from files or the environment, not from arguments. */
struct queue_access {
    const char *url;                /* nats://HOST:4222, tls://HOST:4222 */
    const char *token_file;         /* NULL: $KELSO_QUEUE_TOKEN, if set */
    const char *user_file;          /* USER:PASSWORD; NULL: $KELSO_QUEUE_USER, if set, likewise */
    const char *tls_ca;             /* certificates to trust, NULL: the system's */
    const char *tls_cert, *tls_key; /* our own; may be NULL */
    void (*say)(void *context, const char *line); /* may be NULL */
    void *context;
};

struct queue_terms {
    const struct tables *tables;
    const char *program;     /* its version */
    int pieces;              /* that tables are used up to; 0: all */
    double lease;            /* seconds */
    const atomic_bool *stop; /* not owned */
};

/* The manager's side. */
enum status queue_provers_open(struct provers **w, const struct queue_access *a,
                               const struct queue_terms *t, struct error *e);

struct queue_worker {
    const char *dir; /* tables */
    uint64_t cache, memory;
    int threads;
    const char *program;
    const atomic_bool *stop;
    _Atomic uint64_t *searches; /* counts; may be NULL */
};

/* Work until *stop is set, through managers that come and go. */
enum status queue_work(const struct queue_access *a, const struct queue_worker *o, struct error *e);

struct queue_status {
    bool manager; /* one is there: */
    struct wire_notice notice;
    uint64_t pending, under_way, redelivered, waiting, results;
    struct wire_worker *worker; /* the caller frees it */
    size_t workers, room;
};

enum status queue_status_read(const struct queue_access *a, struct queue_status *out,
                              struct error *e);

#endif
