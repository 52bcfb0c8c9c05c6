/* SPDX-License-Identifier: MIT */
#include "serve/request.h"

#include <stdarg.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --------------------------------------------------------------------- requests -- */

const char *http_parameter(const struct http_request *r, const char *name, size_t *length)
{
    return message_parameter(&r->message, name, length);
}

const char *http_header(const struct http_request *r, const char *name)
{
    return message_header(&r->message, name);
}

const char *http_path(const struct http_request *r)
{
    return r->message.path;
}

const char *http_body(const struct http_request *r, size_t *length)
{
    *length = r->body_length;
    return r->body ? r->body : "";
}

bool http_is_owner(const struct http_request *r)
{
    return r->owner;
}

const atomic_bool *http_stop(const struct http_request *r)
{
    return &r->stop;
}

bool http_flush(const struct http_request *r, struct http_reply *reply)
{
    struct http_request *own = (struct http_request *)(uintptr_t)r;

    (void)reply;
    return own->flush(own);
}

bool request_open(struct http_request *r, const struct http_config *config, double now)
{
    r->config = config;
    r->route = NULL;
    r->method = HTTP_GET;
    r->head_only = r->refused = r->owner = false;
    r->body = NULL;
    r->body_length = 0;
    r->started = now;
    atomic_store(&r->stop, false);
    r->reply = (struct http_reply){.status = 200, .type = "application/json"};
    r->reply.out = sink_open(&r->made);
    if (r->reply.out)
        __fsetlocking(r->reply.out, FSETLOCKING_BYCALLER);
    return r->reply.out != NULL;
}

void request_close(struct http_request *r)
{
    if (r->reply.out)
        fclose(r->reply.out);
    r->reply.out = NULL;
    free(r->made.bytes);
    free(r->body);
    r->made.bytes = r->body = NULL;
}

void request_take(struct http_request *r, const char *data, size_t length)
{
    char *larger;

    if (r->refused || length == 0)
        return;
    if (r->body_length + length > r->route->body_max) {
        request_refuse(r, 413, "the body is too large");
        return;
    }
    larger = realloc(r->body, r->body_length + length + 1);
    if (!larger) {
        request_refuse(r, 503, "not enough memory");
        return;
    }
    r->body = larger;
    memcpy(r->body + r->body_length, data, length);
    r->body_length += length;
    r->body[r->body_length] = 0;
}

void request_answer(struct http_request *r)
{
    r->route->handler[r->method](r->config->context, r, &r->reply);
}

/* --------------------------------------------------------------------- refusals -- */

void http_fail(struct http_reply *reply, int status, int column, const char *format, ...)
{
    struct json j = json_open(reply->out);
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rewind(reply->out); /* discard a partial answer */
    reply->status = status;
    reply->type = "application/json";
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

void request_refuse(struct http_request *r, int status, const char *text)
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

/* A page of another site must not start work here. */
static bool is_foreign(const struct http_request *r)
{
    const char *origin = http_header(r, "Origin");

    return origin && !guard_origin(origin, http_header(r, "Host"));
}

static void refuse_stranger(struct http_request *r)
{
    if (r->config->guard.token)
        request_refuse(r, 401, "this needs the token of the server");
    else
        request_refuse(r, 403, "not allowed from here without a token; see kelso help serve");
}

void request_examine(struct http_request *r)
{
    const struct message *m = &r->message;
    const char *host = http_header(r, "Host");

    r->head_only = strcmp(m->method, "HEAD") == 0;
    r->owner = guard_owner(&r->config->guard, http_header(r, "Authorization"));
    r->route = route_find(r->config->routes, m->path);
    if (host && !guard_host(&r->config->guard, host)) {
        request_refuse(r, 421, "this Host is not served here; see kelso serve --host");
    } else if (!r->route) {
        request_refuse(r, 404, "not found");
    } else if (strcmp(m->method, "OPTIONS") == 0) {
        r->refused = true;
        r->reply.status = 204;
    } else if (!method_parse(m->method, &r->method) || !r->route->handler[r->method]) {
        request_refuse(r, 405, "this method is not allowed here");
    } else if (r->method != HTTP_GET && is_foreign(r)) {
        request_refuse(r, 403, "not allowed from pages of other sites");
    } else if (r->method != HTTP_GET && r->route->owner && !r->owner) {
        refuse_stranger(r);
    } else if (m->sized && m->size > r->route->body_max) {
        request_refuse(r, 413, "the body is too large");
    }
}

/* ---------------------------------------------------------------------- replies -- */

static const char *reason(int status)
{
    static const struct {
        int status;
        const char *text;
    } known[] = {{200, "OK"},
                 {202, "Accepted"},
                 {204, "No Content"},
                 {304, "Not Modified"},
                 {400, "Bad Request"},
                 {401, "Unauthorized"},
                 {403, "Forbidden"},
                 {404, "Not Found"},
                 {405, "Method Not Allowed"},
                 {413, "Content Too Large"},
                 {417, "Expectation Failed"},
                 {421, "Misdirected Request"},
                 {429, "Too Many Requests"},
                 {431, "Request Header Fields Too Large"},
                 {500, "Internal Server Error"},
                 {501, "Not Implemented"},
                 {503, "Service Unavailable"},
                 {505, "HTTP Version Not Supported"},
                 {507, "Insufficient Storage"}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].status == status)
            return known[i].text;
    return "Unknown";
}

