/* SPDX-License-Identifier: MIT */
#include "serve/http.h"

#include "base/clock.h"
#include "report/term.h"
#include "serve/limiter.h"
#include "serve/workers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A connection, for as long as it is open. */
struct link {
    struct link *next, *before;
    int socket;
    char client[INET6_ADDRSTRLEN];
    _Atomic double since; /* when the request under way began, or the last one ended */
    atomic_bool complete; /* the request has arrived as a whole and is being answered */
};

struct http_server {
    struct http_config config;
    struct MHD_Daemon *daemon;
    struct workers *pool[HTTP_PACES]; /* none for HTTP_QUICK */
    struct limiter *limiter;
    pthread_mutex_t lock; /* guards links */
    struct link *links;
    atomic_int busy; /* requests that have arrived and are not yet answered */
};

/* A request and its reply, from the first line to the last byte. */
struct http_request {
    struct http_server *server;
    struct MHD_Connection *connection;
    struct link *link;
    const struct http_route *route;
    enum http_method method;
    const char *verb, *path;
    char *uri; /* as it came, for the log; NULL if nobody wants it */
    char *body;
    size_t body_length;
    double started;
    bool begun, refused, counted, done;
    struct http_reply reply;
    char *made; /* the body that was written to reply.out */
    size_t made_length;
};

/* --------------------------------------------------------------------- requests -- */

const char *http_parameter(const struct http_request *r, const char *name, size_t *length)
{
    const char *value = NULL;

    if (!MHD_lookup_connection_value_n(r->connection, MHD_GET_ARGUMENT_KIND, name, strlen(name),
                                       &value, length))
        return NULL;
    return value ? value : "";
}

const char *http_header(const struct http_request *r, const char *name)
{
    return MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, name);
}

const char *http_path(const struct http_request *r)
{
    return r->path;
}

const char *http_body(const struct http_request *r, size_t *length)
{
    *length = r->body_length;
    return r->body ? r->body : "";
}

enum http_method http_method_of(const struct http_request *r)
{
    return r->method;
}

bool http_gone(const struct http_request *r)
{
    struct pollfd p = {.fd = r->link->socket, .events = POLLRDHUP};

    return poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

/* ---------------------------------------------------------------------- replies -- */

static bool reply_open(struct http_request *r)
{
    if (r->reply.out)
        fclose(r->reply.out);
    free(r->made);
    r->made = NULL;
    r->reply = (struct http_reply){.status = 200, .type = "application/json"};
    r->reply.out = open_memstream(&r->made, &r->made_length);
    if (r->reply.out)
        __fsetlocking(r->reply.out, FSETLOCKING_BYCALLER);
    return r->reply.out != NULL;
}

void http_fail(struct http_reply *reply, int status, int column, const char *format, ...)
{
    struct json j = json_open(reply->out);
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rewind(reply->out); /* whatever was begun is not the answer */
    reply->status = status;
    reply->cache = HTTP_NOT_KEPT;
    json_object(&j, NULL);
    json_object(&j, "error");
    json_int(&j, "status", status);
    json_text(&j, "message", text);
    if (column > 0)
        json_int(&j, "column", column);
    json_end(&j);
    json_end(&j);
}

static void put_header(struct MHD_Response *response, const char *name, const char *value)
{
    MHD_add_response_header(response, name, value);
}

static void put_caching(struct MHD_Response *response, const struct http_reply *reply)
{
    static const char *const text[] = {"no-store", "no-cache", "public, max-age=86400"};

    put_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, text[reply->cache]);
    if (reply->etag)
        put_header(response, MHD_HTTP_HEADER_ETAG, reply->etag);
}

