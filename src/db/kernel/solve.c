/* SPDX-License-Identifier: MIT
 *
 * solve.c -- the workspace of a kernel, and the driver of one block. */
#include "db/kernel/space.h"

#include <stdlib.h>

/* Hands out pieces of one mapping; a first pass with base NULL only adds up. */
struct arena {
    uint8_t *base;
    size_t used;
};

static void *take(struct arena *a, size_t bytes)
{
    void *p = a->base ? a->base + a->used : NULL;

    a->used += (bytes + 63) & ~(size_t)63;
    return p;
}

/* Rows come in whole tiles, except for the single row of a side without kings. */
static size_t rows_padded(const struct set_family *f)
{
    return f->k ? (size_t)f->words * LANES : 1;
}

/* `idle`: its positions are those of the other half, which does the work. */
static void half_carve(struct half *h, struct arena *a, bool idle)
{
    size_t words = h->own->words, panels = h->opp->words, cells = panels * rows_padded(h->own);
    bool iterated = h->kings && h->opp_kings;

    h->rows = rows_padded(h->own);
    h->panels = (int)panels;
    h->row_ok = take(a, words * 8);
    h->men_free = take(a, panels * 8);
    for (int i = 0; i < MAN_MOVES_MAX; i++)
        h->man_move[i].present = take(a, panels * 8);
    if (idle || (h->kings && !h->opp_kings))
        return; /* lone.c has its own vectors */
    h->best = take(a, cells * sizeof(group));
    h->quiet = take(a, cells * 8);
#ifdef KERNEL_WLD
    if (iterated) {
        h->score = h->best;
        h->held = h->men_count ? take(a, cells * 8) : NULL;
    } else {
        h->valid = take(a, cells * 8);
    }
#else
    h->valid = take(a, cells * 8);
    h->score = iterated ? take(a, cells * sizeof(group)) : NULL;
#endif
    if (!iterated)
        return;
    h->seen = take(a, words * rows_padded(h->opp) * sizeof(group));
    h->changed[0] = take(a, words * panels * 8);
    h->changed[1] = take(a, words * panels * 8);
    h->move_first = take(a, (h->own->count + 1) * sizeof(uint32_t));
    h->move = take(a, (size_t)h->own->count * 4 * (size_t)h->kings * sizeof(uint32_t));
}

static void space_carve(struct space *sp, struct arena *a, bool member)
{
    int most = sp->slice.kings > sp->slice.opp_kings ? sp->slice.kings : sp->slice.opp_kings;
    int largest = most + 1 > sp->sets->kmax ? most : most + 1;
    size_t words = sp->sets->family[largest].words;
    uint64_t **bitmap[] = {&sp->need,   &sp->avoid,   &sp->valid,  &sp->quiet, &sp->condition,
                           &sp->target, &sp->present, &sp->wanted, &sp->base,  &sp->base_fewer};

    for (size_t i = 0; i < sizeof bitmap / sizeof *bitmap; i++)
        *bitmap[i] = take(a, words * 8);
    sp->best = take(a, words * sizeof(group));
    sp->list_words = words + 2;
    sp->list = take(a, sp->list_words * sizeof(group));
    for (int i = 0; i < 2; i++)
        sp->dense[i] = take(a, words * sizeof(group));
    if (member)
        return;
    half_carve(&sp->half[0], a, false);
    half_carve(&sp->half[1], a, slice_symmetric(sp->slice) && !slice_men(sp->slice));
}

static void half_set(struct half *h, const struct sets *sets, struct slice s)
{
    h->own = &sets->family[s.kings];
    h->opp = &sets->family[s.opp_kings];
    h->kings = s.kings;
    h->men_count = s.men;
    h->opp_kings = s.opp_kings;
    h->opp_men_count = s.opp_men;
}

static size_t space_set(struct space *sp, const struct sets *sets, struct slice s, bool member)
{
    struct arena a = {NULL, 0};

    sp->sets = sets;
    sp->slice = s;
    half_set(&sp->half[0], sets, s);
    half_set(&sp->half[1], sets, slice_flip(s));
    space_carve(sp, &a, member);
    return a.used + RAW_SLACK;
}

