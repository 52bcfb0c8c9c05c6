/* SPDX-License-Identifier: MIT
 *
 * http.h -- an HTTP server that cannot be talked into trouble.
 *
 * A few threads look after all connections; none of them ever waits for a client.  They
 * read requests (message.h), ask who may ask (guard.h), and give a request the shape that
 * handlers like: a method, a path, parameters, a body.  A quick route is answered where it
 * arrives; a slow one goes to a bounded pool of threads (workers.h), and one that searches
 * to another.  Those may send their answer piece by piece.
 *
 * (H1) the size of a request is bounded: HTTP_HEAD_MAX for line and headers, and what
 *      its route allows for a body.
 * (H2) a request that is not complete after `patience` seconds is cut off, however
 *      slowly its bytes still come; so is an answer that is taken more slowly than
 *      HTTP_PACE_MIN bytes a second after that time.
 * (H3) no more than the configured connections, no more of them from one address than
 *      `per_address`, and no more than queue_max requests wait for each pool; what comes
 *      on top of them is told to come back.
 * (H4) http_close answers what has arrived, then stops: nothing is dropped half way.
 * (H5) POST and DELETE are taken from our own page or from programs, never from pages
 *      of other sites; nothing is answered under a name that is not ours (guard.h).
 * (H6) the flag http_stop of a request is raised within a quarter of a second when its
 *      client has left, when its route's time is over, and when the server closes.
 *
 * A handler may run on any thread, many at once.  The server copies what it needs of
 * the configuration; the table of routes and its context must outlive it. */
#ifndef KELSO_SERVE_HTTP_H
#define KELSO_SERVE_HTTP_H

#include "report/json.h"
#include "serve/guard.h"
#include "serve/weblog.h"

#include <stdatomic.h>

enum { HTTP_HEAD_MAX = 32 << 10, HTTP_PACE_MIN = 16 << 10 };

enum http_method { HTTP_GET, HTTP_POST, HTTP_DELETE, HTTP_METHODS };

/* How long an answer stays good. */
enum http_cache {
    HTTP_NOT_KEPT, /* no-store: it may change any moment */
    HTTP_CHECKED,  /* no-cache, with an entity tag */
    HTTP_TRUTH     /* it will not change */
};

/* What a request takes: microseconds, up to a second, as long as it was given. */
enum http_pace { HTTP_QUICK, HTTP_SLOW, HTTP_SEARCH, HTTP_PACES };

struct http_request;

/* A parameter of the query, or NULL; *length without the NUL. */
const char *http_parameter(const struct http_request *r, const char *name, size_t *length);
const char *http_header(const struct http_request *r, const char *name);
const char *http_path(const struct http_request *r);
const char *http_body(const struct http_request *r, size_t *length);

/* May this client do what costs much (guard.h)? */
bool http_is_owner(const struct http_request *r);

/* Raised when there is no point in going on: (H6).  Work that may take longer than a
 * moment looks at it. */
const atomic_bool *http_stop(const struct http_request *r);

/* What a handler fills in.  It starts as 200, application/json, HTTP_NOT_KEPT; the body
 * is what is written to `out`, unless `bytes` points to constant memory. */
struct http_reply {
    int status;
    const char *type;
    enum http_cache cache;
    FILE *out;
    const void *bytes;
    size_t length;
    const char *etag;
    bool gzip;       /* `bytes` are compressed */
    bool same_site;  /* not for pages of other sites to read */
    int retry_after; /* seconds; 0: no such header */
};

/* {"error": {"status": .., "message": ".."}}; for `column` > 0 that too. */
void http_fail(struct http_reply *reply, int status, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Send what was written to reply->out up to here, and go on; status and type are those of
 * the first call.  For routes that are slow or search.  False if nobody reads it any more:
 * then the handler may as well return. */
bool http_flush(const struct http_request *r, struct http_reply *reply);

typedef void http_handler(void *context, const struct http_request *r, struct http_reply *reply);

/* Routes are looked at in order.  A path that ends in / stands for all below it. */
struct http_route {
    const char *path; /* NULL ends the table */
    http_handler *handler[HTTP_METHODS];
    enum http_pace pace;
    size_t body_max;
    int seconds; /* then http_stop is raised; 0: HTTP_SECONDS */
    bool owner;  /* POST and DELETE are for the owner only */
};

enum { HTTP_SECONDS = 20 };

struct http_config {
    struct guard guard; /* with the address to listen on */
    int threads[HTTP_PACES];
    int connections;     /* at most, together */
    int per_address;     /* of them from one address */
    int queue_max;       /* requests that wait for a thread of a pool */
    int patience;        /* seconds */
    double rate;         /* requests a second from one address; 0: no limit */
    bool limit_loopback; /* count this machine's own requests as well */
    struct weblog *log;  /* not owned */
    const struct http_route *routes;
    void *context;
};

struct http_server;

/* NULL after writing a reason to why[HTTP_WHY_MAX]. */
enum { HTTP_WHY_MAX = 256 };
struct http_server *http_open(const struct http_config *config, char why[HTTP_WHY_MAX]);

/* The port in use: where 0 was asked for, the one that was found. */
int http_port(const struct http_server *s);

/* Stop listening, raise the flags of what is under way, wait up to `seconds` for answers
 * to be taken, stop. */
void http_close(struct http_server **s, double seconds);

#endif
