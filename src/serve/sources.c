/* SPDX-License-Identifier: MIT */
#include "serve/sources.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The tables at the time of opening; shared by snapshots. */
struct counted_tables {
    int refs;
    struct tables *tables;
};

struct ending {
    int refs;
    uint64_t bytes;
    struct ondemand *solved;
};

struct counted_snapshot {
    struct snapshot snapshot; /* first: what others see */
    int refs;
    struct counted_tables *tables; /* NULL: no tables ... */
    _Atomic enum status unopened;  /* ... or they could not be opened */
    int count;
    struct ending *ending[ENDINGS_MAX]; /* the latest first */
};

struct sources {
    pthread_mutex_t lock; /* guards all counts and `now` */
    struct counted_snapshot *now;
    uint64_t page_bytes, endings_bytes;
    struct stat manifest; /* as it was when the tables were opened */
    char dir[TABLE_PATH_MAX];
};

/* No tables is one answer, tables that cannot be opened another. */
static enum status tables_lacking(const struct counted_snapshot *c, struct error *e)
{
    enum status rc = atomic_load(&c->unopened);

    return rc ? error_set(e, rc, "the tables cannot be opened at the moment")
              : error_set(e, STATUS_MISSING, "there are no tables");
}

static enum status counted_snapshot_outcome(void *context, const struct board *b, enum kind kind,
                                            struct outcome *o, struct error *e)
{
    const struct counted_snapshot *c = context;
    enum status rc =
        c->tables ? tables_outcome(c->tables->tables, b, kind, o, e) : tables_lacking(c, e);

    for (int i = 0; (rc == STATUS_MISSING || !c->tables) && i < c->count; i++)
        if (ondemand_outcome(c->ending[i]->solved, b, kind, o, NULL) == STATUS_OK)
            return STATUS_OK;
    return rc;
}

/* ------------------------------------------------------------- counting, freeing -- */

static void counted_tables_release(struct counted_tables *s)
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

static void counted_snapshot_release(struct counted_snapshot *c)
{
    if (--c->refs > 0)
        return;
    counted_tables_release(c->tables);
    for (int i = 0; i < c->count; i++)
        ending_release(c->ending[i]);
    free(c);
}

/* Create a snapshot of these tables, `first` and the endings of the old one.  Takes over one
 * reference to `tables` and `first`. */
static struct counted_snapshot *counted_snapshot_create(struct counted_tables *tables,
                                                        struct ending *first,
                                                        const struct counted_snapshot *old,
                                                        uint64_t endings_bytes)
{
    struct counted_snapshot *c = calloc(1, sizeof *c);
    uint64_t bytes = first ? first->bytes : 0;

    if (!c)
        return NULL;
    c->refs = 1;
    c->tables = tables;
    if (first)
        c->ending[c->count++] = first;
    for (int i = 0; old && i < old->count && c->count < ENDINGS_MAX; i++) {
        bytes += old->ending[i]->bytes;
        if (bytes > endings_bytes)
            break;
        old->ending[i]->refs++;
        c->ending[c->count++] = old->ending[i];
    }
    c->snapshot = (struct snapshot){.tables = tables ? tables->tables : NULL,
                                    .catalog = tables ? tables_catalog(tables->tables) : NULL,
                                    .source = {counted_snapshot_outcome, c},
                                    .endings = c->count};
    return c;
}

static void sources_set(struct sources *src, struct counted_snapshot *next)
{
    struct counted_snapshot *old = src->now;

    src->now = next;
    if (old)
        counted_snapshot_release(old);
}

/* ------------------------------------------------------------------------ tables -- */

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static enum status counted_tables_open(const struct sources *src, struct counted_tables **out,
                                       struct error *e)
{
    struct counted_tables *s = calloc(1, sizeof *s);
    enum status rc;

    *out = NULL;
    if (!s)
        return error_set(e, STATUS_NO_MEMORY, "not enough memory");
    s->refs = 1;
    if ((rc = tables_open(
             &s->tables, &(struct tables_options){.dir = src->dir, .cache = src->page_bytes}, e))) {
        counted_tables_release(s);
        return rc;
    }
    *out = s;
    return STATUS_OK;
}

