/* SPDX-License-Identifier: MIT */
#include "db/build.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/team.h"
#include "db/builder.h"
#include "db/parts.h"

#include <stdio.h>
#include <stdlib.h>

/* ------------------------------------------------------------------- builder -- */

enum {
    PART_SHARE = 16,      /* of memory, for the values of a part */
    WINDOW_SHARE = 8,     /* and for what is in use of tables that are files */
    MESSAGE_MAX = 1 << 22 /* bytes of a table that are sent at a time */
};

/* A step visits all values once.  The steps are: solve distances to the win (or values, if
 * these are not wanted), solve distances to conversion, save. */
static int steps_of(const struct build_options *o)
{
    return 1 + (o->kind[KIND_DTC] ? 1 : 0) + 1;
}

uint64_t build_work(const struct build_plan *p, const struct build_options *o)
{
    return p->values * (uint64_t)steps_of(o);
}

static bool plan_is_nine(const struct build_plan *p, const struct build_options *o)
{
    bool nine = o->nine;

    for (int i = 0; i < p->count; i++)
        nine |= slice_pieces(p->slice[i]) > DTW_BYTE_PIECES;
    return nine;
}

enum raw_form builder_form(const struct builder *b, enum kind kind)
{
    if (kind == KIND_WLD)
        return RAW_PACKED;
    return kind == KIND_DTC ? RAW_WIDE : b->nine ? RAW_NINE : RAW_NARROW;
}

const struct kernel *builder_kernel(const struct builder *b, enum kind kind)
{
    static const enum kernel_type type[KINDS] = {KERNEL_TYPE_WLD, KERNEL_TYPE_DTC, KERNEL_TYPE_DTW};

    return kernel_get(kind == KIND_DTW && b->nine ? KERNEL_TYPE_DTW9 : type[kind], b->o->isa);
}

/* Does this build read win/loss/draw values?  Solving distances to the win does not. */
static bool wld_is_read(const struct builder *b)
{
    return b->o->kind[KIND_DTC] || !b->o->kind[KIND_DTW];
}

/* The tables that a kind reads across a conversion. */
enum kind kind_across(enum kind kind)
{
    return kind == KIND_DTC ? KIND_WLD : kind;
}

void builder_tell(const struct builder *b, struct slice s, const char *step)
{
    if (b->o->begin)
        b->o->begin(b->o->context, s, step);
}

/* ---------------------------------------------------------- bringing back -- */

/* Memory to give the captures of a table their value: the workspaces, and copies of blocks. */
static uint64_t refill_bytes(const struct builder *b, enum kind kind, struct slice s)
{
    int threads = b->crew.threads;

    return workspaces_bytes(builder_kernel(b, kind), b->sets, s, threads) +
           blocks_refill_bytes(s, builder_form(b, kind), threads);
}

/* Read a table from its file and compute the values of the positions with a capture. */
static enum status table_read(struct builder *b, enum kind kind, struct slice s, struct error *e)
{
    const struct table *t = NULL, *wld = NULL;
    struct slice file = slice_canonical(s);
    struct workspaces workspaces = {0};
    struct block_job job = {.same = &b->pool->set[kind], .conv = &b->pool->set[kind]};
    const struct kernel *kernel = builder_kernel(b, kind);
    uint64_t workspace = refill_bytes(b, kind, s);
    uint64_t aside = b->pool->aside, window = b->pool->window;
    enum status rc;

    builder_tell(b, file, "reading");
    rc = catalog_table(b->catalog, file, kind, &t, e);
    if (!rc && kind != KIND_WLD)
        rc = catalog_table(b->catalog, file, KIND_WLD, &wld, e);
    if (rc || (rc = pool_add(b->pool, kind, s, builder_form(b, kind), &job.out[0], e)))
        return rc;
    job.out[1] = slice_symmetric(s) ? job.out[0] : NULL;
    pool_pin(b->pool, s, 1);
    rc = pages_load(&b->crew, b->sets, t, wld, job.out[0], e);
    if (!rc && workspace > aside)
        rc = pool_reserve(b->pool, workspace - aside, e);
    if (!rc)
        rc = workspaces_open(&workspaces, kernel, b->sets, s, b->crew.threads, b->pool->frames, e);
    if (!rc)
        rc = blocks_refill(&b->crew, &workspaces, b->sets, s, &job, e);
    workspaces_close(&workspaces);
    b->pool->aside = aside;
    b->pool->window = window;
    pool_pin(b->pool, s, -1);
    if (rc)
        pool_drop(b->pool, kind, s);
    else
        b->decoded += job.out[0]->layout.positions;
    return rc;
}

