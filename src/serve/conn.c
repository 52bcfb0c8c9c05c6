/* SPDX-License-Identifier: MIT */
#include "serve/conn.h"
#include "base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    STREAM_MAX = 256 << 10,   /* of a streamed answer that waits to be sent */
    QUEUE_SECONDS = 60,       /* maximum wait of a request for a thread */
    LINGER_SECONDS = 2,       /* for a client to read a refusal before the connection closes */
    SLOW_PER_ADDRESS = 16,    /* running requests from one address */
    SEARCHES_PER_ADDRESS = 4, /* running searches from one address */
};

/* ---------------------------------------------------------------------- buffers -- */

static bool buffer_add(char **bytes, size_t *length, size_t *room, const void *data, size_t n)
{
    if (*length + n > *room) {
        size_t larger = 2 * (*length + n);
        char *p = realloc(*bytes, larger);

        if (!p)
            return false;
        *bytes = p;
        *room = larger;
    }
    memcpy(*bytes + *length, data, n);
    *length += n;
    return true;
}

static bool out_add(struct conn *c, const void *data, size_t n)
{
    if (c->out_sent == c->out_length)
        c->out_sent = c->out_length = 0;
    return buffer_add(&c->out, &c->out_length, &c->out_room, data, n);
}

static bool stream_add(struct conn *c, const void *data, size_t n)
{
    return buffer_add(&c->stream, &c->stream_length, &c->stream_room, data, n);
}

/* ------------------------------------------------------------------ connections -- */

static void watch(struct conn *c, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.ptr = c};

    if (events == c->watched)
        return;
    epoll_ctl(c->loop->epoll,
              !events       ? EPOLL_CTL_DEL
              : !c->watched ? EPOLL_CTL_ADD
                            : EPOLL_CTL_MOD,
              c->fd, &e);
    c->watched = events;
}

static void request_end(struct conn *c, bool whole)
{
    struct http_request *r = &c->request;
    struct http_server *s = c->loop->server;

    if (!c->open)
        return;
    if (weblog_requests(s->config.log))
        weblog_request(s->config.log, c->client, *r->message.method ? r->message.method : "?",
                       r->message.target, whole ? r->reply.status : 499, r->reply.length + c->told,
                       clock_seconds() - r->started);
    request_close(r);
    c->open = false;
}

void conn_free(struct conn *c)
{
    struct http_server *s = c->loop->server;

    request_end(c, false);
    close(c->fd);
    if (c->next)
        c->next->before = c->before;
    if (c->before)
        c->before->next = c->next;
    else
        c->loop->conns = c->next;
    limiter_drop(s->limiter, c->bucket, 0);
    atomic_fetch_sub(&s->connections, 1);
    free(c->out);
    free(c->stream);
    free(c);
}

static bool is_limited(const struct conn *c)
{
    return !c->local || c->loop->server->config.limit_loopback;
}

/* --------------------------------------------------------------------- answering -- */

static void start_reply(struct conn *c)
{
    struct http_request *r = &c->request;
    char head[REPLY_HEAD_MAX];
    const void *body;
    size_t length, n;

    request_settle(r, &body, &length);
    n = request_head(r, FRAMED_BY_LENGTH, length, c->keep, head);
    c->body = body;
    c->body_length = r->head_only ? 0 : length;
    c->body_sent = 0;
    c->phase = out_add(c, head, n) ? WRITING : OVER;
    c->until = clock_seconds() + c->loop->server->config.patience + (double)length / HTTP_PACE_MIN;
}

static void conn_refuse(struct conn *c, int status, const char *why)
{
    request_refuse(&c->request, status, why);
    c->keep = false;
    start_reply(c);
}

static void wake(struct conn *c) /* with the lock held */
{
    struct loop *l = c->loop;
    uint64_t one = 1;

    if (c->queued)
        return;
    c->queued = true;
    c->woken = l->woken;
    l->woken = c;
    if (!c->woken && write(l->wake, &one, sizeof one) < 0)
        return; /* it is full: the loop is awake */
}

/* On a thread of a pool. */
static void conn_work(void *arg)
{
    struct conn *c = arg;
    int seconds = c->request.route->seconds ? c->request.route->seconds : HTTP_SECONDS;

    atomic_store(&c->limit, clock_seconds() + seconds);
    if (atomic_load(&c->request.stop))
        request_refuse(&c->request, 503, "the server has no time for this request");
    else
        request_answer(&c->request);
    pthread_mutex_lock(&c->loop->lock);
    c->done = true;
    wake(c);
    pthread_mutex_unlock(&c->loop->lock);
}