static void put_headers(struct http_request *r, struct MHD_Response *response)
{
    const struct http_reply *reply = &r->reply;
    char seconds[16];

    put_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply->type);
    put_caching(response, reply);
    put_header(response, "X-Content-Type-Options", "nosniff");
    if (reply->gzip) {
        put_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
        put_header(response, MHD_HTTP_HEADER_VARY, "Accept-Encoding");
    }
    if (strncmp(reply->type, "text/html", 9) == 0) {
        put_header(response, "Content-Security-Policy",
                   "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
                   "frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
        put_header(response, "Referrer-Policy", "no-referrer");
    } else {
        put_header(response, MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    }
    if (reply->retry_after) {
        snprintf(seconds, sizeof seconds, "%d", reply->retry_after);
        put_header(response, MHD_HTTP_HEADER_RETRY_AFTER, seconds);
    }
}

/* Which methods the route takes: for 405 and for OPTIONS. */
static void put_allow(struct http_request *r, struct MHD_Response *response)
{
    static const char *const names[] = {"GET, HEAD, ", "POST, ", "DELETE, "};
    char text[64] = "";

    for (int m = 0; r->route && m < HTTP_METHODS; m++)
        if (r->route->handler[m])
            strcat(text, names[m]);
    strcat(text, "OPTIONS");
    put_header(response, MHD_HTTP_HEADER_ALLOW, text);
    if (r->reply.status == 204)
        put_header(response, "Access-Control-Allow-Methods", "GET, HEAD, OPTIONS");
}

/* An entity that the client has already is not sent again. */
static bool unchanged(const struct http_request *r)
{
    const char *have = http_header(r, MHD_HTTP_HEADER_IF_NONE_MATCH);

    return r->reply.status == 200 && r->reply.etag && have && strstr(have, r->reply.etag);
}

static enum MHD_Result reply_send(struct http_request *r)
{
    struct http_reply *reply = &r->reply;
    struct MHD_Response *response;
    enum MHD_Result queued;

    if (reply->out) {
        fclose(reply->out);
        reply->out = NULL;
    }
    if (unchanged(r)) {
        reply->status = 304;
        response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    } else if (reply->bytes) {
        response = MHD_create_response_from_buffer(reply->length, (void *)(uintptr_t)reply->bytes,
                                                   MHD_RESPMEM_PERSISTENT);
    } else {
        reply->length = r->made_length;
        response = MHD_create_response_from_buffer(r->made_length, r->made, MHD_RESPMEM_MUST_FREE);
        if (response)
            r->made = NULL;
    }
    if (!response)
        return MHD_NO;
    put_headers(r, response);
    if (reply->status == 405 || reply->status == 204)
        put_allow(r, response);
    queued = MHD_queue_response(r->connection, (unsigned)reply->status, response);
    MHD_destroy_response(response);
    return queued;
}

/* --------------------------------------------------------------------- refusals -- */

/* The request will be answered with an error once it has come to its end. */
static void refuse(struct http_request *r, int status, const char *text)
{
    r->refused = true;
    http_fail(&r->reply, status, 0, "%s", text);
}

static const struct http_route *route_find(const struct http_route *routes, const char *path)
{
    for (const struct http_route *t = routes; t->path; t++) {
        size_t n = strlen(t->path);

        if (t->path[n - 1] == '/' ? strncmp(path, t->path, n) == 0 : strcmp(path, t->path) == 0)
            return t;
    }
    return NULL;
}

/* A page of another site must not start work here (H5). */
static bool foreign(const struct http_request *r)
{
    const char *origin = http_header(r, MHD_HTTP_HEADER_ORIGIN);
    const char *host = http_header(r, MHD_HTTP_HEADER_HOST), *at;

    if (!origin)
        return false;
    at = strstr(origin, "://");
    return !at || !host || strcmp(at + 3, host) != 0;
}

static bool method_parse(const char *verb, enum http_method *out)
{
    static const struct {
        const char *verb;
        enum http_method method;
    } known[] = {
        {"GET", HTTP_GET}, {"HEAD", HTTP_GET}, {"POST", HTTP_POST}, {"DELETE", HTTP_DELETE}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(verb, known[i].verb) == 0) {
            *out = known[i].method;
            return true;
        }
    return false;
}

bool http_is_loopback(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)a)->sin6_addr);
}

static const struct sockaddr *client_of(struct MHD_Connection *c)
{
    return MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
}

static bool too_often(const struct http_request *r)
{
    const struct sockaddr *a = client_of(r->connection);
    const struct http_server *s = r->server;

    if (!s->limiter || (http_is_loopback(a) && !s->config.limit_loopback))
        return false;
    if (a->sa_family == AF_INET)
        return !limiter_take(s->limiter, &((const struct sockaddr_in *)a)->sin_addr, 4, r->started);
    return !limiter_take(s->limiter, &((const struct sockaddr_in6 *)a)->sin6_addr, 8, r->started);
}

/* What can be said before the body has come. */
static void request_examine(struct http_request *r)
{
    const char *length = http_header(r, MHD_HTTP_HEADER_CONTENT_LENGTH);
    bool options = strcmp(r->verb, "OPTIONS") == 0;

    r->route = route_find(r->server->config.routes, r->path);
    if (too_often(r)) {
        refuse(r, 429, "too many requests: slow down");
        r->reply.retry_after = 1;
    } else if (!r->route) {
        refuse(r, 404, "there is nothing here");
    } else if (options) {
        r->refused = true;
        r->reply.status = 204;
    } else if (!method_parse(r->verb, &r->method) || !r->route->handler[r->method]) {
        refuse(r, 405, "this method is not for here");
    } else if (r->method != HTTP_GET && foreign(r)) {
        refuse(r, 403, "not from pages of other sites");
    } else if (length && strtoull(length, NULL, 10) > r->route->body_max) {
        refuse(r, 413, "the body is too large");
    }
}