/* Load a table into the pool: from the swap, or from its file and the tables that its
 * captures lead to. */
static enum status table_bring(struct builder *b, enum kind kind, struct slice s, struct error *e)
{
    struct slice need[SLICE_CODES];
    int n, pinned = 0;
    enum status rc = STATUS_OK;

    if (pool_has(b->pool, kind, s))
        return STATUS_OK;
    if (swap_fits(b->pool->swap, kind, s, builder_form(b, kind)))
        return pool_swap_in(b->pool, kind, s, builder_form(b, kind), e);
    n = slice_reads_mover(s, false, need);
    for (; pinned < n && !rc; pinned++) {
        rc = table_bring(b, kind, need[pinned], e);
        pool_pin(b->pool, need[pinned], 1);
    }
    if (!rc)
        rc = table_read(b, kind, s, e);
    while (pinned > 0)
        pool_pin(b->pool, need[--pinned], -1);
    return rc;
}

/* ------------------------------------------------------------------ one slice -- */

/* The missing tables of a slice. */
struct todo {
    bool write[KINDS]; /* files */
    bool raw[KINDS];   /* tables in memory */
};

static bool todo_find(const struct builder *b, struct slice s, struct todo *t)
{
    bool any = false;

    *t = (struct todo){0};
    for (int k = 0; k < KINDS; k++) {
        t->write[k] = (b->o->kind[k] || k == KIND_WLD) && !b->present[slice_code(s)][k];
        any |= t->write[k];
    }
    t->raw[KIND_WLD] = any;
    t->raw[KIND_DTC] = t->write[KIND_DTC];
    t->raw[KIND_DTW] = t->write[KIND_DTW];
    return any;
}

/* The tables that a slice reads, and its own: of these an earlier run may have left parts. */
static int slice_uses(struct slice s, struct slice *list)
{
    int n = slice_reads(s, list);

    list[n++] = s;
    if (!slice_symmetric(s))
        list[n++] = slice_flip(s);
    return n;
}

/* Find when each table is needed again. */
static void uses_update(struct builder *b, int now)
{
    struct slice list[SLICE_CODES];

    for (int i = 0; i < SLICE_CODES; i++)
        b->pool->next_use[i] = POOL_NEVER;
    for (int i = b->plan->count - 1; i >= now; i--) {
        struct todo t;
        int n = todo_find(b, b->plan->slice[i], &t) ? slice_uses(b->plan->slice[i], list) : 0;

        for (int j = 0; j < n; j++)
            b->pool->next_use[slice_code(list[j])] = i;
    }
}

static void tables_pin(struct builder *b, struct slice s, int by)
{
    struct slice list[SLICE_CODES];
    int n = slice_reads(s, list);

    for (int i = 0; i < n; i++)
        pool_pin(b->pool, list[i], by);
    pool_pin(b->pool, s, by);
    pool_pin(b->pool, slice_flip(s), by);
}

/* A table of the list, by kind, that this slice needs. */
static bool table_needed(const struct todo *t, enum kind kind)
{
    return kind == KIND_WLD ? t->raw[KIND_DTC] || !t->raw[KIND_DTW]
                            : kind == KIND_DTW && t->raw[KIND_DTW];
}

/* The same for a rank that has no files. */
static enum status table_bring_here(struct builder *b, enum kind kind, struct slice s,
                                    struct error *e)
{
    if (team_rank(b->o->team) == 0)
        return table_bring(b, kind, s, e);
    if (!pool_has(b->pool, kind, s) && swap_fits(b->pool->swap, kind, s, builder_form(b, kind)))
        return pool_swap_in(b->pool, kind, s, builder_form(b, kind), e);
    return STATUS_OK;
}

