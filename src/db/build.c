/* SPDX-License-Identifier: MIT */
#include "db/build.h"

#include "base/clock.h"
#include "db/blocks.h"
#include "db/catalog.h"
#include "db/parts.h"
#include "db/pool.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------- plan -- */

uint64_t slice_values(struct slice s)
{
    struct layout l;
    uint64_t n;

    if (layout_create(&l, s))
        return 0;
    n = l.positions * (slice_symmetric(s) ? 1 : 2);
    layout_free(&l);
    return n;
}

static void plan_add_up(struct build_plan *p)
{
    p->values = 0;
    for (int i = 0; i < p->count; i++)
        p->values += slice_values(p->slice[i]);
}

/* One split of the pieces after the other, even ones first: a crowning stays within its
 * split, so that the tables that are read again were made not long before. */
static void plan_arrange(struct build_plan *p, int pieces)
{
    struct slice *to = p->slice + p->count;
    int n = 0;

    memcpy(to, p->slice, (size_t)p->count * sizeof *to);
    for (int total = 2; total <= pieces; total++)
        for (int us = (total + 1) / 2; us < total; us++)
            for (int i = 0; i < p->count; i++)
                if (slice_pieces(to[i]) == total && to[i].kings + to[i].men == us)
                    p->slice[n++] = to[i];
}

enum status build_plan_all(struct build_plan *p, int pieces, int side, struct error *e)
{
    if (pieces > BUILD_PIECES_MAX)
        return error_set(e, STATUS_MISSING, "tables of %d pieces cannot be built yet: %d at most",
                         pieces, BUILD_PIECES_MAX);
    p->count = slice_order(pieces, side, NULL);
    p->slice = malloc(((size_t)p->count * 2 + 1) * sizeof *p->slice); /* and a copy */
    if (!p->slice)
        return error_set(e, STATUS_NO_MEMORY, "no memory for the plan");
    slice_order(pieces, side, p->slice);
    plan_arrange(p, pieces);
    plan_add_up(p);
    return STATUS_OK;
}

/* Mark s and, step by step, what it depends on. */
static void mark_needed(struct slice s, bool *needed)
{
    struct slice list[SLICE_CODES];
    int n;

    s = slice_canonical(s);
    if (needed[slice_code(s)])
        return;
    needed[slice_code(s)] = true;
    n = slice_successors(s, list);
    for (int i = 0; i < n; i++)
        mark_needed(list[i], needed);
}

enum status build_plan_slice(struct build_plan *p, struct slice s, struct error *e)
{
    bool needed[SLICE_CODES] = {false};
    enum status rc = build_plan_all(p, slice_pieces(s), PIECES_MAX, e);
    int n = 0;

    if (rc)
        return rc;
    mark_needed(s, needed);
    for (int i = 0; i < p->count; i++)
        if (needed[slice_code(p->slice[i])])
            p->slice[n++] = p->slice[i];
    p->count = n;
    plan_add_up(p);
    return STATUS_OK;
}

void build_plan_free(struct build_plan *p)
{
    free(p->slice);
    *p = (struct build_plan){0};
}

/* ------------------------------------------------------------------- builder -- */

enum { PART_SHARE = 16 }; /* of memory, for the values of a part */

struct builder {
    const struct build_plan *plan;
    const struct build_options *o;
    struct crew crew;
    struct sets *sets;
    struct pool *pool;
    struct catalog *catalog;
    uint64_t decoded; /* values that were read back from files */
    bool wide;        /* eight pieces: distances to the win need more than a byte */
};

/* A step visits all values once: the solution of distances to the win or else of
 * values, that of distances to conversion, and saving. */
static int steps_of(const struct build_options *o)
{
    return 1 + (o->kind[KIND_DTC] ? 1 : 0) + 1;
}

uint64_t build_work(const struct build_plan *p, const struct build_options *o)
{
    return p->values * (uint64_t)steps_of(o);
}

static enum raw_form form_of(const struct builder *b, enum kind kind)
{
    if (kind == KIND_WLD)
        return RAW_PACKED;
    return kind == KIND_DTC || b->wide ? RAW_WIDE : RAW_NARROW;
}

static const struct kernel *kernel_of(const struct builder *b, enum kind kind)
{
    static const enum kernel_type type[KINDS] = {KERNEL_TYPE_WLD, KERNEL_TYPE_DTC, KERNEL_TYPE_DTW};

    return kernel_get(kind == KIND_DTW && b->wide ? KERNEL_TYPE_DTW16 : type[kind], b->o->isa);
}

/* Does any slice of this build look win/loss/draw up?  Distances to the win do not. */
static bool wld_is_read(const struct builder *b)
{
    return b->o->kind[KIND_DTC] || !b->o->kind[KIND_DTW];
}

