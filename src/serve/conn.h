/* SPDX-License-Identifier: MIT
 *
 * conn.h -- a connection of the server: requests come in, answers go out, one after another.
 *
 *     HEAD -> BODY -> WRITING -> HEAD ...        answered where it arrives, or refused
 *             BODY -> WORKING -> WRITING         answered by a thread of a pool
 *                                WRITING -> LINGERING -> OVER
 *
 * A connection belongs to the thread of its loop.  It never waits: conn_advance goes on as far
 * as it can, and says to epoll what would let it go on.
 *
 * (N1) while a thread of a pool works on a request, that thread has the request and its reply;
 *      the loop has the rest, but for what the loop's lock guards.
 * (N2) a connection is not freed while it is WORKING.
 *
 * For http.c, which has the loops. */
#ifndef KELSO_SERVE_CONN_H
#define KELSO_SERVE_CONN_H

#include "serve/limiter.h"
#include "serve/request.h"
#include "serve/workers.h"

#include <pthread.h>

enum { CONN_BODY_ROOM = 8 << 10 /* bytes of a body read at a time */ };

/* Where a connection is.  OVER: it is freed as soon as nobody looks at it. */
enum phase { HEAD, BODY, WORKING, WRITING, LINGERING, OVER };

struct conn {
    struct http_request request; /* first: what handlers are given */
    struct loop *loop;
    struct conn *next, *before; /* of the loop */
    int fd;
    uint32_t watched; /* events that epoll tells us of; 0: none */
    enum phase phase;
    double until;         /* when patience with this phase ends ... */
    _Atomic double limit; /* ... and with work, from its start on */
    unsigned bucket;      /* of the limiter */
    int held;             /* the pace of the work that is counted there; 0: none */
    bool local, begun, open, eof, left, keep;
    char client[INET6_ADDRSTRLEN];

    size_t in_length, seen, used; /* bytes of `in`: had, searched, of the request under way */
    struct chunks chunks;
    uint64_t body_left;

    char *out; /* the head of an answer, or pieces of it */
    size_t out_length, out_room, out_sent;
    const char *body; /* the rest of the answer */
    size_t body_length, body_sent;
    size_t told; /* bytes of an answer in pieces, for the log */

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
    bool started, quiet; /* quiet: it has stopped listening */
    int epoll, wake;
    double looked;
    struct conn *conns;
    pthread_mutex_t lock; /* guards woken, and of connections what is said there */
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

/* Take over a socket; it is closed where that cannot be. */
void conn_open(struct loop *l, int fd, const struct sockaddr *a);
void conn_turn_away(int fd);
void conn_free(struct conn *c);

/* Take what has come. */
void conn_read(struct conn *c);
void conn_drain(struct conn *c);

/* Go on as far as it goes without waiting; c may be gone afterwards. */
void conn_advance(struct conn *c);

/* The client has left while we work for it. */
void conn_leave(struct conn *c);

#endif
