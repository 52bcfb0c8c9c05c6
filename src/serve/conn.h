/* SPDX-License-Identifier: MIT
 *
 * conn.h -- one connection of the server: requests in, answers out, one after another.
 *
 *     HEAD -> BODY -> WRITING -> HEAD ...        answered by the loop, or refused
 *             BODY -> WORKING -> WRITING         answered by a thread of a pool
 *                                WRITING -> LINGERING -> OVER
 *
 * A connection belongs to the thread of its loop.  It never blocks: conn_advance goes as far as
 * it can and registers with epoll for the event it needs next.
 *
 * (N1) While a pool thread works on a request, that thread owns the request and its reply; the
 *      loop owns the rest, except for what the loop's lock guards.
 * (N2) A connection is not freed while it is WORKING.
 *
 * Used only by http.c, which runs the loops. */
#ifndef KELSO_SERVE_CONN_H
#define KELSO_SERVE_CONN_H

#include "serve/limiter.h"
#include "serve/request.h"
#include "serve/workers.h"

#include <pthread.h>

enum { CONN_BODY_ROOM = 8 << 10 /* bytes of a body read at a time */ };

/* The state of a connection.  OVER: it is freed as soon as it is no longer used. */
enum phase { HEAD, BODY, WORKING, WRITING, LINGERING, OVER };

struct conn {
    struct http_request request; /* must be first: handlers get a pointer to it */
    struct loop *loop;
    struct conn *next, *before; /* of the loop */
    int fd;
    uint32_t watched; /* events registered with epoll; 0: none */
    enum phase phase;
    double until;         /* the deadline of this phase ... */
    _Atomic double limit; /* ... and the time limit of work, from its start */
    unsigned bucket;      /* of the limiter */
    int held;             /* the pace of the work counted there; 0: none */
    bool local, begun, open, eof, left, keep;
    char client[INET6_ADDRSTRLEN];

    size_t in_length, seen, used; /* bytes of `in`: received, scanned, used by the current
                                   * request */
    struct chunks chunks;
    uint64_t body_left;

    char *out; /* the head of an answer, or pieces of it */
    size_t out_length, out_room, out_sent;
    const char *body; /* the rest of the answer */
    size_t body_length, body_sent;
    size_t told; /* bytes of a streamed answer, for the log */

    /* Guarded by the loop's lock while a thread of a pool works on the request. */
    char *stream; /* pieces of the answer, to go to `out` */
    size_t stream_length, stream_room;
    bool streaming, done, queued;
    struct conn *woken;

    char in[HTTP_HEAD_MAX + CONN_BODY_ROOM];
};

/* A thread and its connections. */
struct loop {
    struct http_server *server;
    pthread_t thread;
    bool started, quiet; /* quiet: it no longer listens */
    int epoll, wake;
    double looked;
    struct conn *conns;
    pthread_mutex_t lock; /* guards `woken`, and the fields marked in struct conn */
    struct conn *woken;
};

struct http_server {
    struct http_config config;
    int listener;
    struct workers *pool[HTTP_PACES]; /* none for HTTP_QUICK */
    struct limiter *limiter;
    atomic_int connections;
    atomic_bool closing;
    _Atomic double deadline; /* of closing */
    int loops;
    struct loop *loop;
};

/* Take ownership of a socket, which is closed on failure. */
void conn_open(struct loop *l, int fd, const struct sockaddr *a);
void conn_turn_away(int fd);
void conn_free(struct conn *c);

/* Read what has arrived. */
void conn_read(struct conn *c);
void conn_drain(struct conn *c);

/* Proceed as far as possible without blocking; c may be freed afterwards. */
void conn_advance(struct conn *c);

/* The client has disconnected while a request is being worked on. */
void conn_leave(struct conn *c);

#endif