static uint64_t K(space_bytes)(const struct sets *sets, struct slice s, bool member)
{
    struct space sp = {0};

    return space_set(&sp, sets, s, member);
}

/* Clear what blocks expect and leave empty; everything else is written before it is read. */
static void space_clear(struct space *sp)
{
    for (int i = 0; i < 2; i++) {
        struct half *h = &sp->half[i];
        size_t bytes = (size_t)h->own->words * h->opp->words * 8;

        if (h->changed[0]) {
            memset(h->changed[0], 0, bytes);
            memset(h->changed[1], 0, bytes);
        }
        memset(sp->need, 0, h->own->words * 8);
    }
}

static struct space *K(space_create)(const struct sets *sets, struct slice s, bool member,
                                     void *memory)
{
    struct space *sp = calloc(1, sizeof *sp);
    struct arena a = {memory, 0};

    if (!sp)
        return NULL;
    space_set(sp, sets, s, member);
    space_carve(sp, &a, member);
    space_clear(sp);
    return sp;
}

static void K(space_free)(struct space **sp)
{
    free(*sp);
    *sp = NULL;
}

static void halves_prepare(struct space *sp, const struct block_job *job)
{
    struct half *a = &sp->half[0], *b = &sp->half[1];

    a->men = job->men;
    a->opp_men = job->opp_men;
    b->men = packed_flip(job->opp_men);
    b->opp_men = packed_flip(job->men);
    a->out = job->out[0];
    b->out = job->out[1];
    sp->stop = job->stop;
    K(half_prepare)(a, job);
    K(half_prepare)(b, job);
}

static bool block_is_self(const struct block_job *job)
{
    return job->out[0] == job->out[1] && job->men == packed_flip(job->opp_men);
}

/* Both sides have kings.  Threads that work jointly all call this. */
static bool kings_solve(struct space *sp, const struct block_job *job)
{
    struct half *a = &sp->half[0], *b = &sp->half[1];

    K(half_leave)(sp, a, job);
    if (block_is_self(job))
        return K(halves_sweep)(sp, a, a, job);
    if (job->out[1])
        K(half_leave)(sp, b, job);
    else if (b->valid)
        K(half_masks)(sp, b, job);
    return K(halves_sweep)(sp, a, b, job);
}

static bool K(solve)(struct space *sp, const struct block_job *job)
{
    struct half *a = &sp->half[0], *b = &sp->half[1];
    bool self = block_is_self(job), alone = !job->out[1];

    halves_prepare(sp, job);
    if (!a->kings && !b->kings) {
        bool fits = K(men_solve)(a, job);
        return (self || alone || K(men_solve)(b, job)) && fits;
    }
    if (!b->kings)
        return K(lone_solve)(sp, a, b, job);
    if (!a->kings)
        return K(lone_solve)(sp, b, a, job);
    return kings_solve(sp, job);
}

/* --------------------------------------------------------------------- jointly -- */

static void joint_begin(struct space *sp, struct crew *crew, const struct block_job *job)
{
    sp->shared.crew = crew;
    for (int i = 0; i < PHASES; i++) {
        atomic_init(&sp->shared.next[i], 0);
        atomic_init(&sp->shared.moved[i], false);
    }
    halves_prepare(sp, job);
}

static bool K(solve_joint)(struct space *const *space, int id, struct crew *crew,
                           const struct block_job *job)
{
    struct space *sp = space[id];
    bool fits;

    if (id == 0)
        joint_begin(sp, crew, job);
    crew_wait(crew);
    if (id)
        memcpy(sp->half, space[0]->half, sizeof sp->half);
    sp->joint = &space[0]->shared;
    sp->stop = job->stop;
    sp->member = id;
    sp->phase = 0;
    fits = kings_solve(sp, job);
    sp->joint = NULL;
    return fits;
}

const struct kernel K(kernel) = {
    .space_create = K(space_create),
    .space_free = K(space_free),
    .solve = K(solve),
    .solve_joint = K(solve_joint),
    .captures = K(captures),
    .space_bytes = K(space_bytes),
};