/* Frame a piece of an answer. */
static bool stream_piece(struct conn *c, const char *bytes, size_t length)
{
    char size[24];
    int n = snprintf(size, sizeof size, "%zx\r\n", length);

    c->told += length;
    if (length == 0)
        return true;
    if (c->request.message.http10)
        return stream_add(c, bytes, length);
    return stream_add(c, size, (size_t)n) && stream_add(c, bytes, length) &&
           stream_add(c, "\r\n", 2);
}

/* http_flush, on a thread of a pool. */
static bool conn_flush(struct http_request *r)
{
    struct conn *c = (struct conn *)r;
    char head[REPLY_HEAD_MAX];
    bool fine = true;

    fflush(r->reply.out);
    pthread_mutex_lock(&c->loop->lock);
    if (!c->streaming) {
        c->keep = c->keep && !r->message.http10;
        fine = stream_add(c, head,
                          request_head(r, r->message.http10 ? FRAMED_BY_END : FRAMED_BY_CHUNKS, 0,
                                       c->keep, head));
        c->streaming = true;
    }
    fine = fine && !r->made.lost && stream_piece(c, r->made.bytes, r->made.length) &&
           c->stream_length <= STREAM_MAX;
    wake(c);
    pthread_mutex_unlock(&c->loop->lock);
    rewind(r->reply.out);
    if (!fine)
        atomic_store(&r->stop, true);
    return !atomic_load(&r->stop);
}

/* The request is complete. */
static void dispatch(struct conn *c)
{
    static const int most[HTTP_PACES] = {0, SLOW_PER_ADDRESS, SEARCHES_PER_ADDRESS};
    struct http_request *r = &c->request;
    struct http_server *s = c->loop->server;
    enum http_pace pace = r->route->pace;

    if (pace == HTTP_QUICK) {
        request_answer(r);
        start_reply(c);
        return;
    }
    if (is_limited(c) && !limiter_hold(s->limiter, c->bucket, (int)pace, most[pace])) {
        r->reply.retry_after = 2;
        conn_refuse(c, 429, "too many requests are running for this address: try again");
        return;
    }
    c->held = is_limited(c) ? (int)pace : 0;
    c->phase = WORKING;
    atomic_store(&c->limit, clock_seconds() + QUEUE_SECONDS);
    c->done = c->streaming = false;
    c->told = 0;
    watch(c, EPOLLRDHUP);
    if (workers_submit(s->pool[pace], conn_work, c))
        return;
    if (c->held)
        limiter_drop(s->limiter, c->bucket, c->held);
    c->held = 0;
    r->reply.retry_after = 2;
    request_refuse(r, 503, "too much work waiting: try again");
    start_reply(c);
}

/* ----------------------------------------------------------------------- reading -- */

void conn_read(struct conn *c)
{
    size_t room = (c->phase == HEAD ? HTTP_HEAD_MAX : sizeof c->in) - c->in_length;
    ssize_t n = room ? recv(c->fd, c->in + c->in_length, room, 0) : -1;

    if (n > 0)
        c->in_length += (size_t)n;
    else if (n == 0)
        c->eof = true;
    else if (room && errno != EAGAIN && errno != EINTR)
        c->phase = OVER;
    if (n > 0 && c->phase == HEAD && !c->begun) {
        c->begun = true;
        c->until = clock_seconds() + c->loop->server->config.patience;
    }
}