/* Send a table from rank 0 to all ranks; those that already have it discard it. */
static enum status table_share(struct builder *b, enum kind kind, struct slice s, struct error *e)
{
    bool here = pool_has(b->pool, kind, s), first = team_rank(b->o->team) == 0;
    uint8_t *bin = here && !first ? malloc(MESSAGE_MAX) : NULL;
    const struct raw *t;
    struct raw *out;
    enum status rc = here && !first && !bin ? error_no_memory(e) : STATUS_OK;
    uint64_t bytes;

    if (!rc && !here)
        rc = pool_add(b->pool, kind, s, builder_form(b, kind), &out, e);
    if (rc)
        return rc;
    t = b->pool->set[kind].at[slice_code(s)];
    bytes = t->layout.blocks * t->stride;
    for (uint64_t at = 0, n; at < bytes && !rc; at += n) {
        n = bytes - at < MESSAGE_MAX ? bytes - at : MESSAGE_MAX;
        rc = team_share(b->o->team, 0, bin ? bin : t->data + at, n, e);
    }
    free(bin);
    return rc;
}

/* Each rank gets the tables it lacks from rank 0. */
static enum status tables_share(struct builder *b, const struct slice *list, int n,
                                const struct todo *t, struct error *e)
{
    int ranks = team_ranks(b->o->team), rank = team_rank(b->o->team);
    size_t each = (size_t)n * KINDS;
    uint8_t *lacks = calloc((size_t)ranks, each + 1);
    enum status rc = lacks ? STATUS_OK : error_no_memory(e);

    for (size_t i = 0; i < each && !rc; i++)
        lacks[(size_t)rank * each + i] =
            table_needed(t, (enum kind)(i % KINDS)) &&
            !pool_has(b->pool, (enum kind)(i % KINDS), list[i / KINDS]);
    if (!rc)
        rc = team_gather(b->o->team, lacks, each, e);
    for (size_t i = 0; i < each && !rc; i++) {
        bool any = false;

        for (int r = 0; r < ranks; r++)
            any |= lacks[(size_t)r * each + i];
        if (any)
            rc = table_share(b, (enum kind)(i % KINDS), list[i / KINDS], e);
    }
    free(lacks);
    return rc;
}

static enum status tables_bring(struct builder *b, struct slice s, const struct todo *t,
                                struct error *e)
{
    struct slice list[SLICE_CODES];
    int n = slice_reads(s, list);
    enum status rc = STATUS_OK;

    for (int i = 0; i < n && !rc; i++)
        for (int k = 0; k < KINDS && !rc; k++)
            if (table_needed(t, (enum kind)k))
                rc = b->spread ? shares_bring(b, (enum kind)k, list[i], e)
                               : table_bring_here(b, (enum kind)k, list[i], e);
    if (rc || b->spread || team_ranks(b->o->team) == 1)
        return rc;
    return tables_share(b, list, n, t, e);
}

/* Add both tables of a slice, or the one table of a symmetric slice.  If they do not fit into
 * memory they become files; *kept is set if these may hold parts of an earlier run. */
static enum status tables_add(struct builder *b, enum kind kind, struct slice s, struct raw *out[2],
                              bool *mapped, bool *kept, struct error *e)
{
    enum raw_form form = builder_form(b, kind);
    uint64_t bytes = raw_share_bytes(s, form, b->pool->ranks) * (slice_symmetric(s) ? 1 : 2);
    struct error why;
    enum status rc = pool_room(b->pool, bytes, &why);
    bool other = true;

    *mapped = *kept = false;
    if (rc && rc != STATUS_NO_MEMORY)
        return error_pass(e, &why);
    *mapped = team_ranks(b->o->team) == 1 && swap_on_disk(b->pool->swap) &&
              (rc == STATUS_NO_MEMORY || (b->o->part_bytes && bytes > b->o->part_bytes));
    if (*mapped)
        rc = pool_map(b->pool, kind, s, form, true, kept, &out[0], e);
    else if (!rc || b->spread)
        rc = pool_add(b->pool, kind, s, form, &out[0], e);
    else
        rc = error_pass(e, &why);
    if (rc)
        return rc;
    out[1] = out[0];
    if (slice_symmetric(s))
        return STATUS_OK;
    if (!*mapped)
        return pool_add(b->pool, kind, slice_flip(s), form, &out[1], e);
    rc = pool_map(b->pool, kind, slice_flip(s), form, true, &other, &out[1], e);
    *kept &= other;
    return rc;
}