/* ---------------------------------------------------------------------- answers -- */

static void answer_make(struct http_request *r)
{
    r->route->handler[r->method](r->server->config.context, r, &r->reply);
    r->done = true;
}

/* On a thread of the pool: the connection sleeps meanwhile. */
static void answer_slowly(void *arg)
{
    struct http_request *r = arg;

    answer_make(r);
    MHD_resume_connection(r->connection);
}

static enum MHD_Result request_answer(struct http_request *r)
{
    if (!r->counted) {
        r->counted = true;
        atomic_fetch_add(&r->server->busy, 1);
        atomic_store(&r->link->complete, true);
    }
    if (r->done || r->refused)
        return reply_send(r);
    if (r->route->pace == HTTP_QUICK) {
        answer_make(r);
        return reply_send(r);
    }
    MHD_suspend_connection(r->connection);
    if (workers_submit(r->server->pool[r->route->pace], answer_slowly, r))
        return MHD_YES;
    MHD_resume_connection(r->connection);
    refuse(r, 503, "too much work waiting: try again");
    r->reply.retry_after = 2;
    return MHD_YES; /* we are called again */
}

static void request_take(struct http_request *r, const char *data, size_t length)
{
    char *larger;

    if (r->refused)
        return;
    if (r->body_length + length > r->route->body_max) {
        refuse(r, 413, "the body is too large");
        return;
    }
    larger = realloc(r->body, r->body_length + length + 1);
    if (!larger) {
        refuse(r, 503, "not enough memory");
        return;
    }
    r->body = larger;
    memcpy(r->body + r->body_length, data, length);
    r->body_length += length;
    r->body[r->body_length] = 0;
}

/* libmicrohttpd calls this when the headers are there, for each part of the body, and
 * when the request is complete. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *length, void **state)
{
    struct http_request *r = *state;

    (void)context, (void)version;
    if (!r)
        return MHD_NO;
    if (!r->begun) {
        r->begun = true;
        r->connection = connection;
        r->link =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
        r->verb = method;
        r->path = url;
        if (!r->link || !reply_open(r))
            return MHD_NO;
        request_examine(r);
        return MHD_YES;
    }
    if (*length > 0) {
        request_take(r, data, *length);
        *length = 0;
        return MHD_YES;
    }
    return request_answer(r);
}

/* The first thing we hear of a request: its line. */
static void *on_line(void *context, const char *uri, struct MHD_Connection *connection)
{
    struct http_request *r = calloc(1, sizeof *r);
    struct http_server *s = context;

    (void)connection;
    if (!r)
        return NULL;
    r->server = s;
    r->started = clock_seconds();
    if (weblog_requests(s->config.log))
        r->uri = strdup(uri);
    return r;
}

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode how)
{
    struct http_request *r = *state;
    struct http_server *s = context;

    (void)connection;
    if (!r)
        return;
    if (r->uri && r->link)
        weblog_request(s->config.log, r->link->client, r->verb ? r->verb : "?", r->uri,
                       how == MHD_REQUEST_TERMINATED_COMPLETED_OK ? r->reply.status : 499,
                       r->reply.length, clock_seconds() - r->started);
    if (r->link) {
        atomic_store(&r->link->since, clock_seconds());
        atomic_store(&r->link->complete, false);
    }
    if (r->counted)
        atomic_fetch_sub(&s->busy, 1);
    if (r->reply.out)
        fclose(r->reply.out);
    free(r->made);
    free(r->body);
    free(r->uri);
    free(r);
    *state = NULL;
}

/* ------------------------------------------------------------------ connections -- */

static void link_add(struct http_server *s, struct MHD_Connection *connection, void **state)
{
    struct link *l = calloc(1, sizeof *l);
    const struct sockaddr *a = client_of(connection);

    *state = l;
    if (!l)
        return;
    l->socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    atomic_store(&l->since, clock_seconds());
    if (a->sa_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)a)->sin_addr, l->client, sizeof l->client);
    else
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)a)->sin6_addr, l->client,
                  sizeof l->client);
    pthread_mutex_lock(&s->lock);
    l->next = s->links;
    if (l->next)
        l->next->before = l;
    s->links = l;
    pthread_mutex_unlock(&s->lock);
}

static void link_remove(struct http_server *s, struct link *l)
{
    pthread_mutex_lock(&s->lock);
    if (l->next)
        l->next->before = l->before;
    if (l->before)
        l->before->next = l->next;
    else
        s->links = l->next;
    pthread_mutex_unlock(&s->lock);
    free(l);
}