/* The head has arrived, or it is invalid: open the request. */
static void head_open(struct conn *c, long length)
{
    struct http_request *r = &c->request;
    struct http_server *s = c->loop->server;
    double now = clock_seconds();
    int status;

    c->open = request_open(r, &s->config, now);
    if (!c->open) {
        c->phase = OVER;
        return;
    }
    r->flush = conn_flush;
    c->used = length > 0 ? (size_t)length : c->in_length;
    if (length <= 0) { /* shown in the log as far as received */
        r->message = (struct message){.method = "", .path = "", .why = ""};
        snprintf(r->message.target, sizeof r->message.target, "%.*s",
                 (int)strnlen(c->in, c->in_length < 200 ? c->in_length : 200), c->in);
        conn_refuse(c, length < 0 ? 400 : 431,
                    length < 0 ? "this is not a request" : "the head is too large");
        return;
    }
    status = message_read(&r->message, c->in, c->used);
    c->keep = !status && !r->message.close && !atomic_load(&s->closing);
    if (status) {
        conn_refuse(c, status, r->message.why);
        return;
    }
    request_examine(r);
    if (is_limited(c) && !limiter_take(s->limiter, c->bucket, now)) {
        r->reply.retry_after = 1;
        request_refuse(r, 429, "too many requests: slow down");
    }
    c->chunks = (struct chunks){0};
    c->body_left = r->message.sized ? r->message.size : 0;
    c->phase = BODY;
}

static bool head_take(struct conn *c)
{
    long n;

    while (c->seen == 0 && c->in_length >= 2 && c->in[0] == '\r' && c->in[1] == '\n')
        memmove(c->in, c->in + 2, c->in_length -= 2); /* empty lines before a request */
    n = message_head(c->in, c->in_length, &c->seen);
    if (n == 0 && c->in_length < HTTP_HEAD_MAX) {
        if (c->eof)
            c->phase = OVER;
        else
            watch(c, EPOLLIN | EPOLLRDHUP);
        return c->eof;
    }
    head_open(c, n);
    return true;
}

/* Consume the received part of the body; true if it is complete. */
static bool body_consume(struct conn *c)
{
    struct http_request *r = &c->request;
    char *at = c->in + c->used;
    size_t had = c->in_length - c->used, used = had, made = 0;
    enum chunks_state state;

    if (r->message.chunked) {
        state = chunks_take(&c->chunks, at, had, &used, at, &made);
        if (state == CHUNKS_BROKEN && !r->refused) {
            c->keep = false;
            request_refuse(r, 400, "the chunks of the body are broken");
        }
        request_take(r, at, made);
    } else {
        state = had >= c->body_left ? CHUNKS_WHOLE : CHUNKS_MORE;
        used = had < c->body_left ? had : (size_t)c->body_left;
        c->body_left -= used;
        request_take(r, at, used);
    }
    memmove(at, at + used, had - used);
    c->in_length -= used;
    return state == CHUNKS_WHOLE;
}