static void tables_drop(struct builder *b, enum kind kind, struct slice s)
{
    pool_drop(b->pool, kind, s);
    pool_drop(b->pool, kind, slice_flip(s));
}

static enum status blocks_or_parts(struct builder *b, struct slice s, enum kind kind,
                                   struct workspaces *workspaces, const struct block_job *job,
                                   bool mapped, bool kept, struct error *e)
{
    char journal[SCRATCH_PATH_MAX];
    struct parts_job parts = {.crew = &b->crew,
                              .workspaces = workspaces,
                              .sets = b->sets,
                              .slice = s,
                              .kind = kind,
                              .job = job,
                              .part_bytes =
                                  b->o->part_bytes ? b->o->part_bytes : b->o->memory / PART_SHARE,
                              .kept = kept,
                              .done = b->o->done};

    if (!mapped)
        return blocks_solve(&b->crew, workspaces, b->sets, s, job, NULL, b->o->done, e);
    parts.journal = swap_journal(b->pool->swap, kind, s, journal);
    return parts_solve(&parts, e);
}

static enum status kind_solve(struct builder *b, struct slice s, enum kind kind, struct error *e)
{
    struct workspaces workspaces = {0};
    struct block_job job = {.same = &b->pool->set[kind], .conv = &b->pool->set[kind_across(kind)]};
    bool mapped = false, kept = false;
    enum status rc = tables_add(b, kind, s, job.out, &mapped, &kept, e);

    if (!rc)
        rc = workspaces_open(&workspaces, builder_kernel(b, kind), b->sets, s, b->crew.threads,
                             b->pool->frames, e);
    if (!rc)
        rc = b->spread ? shares_solve(b, s, kind, &workspaces, e)
                       : blocks_or_parts(b, s, kind, &workspaces, &job, mapped, kept, e);
    workspaces_close(&workspaces);
    return rc;
}

/* Derive win/loss/draw from the distances. */
static enum status wld_from_dtw(struct builder *b, struct slice s, struct error *e)
{
    struct raw *out[2];
    bool mapped, kept;
    enum status rc = tables_add(b, KIND_WLD, s, out, &mapped, &kept, e);

    for (int m = 0; m < (slice_symmetric(s) ? 1 : 2) && !rc; m++)
        if (b->spread)
            rc = shares_pack(b, m ? slice_flip(s) : s, e);
        else
            raw_pack(out[m], b->pool->set[KIND_DTW].at[slice_code(out[m]->layout.slice)],
                     b->crew.stop);
    return rc || !crew_stopped(&b->crew) ? rc : error_set(e, STATUS_INTERRUPTED, "interrupted");
}

static enum status slice_solve(struct builder *b, struct slice s, const struct todo *t,
                               struct error *e)
{
    enum status rc = STATUS_OK;

    if (t->raw[KIND_DTW]) {
        builder_tell(b, s, "dtw");
        rc = kind_solve(b, s, KIND_DTW, e);
        if (!rc)
            rc = wld_from_dtw(b, s, e);
    } else {
        builder_tell(b, s, "wld");
        rc = kind_solve(b, s, KIND_WLD, e);
    }
    if (!rc && t->raw[KIND_DTC]) {
        builder_tell(b, s, "dtc");
        rc = kind_solve(b, s, KIND_DTC, e);
    }
    return rc;
}

static enum status slice_save(struct builder *b, struct slice s, const struct todo *t,
                              struct build_report *r, struct error *e)
{
    struct pages_source source = {.slice = s};
    struct pages_result result;
    double wall = clock_now(CLOCK_MONOTONIC);
    enum status rc;

