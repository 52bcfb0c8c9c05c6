/* SPDX-License-Identifier: MIT */
#include "db/blocks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_MAX = 6 * PIECES_MAX + 1 };

/* -------------------------------------------------------------- workspaces -- */

int workspaces_wanted(struct slice s, int threads)
{
    return slice_men(s) ? threads : 1; /* without men there is a single block */
}

uint64_t workspaces_bytes(const struct kernel *k, const struct sets *sets, struct slice s,
                          int threads)
{
    return (uint64_t)workspaces_wanted(s, threads) * frames_size(k->space_bytes(sets, s));
}

enum status workspaces_open(struct workspaces *w, const struct kernel *k, const struct sets *sets,
                            struct slice s, int threads, struct frames *frames, struct error *e)
{
    *w = (struct workspaces){.kernel = k, .frames = frames, .bytes = k->space_bytes(sets, s)};
    for (; w->count < workspaces_wanted(s, threads); w->count++) {
        void *memory = w->memory[w->count] = frames_take(frames, w->bytes);

        w->space[w->count] = memory ? k->space_create(sets, s, memory) : NULL;
        if (!w->space[w->count]) {
            frames_give(frames, memory, w->bytes);
            workspaces_close(w);
            return error_set(e, STATUS_NO_MEMORY, "no memory for a workspace of %llu bytes",
                             (unsigned long long)w->bytes);
        }
    }
    return STATUS_OK;
}

void workspaces_close(struct workspaces *w)
{
    while (w->count > 0) {
        w->kernel->space_free(&w->space[--w->count]);
        frames_give(w->frames, w->memory[w->count], w->bytes);
    }
}

/* -------------------------------------------------------------------- order -- */

/* The placements of one side's men, by advancement. */
struct men_order {
    uint32_t count;
    uint8_t *advance;               /* by rank */
    uint32_t *rank;                 /* sorted by advancement */
    uint32_t first[LEVELS_MAX + 1]; /* where each advancement begins in `rank` */
};

static int order_create(struct men_order *o, const struct sets *sets, int men)
{
    const uint32_t *set = sets->family[men].set;
    uint32_t at[LEVELS_MAX + 1];

    memset(o->first, 0, sizeof o->first);
    o->count = sets_binomial[28][men];
    o->advance = malloc(o->count);
    o->rank = malloc(o->count * sizeof *o->rank);
    if (!o->advance || !o->rank)
        return -1;
    for (uint32_t i = 0; i < o->count; i++) {
        o->advance[i] = (uint8_t)men_advancement(set[i], 0);
        o->first[o->advance[i] + 1]++;
    }
    for (int l = 0; l < LEVELS_MAX; l++)
        o->first[l + 1] += o->first[l];
    memcpy(at, o->first, sizeof at);
    for (uint32_t i = 0; i < o->count; i++)
        o->rank[at[o->advance[i]]++] = i;
    assert(o->first[LEVELS_MAX] == o->count); /* each placement stands once, in its level */
    return 0;
}

static void order_free(struct men_order *o)
{
    free(o->advance);
    free(o->rank);
}

/* --------------------------------------------------------------------- work -- */

struct work {
    struct crew *crew;
    struct workspaces *workspaces;
    const struct sets *sets;
    struct slice slice;
    const struct block_job *job;
    const uint64_t *only;
    const struct block_range *range; /* NULL: all */
    _Atomic uint64_t *done;
    struct men_order own, opp;
    _Atomic uint32_t next[LEVELS_MAX];
    atomic_bool overflow, no_memory;
};

/* Solve into a copy of the block and take over only the positions with a capture. */
struct refill {
    uint8_t *block[2];
    uint64_t *mover;
};

static bool refill_open(struct refill *f, const struct raw *t)
{
    size_t words = (t->layout.block_size + 63) / 64 + 1;

    f->block[0] = calloc(1, t->stride + RAW_SLACK);
    f->block[1] = calloc(1, t->stride + RAW_SLACK);
    f->mover = calloc(words, 8);
    return f->block[0] && f->block[1] && f->mover;
}

static void refill_close(struct refill *f)
{
    free(f->block[0]);
    free(f->block[1]);
    free(f->mover);
}