static void on_connection(void *context, struct MHD_Connection *connection, void **state,
                          enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        link_add(context, connection, state);
    else if (*state)
        link_remove(context, *state);
}

void http_tick(struct http_server *s)
{
    double now = clock_seconds();

    pthread_mutex_lock(&s->lock);
    for (struct link *l = s->links; l; l = l->next)
        if (!atomic_load(&l->complete) && now - atomic_load(&l->since) > s->config.patience)
            shutdown(l->socket, SHUT_RDWR); /* libmicrohttpd closes it */
    pthread_mutex_unlock(&s->lock);
}

/* ------------------------------------------------------------------ open, close -- */

__attribute__((format(printf, 2, 0))) static void on_mishap(void *context, const char *format,
                                                            va_list args)
{
    struct http_server *s = context;
    char text[400];

    vsnprintf(text, sizeof text, format, args);
    if (weblog_requests(s->config.log))
        weblog_note(s->config.log, "%s", text);
}

static int listen_on(const struct sockaddr_storage *address, char why[HTTP_WHY_MAX])
{
    socklen_t size =
        address->ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    int fd = socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (fd >= 0 && !bind(fd, (const struct sockaddr *)address, size) && !listen(fd, 1024))
        return fd;
    snprintf(why, HTTP_WHY_MAX, "%s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

static struct MHD_Daemon *daemon_start(struct http_server *s, int fd)
{
    const struct http_config *c = &s->config;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG |
                     MHD_USE_ITC | (c->address.ss_family == AF_INET6 ? MHD_USE_IPv6 : 0);

    return MHD_start_daemon(
        flags, 0, NULL, NULL, on_request, s, MHD_OPTION_EXTERNAL_LOGGER, on_mishap, s,
        MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_THREAD_POOL_SIZE, (unsigned)c->threads[HTTP_QUICK],
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)c->connections, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)c->patience, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_HEAD_MAX,
        MHD_OPTION_STRICT_FOR_CLIENT, 0, MHD_OPTION_URI_LOG_CALLBACK, on_line, s,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, s, MHD_OPTION_NOTIFY_CONNECTION, on_connection,
        s, MHD_OPTION_END);
}

static void pools_close(struct http_server *s)
{
    for (int p = HTTP_SLOW; p < HTTP_PACES; p++)
        workers_close(&s->pool[p]);
}

static bool pools_open(struct http_server *s)
{
    for (int p = HTTP_SLOW; p < HTTP_PACES; p++)
        if (!(s->pool[p] = workers_open(s->config.threads[p], s->config.queue_max)))
            return false;
    return true;
}

static void server_free(struct http_server *s)
{
    pools_close(s);
    limiter_close(&s->limiter);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

struct http_server *http_open(const struct http_config *config, char why[HTTP_WHY_MAX])
{
    struct http_server *s = calloc(1, sizeof *s);
    int fd;

    snprintf(why, HTTP_WHY_MAX, "not enough memory");
    if (!s)
        return NULL;
    s->config = *config;
    pthread_mutex_init(&s->lock, NULL);
    s->limiter = config->rate > 0 ? limiter_open(config->rate) : NULL;
    if (pools_open(s) && (s->limiter || config->rate <= 0) &&
        (fd = listen_on(&config->address, why)) >= 0) {
        s->daemon = daemon_start(s, fd);
        if (!s->daemon) {
            snprintf(why, HTTP_WHY_MAX, "the server does not start");
            close(fd);
        }
    }
    if (s->daemon)
        return s;
    server_free(s);
    return NULL;
}

int http_port(const struct http_server *s)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_LISTEN_FD);
    struct sockaddr_storage a;
    socklen_t size = sizeof a;

    if (!info || getsockname(info->listen_fd, (struct sockaddr *)&a, &size))
        return -1;
    return ntohs(a.ss_family == AF_INET ? ((struct sockaddr_in *)&a)->sin_port
                                        : ((struct sockaddr_in6 *)&a)->sin6_port);
}

void http_close(struct http_server **out, double seconds)
{
    struct http_server *s = *out;
    double until = clock_seconds() + seconds;
    int fd;

    if (!s)
        return;
    fd = MHD_quiesce_daemon(s->daemon);
    while (atomic_load(&s->busy) > 0 && clock_seconds() < until)
        usleep(10000);
    pools_close(s); /* nothing sleeps after this */
    MHD_stop_daemon(s->daemon);
    if (fd >= 0)
        close(fd);
    server_free(s);
    *out = NULL;
}