    builder_tell(b, s, "saving");
    for (int k = 0; k < KINDS; k++) {
        source.write[k] = t->write[k];
        source.raw[k][0] = b->pool->set[k].at[slice_code(s)];
        source.raw[k][1] = b->pool->set[k].at[slice_code(slice_flip(s))];
    }
    rc = b->spread ? shares_save(b, &source, &result, e)
                   : pages_save(&b->crew, b->sets, b->o->dir, &source, b->o->done, &result, e);
    for (int k = 0; k < KINDS && !rc; k++) {
        b->present[slice_code(s)][k] |= t->write[k];
        if (t->write[k] && b->catalog)
            rc = catalog_added(b->catalog, s, (enum kind)k, &r->bytes[k], e);
    }
    if (!rc && b->catalog)
        rc = catalog_write_manifest(b->catalog, e);
    r->saving = clock_now(CLOCK_MONOTONIC) - wall;
    return rc;
}

/* The memory for the workspaces of a slice and, if tables may become files, for those that
 * recompute captures of the tables it reads. */
static uint64_t workspaces_most(const struct builder *b, struct slice s, const struct todo *t)
{
    struct slice list[SLICE_CODES];
    int n = b->spread || b->o->scratch ? slice_reads(s, list) : 0, threads = b->crew.threads;
    uint64_t most = 0;

    for (int k = 0; k < KINDS; k++) {
        const struct kernel *kernel = builder_kernel(b, (enum kind)k);
        uint64_t bytes = workspaces_bytes(kernel, b->sets, s, threads);

        if (!t->raw[k] || (k == KIND_WLD && t->raw[KIND_DTW] && !t->raw[KIND_DTC]))
            continue;
        most = bytes > most ? bytes : most;
        for (int i = 0; i < n; i++) {
            bytes = refill_bytes(b, (enum kind)k, list[i]);
            most = bytes > most ? bytes : most;
        }
    }
    return most;
}

/* The memory for a slice and all that it reads. */
static uint64_t slice_memory(const struct builder *b, struct slice s, const struct todo *t)
{
    struct slice list[SLICE_CODES];
    int n = slice_reads(s, list);
    uint64_t bytes = workspaces_most(b, s, t);

    for (int k = 0; k < KINDS; k++) {
        enum raw_form form = builder_form(b, (enum kind)k);

        for (int j = 0; j < n && table_needed(t, (enum kind)k); j++)
            bytes += raw_bytes(list[j], form);
        if (t->raw[k])
            bytes += raw_bytes(s, form) * (slice_symmetric(s) ? 1 : 2);
    }
    return bytes;
}

/* Set memory aside until the slice is built. */
static enum status slice_room(struct builder *b, struct slice s, const struct todo *t,
                              struct error *e)
{
    uint64_t indexes = b->catalog ? catalog_memory(b->catalog) : 0;
    bool files = *b->scratch && !b->spread && slice_memory(b, s, t) + indexes > b->o->memory;

    b->pool->window = files ? b->o->memory / WINDOW_SHARE : 0;
    return pool_reserve(b->pool, workspaces_most(b, s, t) + indexes + shares_room(b), e);
}

static enum status slice_build(struct builder *b, struct slice s, const struct todo *t,
                               struct build_report *r, struct error *e)
{
    enum status rc;

    tables_pin(b, s, 1);
    if ((rc = slice_room(b, s, t, e)))
        goto done;
    if ((rc = tables_bring(b, s, t, e))) /* 1.  the tables its moves lead to */
        goto done;
    if ((rc = slice_solve(b, s, t, e))) /* 2. values, block by block           */
        goto done;
    rc = slice_save(b, s, t, r, e); /* 3. files, page by page                  */
    if (!rc && b->spread)
        shares_forget(b, s);
done:
    tables_drop(b, KIND_DTC, s); /* 4.  drop what is not read again */
    if (rc || !wld_is_read(b))
        tables_drop(b, KIND_WLD, s);
    if (rc)
        tables_drop(b, KIND_DTW, s);
    b->pool->aside = b->pool->window = 0;
    tables_pin(b, s, -1);
    return rc;
}

