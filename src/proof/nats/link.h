/* SPDX-License-Identifier: MIT
 *
 * link.h -- a connection to the NATS server, and the three streams on it (queue.h).
 *
 * Once made, the connection reconnects forever.  Publishing retries until it succeeds or *stop
 * is set.
 *
 * (J1) After link_open the streams exist.
 * (J2) After link_close no thread of the library uses the link.
 *
 * The caller owns the link.  Any thread may publish; one thread opens and closes. */
#ifndef KELSO_PROOF_NATS_LINK_H
#define KELSO_PROOF_NATS_LINK_H

#include "proof/queue.h"

#include <nats/nats.h>
#include <pthread.h>

enum { STATE_SECONDS = 6, STATE_BEAT_MS = 1000, SUBJECT_MAX = 64 };

struct queue_link {
    const struct queue_access *access; /* not owned */
    natsOptions *options;
    natsConnection *connection;
    jsCtx *js;
    uint64_t self; /* a random number */
    char place[WIRE_PLACE];
    const atomic_bool *stop; /* not owned; may be NULL */
    atomic_bool closing, closed;
    pthread_mutex_t saying;
    char said[WIRE_TEXT]; /* the last line */
};

enum status link_open(struct queue_link *l, const struct queue_access *a, const atomic_bool *stop,
                      struct error *e);
void link_close(struct queue_link *l);

/* Create missing streams. */
enum status link_streams(struct queue_link *l, struct error *e);

/* Send a line to `say`, unless it equals the last one. */
void link_say(struct queue_link *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Format "url: what failed: the library's message". */
enum status link_error(const struct queue_link *l, natsStatus s, const char *what, struct error *e);

/* Publish a message to a stream; `id`, if not NULL, is deduplicated within two minutes.
 * STATUS_INTERRUPTED if *stop was set before it succeeded. */
enum status link_publish(struct queue_link *l, const char *subject, const char *id,
                         const void *bytes, size_t n, struct error *e);

/* The last notice of a manager; false if there is none. */
bool link_notice(struct queue_link *l, struct wire_notice *out, uint64_t *sequence);

#endif
