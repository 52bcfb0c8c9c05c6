/* SPDX-License-Identifier: MIT */
#include "serve/holdings.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The tables as they were when they were opened; shared by snapshots. */
struct shelf {
    int refs;
    struct tables *tables;
};

struct ending {
    int refs;
    uint64_t bytes;
    struct ondemand *solved;
};

struct held {
    struct snapshot snapshot; /* first: what others see */
    int refs;
    struct shelf *shelf; /* NULL: no tables */
    int count;
    struct ending *ending[ENDINGS_MAX]; /* the latest first */
};

struct holdings {
    pthread_mutex_t lock; /* guards all counts and `now` */
    struct held *now;
    uint64_t page_bytes, endings_bytes;
    struct stat manifest; /* as it was when the tables were opened */
    char dir[TABLE_PATH_MAX];
};

static enum status held_outcome(void *context, const struct board *b, enum kind kind,
                                struct outcome *o, struct error *e)
{
    const struct held *h = context;
    enum status rc = h->shelf ? tables_outcome(h->shelf->tables, b, kind, o, e)
                              : error_set(e, STATUS_MISSING, "there are no tables");

    for (int i = 0; rc == STATUS_MISSING && i < h->count; i++)
        if (ondemand_outcome(h->ending[i]->solved, b, kind, o, NULL) == STATUS_OK)
            return STATUS_OK;
    return rc;
}

/* ------------------------------------------------------------- counting, freeing -- */

static void shelf_release(struct shelf *s)
{
    if (!s || --s->refs > 0)
        return;
    tables_close(&s->tables);
    free(s);
}

static void ending_release(struct ending *e)
{
    if (--e->refs > 0)
        return;
    ondemand_close(&e->solved);
    free(e);
}

static void held_release(struct held *h)
{
    if (--h->refs > 0)
        return;
    shelf_release(h->shelf);
    for (int i = 0; i < h->count; i++)
        ending_release(h->ending[i]);
    free(h);
}

/* A new snapshot of these tables and the endings of the old one, `first` before them.
 * Takes over one count of shelf and first. */
static struct held *held_create(struct shelf *shelf, struct ending *first, const struct held *old,
                                uint64_t endings_bytes)
{
    struct held *h = calloc(1, sizeof *h);
    uint64_t bytes = first ? first->bytes : 0;

    if (!h)
        return NULL;
    h->refs = 1;
    h->shelf = shelf;
    if (first)
        h->ending[h->count++] = first;
    for (int i = 0; old && i < old->count && h->count < ENDINGS_MAX; i++) {
        bytes += old->ending[i]->bytes;
        if (bytes > endings_bytes)
            break;
        old->ending[i]->refs++;
        h->ending[h->count++] = old->ending[i];
    }
    h->snapshot = (struct snapshot){.tables = shelf ? shelf->tables : NULL,
                                    .catalog = shelf ? tables_catalog(shelf->tables) : NULL,
                                    .source = {held_outcome, h},
                                    .endings = h->count};
    return h;
}

static void holdings_set(struct holdings *h, struct held *next)
{
    struct held *old = h->now;

    h->now = next;
    if (old)
        held_release(old);
}

/* ------------------------------------------------------------------------ tables -- */

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static enum status shelf_open(const struct holdings *h, struct shelf **out, struct error *e)
{
    struct shelf *s = calloc(1, sizeof *s);
    enum status rc;

    *out = NULL;
    if (!s)
        return error_set(e, STATUS_NO_MEMORY, "not enough memory");
    s->refs = 1;
    if ((rc = tables_open(&s->tables,
                          &(struct tables_options){.dir = h->dir, .cache = h->page_bytes}, e))) {
        shelf_release(s);
        return rc;
    }
    *out = s;
    return STATUS_OK;
}

enum status holdings_refresh(struct holdings *h, struct error *e)
{
    char path[TABLE_PATH_MAX + 16];
    struct stat seen;
    struct shelf *shelf;
    struct held *next;
    enum status rc;

    snprintf(path, sizeof path, "%s/MANIFEST", h->dir);
    if (stat(path, &seen) || same_file(&seen, &h->manifest))
        return STATUS_OK;
    if ((rc = shelf_open(h, &shelf, e)))
        return rc;
    pthread_mutex_lock(&h->lock);
    next = held_create(shelf, NULL, h->now, h->endings_bytes);
    if (next) {
        holdings_set(h, next);
        h->manifest = seen;
    } else {
        shelf_release(shelf);
    }
    pthread_mutex_unlock(&h->lock);
    return STATUS_OK;
}

void holdings_trim(struct holdings *h, uint64_t bytes)
{
    struct held *next;

    pthread_mutex_lock(&h->lock);
    next = h->now->count ? held_create(h->now->shelf, NULL, h->now, bytes) : NULL;
    if (next) {
        if (next->shelf)
            next->shelf->refs++;
        holdings_set(h, next);
    }
    pthread_mutex_unlock(&h->lock);
}

void holdings_add(struct holdings *h, struct ondemand **solved, uint64_t bytes)
{
    struct ending *ending = calloc(1, sizeof *ending);
    struct held *next = NULL;

    if (ending) {
        *ending = (struct ending){1, bytes, *solved};
        pthread_mutex_lock(&h->lock);
        next = held_create(h->now->shelf, ending, h->now, h->endings_bytes);
        if (next) {
            if (next->shelf)
                next->shelf->refs++;
            holdings_set(h, next);
        }
        pthread_mutex_unlock(&h->lock);
    }
    if (!next) {
        free(ending);
        ondemand_close(solved);
    }
    *solved = NULL;
}

/* ------------------------------------------------------------------- open, close -- */

struct holdings *holdings_open(const char *dir, uint64_t page_bytes, uint64_t endings_bytes)
{
    struct holdings *h = calloc(1, sizeof *h);

    if (!h)
        return NULL;
    pthread_mutex_init(&h->lock, NULL);
    h->page_bytes = page_bytes;
    h->endings_bytes = endings_bytes;
    snprintf(h->dir, sizeof h->dir, "%s", dir);
    h->now = held_create(NULL, NULL, NULL, 0);
    if (!h->now)
        holdings_close(&h);
    return h;
}

void holdings_close(struct holdings **h)
{
    if (!*h)
        return;
    if ((*h)->now)
        held_release((*h)->now);
    pthread_mutex_destroy(&(*h)->lock);
    free(*h);
    *h = NULL;
}

const char *holdings_dir(const struct holdings *h)
{
    return h->dir;
}

const struct snapshot *holdings_take(struct holdings *h)
{
    struct held *now;

    pthread_mutex_lock(&h->lock);
    now = h->now;
    now->refs++;
    pthread_mutex_unlock(&h->lock);
    return &now->snapshot;
}

void holdings_release(struct holdings *h, const struct snapshot *s)
{
    struct held *held = (struct held *)(uintptr_t)s;

    pthread_mutex_lock(&h->lock);
    held_release(held);
    pthread_mutex_unlock(&h->lock);
}
