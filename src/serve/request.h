/* SPDX-License-Identifier: MIT
 *
 * request.h -- a request and its reply, between the sockets (http.c) and the handlers.
 *
 * A request is opened when its head has arrived, examined, answered by a handler or refused,
 * and closed when the answer has been sent.
 *
 * (Q1) A refused request is answered with an error and never reaches a handler.
 *
 * A request is owned by its connection and belongs to one thread at a time; only `stop` may be
 * accessed from any thread. */
#ifndef KELSO_SERVE_REQUEST_H
#define KELSO_SERVE_REQUEST_H

#include "serve/http.h"
#include "serve/message.h"
#include "serve/sink.h"

enum { REPLY_HEAD_MAX = 1024 };

struct http_request {
    const struct http_config *config; /* not owned */
    struct message message;
    const struct http_route *route; /* NULL: there is none */
    enum http_method method;
    bool head_only, refused, owner;
    char *body;
    size_t body_length;
    double started;
    atomic_bool stop;
    struct http_reply reply;
    struct sink made;                      /* the body that was written to reply.out */
    bool (*flush)(struct http_request *r); /* the connection's */
};

/* Open a request; false without memory. */
bool request_open(struct http_request *r, const struct http_config *config, double now);
void request_close(struct http_request *r);

/* Refuse: the answer will be an error. */
void request_refuse(struct http_request *r, int status, const char *text);

/* Check what can be checked before the body arrives. */
void request_examine(struct http_request *r);

/* Append to the body. */
void request_take(struct http_request *r, const char *data, size_t length);

void request_answer(struct http_request *r);

/* The answer is complete: determine its body. */
void request_settle(struct http_request *r, const void **body, size_t *length);

enum request_framing { FRAMED_BY_LENGTH, FRAMED_BY_CHUNKS, FRAMED_BY_END };

/* Write the head of the answer; returns its length. */
size_t request_head(const struct http_request *r, enum request_framing framing, size_t length,
                    bool keep, char out[REPLY_HEAD_MAX]);

#endif
