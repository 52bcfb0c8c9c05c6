/* SPDX-License-Identifier: MIT */
#include "db/pool.h"

#include <stdlib.h>
#include <string.h>

struct pool *pool_create(uint64_t budget)
{
    struct pool *p = calloc(1, sizeof *p);

    if (p) {
        p->budget = budget;
        for (int i = 0; i < SLICE_CODES; i++)
            p->next_use[i] = INT32_MAX;
    }
    return p;
}

static int code_of(struct slice s)
{
    return slice_code(slice_canonical(s));
}

/* The set holds const pointers for readers; the pool alone may free. */
static struct raw *raw_of(struct pool *p, enum kind kind, struct slice s)
{
    return (struct raw *)(uintptr_t)p->set[kind].at[slice_code(s)];
}

static void raw_drop(struct pool *p, enum kind kind, struct slice s)
{
    struct raw *r = raw_of(p, kind, s);

    if (r) {
        p->used -= r->bytes;
        raw_free(r);
        free(r);
        p->set[kind].at[slice_code(s)] = NULL;
    }
}

void pool_drop(struct pool *p, enum kind kind, struct slice s)
{
    raw_drop(p, kind, s);
    raw_drop(p, kind, slice_flip(s));
}

void pool_free(struct pool **p)
{
    if (!*p)
        return;
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < SLICE_CODES; i++)
            if ((*p)->set[k].at[i])
                pool_drop(*p, (enum kind)k, (*p)->set[k].at[i]->layout.slice);
    free(*p);
    *p = NULL;
}

bool pool_has(const struct pool *p, enum kind kind, struct slice s)
{
    return p->set[kind].at[slice_code(s)] != NULL;
}

void pool_pin(struct pool *p, struct slice s, int by)
{
    p->pinned[code_of(s)] = (uint8_t)(p->pinned[code_of(s)] + by);
}

/* The unpinned table that is wanted again last; NULL if there is none. */
static const struct raw *pool_victim(const struct pool *p, enum kind *kind)
{
    const struct raw *victim = NULL;

    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < SLICE_CODES; i++) {
            const struct raw *r = p->set[k].at[i];
            int code = r ? code_of(r->layout.slice) : 0;

            if (!r || p->pinned[code])
                continue;
            if (victim && p->next_use[code] <= p->next_use[code_of(victim->layout.slice)])
                continue;
            victim = r;
            *kind = (enum kind)k;
        }
    return victim;
}

enum status pool_reserve(struct pool *p, uint64_t bytes, struct error *e)
{
    while (p->used + bytes > p->budget) {
        enum kind kind = KIND_WLD;
        const struct raw *victim = pool_victim(p, &kind);

        if (!victim)
            return error_set(e, STATUS_NO_MEMORY,
                             "the next step needs %.1f MiB of memory, %.1f are allowed "
                             "(see --memory)",
                             (double)(p->used + bytes) / (1 << 20), (double)p->budget / (1 << 20));
        pool_drop(p, kind, victim->layout.slice);
    }
    return STATUS_OK;
}

static struct raw *raw_add(struct pool *p, enum kind kind, struct slice s, enum raw_form form)
{
    struct raw *r = malloc(sizeof *r);

    if (!r || raw_create(r, s, form)) {
        free(r);
        return NULL;
    }
    p->set[kind].at[slice_code(s)] = r;
    p->used += r->bytes;
    if (p->used > p->peak)
        p->peak = p->used;
    return r;
}

enum status pool_add(struct pool *p, enum kind kind, struct slice s, enum raw_form form,
                     struct raw *out[2], struct error *e)
{
    uint64_t bytes = raw_bytes(s, form) * (slice_symmetric(s) ? 1 : 2);
    enum status rc = pool_reserve(p, bytes, e);

    if (rc)
        return rc;
    out[0] = raw_add(p, kind, s, form);
    out[1] = slice_symmetric(s) ? out[0] : out[0] ? raw_add(p, kind, slice_flip(s), form) : NULL;
    if (!out[1]) {
        pool_drop(p, kind, s);
        return error_set(e, STATUS_NO_MEMORY, "the system has no %.2f GiB of memory left",
                         (double)bytes / (1 << 30));
    }
    return STATUS_OK;
}