/* The tables that a kind reads across a conversion. */
static enum kind kind_across(enum kind kind)
{
    return kind == KIND_DTC ? KIND_WLD : kind;
}

static void tell(const struct builder *b, struct slice s, const char *step)
{
    if (b->o->begin)
        b->o->begin(b->o->context, s, step);
}

/* ---------------------------------------------------------- bringing back -- */

/* The tables that a move of the side to move of s leads to across a conversion, the
 * opponent to move in all of them; by captures alone, or by crowning as well. */
static int reads_of(struct slice s, bool crowning, struct slice *list)
{
    int n = 0;

    for (int crown = 0; crown <= (s.men > 0); crown++)
        for (int k = 0; k <= s.opp_kings; k++)
            for (int m = 0; m <= s.opp_men; m++) {
                struct slice t = {(uint8_t)(s.opp_kings - k), (uint8_t)(s.opp_men - m),
                                  (uint8_t)(s.kings + crown), (uint8_t)(s.men - crown)};

                if ((k + m || (crown && crowning)) && t.kings + t.men > 0)
                    list[n++] = t;
            }
    return n;
}

/* The tables that a slice reads, whoever is to move. */
static int slice_reads(struct slice s, struct slice *list)
{
    int n = reads_of(s, true, list);

    return slice_symmetric(s) ? n : n + reads_of(slice_flip(s), true, list + n);
}

/* Read a table from its file and give the positions with a capture their value. */
static enum status table_read(struct builder *b, enum kind kind, struct slice s, struct error *e)
{
    const struct table *t = NULL, *wld = NULL;
    struct slice file = slice_canonical(s);
    struct workspaces workspaces = {0};
    struct block_job job = {.same = &b->pool->set[kind], .conv = &b->pool->set[kind]};
    const struct kernel *kernel = kernel_of(b, kind);
    uint64_t workspace = workspaces_bytes(kernel, b->sets, s, b->crew.threads);
    enum status rc;

    tell(b, file, "reading");
    rc = catalog_table(b->catalog, file, kind, &t, e);
    if (!rc && kind != KIND_WLD)
        rc = catalog_table(b->catalog, file, KIND_WLD, &wld, e);
    if (rc || (rc = pool_add(b->pool, kind, s, form_of(b, kind), &job.out[0], e)))
        return rc;
    job.out[1] = slice_symmetric(s) ? job.out[0] : NULL;
    pool_pin(b->pool, s, 1);
    rc = pages_load(&b->crew, b->sets, t, wld, job.out[0], e);
    if (!rc && workspace > b->pool->aside)
        rc = pool_reserve(b->pool, workspace - b->pool->aside, e);
    if (!rc)
        rc = workspaces_open(&workspaces, kernel, b->sets, s, b->crew.threads, b->pool->frames, e);
    if (!rc)
        rc = blocks_refill(&b->crew, &workspaces, b->sets, s, &job, e);
    workspaces_close(&workspaces);
    pool_pin(b->pool, s, -1);
    if (rc)
        pool_drop(b->pool, kind, s);
    else
        b->decoded += job.out[0]->layout.positions;
    return rc;
}

/* Have a table in the pool: from the shelf, or from its file and what captures lead to. */
static enum status table_bring(struct builder *b, enum kind kind, struct slice s, struct error *e)
{
    struct slice need[SLICE_CODES];
    int n, pinned = 0;
    enum status rc = STATUS_OK;

