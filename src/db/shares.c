/* SPDX-License-Identifier: MIT
 *
 * shares.c -- the builder's steps where each rank of a team holds its share of every table. */
#include "db/builder.h"

#include "db/spread_solve.h"

#include <stdlib.h>
#include <unistd.h>

enum {
    VIEW_SHARE = 4,       /* of memory, for what is fetched */
    LOAD_BYTES = 1 << 25, /* of a table that is read from its file, at a time */
};

uint64_t shares_room(const struct builder *b)
{
    return b->spread ? b->o->memory / VIEW_SHARE : 0;
}

/* The path of a slice's log of parts (part_log.h); NULL if there is none. */
static const char *log_path(const struct builder *b, struct slice s, enum kind kind,
                            char path[SCRATCH_PATH_MAX])
{
    return *b->scratch ? scratch_path(path, b->scratch, kind, s, "log") : NULL;
}

/* Close views, and add up what went through them. */
static void views_close(struct builder *b, struct spread **spread)
{
    if (*spread) {
        b->traffic.brought += (*spread)->traffic.brought;
        b->traffic.own += (*spread)->traffic.own;
        b->traffic.put += (*spread)->traffic.put;
        b->parts += (*spread)->parts;
        b->kept += (*spread)->kept;
    }
    spread_close(spread);
}

/* Views of a table and of the tables in a list, of a kind. */
static enum status views_open(struct builder *b, struct spread **spread, struct slice s,
                              enum kind kind, const struct slice *list, int n, enum kind across,
                              struct error *e)
{
    enum status rc = spread_open(spread, b->pool, b->o->team, e);

    if (!rc)
        rc = spread_add(*spread, kind, s, e);
    for (int i = 0; i < n && !rc; i++)
        rc = spread_add(*spread, across, list[i], e);
    return rc;
}

enum status shares_solve(struct builder *b, struct slice s, enum kind kind,
                         struct workspaces *workspaces, struct error *e)
{
    struct slice list[SLICE_CODES];
    char path[SCRATCH_PATH_MAX];
    struct spread_job job = {.crew = &b->crew,
                             .workspaces = workspaces,
                             .sets = b->sets,
                             .slice = s,
                             .kind = kind,
                             .across = kind_across(kind),
                             .room = shares_room(b),
                             .part_bytes = b->o->part_bytes,
                             .log = log_path(b, s, kind, path),
                             .done = b->o->done};
    enum status rc = views_open(b, &job.spread, s, kind, list, slice_reads(s, list), job.across, e);

    if (!rc)
        rc = spread_add(job.spread, kind, slice_flip(s), e);
    if (!rc)
        rc = spread_run(&job, e);
    views_close(b, &job.spread);
    return rc;
}

/* Win/loss/draw of one table from its distances. */
enum status shares_pack(struct builder *b, struct slice table, struct error *e)
{
    struct spread_job job = {.crew = &b->crew,
                             .sets = b->sets,
                             .work = SPREAD_PACK,
                             .slice = table,
                             .kind = KIND_WLD,
                             .across = KIND_DTW,
                             .room = shares_room(b)};
    enum status rc = views_open(b, &job.spread, table, KIND_WLD, &table, 1, KIND_DTW, e);

    if (!rc)
        rc = spread_run(&job, e);
    views_close(b, &job.spread);
    return rc;
}

/* Rank 0 reads a table from its file, and puts it to its owners bit by bit. */
static enum status spread_load(struct builder *b, struct spread *spread, enum kind kind,
                               struct slice s, struct error *e)
{
    const struct table *t = NULL, *wld = NULL;
    struct slice file = slice_canonical(s);
    struct spread_view *v = spread->at[kind][slice_code(s)];
    uint64_t each = LOAD_BYTES / v->cut.stride + 1, end;
    bool reads = team_rank(b->o->team) == 0;
    enum status rc = reads ? catalog_table(b->catalog, file, kind, &t, e) : STATUS_OK;
    struct spread_piece *list = reads ? malloc(each * sizeof *list) : NULL;

    if (!rc && reads && kind != KIND_WLD)
        rc = catalog_table(b->catalog, file, KIND_WLD, &wld, e);
    if (!rc && reads && !list)
        rc = error_no_memory(e);
    for (uint64_t first = 0; first < v->cut.blocks && !rc; first = end) {
        size_t n = 0;

        end = first + each < v->cut.blocks ? first + each : v->cut.blocks;
        if (reads)
            rc = pages_load_blocks(&b->crew, b->sets, t, wld, &v->raw, first, end, e);
        for (uint64_t i = first; reads && i < end; i++)
            list[n++] = (struct spread_piece){i, 1, v->number};
        if (!rc)
            rc = spread_put(spread, list, n, NULL, NULL, e);
        spread_release(spread, v);
    }
    free(list);
    return rc;
}