/* What the report of a slice has of all ranks. */
struct sums {
    double cpu_seconds;
    uint64_t fetched, put;
};

static enum status sum_up(const struct builder *b, struct build_report *r, struct error *e)
{
    struct sums all[TEAM_MAX] = {{0}};
    int ranks = team_ranks(b->o->team);
    enum status rc;

    all[team_rank(b->o->team)] = (struct sums){r->cpu_seconds, r->fetched, r->put};
    if ((rc = team_gather(b->o->team, all, sizeof *all, e)))
        return rc;
    r->cpu_seconds = 0;
    r->fetched = r->put = 0;
    for (int i = 0; i < ranks; i++) {
        r->cpu_seconds += all[i].cpu_seconds;
        r->fetched += all[i].fetched;
        r->put += all[i].put;
    }
    return STATUS_OK;
}

static enum status builder_step(struct builder *b, int i, struct error *e)
{
    struct build_report r = {.slice = b->plan->slice[i], .number = i + 1, .of = b->plan->count};
    double wall = clock_now(CLOCK_MONOTONIC), cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID);
    struct todo todo;
    enum status rc = STATUS_OK;

    r.values = slice_values(r.slice);
    r.built = todo_find(b, r.slice, &todo);
    if (r.built) {
        uint64_t decoded = b->decoded, unpacked = b->pool->unpacked;
        struct spread_traffic traffic = b->traffic;
        uint32_t parts = b->parts, kept = b->kept;

        uses_update(b, i);
        pool_forget(b->pool);
        rc = slice_build(b, r.slice, &todo, &r, e);
        r.decoded = b->decoded - decoded;
        r.unpacked = b->pool->unpacked - unpacked;
        r.scratch = swap_files(b->pool->swap);
        r.fetched = b->traffic.brought - traffic.brought;
        r.put = b->traffic.put - traffic.put;
        r.parts = b->parts - parts;
        r.parts_kept = b->kept - kept;
    } else {
        if (b->spread)
            shares_forget(b, r.slice); /* a kill may have come between its files and this */
        if (b->o->done)
            atomic_fetch_add(b->o->done, r.values * (uint64_t)steps_of(b->o));
    }
    r.seconds = clock_now(CLOCK_MONOTONIC) - wall;
    r.cpu_seconds = clock_now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    if (!rc && r.built)
        rc = sum_up(b, &r, e);
    if (!rc && b->o->report)
        b->o->report(b->o->context, &r);
    return rc;
}

/* Add the bytes of a table to all steps from the one that makes it to the last that reads
 * it. */
static void live_add(const struct builder *b, struct slice table, int last, uint64_t *live)
{
    uint64_t bytes = 0;
    int first = 0;

    while (!slice_equal(b->plan->slice[first], slice_canonical(table)))
        first++;
    for (int k = 0; k < KINDS; k++)
        if (b->o->kind[k] || (k == KIND_WLD && wld_is_read(b)))
            bytes += k == KIND_DTC ? 0 : raw_bytes(table, builder_form(b, (enum kind)k));
    for (int i = first; i <= last; i++)
        live[i] += bytes;
}

uint64_t build_scratch_most(const struct build_plan *p, const struct build_options *o)
{
    struct builder b = {.plan = p, .o = o, .nine = plan_is_nine(p, o)};
    struct slice list[SLICE_CODES];
    bool seen[SLICE_CODES] = {false};
    uint64_t *live = calloc((size_t)p->count + 1, sizeof *live), most = 0;

    for (int i = p->count - 1; i >= 0 && live; i--) {
        int n = slice_uses(p->slice[i], list);

        for (int j = 0; j < n; j++)
            if (!seen[slice_code(list[j])]) {
                seen[slice_code(list[j])] = true;
                live_add(&b, list[j], i, live);
            }
    }
    for (int i = 0; i < p->count && live; i++)
        most = live[i] > most ? live[i] : most;
    free(live);
    return most > o->memory ? most : 0;
}

/* The directory, and what is in it. */
static enum status builder_look(struct builder *b, struct error *e)
{
    enum status rc = STATUS_OK;