static void plane_merge(uint8_t *to, const uint8_t *from, const uint64_t *mask, size_t bytes)
{
    const uint8_t *m = (const uint8_t *)mask;

    for (size_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)((to[i] & ~m[i]) | (from[i] & m[i]));
}

static void values_merge(struct raw *t, uint64_t block, const uint8_t *from, const uint64_t *mask)
{
    uint8_t *to = t->data + block * t->stride;
    size_t width = t->form == RAW_WIDE ? 2 : 1;

    if (t->form == RAW_PACKED) {
        plane_merge(to, from, mask, t->plane);
        plane_merge(to + t->plane, from + t->plane, mask, t->plane);
        return;
    }
    for (uint64_t i = 0; i < t->layout.block_size; i++)
        if (mask[i / 64] >> i % 64 & 1)
            memcpy(to + width * i, from + width * i, width);
}

static bool block_refill(struct work *w, struct space *sp, const struct block_job *job,
                         struct refill *f)
{
    bool one = job->out[0] == job->out[1];
    struct raw copy[2];
    uint64_t block[2];
    struct block_job trial = *job;

    block[0] = layout_block(&job->out[0]->layout, job->men, job->opp_men);
    block[1] =
        one ? layout_block(&job->out[0]->layout, packed_flip(job->opp_men), packed_flip(job->men))
            : 0;
    for (int i = 0; i <= one; i++) {
        copy[i] = *job->out[0];
        copy[i].data = f->block[i] - block[i] * copy[i].stride;
        trial.out[i] = &copy[i];
    }
    trial.captures_only = true;
    if (one && block[0] == block[1])
        trial.out[1] = trial.out[0];
    if (!w->workspaces->kernel->solve(sp, &trial))
        return false;
    for (int i = 0; i <= (one && block[0] != block[1]); i++) {
        const struct layout *l = &copy[i].layout;

        w->workspaces->kernel->captures(sp, l, block[i] * l->block_size, (uint32_t)l->block_size,
                                        f->mover);
        values_merge(job->out[0], block[i], f->block[i], f->mover);
    }
    return true;
}

static bool block_wanted(const struct work *w, const struct block_job *job)
{
    const struct layout *l = &job->out[0]->layout;
    uint64_t i;

    if (!w->only)
        return true;
    i = layout_block(l, job->men, job->opp_men);
    assert(i < l->blocks);
    if (w->only[i / 64] >> i % 64 & 1)
        return true;
    if (!slice_symmetric(w->slice))
        return false;
    i = layout_block(l, packed_flip(job->opp_men), packed_flip(job->men));
    return w->only[i / 64] >> i % 64 & 1;
}

/* The ranks of the own men to look at. */
static struct block_range own_range(const struct work *w)
{
    if (w->range && !w->range->opponent)
        return *w->range;
    return (struct block_range){0, w->own.count, false};
}

static bool opponent_in_range(const struct work *w, uint32_t y)
{
    return !w->range || !w->range->opponent || (y >= w->range->first && y < w->range->end);
}

/* All blocks with these men of the mover, and the opponent's at one level. */
static bool men_solve(struct work *w, struct space *sp, struct refill *refill, uint32_t x,
                      int level)
{
    struct block_job job = *w->job;
    bool symmetric = slice_symmetric(w->slice), fits = true;

    assert(x < w->own.count && level >= 0 && level < LEVELS_MAX);
    job.men = w->sets->family[w->slice.men].set[x];
    for (uint32_t i = w->opp.first[level]; i < w->opp.first[level + 1]; i++) {
        uint32_t y = w->opp.rank[i];

        job.opp_men = packed_flip(w->sets->family[w->slice.opp_men].set[y]);
        if ((job.men & job.opp_men) || (symmetric && x < y) || !opponent_in_range(w, y) ||
            !block_wanted(w, &job))
            continue;
        fits &= refill ? block_refill(w, sp, &job, refill) : w->workspaces->kernel->solve(sp, &job);
        if (w->done)
            atomic_fetch_add_explicit(w->done,
                                      job.out[0]->layout.block_size * (symmetric && x == y ? 1 : 2),
                                      memory_order_relaxed);
    }
    return fits;
}