/* Does the client already have this entity? */
static bool is_unchanged(const struct http_request *r)
{
    const char *have = http_header(r, "If-None-Match");

    return r->reply.status == 200 && r->reply.etag && have && strstr(have, r->reply.etag);
}

/* There was no memory for the answer: one that needs none. */
static void reply_lost(struct http_reply *reply)
{
    static const char text[] =
        "{\"error\":{\"status\":503,\"message\":\"not enough memory for the answer\"}}\n";

    *reply = (struct http_reply){.status = 503,
                                 .type = "application/json",
                                 .bytes = text,
                                 .length = sizeof text - 1,
                                 .retry_after = 2};
}

void request_settle(struct http_request *r, const void **body, size_t *length)
{
    struct http_reply *reply = &r->reply;

    if (reply->out && !sink_close(&r->made, reply->out) && !reply->bytes)
        reply_lost(reply);
    reply->out = NULL;
    if (!reply->bytes)
        reply->length = r->made.length;
    *body = reply->bytes ? reply->bytes : r->made.bytes;
    if (!r->refused && is_unchanged(r))
        reply->status = 304;
    if (reply->status == 304 || reply->status == 204)
        reply->length = 0;
    *length = reply->length;
}

/* Text that grows in a buffer of REPLY_HEAD_MAX bytes, enough for any head. */
struct head_text {
    char *out;
    size_t n;
};

__attribute__((format(printf, 2, 3))) static void put(struct head_text *t, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(t->out + t->n, REPLY_HEAD_MAX - t->n, format, args);
    va_end(args);
    if (n > 0 && t->n + (size_t)n < REPLY_HEAD_MAX)
        t->n += (size_t)n;
}

static void put_date(struct head_text *t)
{
    time_t now = time(NULL);
    char text[40];
    struct tm tm;

    strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &tm));
    put(t, "Date: %s\r\n", text);
}

/* The methods of the route: for 405 and OPTIONS. */
static void put_allow(struct head_text *t, const struct http_request *r)
{
    static const char *const names[] = {"GET, HEAD, ", "POST, ", "DELETE, "};

    put(t, "Allow: ");
    for (int m = 0; r->route && m < HTTP_METHODS; m++)
        if (r->route->handler[m])
            put(t, "%s", names[m]);
    put(t, "OPTIONS\r\n");
    if (r->reply.status == 204)
        put(t, "Access-Control-Allow-Methods: GET, HEAD, OPTIONS\r\n");
}

/* What a browser may do with the answer. */
static void put_policy(struct head_text *t, const struct http_reply *reply)
{
    put(t, "X-Content-Type-Options: nosniff\r\n");
    if (strncmp(reply->type, "text/html", 9) == 0)
        put(t, "Content-Security-Policy: default-src 'self'; style-src 'self' 'unsafe-inline'; "
               "img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; "
               "form-action 'none'\r\nReferrer-Policy: no-referrer\r\n");
    else if (reply->same_site)
        put(t, "Cross-Origin-Resource-Policy: same-origin\r\n");
    else
        put(t, "Access-Control-Allow-Origin: *\r\n");
}

static void put_framing(struct head_text *t, const struct http_request *r,
                        enum request_framing framing, size_t length)
{
    if (framing == FRAMED_BY_CHUNKS)
        put(t, "Transfer-Encoding: chunked\r\n");
    else if (framing == FRAMED_BY_LENGTH && r->reply.status != 304 && r->reply.status != 204)
        put(t, "Content-Length: %zu\r\n", length);
}

size_t request_head(const struct http_request *r, enum request_framing framing, size_t length,
                    bool keep, char out[REPLY_HEAD_MAX])
{
    static const char *const caching[] = {"no-store", "no-cache", "public, max-age=86400"};
    const struct http_reply *reply = &r->reply;
    struct head_text t = {out, 0};

    put(&t, "HTTP/1.1 %d %s\r\n", reply->status, reason(reply->status));
    put_date(&t);
    put_framing(&t, r, framing, length);
    put(&t, "Content-Type: %s\r\nCache-Control: %s\r\n", reply->type, caching[reply->cache]);
    if (reply->etag)
        put(&t, "ETag: %s\r\n", reply->etag);
    put_policy(&t, reply);
    if (reply->gzip)
        put(&t, "Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n");
    if (reply->retry_after)
        put(&t, "Retry-After: %d\r\n", reply->retry_after);
    if (reply->status == 401)
        put(&t, "WWW-Authenticate: Bearer\r\n");
    if (reply->status == 405 || reply->status == 204)
        put_allow(&t, r);
    put(&t, "Connection: %s\r\n\r\n", keep ? "keep-alive" : "close");
    return t.n;
}
