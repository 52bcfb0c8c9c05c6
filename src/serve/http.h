/* SPDX-License-Identifier: MIT
 *
 * http.h -- an HTTP server that resists hostile clients.
 *
 * A few threads handle all connections and never block on a client.  They parse requests
 * (message.h), check access (guard.h), and pass handlers a method, a path, parameters and a
 * body.  A quick route is answered on the same thread; a slow one goes to a bounded pool of
 * threads (workers.h), and one that searches to another pool.  Pool threads may stream their
 * answers.
 *
 * (H1) The size of a request is bounded: HTTP_HEAD_MAX for line and headers, the route's limit
 *      for a body.
 * (H2) A request that is not complete after `patience` seconds is cut off, even if bytes are
 *      still arriving; so is an answer that the client reads more slowly than HTTP_PACE_MIN
 *      bytes per second after that time.
 * (H3) There are at most `connections` connections, at most `per_address` from one address, and
 *      at most queue_max requests waiting for each pool.  Excess requests are told to retry
 *      later.
 * (H4) http_close answers the requests that have arrived, then stops.
 * (H5) POST and DELETE are accepted from our own page or from programs, never from pages of
 *      other sites; requests under a foreign host name are refused (guard.h).
 * (H6) The flag http_stop of a request is set within a quarter of a second when its client
 *      disconnects, when its route's time is over, and when the server closes.
 *
 * A handler may run on any thread, many at once.  The server copies the configuration; the
 * table of routes and its context must outlive it. */
#ifndef KELSO_SERVE_HTTP_H
#define KELSO_SERVE_HTTP_H

#include "report/json.h"
#include "serve/guard.h"
#include "serve/weblog.h"

#include <stdatomic.h>

enum { HTTP_HEAD_MAX = 32 << 10, HTTP_PACE_MIN = 16 << 10 };

enum http_method { HTTP_GET, HTTP_POST, HTTP_DELETE, HTTP_METHODS };

/* How long an answer may be cached. */
enum http_cache {
    HTTP_NOT_KEPT, /* no-store: it may change at any time */
    HTTP_CHECKED,  /* no-cache, with an entity tag */
    HTTP_TRUTH     /* it will not change */
};

/* The time a request takes: microseconds, up to a second, up to its limit. */
enum http_pace { HTTP_QUICK, HTTP_SLOW, HTTP_SEARCH, HTTP_PACES };

struct http_request;

/* A parameter of the query, or NULL; *length excludes the NUL. */
const char *http_parameter(const struct http_request *r, const char *name, size_t *length);
const char *http_header(const struct http_request *r, const char *name);
const char *http_path(const struct http_request *r);
const char *http_body(const struct http_request *r, size_t *length);

/* May this client start expensive work (guard.h)? */
bool http_is_owner(const struct http_request *r);

/* Set when the answer is no longer wanted: (H6).  Long work must check it. */
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
    bool same_site;  /* pages of other sites may not read it */
    int retry_after; /* seconds; 0: no such header */
};

/* {"error": {"status": .., "message": ".."}}, and "column" if `column` > 0. */
void http_fail(struct http_reply *reply, int status, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Send what has been written to reply->out so far; status and type are those of the first
 * call.  Only for HTTP_SLOW and HTTP_SEARCH routes.  False if the client has gone: the handler
 * should return. */
bool http_flush(const struct http_request *r, struct http_reply *reply);

typedef void http_handler(void *context, const struct http_request *r, struct http_reply *reply);

/* Routes are matched in order.  A path that ends in / matches everything below it. */
struct http_route {
    const char *path; /* NULL ends the table */
    http_handler *handler[HTTP_METHODS];
    enum http_pace pace;
    size_t body_max;
    int seconds; /* until http_stop is set; 0: HTTP_SECONDS */
    bool owner;  /* POST and DELETE are for the owner only */
};

enum { HTTP_SECONDS = 20 };

struct http_config {
    struct guard guard; /* includes the address to listen on */
    int threads[HTTP_PACES];
    int connections;     /* at most, in total */
    int per_address;     /* of them from one address */
    int queue_max;       /* requests waiting for a pool thread */
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

/* The port in use; for a configured port of 0, the one that the system chose. */
int http_port(const struct http_server *s);

/* Stop listening, set the stop flags of running requests, wait up to `seconds` for answers to
 * be read, then close. */
void http_close(struct http_server **s, double seconds);

#endif