static bool body_take(struct conn *c)
{
    struct http_request *r = &c->request;
    bool whole = body_consume(c);

    if (r->refused) { /* do not wait for the rest of the body */
        c->keep = c->keep && whole;
        start_reply(c);
        return true;
    }
    if (whole) {
        dispatch(c);
        return c->phase != WORKING;
    }
    if (c->eof) {
        c->phase = OVER;
        return true;
    }
    if (r->message.expect) {
        r->message.expect = false;
        send(c->fd, "HTTP/1.1 100 Continue\r\n\r\n", 25, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    watch(c, EPOLLIN | EPOLLRDHUP);
    return false;
}

/* ----------------------------------------------------------------------- writing -- */

/* Send pending output; true when all of it has been sent. */
static bool send_some(struct conn *c)
{
    while (c->out_sent < c->out_length || c->body_sent < c->body_length) {
        /* Pieces of a stream are in `out`: then there is no body. */
        const char *body = c->body ? c->body + c->body_sent : NULL;
        struct iovec v[2] = {{c->out + c->out_sent, c->out_length - c->out_sent},
                             {(void *)(uintptr_t)body, c->body_length - c->body_sent}};
        struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
        ssize_t n = sendmsg(c->fd, &m, MSG_NOSIGNAL);
        size_t head;

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            if (errno != EAGAIN)
                c->left = true;
            return false;
        }
        head = (size_t)n < v[0].iov_len ? (size_t)n : v[0].iov_len;
        c->out_sent += head;
        c->body_sent += (size_t)n - head;
    }
    return true;
}

/* The answer has been sent: next request, or close. */
static void reply_end(struct conn *c)
{
    struct http_server *s = c->loop->server;
    size_t rest = c->in_length - c->used;

    request_end(c, true);
    c->body_length = c->body_sent = 0;
    if (c->keep && !atomic_load(&s->closing)) {
        memmove(c->in, c->in + c->used, rest);
        c->in_length = rest;
        c->seen = c->used = 0;
        c->begun = rest > 0;
        c->phase = HEAD;
        c->until = clock_seconds() + s->config.patience;
        return;
    }
    c->phase = c->eof ? OVER : LINGERING;
    c->until = clock_seconds() + LINGER_SECONDS;
    shutdown(c->fd, SHUT_WR);
    watch(c, EPOLLIN | EPOLLRDHUP);
}

static bool conn_write(struct conn *c)
{
    if (send_some(c)) {
        reply_end(c);
        return c->phase != LINGERING;
    }
    if (c->left) {
        c->phase = OVER;
        return true;
    }
    watch(c, EPOLLOUT);
    return false;
}

/* The work is done: the rest of the answer. */
static void work_end(struct conn *c)
{
    struct http_request *r = &c->request;
    const void *rest;
    size_t length;

    if (c->held)
        limiter_drop(c->loop->server->limiter, c->bucket, c->held);
    c->held = 0;
    if (c->left) {
        c->phase = OVER;
        return;
    }
    if (!c->streaming) {
        start_reply(c);
        return;
    }
    request_settle(r, &rest, &length);
    r->reply.length = 0; /* counted in `told` */
    c->phase = !r->made.lost && stream_piece(c, rest, length) &&
                       (r->message.http10 || stream_add(c, "0\r\n\r\n", 5)) &&
                       out_add(c, c->stream, c->stream_length)
                   ? WRITING
                   : OVER;
    c->stream_length = 0;
    c->until = clock_seconds() + c->loop->server->config.patience;
}

/* Take pieces of a streamed answer, or its end. */
static bool work_take(struct conn *c)
{
    bool done, fine = true;

    pthread_mutex_lock(&c->loop->lock);
    if (c->out_sent == c->out_length && c->stream_length) {
        fine = out_add(c, c->stream, c->stream_length);
        c->stream_length = 0;
    }
    done = c->done && !c->queued; /* a queued connection is still in a list */
    pthread_mutex_unlock(&c->loop->lock);
    if (!fine) /* no memory: a truncated answer is better than one with a gap */
        conn_leave(c);
    if (done) { /* no other thread uses it any more */
        work_end(c);
        return true;
    }
    if (!c->left && send_some(c))
        watch(c, EPOLLRDHUP);
    else if (!c->left)
        watch(c, EPOLLRDHUP | EPOLLOUT);
    return false;
}

void conn_drain(struct conn *c)
{
    ssize_t n = recv(c->fd, c->in, sizeof c->in, 0);

    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        c->phase = OVER;
}

void conn_advance(struct conn *c)
{
    bool more = true;

    while (more)
        switch (c->phase) {
        case HEAD:
            more = head_take(c);
            break;
        case BODY:
            more = body_take(c);
            break;
        case WORKING:
            more = work_take(c);
            break;
        case WRITING:
            more = conn_write(c);
            break;
        case LINGERING:
            more = false;
            break;
        case OVER:
            conn_free(c);
            return;
        }
}

/* Stop working for a client that has disconnected. */
void conn_leave(struct conn *c)
{
    c->left = true;
    atomic_store(&c->request.stop, true);
    watch(c, 0);
}

void conn_turn_away(int fd)
{
    static const char text[] = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n"
                               "Retry-After: 2\r\nConnection: close\r\n\r\n";

    send(fd, text, sizeof text - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    close(fd);
}

void conn_open(struct loop *l, int fd, const struct sockaddr *a)
{
    struct http_server *s = l->server;
    size_t length;
    const void *key = guard_client(a, &length);
    unsigned bucket = limiter_bucket(s->limiter, key, length);
    struct conn *c;

    if (!limiter_hold(s->limiter, bucket, 0, s->config.per_address)) {
        conn_turn_away(fd);
        return;
    }
    c = calloc(1, sizeof *c);
    if (!c) {
        limiter_drop(s->limiter, bucket, 0);
        conn_turn_away(fd);
        return;
    }
    atomic_fetch_add(&s->connections, 1);
    c->loop = l;
    c->fd = fd;
    c->bucket = bucket;
    c->local = guard_is_loopback(a);
    inet_ntop(length == 4 ? AF_INET : AF_INET6, key, c->client, sizeof c->client);
    c->until = clock_seconds() + s->config.patience;
    c->next = l->conns;
    if (c->next)
        c->next->before = c;
    l->conns = c;
    watch(c, EPOLLIN | EPOLLRDHUP);
}