    if (pool_has(b->pool, kind, s))
        return STATUS_OK;
    if (shelf_has(b->pool->shelf, kind, s))
        return pool_unshelve(b->pool, kind, s, form_of(b, kind), e);
    n = reads_of(s, false, need);
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

/* What of a slice is still to be made. */
struct todo {
    bool write[KINDS]; /* files */
    bool raw[KINDS];   /* tables in memory */
};

static bool todo_find(const struct builder *b, struct slice s, struct todo *t)
{
    bool any = false;

    *t = (struct todo){0};
    for (int k = 0; k < KINDS; k++) {
        t->write[k] = (b->o->kind[k] || k == KIND_WLD) && !catalog_has(b->catalog, s, (enum kind)k);
        any |= t->write[k];
    }
    t->raw[KIND_WLD] = any;
    t->raw[KIND_DTC] = t->write[KIND_DTC];
    t->raw[KIND_DTW] = t->write[KIND_DTW];
    return any;
}

/* When is each table wanted again? */
static void uses_update(struct builder *b, int now)
{
    struct slice list[SLICE_CODES];

    for (int i = 0; i < SLICE_CODES; i++)
        b->pool->next_use[i] = POOL_NEVER;
    for (int i = b->plan->count - 1; i >= now; i--) {
        struct todo t;
        int n = todo_find(b, b->plan->slice[i], &t) ? slice_reads(b->plan->slice[i], list) : 0;

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

static enum status tables_bring(struct builder *b, struct slice s, const struct todo *t,
                                struct error *e)
{
    struct slice list[SLICE_CODES];
    int n = slice_reads(s, list);
    enum status rc = STATUS_OK;

    for (int i = 0; i < n && !rc; i++) {
        if (t->raw[KIND_DTC] || !t->raw[KIND_DTW])
            rc = table_bring(b, KIND_WLD, list[i], e);
        if (!rc && t->raw[KIND_DTW])
            rc = table_bring(b, KIND_DTW, list[i], e);
    }
    return rc;
}

/* Both tables of a slice, to be filled; the same if it is symmetric.  Without room for both
 * they are files, which *kept says may hold parts of an earlier run. */
static enum status tables_add(struct builder *b, enum kind kind, struct slice s, struct raw *out[2],
                              bool *mapped, bool *kept, struct error *e)
{
    enum raw_form form = form_of(b, kind);
    uint64_t bytes = raw_bytes(s, form) * (slice_symmetric(s) ? 1 : 2);
    enum status rc = pool_reserve(b->pool, bytes, e);
    bool other = true;

    *mapped = shelf_on_disk(b->pool->shelf) &&
              (rc == STATUS_NO_MEMORY || (b->o->part_bytes && bytes > b->o->part_bytes));
    *kept = false;
    if (*mapped)
        rc = pool_map(b->pool, kind, s, form, true, kept, &out[0], e);
    else if (!rc)
        rc = pool_add(b->pool, kind, s, form, &out[0], e);
    out[1] = out[0];
    if (rc || slice_symmetric(s))
        return rc;
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
    char journal[SHELF_PATH_MAX];
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
    parts.journal = shelf_journal(b->pool->shelf, kind, s, journal);
    return parts_solve(&parts, e);
}

static enum status kind_solve(struct builder *b, struct slice s, enum kind kind, struct error *e)
{
    struct workspaces workspaces = {0};
    struct block_job job = {.same = &b->pool->set[kind], .conv = &b->pool->set[kind_across(kind)]};
    bool mapped = false, kept = false;
    enum status rc = tables_add(b, kind, s, job.out, &mapped, &kept, e);

    if (!rc)
        rc = workspaces_open(&workspaces, kernel_of(b, kind), b->sets, s, b->crew.threads,
                             b->pool->frames, e);
    if (!rc)
        rc = blocks_or_parts(b, s, kind, &workspaces, &job, mapped, kept, e);
    workspaces_close(&workspaces);
    return rc;
}

/* Win/loss/draw follow from distances that are there anyway. */
static enum status wld_from_dtw(struct builder *b, struct slice s, struct error *e)
{
    struct raw *out[2];
    bool mapped, kept;
    enum status rc = tables_add(b, KIND_WLD, s, out, &mapped, &kept, e);

    for (int m = 0; m < (slice_symmetric(s) ? 1 : 2) && !rc; m++)
        raw_pack(out[m], b->pool->set[KIND_DTW].at[slice_code(out[m]->layout.slice)]);
    return rc;
}

static enum status slice_solve(struct builder *b, struct slice s, const struct todo *t,
                               struct error *e)
{
    enum status rc = STATUS_OK;

    if (t->raw[KIND_DTW]) {
        tell(b, s, "dtw");
        rc = kind_solve(b, s, KIND_DTW, e);
        if (!rc)
            rc = wld_from_dtw(b, s, e);
    } else {
        tell(b, s, "wld");
        rc = kind_solve(b, s, KIND_WLD, e);
    }
    if (!rc && t->raw[KIND_DTC]) {
        tell(b, s, "dtc");
        rc = kind_solve(b, s, KIND_DTC, e);
    }
    return rc;
}

static enum status slice_save(struct builder *b, struct slice s, const struct todo *t,
                              struct build_report *r, struct error *e)
{
    struct pages_source source = {.slice = s};
    struct pages_result result;
    enum status rc;

    tell(b, s, "saving");
    for (int k = 0; k < KINDS; k++) {
        source.write[k] = t->write[k];
        source.raw[k][0] = b->pool->set[k].at[slice_code(s)];
        source.raw[k][1] = b->pool->set[k].at[slice_code(slice_flip(s))];
    }
    rc = pages_save(&b->crew, b->sets, b->o->dir, &source, b->o->done, &result, e);
    for (int k = 0; k < KINDS && !rc; k++)
        if (t->write[k])
            rc = catalog_added(b->catalog, s, (enum kind)k, &r->bytes[k], e);
    return rc ? rc : catalog_write_manifest(b->catalog, e);
}

/* What the workspaces of a slice take, and, where tables may become files, those for the
 * captures of the tables that it reads. */
static uint64_t workspaces_most(const struct builder *b, struct slice s, const struct todo *t)
{
    struct slice list[SLICE_CODES];
    int n = shelf_on_disk(b->pool->shelf) ? slice_reads(s, list) : 0, threads = b->crew.threads;
    uint64_t most = 0;

    for (int k = 0; k < KINDS; k++) {
        const struct kernel *kernel = kernel_of(b, (enum kind)k);
        uint64_t bytes = workspaces_bytes(kernel, b->sets, s, threads);

        if (!t->raw[k] || (k == KIND_WLD && t->raw[KIND_DTW] && !t->raw[KIND_DTC]))
            continue;
        most = bytes > most ? bytes : most;
        for (int i = 0; i < n; i++) {
            bytes = workspaces_bytes(kernel, b->sets, list[i], threads);
            most = bytes > most ? bytes : most;
        }
    }
    return most;
}

static enum status slice_build(struct builder *b, struct slice s, const struct todo *t,
                               struct build_report *r, struct error *e)
{
    enum status rc;

    tables_pin(b, s, 1);
    b->pool->aside = workspaces_most(b, s, t);
    if ((rc = pool_reserve(b->pool, 0, e)))
        goto done;
    if ((rc = tables_bring(b, s, t, e))) /* 1. what its moves lead to          */
        goto done;
    if ((rc = slice_solve(b, s, t, e))) /* 2. values, block by block           */
        goto done;
    rc = slice_save(b, s, t, r, e); /* 3. files, page by page                  */
done:
    tables_drop(b, KIND_DTC, s); /* 4. forget what nobody reads again          */
    if (rc || !wld_is_read(b))
        tables_drop(b, KIND_WLD, s);
    if (rc)
        tables_drop(b, KIND_DTW, s);
    b->pool->aside = 0;
    tables_pin(b, s, -1);
    return rc;
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

        uses_update(b, i);
        pool_forget(b->pool);
        rc = slice_build(b, r.slice, &todo, &r, e);
        r.decoded = b->decoded - decoded;
        r.unpacked = b->pool->unpacked - unpacked;
        r.scratch = shelf_files(b->pool->shelf);
    } else if (b->o->done) {
        atomic_fetch_add(b->o->done, r.values * (uint64_t)steps_of(b->o));
    }
    r.seconds = clock_now(CLOCK_MONOTONIC) - wall;
    r.cpu_seconds = clock_now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
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
            bytes += k == KIND_DTC ? 0 : raw_bytes(table, form_of(b, (enum kind)k));
    for (int i = first; i <= last; i++)
        live[i] += bytes;
}

uint64_t build_scratch_most(const struct build_plan *p, const struct build_options *o)
{
    struct builder b = {.plan = p, .o = o};
    struct slice list[SLICE_CODES];
    bool seen[SLICE_CODES] = {false};
    uint64_t *live = calloc((size_t)p->count + 1, sizeof *live), most = 0;

    for (int i = p->count - 1; i >= 0 && live; i--) {
        int n = slice_reads(p->slice[i], list);

        b.wide |= slice_pieces(p->slice[i]) > 7;
        list[n++] = p->slice[i];
        if (!slice_symmetric(p->slice[i]))
            list[n++] = slice_flip(p->slice[i]);
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

static enum status builder_open(struct builder *b, struct error *e)
{
    int kings = 0;
    enum status rc = catalog_open_to_build(&b->catalog, b->o->dir, e);

    if (rc)
        return rc;
    for (int i = 0; i < b->plan->count; i++) {
        kings = slice_pieces(b->plan->slice[i]) > kings ? slice_pieces(b->plan->slice[i]) : kings;
        b->wide |= slice_pieces(b->plan->slice[i]) > 7;
    }
    b->sets = sets_create(kings > SETS_KMAX ? SETS_KMAX : kings);
    if (!b->sets || crew_open(&b->crew, b->o->threads, b->o->stop))
        return error_set(e, STATUS_NO_MEMORY, "no memory to begin with");
    return pool_open(&b->pool, b->o->memory, b->o->scratch, &b->crew, e);
}

enum status build_run(const struct build_plan *plan, const struct build_options *options,
                      struct error *e)
{
    struct builder b = {.plan = plan, .o = options};
    enum status rc = builder_open(&b, e);

    for (int i = 0; i < plan->count && !rc; i++)
        rc = builder_step(&b, i, e);
    if (!rc && (rc = catalog_check(b.catalog, e)) == STATUS_MISMATCH)
        rc = catalog_write_manifest(b.catalog, e); /* a run was killed just before that */
    if (!rc) {
        uses_update(&b, plan->count);
        pool_forget(b.pool);
    }
    if (b.crew.threads)
        crew_close(&b.crew);
    pool_close(&b.pool);
    sets_free(&b.sets);
    catalog_close(&b.catalog);
    return rc;
}
