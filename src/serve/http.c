/* SPDX-License-Identifier: MIT */
#include "serve/http.h"
#include "base/clock.h"
#include "serve/conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    EVENTS = 64,
    ACCEPTS = 16,  /* connections taken at a time */
    LOOK_MS = 200, /* interval between checks for late connections */
    IDLE_MS = 1000 /* the longest sleep, in case the write that ends it fails */
};

/* ------------------------------------------------------------------------ events -- */

static void on_event(struct conn *c, uint32_t events)
{
    if (c->phase == WORKING && (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))) {
        conn_leave(c);
        return;
    }
    if (c->phase == HEAD || c->phase == BODY)
        conn_read(c);
    else if (c->phase == LINGERING)
        conn_drain(c);
    conn_advance(c);
}

/* Make room: close the connection that has been idle for longest. */
static bool evict_idle(struct loop *l)
{
    struct conn *oldest = NULL;

    for (struct conn *c = l->conns; c; c = c->next)
        if (((c->phase == HEAD && !c->begun) || c->phase == LINGERING) &&
            (!oldest || c->until < oldest->until))
            oldest = c;
    if (oldest)
        conn_free(oldest);
    return oldest != NULL;
}

static void accept_some(struct loop *l)
{
    struct http_server *s = l->server;

    for (int i = 0; i < ACCEPTS; i++) {
        struct sockaddr_storage a = {0};
        socklen_t size = sizeof a;
        int fd = accept4(s->listener, (struct sockaddr *)&a, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd < 0) {
            if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
                usleep(10000); /* out of files or memory: wait until some are released */
            return;
        }
        if (atomic_load(&s->connections) >= s->config.connections && !evict_idle(l))
            conn_turn_away(fd);
        else
            conn_open(l, fd, (struct sockaddr *)&a);
    }
}

/* Handle late connections: (H2), (H6). */
static void look_around(struct loop *l, double now)
{
    for (struct conn *c = l->conns, *next; c; c = next) {
        next = c->next;
        if (c->phase == WORKING && now >= atomic_load(&c->limit))
            atomic_store(&c->request.stop, true);
        else if (c->phase != WORKING && now >= c->until)
            conn_free(c);
    }
}

/* If the counter cannot be reset, the loop runs once more than it needs to. */
static void wake_reset(struct loop *l)
{
    uint64_t count;

    if (read(l->wake, &count, sizeof count) < 0)
        return;
}

static void answer_woken(struct loop *l)
{
    for (;;) {
        struct conn *c;

        pthread_mutex_lock(&l->lock);
        if ((c = l->woken)) {
            l->woken = c->woken;
            c->queued = false;
        }
        pthread_mutex_unlock(&l->lock);
        if (!c)
            return;
        conn_advance(c);
    }
}

/* The server closes: accept nothing new and stop running work. */
static void hush(struct loop *l)
{
    if (!l->quiet) {
        epoll_ctl(l->epoll, EPOLL_CTL_DEL, l->server->listener, NULL);
        l->quiet = true;
    }
    for (struct conn *c = l->conns, *next; c; c = next) {
        next = c->next;
        if (c->phase == HEAD || c->phase == BODY) { /* what has arrived is answered */
            c->until = 0;
            conn_read(c);
            conn_advance(c);
        } else if (c->phase == WORKING) {
            atomic_store(&c->request.stop, true);
        } else if (c->phase == LINGERING) {
            conn_free(c);
        }
    }
}

static bool is_over(const struct loop *l, double now)
{
    bool late = now > atomic_load(&l->server->deadline);

    for (const struct conn *c = l->conns; c; c = c->next)
        if (!late || c->phase == WORKING)
            return false;
    return true;
}

static void handle(struct loop *l, const struct epoll_event *e, int n)
{
    bool calls = false, woken = false;

    for (int i = 0; i < n; i++)
        if (e[i].data.ptr == l->server)
            calls = true;
        else if (e[i].data.ptr == l)
            woken = true;
        else
            on_event(e[i].data.ptr, e[i].events);
    if (woken)
        wake_reset(l);
    answer_woken(l); /* this may free connections: only after the events of all */
    if (calls && !l->quiet)
        accept_some(l);
}