static enum status tables_refresh(struct sources *src, const struct stat *seen, struct error *e)
{
    struct counted_tables *tables;
    struct counted_snapshot *next;
    enum status rc = counted_tables_open(src, &tables, e);

    if (rc)
        return rc;
    pthread_mutex_lock(&src->lock);
    next = counted_snapshot_create(tables, NULL, src->now, src->endings_bytes);
    if (next) {
        sources_set(src, next);
        src->manifest = *seen;
    } else {
        counted_tables_release(tables);
        rc = error_no_memory(e);
    }
    pthread_mutex_unlock(&src->lock);
    return rc;
}

enum status sources_refresh(struct sources *src, struct error *e)
{
    char path[TABLE_PATH_MAX + 16];
    struct stat seen;
    enum status rc;

    snprintf(path, sizeof path, "%s/MANIFEST", src->dir);
    if (stat(path, &seen) || same_file(&seen, &src->manifest))
        return STATUS_OK;
    if ((rc = tables_refresh(src, &seen, e))) {
        pthread_mutex_lock(&src->lock);
        atomic_store(&src->now->unopened, rc);
        pthread_mutex_unlock(&src->lock);
    }
    return rc;
}

void sources_trim(struct sources *src, uint64_t bytes)
{
    struct counted_snapshot *next;

    pthread_mutex_lock(&src->lock);
    next =
        src->now->count ? counted_snapshot_create(src->now->tables, NULL, src->now, bytes) : NULL;
    if (next) {
        if (next->tables)
            next->tables->refs++;
        sources_set(src, next);
    }
    pthread_mutex_unlock(&src->lock);
}

void sources_add(struct sources *src, struct ondemand **solved, uint64_t bytes)
{
    struct ending *ending = calloc(1, sizeof *ending);
    struct counted_snapshot *next = NULL;

    if (ending) {
        *ending = (struct ending){1, bytes, *solved};
        pthread_mutex_lock(&src->lock);
        next = counted_snapshot_create(src->now->tables, ending, src->now, src->endings_bytes);
        if (next) {
            if (next->tables)
                next->tables->refs++;
            sources_set(src, next);
        }
        pthread_mutex_unlock(&src->lock);
    }
    if (!next) {
        free(ending);
        ondemand_close(solved);
    }
    *solved = NULL;
}

/* ------------------------------------------------------------------- open, close -- */

struct sources *sources_open(const char *dir, uint64_t page_bytes, uint64_t endings_bytes)
{
    struct sources *src = calloc(1, sizeof *src);

    if (!src)
        return NULL;
    pthread_mutex_init(&src->lock, NULL);
    src->page_bytes = page_bytes;
    src->endings_bytes = endings_bytes;
    snprintf(src->dir, sizeof src->dir, "%s", dir);
    src->now = counted_snapshot_create(NULL, NULL, NULL, 0);
    if (!src->now)
        sources_close(&src);
    return src;
}

void sources_close(struct sources **src)
{
    if (!*src)
        return;
    if ((*src)->now)
        counted_snapshot_release((*src)->now);
    pthread_mutex_destroy(&(*src)->lock);
    free(*src);
    *src = NULL;
}

const char *sources_dir(const struct sources *src)
{
    return src->dir;
}

void sources_hide(const struct sources *src, char *text)
{
    size_t n = strlen(src->dir);

    for (char *at = text; n && (at = strstr(at, src->dir));) {
        const char *rest = at + n + strspn(at + n, "/: ");

        memmove(at, rest, strlen(rest) + 1);
    }
}

const struct snapshot *sources_take(struct sources *src)
{
    struct counted_snapshot *now;

    pthread_mutex_lock(&src->lock);
    now = src->now;
    now->refs++;
    pthread_mutex_unlock(&src->lock);
    return &now->snapshot;
}

void sources_release(struct sources *src, const struct snapshot *s)
{
    struct counted_snapshot *held = (struct counted_snapshot *)(uintptr_t)s;

    pthread_mutex_lock(&src->lock);
    counted_snapshot_release(held);
    pthread_mutex_unlock(&src->lock);
}
