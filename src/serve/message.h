/* SPDX-License-Identifier: MIT
 *
 * message.h -- a strict parser of HTTP/1.1 requests.
 *
 * A head is parsed in place; a chunked body is decoded piece by piece.  Anything that two
 * implementations might interpret differently is refused.
 *
 * (M1) Nothing is allocated, and only the given bytes are accessed; a head has at most
 *      MESSAGE_HEADERS_MAX headers and MESSAGE_PARAMETERS_MAX parameters.
 * (M2) Refused: control bytes (including NUL), lines that do not end in CR LF, folded headers,
 *      a blank before a colon, a missing or second Host, a second Content-Length,
 *      Content-Length with Transfer-Encoding, a broken %-escape, %00, a parameter given twice.
 * (M3) An accepted message has a path that begins with '/', and all its strings are
 *      NUL-terminated and contain no NUL.
 *
 * A message points into the caller's bytes and is valid as long as they are.  Pure functions;
 * safe on any thread. */
#ifndef KELSO_SERVE_MESSAGE_H
#define KELSO_SERVE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MESSAGE_HEADERS_MAX = 64, MESSAGE_PARAMETERS_MAX = 16, MESSAGE_TARGET_SHOWN = 1024 };

struct message_pair {
    const char *name, *value;
    size_t length; /* of the value */
};

struct message {
    const char *method, *path;
    bool http10;
    bool close;    /* the connection closes after the answer */
    bool expect;   /* the client expects "100 Continue" */
    bool chunked;  /* the body comes in chunks ... */
    bool sized;    /* ... or has this ... */
    uint64_t size; /* ... length */
    int headers, parameters;
    struct message_pair header[MESSAGE_HEADERS_MAX], parameter[MESSAGE_PARAMETERS_MAX];
    char target[MESSAGE_TARGET_SHOWN]; /* as received, truncated: for the log */
    const char *why;                   /* why it was refused */
};

/* The number of bytes of the head, including the empty line.  0: incomplete; -1: invalid.
 * *seen is where the scan continues next time; start with 0. */
long message_head(const char *bytes, size_t length, size_t *seen);

/* Parse a head.  Returns 0, or the HTTP status to refuse it with; then m->why is the reason. */
int message_read(struct message *m, char *head, size_t length);

/* The value of a header, by case-insensitive name; NULL if there is none. */
const char *message_header(const struct message *m, const char *name);
const char *message_parameter(const struct message *m, const char *name, size_t *length);

/* ------------------------------------------------------------------------- chunks -- */

enum chunks_state { CHUNKS_MORE, CHUNKS_WHOLE, CHUNKS_BROKEN };

/* The decoder of a chunked body; zero-initialize it. */
struct chunks {
    int step, digits, line;
    uint64_t left; /* of the chunk */
    size_t trailer;
};

/* Decode `in` up to the end of the body.  *used bytes are consumed and *made bytes written to
 * out, which may be `in` itself. */
enum chunks_state chunks_take(struct chunks *c, const char *in, size_t length, size_t *used,
                              char *out, size_t *made);

#endif
