/* SPDX-License-Identifier: MIT
 *
 * message.h -- one HTTP/1.1 request, read strictly.
 *
 * The bytes of a head are taken apart where they lie; a body in chunks is put together
 * piece by piece.  What two readers could understand in two ways is refused.
 *
 * (M1) nothing is allocated, and nothing outside the given bytes is touched; a head has at
 *      most MESSAGE_HEADERS_MAX headers and MESSAGE_PARAMETERS_MAX parameters.
 * (M2) refused: control bytes (NUL among them), lines that do not end in CR LF, folded
 *      headers, a blank before a colon, a missing or second Host, a second Content-Length,
 *      Content-Length with Transfer-Encoding, a broken %-escape, %00, a parameter given
 *      twice.
 * (M3) a message that is not refused has a path that begins with '/', and all its texts end
 *      in a NUL that is not part of them.
 *
 * A message points into its bytes and lives as long as they do.  Any thread. */
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
    bool close;    /* the connection ends with the answer */
    bool expect;   /* the client waits for "100 Continue" */
    bool chunked;  /* the body comes in chunks ... */
    bool sized;    /* ... or has this ... */
    uint64_t size; /* ... length */
    int headers, parameters;
    struct message_pair header[MESSAGE_HEADERS_MAX], parameter[MESSAGE_PARAMETERS_MAX];
    char target[MESSAGE_TARGET_SHOWN]; /* as it came, cut: for the log */
    const char *why;                   /* it was refused */
};

/* How many bytes of these are the head, with the empty line?  0: there is more to come; -1:
 * it will never be one.  *seen is where the search goes on next time; it starts at 0. */
long message_head(const char *bytes, size_t length, size_t *seen);

/* Take a head apart.  0, or the status to refuse it with; then m->why is a reason. */
int message_read(struct message *m, char *head, size_t length);

/* The value of a header, by its name in any case; NULL if there is none. */
const char *message_header(const struct message *m, const char *name);
const char *message_parameter(const struct message *m, const char *name, size_t *length);

/* ------------------------------------------------------------------------- chunks -- */

enum chunks_state { CHUNKS_MORE, CHUNKS_WHOLE, CHUNKS_BROKEN };

/* A body in chunks; starts as zeros. */
struct chunks {
    int step, digits, line;
    uint64_t left; /* of the chunk */
    size_t trailer;
};

/* Decode what is in `in`, up to the end of the body.  *used bytes were read, and *made bytes
 * written to out, which may be `in` itself. */
enum chunks_state chunks_take(struct chunks *c, const char *in, size_t length, size_t *used,
                              char *out, size_t *made);

#endif
