/* SPDX-License-Identifier: MIT */
#include "db/pool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW_LEAST = 16 }; /* see (O4) */

enum status pool_open(struct pool **out, uint64_t budget, const char *scratch, struct crew *crew,
                      struct error *e)
{
    struct pool *p = calloc(1, sizeof *p);
    enum status rc;

    *out = p;
    if (!p)
        return error_no_memory(e);
    p->budget = budget;
    p->crew = crew;
    p->ranks = 1;
    for (int i = 0; i < SLICE_CODES; i++)
        p->next_use[i] = POOL_NEVER;
    rc = swap_open(&p->swap, scratch, e);
    if (!rc && !(p->frames = frames_create()))
        rc = error_no_memory(e);
    if (!rc)
        rc = residents_open(&p->residents, e);
    if (rc)
        pool_close(out);
    return rc;
}

/* The set holds const pointers for readers; only the pool may free them. */
static struct raw *raw_of(struct pool *p, enum kind kind, struct slice table)
{
    return (struct raw *)(uintptr_t)p->set[kind].at[slice_code(table)];
}

static uint64_t pool_taken(const struct pool *p)
{
    return p->used + p->aside + p->window + swap_memory(p->swap);
}

/* The room for pages of mapped files has changed.  Spare memory is room as well. */
static void window_adjust(struct pool *p)
{
    uint64_t taken = pool_taken(p), least = p->budget / WINDOW_LEAST;
    uint64_t room = p->window + (taken < p->budget ? p->budget - taken : 0);

    if (p->files == 0)
        return;
    residents_bound(p->residents, room > least ? room : least);
    frames_limit(p->frames, p->used + p->aside);
}

void pool_drop(struct pool *p, enum kind kind, struct slice table)
{
    struct raw *r = raw_of(p, kind, table);
    bool *mapped = &p->mapped[kind][slice_code(table)];

    if (r) {
        if (*mapped)
            residents_remove(p->residents, r->data);
        p->files -= *mapped;
        p->used -= *mapped ? 0 : r->bytes;
        *mapped = false;
        raw_free(r);
        free(r);
        p->set[kind].at[slice_code(table)] = NULL;
        window_adjust(p);
    }
}

void pool_close(struct pool **p)
{
    if (!*p)
        return;
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < SLICE_CODES; i++)
            if ((*p)->set[k].at[i])
                pool_drop(*p, (enum kind)k, (*p)->set[k].at[i]->layout.slice);
    swap_close(&(*p)->swap);
    residents_close(&(*p)->residents);
    frames_free(&(*p)->frames);
    free(*p);
    *p = NULL;
}

bool pool_has(const struct pool *p, enum kind kind, struct slice table)
{
    return p->set[kind].at[slice_code(table)] != NULL;
}

void pool_pin(struct pool *p, struct slice table, int by)
{
    int code = slice_code(table);

    assert(p->pinned[code] + by >= 0);
    p->pinned[code] = (uint8_t)(p->pinned[code] + by);
}

void pool_forget(struct pool *p)
{
    for (int i = 0; i < SLICE_CODES; i++) {
        if (p->next_use[i] != POOL_NEVER || p->pinned[i])
            continue;
        for (int k = 0; k < KINDS; k++) {
            pool_drop(p, (enum kind)k, slice_of_code(i));
            swap_drop(p->swap, (enum kind)k, slice_of_code(i));
        }
    }
}

/* -------------------------------------------------------------------- room -- */

static bool held(const struct pool *p, int kind, int code)
{
    return p->set[kind].at[code] != NULL && !p->mapped[kind][code];
}

static bool swapped(const struct pool *p, int kind, int code)
{
    return swap_has(p->swap, (enum kind)kind, slice_of_code(code));
}

/* Among the unpinned tables in one place, find the one that is needed again last; false
 * if there is none. */
static bool pool_victim(const struct pool *p, bool (*is_there)(const struct pool *, int, int),
                        enum kind *kind, int *code)
{
    bool any = false;

    for (int i = 0; i < SLICE_CODES; i++)
        for (int k = 0; k < KINDS; k++)
            if (!p->pinned[i] && is_there(p, k, i) &&
                (!any || p->next_use[i] > p->next_use[*code])) {
                any = true;
                *code = i;
                *kind = (enum kind)k;
            }
    return any;
}

