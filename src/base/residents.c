/* SPDX-License-Identifier: MIT */
#include "base/residents.h"

#include "base/array.h"
#include "base/clock.h"

#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OWN_MOST = 8 << 20 }; /* the code of the program and its libraries that is still to be met */

static const double look_seconds = 0.005;

struct mapping {
    void *at;
    size_t bytes;
};

struct residents {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct mapping *list;
    size_t count, room;
    uint64_t bound;
    int statm; /* /proc/self/statm, or -1 */
    long page;
    uint64_t before;      /* bytes of the program itself at first ... */
    _Atomic uint64_t own; /* ... and as far as is known */
    pthread_t thread;
    bool running; /* there is a thread, ... */
    bool end;     /* ... which is to end */
};

/* The third number of the file counts the pages of files. */
static uint64_t bytes_mapped(const struct residents *r)
{
    char text[128];
    ssize_t n = r->statm < 0 ? -1 : pread(r->statm, text, sizeof text - 1, 0);
    unsigned long long pages;

    if (n <= 0)
        return 0;
    text[n] = 0;
    return sscanf(text, "%*u %*u %llu", &pages) == 1 ? pages * (uint64_t)r->page : 0;
}

uint64_t residents_now(const struct residents *r)
{
    uint64_t now = bytes_mapped(r), own = atomic_load(&r->own);

    return now > own ? now - own : 0;
}

enum status residents_open(struct residents **out, struct error *e)
{
    struct residents *r = calloc(1, sizeof *r);
    pthread_condattr_t attributes;

    *out = r;
    if (!r)
        return error_no_memory(e);
    r->bound = UINT64_MAX;
    r->page = sysconf(_SC_PAGESIZE);
    r->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    r->before = bytes_mapped(r);
    atomic_init(&r->own, r->before);
    pthread_mutex_init(&r->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&r->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    return STATUS_OK;
}

void residents_close(struct residents **r)
{
    if (!*r)
        return;
    assert((*r)->count == 0 && !(*r)->running);
    if ((*r)->statm >= 0)
        close((*r)->statm);
    pthread_cond_destroy(&(*r)->wake);
    pthread_mutex_destroy(&(*r)->lock);
    free((*r)->list);
    free(*r);
    *r = NULL;
}

/* What is left then is the program's own, or was touched meanwhile. */
static void pages_unmap(struct residents *r)
{
    uint64_t left;

    for (size_t i = 0; i < r->count; i++)
        madvise(r->list[i].at, r->list[i].bytes, MADV_DONTNEED);
    left = bytes_mapped(r);
    atomic_store(&r->own, left < r->before + OWN_MOST ? left : r->before + OWN_MOST);
}

static void *residents_watch(void *arg)
{
    struct residents *r = arg;

    pthread_mutex_lock(&r->lock);
    while (!r->end) {
        struct timespec next = clock_after(CLOCK_MONOTONIC, look_seconds);

        if (residents_now(r) > r->bound)
            pages_unmap(r);
        pthread_cond_timedwait(&r->wake, &r->lock, &next);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

enum status residents_add(struct residents *r, void *at, size_t bytes, struct error *e)
{
    bool added;

    pthread_mutex_lock(&r->lock);
    added = array_room((void **)&r->list, &r->room, r->count + 1, sizeof *r->list);
    if (added)
        r->list[r->count++] = (struct mapping){at, bytes};
    pthread_mutex_unlock(&r->lock);
    if (!added)
        return error_no_memory(e);
    if (!r->running) {
        r->end = false;
        r->running = pthread_create(&r->thread, NULL, residents_watch, r) == 0;
    }
    if (r->running)
        return STATUS_OK;
    residents_remove(r, at);
    return error_set(e, STATUS_NO_MEMORY, "the system refuses a thread");
}

void residents_remove(struct residents *r, const void *at)
{
    size_t kept = 0;

    pthread_mutex_lock(&r->lock);
    for (size_t i = 0; i < r->count; i++)
        if (r->list[i].at != at)
            r->list[kept++] = r->list[i];
    r->count = kept;
    r->end = kept == 0;
    if (r->end)
        pthread_cond_signal(&r->wake);
    pthread_mutex_unlock(&r->lock);
    if (kept == 0 && r->running) {
        pthread_join(r->thread, NULL);
        r->running = false;
    }
}

void residents_bound(struct residents *r, uint64_t bytes)
{
    pthread_mutex_lock(&r->lock);
    r->bound = bytes;
    pthread_mutex_unlock(&r->lock);
}