/* Read a table from its file, all ranks together. */
static enum status spread_table_read(struct builder *b, enum kind kind, struct slice s,
                                     const struct slice *need, int n, struct error *e)
{
    struct workspaces workspaces = {0};
    struct raw *out;
    struct spread_job job = {.crew = &b->crew,
                             .workspaces = &workspaces,
                             .sets = b->sets,
                             .work = SPREAD_REFILL,
                             .slice = s,
                             .kind = kind,
                             .across = kind,
                             .room = shares_room(b)};
    enum status rc;

    builder_tell(b, slice_canonical(s), "reading");
    rc = pool_add(b->pool, kind, s, builder_form(b, kind), &out, e);
    pool_pin(b->pool, s, 1);
    if (!rc)
        rc = views_open(b, &job.spread, s, kind, need, n, kind, e);
    if (!rc)
        rc = spread_load(b, job.spread, kind, s, e);
    if (!rc)
        rc = workspaces_open(&workspaces, builder_kernel(b, kind), b->sets, s, b->crew.threads,
                             b->pool->frames, e);
    if (!rc)
        rc = spread_run(&job, e);
    workspaces_close(&workspaces);
    if (!rc)
        b->decoded += job.spread->at[kind][slice_code(s)]->raw.layout.positions;
    views_close(b, &job.spread);
    pool_pin(b->pool, s, -1);
    return rc;
}

/* Have all ranks their share of a table, raw or packed? */
static enum status share_there(const struct builder *b, enum kind kind, struct slice s, bool *all,
                               struct error *e)
{
    uint8_t there[TEAM_MAX] = {0};
    enum status rc;

    there[team_rank(b->o->team)] =
        pool_has(b->pool, kind, s) || swap_fits(b->pool->swap, kind, s, builder_form(b, kind));
    rc = team_gather(b->o->team, there, 1, e);
    *all = true;
    for (int r = 0; r < team_ranks(b->o->team); r++)
        *all &= there[r];
    return rc;
}

/* The same as table_bring, all ranks together. */
enum status shares_bring(struct builder *b, enum kind kind, struct slice s, struct error *e)
{
    struct slice need[SLICE_CODES];
    int n = slice_reads_mover(s, false, need), pinned = 0;
    bool all = false;
    enum status rc = share_there(b, kind, s, &all, e);

    if (rc || (all && pool_has(b->pool, kind, s)))
        return rc;
    if (all)
        return pool_swap_in(b->pool, kind, s, builder_form(b, kind), e);
    pool_drop(b->pool, kind, s);
    swap_drop(b->pool->swap, kind, s);
    for (; pinned < n && !rc; pinned++) {
        rc = shares_bring(b, kind, need[pinned], e);
        pool_pin(b->pool, need[pinned], 1);
    }
    if (!rc)
        rc = spread_table_read(b, kind, s, need, n, e);
    while (pinned > 0)
        pool_pin(b->pool, need[--pinned], -1);
    return rc;
}

/* What pages of this slice read. */
struct saving {
    struct spread *spread;
    const struct pages_source *source;
};

static enum status saving_bring(void *context, const struct pages_run *run, size_t n,
                                struct error *e)
{
    struct saving *v = context;

    spread_unuse(v->spread, 0);
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < KINDS; k++) {
            const struct raw *t = v->source->raw[k][run[i].mirror];
            uint64_t first, end;

            if (!t || (k != KIND_WLD && !v->source->write[k]))
                continue;
            first = run[i].first * TABLE_PAGE / t->layout.block_size;
            end = ((run[i].first + run[i].count) * TABLE_PAGE - 1) / t->layout.block_size + 1;
            end = end < t->layout.blocks ? end : t->layout.blocks;
            spread_use(v->spread->at[k][slice_code(t->layout.slice)], first, end - first, 0);
        }
    spread_trim(v->spread);
    return spread_fetch(v->spread, 0, e);
}

static enum status saving_open(struct builder *b, struct saving *v, struct pages_source *source,
                               struct slice s, struct error *e)
{
    enum status rc = spread_open(&v->spread, b->pool, b->o->team, e);

    for (int k = 0; k < KINDS && !rc; k++)
        for (int m = 0; m < 2 && !rc; m++) {
            struct slice table = m ? slice_flip(s) : s;

            if (!source->raw[k][m])
                continue;
            rc = spread_add(v->spread, (enum kind)k, table, e);
            source->raw[k][m] = rc ? NULL : v->spread->set[k].at[slice_code(table)];
        }
    v->source = source;
    source->bring = saving_bring;
    source->context = v;
    return rc;
}

enum status shares_save(struct builder *b, struct pages_source *source, struct pages_result *result,
                        struct error *e)
{
    struct saving views = {0};
    enum status rc = saving_open(b, &views, source, source->slice, e);

    if (!rc)
        rc = pages_save(&b->crew, b->sets, b->o->dir, source, b->o->done, result, e);
    views_close(b, &views.spread);
    return rc;
}

void shares_forget(const struct builder *b, struct slice s)
{
    char path[SCRATCH_PATH_MAX];

    for (int k = 0; k < KINDS; k++)
        if (log_path(b, s, (enum kind)k, path))
            unlink(path);
}