enum status pool_room(struct pool *p, uint64_t bytes, struct error *e)
{
    enum status rc = STATUS_OK;

    while (!rc && pool_taken(p) + bytes > p->budget) {
        enum kind kind = KIND_WLD;
        int code = 0;

        if (pool_victim(p, held, &kind, &code)) {
            if (p->next_use[code] != POOL_NEVER)
                rc = swap_out(p->swap, p->crew, kind, p->set[kind].at[code], e);
            pool_drop(p, kind, slice_of_code(code));
        } else if (swap_memory(p->swap) && pool_victim(p, swapped, &kind, &code)) {
            p->forgotten += p->next_use[code] != POOL_NEVER;
            swap_drop(p->swap, kind, slice_of_code(code));
        } else {
            rc = error_set(e, STATUS_NO_MEMORY,
                           "the next step needs %.1f MiB of memory; %.1f MiB are allowed "
                           "(see --memory)",
                           (double)(pool_taken(p) + bytes) / (1 << 20),
                           (double)p->budget / (1 << 20));
        }
    }
    return rc;
}

enum status pool_reserve(struct pool *p, uint64_t bytes, struct error *e)
{
    struct error why;
    enum status rc = pool_room(p, bytes, &why);
    uint64_t wanted = pool_taken(p) + bytes, over = wanted > p->budget ? wanted - p->budget : 0;

    if (rc && (rc != STATUS_NO_MEMORY || over == 0 || over > p->window))
        return error_pass(e, &why);
    p->window -= over;
    p->aside += bytes;
    window_adjust(p);
    return STATUS_OK;
}

enum status pool_add(struct pool *p, enum kind kind, struct slice table, enum raw_form form,
                     struct raw **out, struct error *e)
{
    uint64_t bytes = raw_share_bytes(table, form, p->ranks);
    struct error why;
    enum status rc = pool_room(p, bytes, &why);
    struct raw *r = rc ? NULL : malloc(sizeof *r);
    bool kept;

    if (rc == STATUS_NO_MEMORY && swap_on_disk(p->swap))
        return pool_map(p, kind, table, form, false, &kept, out, e);
    if (rc)
        return error_pass(e, &why);
    if (!r || raw_create_share(r, table, form, p->ranks, false, p->frames)) {
        free(r);
        return error_set(e, STATUS_NO_MEMORY, "the system cannot provide %.2f GiB of memory",
                         (double)bytes / (1 << 30));
    }
    p->set[kind].at[slice_code(table)] = r;
    p->used += r->bytes;
    if (p->used > p->peak)
        p->peak = p->used;
    window_adjust(p);
    *out = r;
    return STATUS_OK;
}

enum status pool_map(struct pool *p, enum kind kind, struct slice table, enum raw_form form,
                     bool keep, bool *kept, struct raw **out, struct error *e)
{
    struct raw *r = malloc(sizeof *r);
    enum status rc;

    if (!r || raw_create_share(r, table, form, p->ranks, true, NULL)) {
        free(r);
        return error_set(e, STATUS_NO_MEMORY, "no room for a table in the address space");
    }
    rc = swap_map(p->swap, kind, r, keep, kept, e);
    if (!rc)
        rc = residents_add(p->residents, r->data, r->bytes, e);
    if (rc) {
        raw_free(r);
        free(r);
        return rc;
    }
    p->set[kind].at[slice_code(table)] = r;
    p->mapped[kind][slice_code(table)] = true;
    p->files++;
    window_adjust(p);
    *out = r;
    return STATUS_OK;
}

enum status pool_swap_in(struct pool *p, enum kind kind, struct slice table, enum raw_form form,
                         struct error *e)
{
    struct raw *r = NULL;
    enum status rc;

    pool_pin(p, table, 1); /* or making room may drop its packed copy */
    rc = pool_add(p, kind, table, form, &r, e);
    pool_pin(p, table, -1);
    if (!rc && (rc = swap_in(p->swap, p->crew, kind, r, e)))
        pool_drop(p, kind, table);
    if (rc)
        return rc;
    p->unpacked += r->layout.positions;
    if (swap_memory(p->swap))
        swap_drop(p->swap, kind, table); /* memory is scarce, files are not */
    return STATUS_OK;
}