static void *loop_run(void *arg)
{
    struct loop *l = arg;
    struct http_server *s = l->server;
    struct epoll_event events[EVENTS];

    for (;;) {
        int n = epoll_wait(l->epoll, events, EVENTS, l->conns || l->quiet ? LOOK_MS : IDLE_MS);
        double now;

        handle(l, events, n);
        now = clock_seconds();
        if (now - l->looked >= LOOK_MS * 1e-3) {
            l->looked = now;
            look_around(l, now);
        }
        if (atomic_load(&s->closing)) {
            hush(l);
            if (is_over(l, now))
                break;
        }
    }
    while (l->conns)
        conn_free(l->conns);
    return NULL;
}

/* ------------------------------------------------------------------ open, close -- */

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

/* A connection needs a file descriptor: raise the limit to the configured number. */
static void files_allow(int connections)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)connections + 256;

    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static bool loop_open(struct loop *l, struct http_server *s)
{
    struct epoll_event call = {.events = EPOLLIN | EPOLLEXCLUSIVE, .data.ptr = s};
    struct epoll_event rouse = {.events = EPOLLIN, .data.ptr = l};

    l->server = s;
    pthread_mutex_init(&l->lock, NULL);
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    l->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (l->epoll < 0 || l->wake < 0 || epoll_ctl(l->epoll, EPOLL_CTL_ADD, s->listener, &call) ||
        epoll_ctl(l->epoll, EPOLL_CTL_ADD, l->wake, &rouse))
        return false;
    l->started = pthread_create(&l->thread, NULL, loop_run, l) == 0;
    return l->started;
}

static bool loops_open(struct http_server *s)
{
    int n = s->config.threads[HTTP_QUICK];

    s->loop = calloc((size_t)n, sizeof *s->loop);
    while (s->loop && s->loops < n)
        if (!loop_open(&s->loop[s->loops++], s))
            return false;
    return s->loop != NULL;
}

static bool pools_open(struct http_server *s)
{
    for (int p = HTTP_SLOW; p < HTTP_PACES; p++)
        if (!(s->pool[p] = workers_open(s->config.threads[p], s->config.queue_max)))
            return false;
    return true;
}

struct http_server *http_open(const struct http_config *config, char why[HTTP_WHY_MAX])
{
    struct http_server *s = calloc(1, sizeof *s);

    snprintf(why, HTTP_WHY_MAX, "not enough memory");
    if (!s)
        return NULL;
    s->config = *config;
    s->listener = -1;
    files_allow(config->connections);
    s->limiter = limiter_open(config->rate);
    if (s->limiter && (s->listener = listen_on(&config->guard.address, why)) >= 0) {
        snprintf(why, HTTP_WHY_MAX, "cannot start the server: no threads or no memory");
        if (pools_open(s) && loops_open(s))
            return s;
    }
    http_close(&s, 0);
    return NULL;
}

int http_port(const struct http_server *s)
{
    struct sockaddr_storage a;
    socklen_t size = sizeof a;

    if (getsockname(s->listener, (struct sockaddr *)&a, &size))
        return -1;
    return ntohs(a.ss_family == AF_INET ? ((struct sockaddr_in *)&a)->sin_port
                                        : ((struct sockaddr_in6 *)&a)->sin6_port);
}

static void loop_rouse(struct loop *l)
{
    uint64_t one = 1;

    if (l->started && write(l->wake, &one, sizeof one) < 0)
        return; /* it is full: the loop is awake, or will be soon (IDLE_MS) */
}

static void loop_close(struct loop *l)
{
    if (l->started)
        pthread_join(l->thread, NULL);
    if (l->epoll >= 0)
        close(l->epoll);
    if (l->wake >= 0)
        close(l->wake);
    pthread_mutex_destroy(&l->lock);
}

void http_close(struct http_server **out, double seconds)
{
    struct http_server *s = *out;

    if (!s)
        return;
    atomic_store(&s->deadline, clock_seconds() + seconds);
    atomic_store(&s->closing, true);
    for (int i = 0; i < s->loops; i++)
        loop_rouse(&s->loop[i]);
    for (int p = HTTP_SLOW; p < HTTP_PACES; p++) /* all stop flags are set: they end soon */
        workers_close(&s->pool[p]);
    for (int i = 0; i < s->loops; i++)
        loop_close(&s->loop[i]);
    if (s->listener >= 0)
        close(s->listener);
    limiter_close(&s->limiter);
    free(s->loop);
    free(s);
    *out = NULL;
}