static void level_solve(struct work *w, struct space *sp, struct refill *refill, int level)
{
    struct block_range own = own_range(w);
    uint32_t chunk = (own.end - own.first) / (uint32_t)(w->crew->threads * 16);

    chunk = chunk < 1 ? 1 : chunk > 64 ? 64 : chunk;
    for (;;) {
        uint32_t x = own.first + atomic_fetch_add(&w->next[level], chunk);

        if (x >= own.end || crew_stopped(w->crew))
            return;
        for (uint32_t end = x + chunk; x < end && x < own.end; x++) {
            int rest = level - w->own.advance[x];

            if (rest >= 0 && rest < LEVELS_MAX && !men_solve(w, sp, refill, x, rest))
                atomic_store(&w->overflow, true);
        }
    }
}

static void solve_job(void *arg, int id)
{
    struct work *w = arg;
    struct space *sp = id < w->workspaces->count ? w->workspaces->space[id] : NULL;

    for (int level = 6 * slice_men(w->slice); level >= 0; level--) {
        if (sp)
            level_solve(w, sp, NULL, level);
        crew_wait(w->crew);
    }
}

/* Captures lead to other slices only: any order will do. */
static void refill_job(void *arg, int id)
{
    struct work *w = arg;
    struct refill refill;

    if (id >= w->workspaces->count)
        return;
    if (!refill_open(&refill, w->job->out[0]))
        atomic_store(&w->no_memory, true);
    else
        for (int level = 6 * slice_men(w->slice); level >= 0; level--)
            level_solve(w, w->workspaces->space[id], &refill, level);
    refill_close(&refill);
}

static enum status work_run(struct work *w, crew_job *fn, struct error *e)
{
    char name[SLICE_NAME_MAX];
    enum status rc = STATUS_OK;

    assert(w->workspaces->count == workspaces_wanted(w->slice, w->crew->threads));
    assert(slice_equal(w->job->out[0]->layout.slice, w->slice));
    assert(!w->job->out[1] || slice_equal(w->job->out[1]->layout.slice, slice_flip(w->slice)));
    if (order_create(&w->own, w->sets, w->slice.men) ||
        order_create(&w->opp, w->sets, w->slice.opp_men))
        rc = error_set(e, STATUS_NO_MEMORY, "no memory for the order of blocks");
    else
        crew_run(w->crew, fn, w);
    order_free(&w->own);
    order_free(&w->opp);
    if (rc)
        return rc;
    if (crew_stopped(w->crew))
        return error_set(e, STATUS_INTERRUPTED, "interrupted");
    if (w->no_memory)
        return error_set(e, STATUS_NO_MEMORY, "no memory for a copy of a block");
    if (w->overflow)
        return error_set(e, STATUS_OVERFLOW, "%s: a distance is too long for one byte",
                         slice_name(w->slice, name));
    return STATUS_OK;
}

enum status blocks_solve(struct crew *crew, struct workspaces *workspaces, const struct sets *sets,
                         struct slice s, const struct block_job *job, const uint64_t *only,
                         _Atomic uint64_t *done, struct error *e)
{
    struct work w = {.crew = crew,
                     .workspaces = workspaces,
                     .sets = sets,
                     .slice = s,
                     .job = job,
                     .only = only,
                     .done = done};

    return work_run(&w, solve_job, e);
}

enum status blocks_solve_range(struct crew *crew, struct workspaces *workspaces,
                               const struct sets *sets, struct slice s, const struct block_job *job,
                               const struct block_range *range, _Atomic uint64_t *done,
                               struct error *e)
{
    struct work w = {.crew = crew,
                     .workspaces = workspaces,
                     .sets = sets,
                     .slice = s,
                     .job = job,
                     .range = range,
                     .done = done};

    return work_run(&w, solve_job, e);
}

enum status blocks_refill(struct crew *crew, struct workspaces *workspaces, const struct sets *sets,
                          struct slice s, const struct block_job *job, struct error *e)
{
    struct work w = {.crew = crew, .workspaces = workspaces, .sets = sets, .slice = s, .job = job};

    return work_run(&w, refill_job, e);
}