    if (team_rank(b->o->team) == 0)
        rc = catalog_open_to_build(&b->catalog, b->o->dir, e);
    for (int i = 0; b->catalog && i < b->plan->count; i++)
        for (int k = 0; k < KINDS; k++)
            b->present[slice_code(b->plan->slice[i])][k] =
                catalog_has(b->catalog, b->plan->slice[i], (enum kind)k);
    return rc ? rc : team_share(b->o->team, 0, b->present, sizeof b->present, e);
}

/* The most pieces of a kind on one side. */
static int slice_most(struct slice s)
{
    int us = s.kings > s.men ? s.kings : s.men;
    int them = s.opp_kings > s.opp_men ? s.opp_kings : s.opp_men;

    return us > them ? us : them;
}

/* Does any rank lack the memory for some slice and all that it reads? */
static enum status builder_divide(struct builder *b, struct error *e)
{
    uint8_t lacks[TEAM_MAX] = {0};
    struct todo t;
    enum status rc;

    for (int i = 0; i < b->plan->count; i++)
        if (todo_find(b, b->plan->slice[i], &t))
            lacks[team_rank(b->o->team)] |= slice_memory(b, b->plan->slice[i], &t) > b->o->memory;
    lacks[team_rank(b->o->team)] |= b->o->spread;
    rc = team_gather(b->o->team, lacks, 1, e);
    for (int r = 0; r < team_ranks(b->o->team); r++)
        b->spread |= lacks[r];
    return rc;
}

/* Each rank of a team has a scratch directory of its own. */
static enum status builder_scratch(struct builder *b, struct error *e)
{
    int ranks = team_ranks(b->o->team), n;
    char name[SCRATCH_RANK_MAX];

    if (!b->o->scratch)
        return STATUS_OK;
    n = snprintf(b->scratch, sizeof b->scratch, "%s", b->o->scratch);
    if (ranks > 1 && n < (int)sizeof b->scratch) {
        enum status rc = directory_make(b->scratch, e);

        if (rc)
            return rc;
        n += snprintf(b->scratch + n, sizeof b->scratch - (size_t)n, "/%s",
                      scratch_rank(name, team_rank(b->o->team), ranks, !b->spread));
    }
    return n < (int)sizeof b->scratch
               ? STATUS_OK
               : error_set(e, STATUS_FORMAT, "%s: the name is too long", b->o->scratch);
}

static enum status builder_open(struct builder *b, struct error *e)
{
    int most = 1;
    enum status rc = builder_look(b, e);

    if (rc)
        return rc;
    for (int i = 0; i < b->plan->count; i++)
        most = slice_most(b->plan->slice[i]) > most ? slice_most(b->plan->slice[i]) : most;
    b->sets = sets_create(most);
    if (!b->sets || crew_open(&b->crew, b->o->threads, b->o->stop))
        return error_set(e, STATUS_NO_MEMORY, "no memory to begin with");
    b->crew.team = b->o->team;
    if (team_ranks(b->o->team) > 1 && (rc = builder_divide(b, e)))
        return rc;
    if ((rc = builder_scratch(b, e)))
        return rc;
    rc = pool_open(&b->pool, b->o->memory, *b->scratch ? b->scratch : NULL, &b->crew, e);
    if (!rc && b->spread)
        b->pool->ranks = team_ranks(b->o->team);
    return rc;
}

enum status build_run(const struct build_plan *plan, const struct build_options *options,
                      struct error *e)
{
    struct builder b = {.plan = plan, .o = options, .nine = plan_is_nine(plan, options)};
    enum status rc = builder_open(&b, e);

    for (int i = 0; i < plan->count && !rc; i++)
        rc = builder_step(&b, i, e);
    if (!rc && b.catalog)
        rc = catalog_mend_manifest(b.catalog, e);
    if (!rc) {
        uses_update(&b, plan->count);
        pool_forget(b.pool);
    }
    if (b.crew.threads)
        crew_close(&b.crew);
    pool_close(&b.pool);
    if (!rc && options->scratch)
        scratch_clear(options->scratch);
    sets_free(&b.sets);
    catalog_close(&b.catalog);
    return rc;
}
