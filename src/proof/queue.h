/* SPDX-License-Identifier: MIT
 *
 * queue.h -- provers on any number of machines, fed from a queue on a NATS server (JetStream).
 *
 * The manager publishes tasks.  Idle workers pull them, report regularly that they are working, and
 * publish results.  The manager's store is authoritative: if the server loses all its data, only
 * the searches in progress are lost.
 *
 *     stream        subjects               what is in it
 *     KELSO_TASK    kelso.task             tasks, until a worker acknowledges one
 *     KELSO_RESULT  kelso.result           results, until the manager has one on its disk
 *     KELSO_STATE   kelso.state.manager    the last notice of the manager, kept for seconds
 *                   kelso.state.worker.N   the last sign of life of worker N, kept for seconds
 *     (none)        kelso.cancel           tasks that are no longer wanted
 *
 * (U1) A task that no worker acknowledges or reports as in progress for `lease` seconds goes to
 *      another worker.  A hung worker stops reporting.
 * (U2) A duplicate or late result, or one from another manager's run, is dropped.
 * (U3) One manager at a time: a second one gets STATUS_LOCKED.
 * (U4) A worker with different tables, or another version of the program, gets STATUS_MISMATCH
 *      and no tasks.
 * (U5) Clocks of different machines are never compared.
 * (U6) Tasks that the server has lost are published again.
 *
 * In a build without NATS all functions return STATUS_MISSING.  The caller owns all arguments.
 * `say` receives messages for people from any thread, one at a time. */
#ifndef KELSO_PROOF_QUEUE_H
#define KELSO_PROOF_QUEUE_H

#include "proof/provers.h"
#include "proof/wire.h"

/* How to reach the server.  Secrets come from files or the environment, not from arguments. */
struct queue_access {
    const char *url;                /* nats://HOST:4222, tls://HOST:4222 */
    const char *token_file;         /* NULL: $KELSO_QUEUE_TOKEN, if set */
    const char *user_file;          /* USER:PASSWORD; NULL: $KELSO_QUEUE_USER, if set */
    const char *tls_ca;             /* certificates to trust, NULL: the system's */
    const char *tls_cert, *tls_key; /* of this client; may be NULL */
    void (*say)(void *context, const char *line); /* may be NULL */
    void *context;
};

struct queue_terms {
    const struct tables *tables;
    const char *program;     /* its version */
    int pieces;              /* use tables up to this many; 0: all */
    double lease;            /* seconds */
    bool deep;               /* some tasks are for a deep search: workers keep room for one */
    const atomic_bool *stop; /* not owned */
};

/* The manager's side. */
enum status queue_provers_open(struct provers **w, const struct queue_access *a,
                               const struct queue_terms *t, struct error *e);

struct queue_worker {
    const char *dir;        /* tables */
    uint64_t cache, memory; /* half of the memory is for the deep search, if there is one */
    int threads;
    const char *program;
    const atomic_bool *stop;
    _Atomic uint64_t *searches; /* counts; may be NULL */
};

/* Work until *stop is set, for one manager after another. */
enum status queue_work(const struct queue_access *a, const struct queue_worker *o, struct error *e);

struct queue_status {
    bool manager; /* a manager is running: */
    struct wire_notice notice;
    uint64_t pending, under_way, redelivered, waiting, results;
    struct wire_worker *worker; /* the caller frees it */
    size_t workers, room;
};

enum status queue_status_read(const struct queue_access *a, struct queue_status *out,
                              struct error *e);

#endif
