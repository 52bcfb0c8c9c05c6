/* SPDX-License-Identifier: MIT */
#include "db/blocks.h"

#include "base/team.h"
#include "db/men_order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAN_LEVEL = 4,          /* blocks of a level of a slice with one man: the squares of a row */
    JOINT_LEAST = 1 << 16,  /* values of a block that threads share, if it is not the only one */
    SHARE_LEAST = 1 << 15,  /* values of a level; each rank solves a smaller one by itself */
    SHARE_DIRECT = 1 << 15, /* bytes of a block: larger ones go from table to table, ... */
    SHARE_BUFFER = 1 << 25, /* ... smaller ones together, through a buffer */
    SHARE_ROWS = 16,        /* that a thread takes at a time */
};

/* -------------------------------------------------------------- workspaces -- */

/* Where a level has fewer blocks than there are threads, the threads share a block: without men
 * there is only one, with a single man there are four to a level.  Both sides need kings for that,
 * and a small block is not worth the barriers. */
static bool slice_is_joint(struct slice s, int threads)
{
    uint64_t own = binomial(32 - slice_men(s), s.kings), size;
    int blocks = slice_men(s) ? MAN_LEVEL : 1;

    if (slice_men(s) > 1 || !s.kings || !s.opp_kings || threads <= blocks)
        return false;
    size = own * binomial(32 - slice_men(s) - s.kings, s.opp_kings);
    return blocks == 1 || size >= JOINT_LEAST;
}

int workspaces_wanted(struct slice s, int threads)
{
    return slice_men(s) || slice_is_joint(s, threads) ? threads : 1;
}

uint64_t workspaces_bytes(const struct kernel *k, const struct sets *sets, struct slice s,
                          int threads)
{
    uint64_t others = (uint64_t)workspaces_wanted(s, threads) - 1;

    return frames_size(k->space_bytes(sets, s, false)) +
           others * frames_size(k->space_bytes(sets, s, slice_is_joint(s, threads)));
}

enum status workspaces_open(struct workspaces *w, const struct kernel *k, const struct sets *sets,
                            struct slice s, int threads, struct frames *frames, struct error *e)
{
    *w = (struct workspaces){.kernel = k, .frames = frames, .joint = slice_is_joint(s, threads)};
    for (; w->count < workspaces_wanted(s, threads); w->count++) {
        int i = w->count;
        bool member = w->joint && i > 0;

        w->bytes[i] = k->space_bytes(sets, s, member);
        w->memory[i] = frames_take(frames, w->bytes[i]);
        w->space[i] = w->memory[i] ? k->space_create(sets, s, member, w->memory[i]) : NULL;
        if (!w->space[i]) {
            frames_give(frames, w->memory[i], w->bytes[i]);
            workspaces_close(w);
            return error_set(e, STATUS_NO_MEMORY, "no memory for a workspace of %llu bytes",
                             (unsigned long long)w->bytes[i]);
        }
    }
    return STATUS_OK;
}

void workspaces_close(struct workspaces *w)
{
    while (w->count > 0) {
        w->kernel->space_free(&w->space[--w->count]);
        frames_give(w->frames, w->memory[w->count], w->bytes[w->count]);
    }
}

/* --------------------------------------------------------------------- work -- */

/* How a team divides the current level.  Its blocks are counted row by row, one row for each
 * placement of the own men, and dealt to the ranks in turn. */
struct sharing {
    struct team *team;    /* NULL: a team of one */
    bool shared;          /* this level is divided */
    uint64_t *start;      /* [own.count + 1] blocks before each row */
    _Atomic uint32_t row; /* the next to look at */
    uint8_t *buffer;      /* one part per rank */
    uint64_t room;        /* blocks in a part */
    size_t each;          /* bytes of a block and its mirror */
    struct error error;
};

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
    struct sharing sharing;
    const struct block_men *list; /* or only these */
    size_t list_size;
    _Atomic size_t listed; /* how many were taken */
    bool refill;
};

/* Solve into a copy of the block and keep only the positions with a capture. */
struct refill {
    uint8_t *block[2];
    uint64_t *mover;
};

/* The number of values whose captures are computed at a time: whole words. */
enum { REFILL_PIECE = 1 << 22 };

static bool refill_open(struct refill *f, const struct raw *t)
{
    bool both = slice_symmetric(t->layout.slice) && slice_men(t->layout.slice);

    f->block[0] = calloc(1, t->stride + RAW_SLACK);
    f->block[1] = both ? calloc(1, t->stride + RAW_SLACK) : f->block[0];
    f->mover = calloc(REFILL_PIECE / 64 + 1, 8);
    return f->block[0] && f->block[1] && f->mover;
}

static void refill_close(struct refill *f)
{
    if (f->block[1] != f->block[0])
        free(f->block[1]);
    free(f->block[0]);
    free(f->mover);
}

uint64_t blocks_refill_bytes(struct slice table, enum raw_form form, int threads)
{
    uint64_t copies = slice_symmetric(table) && slice_men(table) ? 2 : 1;
    uint64_t users = slice_men(table) ? (uint64_t)threads : 1;

    return users * (copies * (raw_stride(table, form) + RAW_SLACK) + REFILL_PIECE / 8);
}

static void plane_merge(uint8_t *to, const uint8_t *from, const uint64_t *mask, size_t bytes)
{
    const uint8_t *m = (const uint8_t *)mask;

    for (size_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)((to[i] & ~m[i]) | (from[i] & m[i]));
}

/* Values at .. at + n - 1 of a block; `mask` begins with the first. */
static void values_merge(struct raw *t, uint64_t block, uint64_t at, uint64_t n,
                         const uint8_t *from, const uint64_t *mask)
{
    uint8_t *to = t->data + block * t->stride;
    size_t width = t->form == RAW_WIDE ? 2 : 1, plane = t->plane;

    if (t->form == RAW_PACKED) {
        plane_merge(to + at / 8, from + at / 8, mask, (n + 7) / 8);
        plane_merge(to + plane + at / 8, from + plane + at / 8, mask, (n + 7) / 8);
        return;
    }
    if (t->form == RAW_NINE)
        plane_merge(to + plane + at / 8, from + plane + at / 8, mask, (n + 7) / 8);
    for (uint64_t i = 0; i < n; i++)
        if (mask[i / 64] >> i % 64 & 1)
            memcpy(to + width * (at + i), from + width * (at + i), width);
}

/* Take over the captures of a block. */
static void block_merge(struct work *w, struct space *sp, struct raw *to, uint64_t block,
                        struct refill *f, const uint8_t *from)
{
    const struct layout *l = &to->layout;

    for (uint64_t at = 0; at < l->block_size; at += REFILL_PIECE) {
        uint64_t left = l->block_size - at, n = left < REFILL_PIECE ? left : REFILL_PIECE;

        w->workspaces->kernel->captures(sp, l, block * l->block_size + at, (uint32_t)n, f->mover);
        values_merge(to, block, at, n, from, f->mover);
    }
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
    if (crew_stopped(w->crew))
        return true; /* the block is unfinished and will not be read */
    for (int i = 0; i <= (one && block[0] != block[1]); i++)
        block_merge(w, sp, job->out[0], block[i], f, f->block[i]);
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

/* The blocks of a level with one placement of the mover's men. */
struct row {
    struct block_job job;
    uint32_t x, y;
    uint32_t at, end; /* in opp.rank */
    uint64_t number;  /* of the block in its level, if that is shared */
};

static struct row row_open(const struct work *w, uint32_t x, int level)
{
    struct row r = {.job = *w->job, .x = x};
    int rest = level - w->own.advance[x];

    assert(x < w->own.count);
    if (rest < 0 || rest >= LEVELS_MAX)
        return r;
    r.job.men = w->sets->family[w->slice.men].set[x];
    r.at = w->opp.first[rest];
    r.end = w->opp.first[rest + 1];
    return r;
}

/* The same in a level that was counted. */
static struct row row_open_counted(const struct work *w, uint32_t x, int level)
{
    struct row r = row_open(w, x, level);

    r.number = w->sharing.shared ? w->sharing.start[x] - 1 : 0;
    return r;
}

static bool row_next(const struct work *w, struct row *r)
{
    bool symmetric = slice_symmetric(w->slice);

    while (r->at < r->end) {
        r->job.opp_men = w->opp.flipped[r->at];
        r->y = w->opp.rank[r->at++];
        if ((r->job.men & r->job.opp_men) || (symmetric && r->x < r->y) ||
            !opponent_in_range(w, r->y) || !block_wanted(w, &r->job))
            continue;
        r->number++;
        return true;
    }
    return false;
}

/* The values of the row's block, both sides to move. */
static uint64_t row_values(const struct work *w, const struct row *r)
{
    bool once = slice_symmetric(w->slice) && r->x == r->y;

    return r->job.out[0]->layout.block_size * (once ? 1 : 2);
}

/* So many values are finished.  Not after each block: small ones would wait for it. */
static void values_count(const struct work *w, uint64_t values)
{
    if (w->done && values)
        atomic_fetch_add_explicit(w->done, values, memory_order_relaxed);
}

/* ------------------------------------------------------------------ sharing -- */

static int owner_of(const struct work *w, uint64_t number, int level)
{
    return (int)((number + (unsigned)level) % (unsigned)team_ranks(w->sharing.team));
}

static bool is_mine(const struct work *w, uint64_t number, int level)
{
    return !w->sharing.shared || owner_of(w, number, level) == team_rank(w->sharing.team);
}

static enum status sharing_open(struct work *w, struct error *e)
{
    struct sharing *h = &w->sharing;
    unsigned ranks = (unsigned)team_ranks(w->crew->team);

    if (ranks == 1)
        return STATUS_OK;
    h->team = w->crew->team;
    h->each = w->job->out[0]->stride + w->job->out[1]->stride;
    h->room = SHARE_BUFFER / ranks / h->each;
    h->start = calloc((size_t)w->own.count + 1, sizeof *h->start);
    h->buffer = h->each < SHARE_DIRECT ? malloc(h->room * h->each * ranks) : NULL;
    if (!h->start || (h->each < SHARE_DIRECT && !h->buffer))
        return error_set(e, STATUS_NO_MEMORY, "no memory to exchange blocks");
    assert(h->room > 0 || !h->buffer);
    return STATUS_OK;
}

/* Would dividing the slice cost more than it saves? */
static bool slice_is_small(const struct work *w)
{
    return team_ranks(w->crew->team) > 1 && !w->range &&
           2 * w->job->out[0]->layout.positions < w->crew->team->small;
}

static void sharing_close(struct sharing *h)
{
    free(h->start);
    free(h->buffer);
}

/* Take some rows from h->row on; false when none are left. */
static bool rows_take(struct work *w, uint32_t *first, uint32_t *end)
{
    *first = atomic_fetch_add(&w->sharing.row, SHARE_ROWS);
    if (*first >= w->own.count)
        return false;
    *end = w->own.count - *first < SHARE_ROWS ? w->own.count : *first + SHARE_ROWS;
    return true;
}

/* Count the blocks of a level.  All threads call this and meet here. */
static void level_begin(struct work *w, int id, int level)
{
    struct sharing *h = &w->sharing;
    struct block_range own = own_range(w);

    if (id == 0)
        atomic_store(&h->row, 0);
    crew_wait(w->crew);
    for (uint32_t x, end; rows_take(w, &x, &end);)
        for (; x < end; x++) {
            struct row r = row_open(w, x, level);

            h->start[x + 1] = 0;
            while (x >= own.first && x < own.end && row_next(w, &r))
                h->start[x + 1]++;
        }
    crew_wait(w->crew);
    if (id == 0) {
        for (uint32_t x = 0; x < w->own.count; x++)
            h->start[x + 1] += h->start[x];
        h->shared = h->start[w->own.count] * w->job->out[0]->layout.block_size >= SHARE_LEAST / 2;
    }
    crew_wait(w->crew);
}

static void block_places(const struct block_job *job, uint8_t *at[2])
{
    at[0] = job->out[0]->data +
            layout_block(&job->out[0]->layout, job->men, job->opp_men) * job->out[0]->stride;
    at[1] = job->out[1]->data +
            layout_block(&job->out[1]->layout, packed_flip(job->opp_men), packed_flip(job->men)) *
                job->out[1]->stride;
}

/* Copy the blocks of a round: our own from the tables to the buffer, all others back. */
static void round_copy(struct work *w, int level, uint64_t first, uint64_t slots, bool back)
{
    struct sharing *h = &w->sharing;
    unsigned ranks = (unsigned)team_ranks(h->team);
    uint64_t from = first * ranks, to = from + slots * ranks, values = 0;

    for (uint32_t x, end; rows_take(w, &x, &end) && h->start[x] < to;)
        for (; x < end; x++) {
            struct row r = row_open_counted(w, x, level);
            uint64_t stop = h->start[x + 1] <= from ? 0
                            : h->start[x + 1] < to  ? h->start[x + 1]
                                                    : to;

            while (r.number + 1 < stop && row_next(w, &r)) {
                int owner = owner_of(w, r.number, level);
                uint8_t *at[2], *wire;

                if (r.number < from || (owner == h->team->rank) == back)
                    continue;
                wire = h->buffer + ((uint64_t)owner * slots + r.number / ranks - first) * h->each;
                block_places(&r.job, at);
                for (int i = 0; i < 2; wire += r.job.out[i++]->stride)
                    memcpy(back ? at[i] : wire, back ? wire : at[i], r.job.out[i]->stride);
                values += back ? row_values(w, &r) : 0;
            }
        }
    values_count(w, values);
}

/* The row of a block of the level. */
static uint32_t row_of(const struct work *w, uint64_t number)
{
    uint32_t low = 0, high = w->own.count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (w->sharing.start[middle] <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Small blocks, many at a time. */
static void exchange_rounds(struct work *w, int id, int level)
{
    struct sharing *h = &w->sharing;
    unsigned ranks = (unsigned)team_ranks(h->team);
    uint64_t all = (h->start[w->own.count] + ranks - 1) / ranks;

    for (uint64_t first = 0, slots; first < all && !h->error.status; first += slots) {
        slots = all - first < h->room ? all - first : h->room;
        for (int back = 0; back < 2; back++) {
            if (id == 0 && back && !h->error.status)
                team_gather(h->team, h->buffer, slots * h->each, &h->error);
            if (id == 0)
                atomic_store(&h->row, row_of(w, first * ranks));
            crew_wait(w->crew);
            if (!h->error.status)
                round_copy(w, level, first, slots, back);
            crew_wait(w->crew);
        }
    }
}

/* Large blocks, one at a time, from table to table. */
static void exchange_direct(struct work *w, int level)
{
    struct sharing *h = &w->sharing;

    for (uint32_t x = 0; x < w->own.count && !h->error.status; x++) {
        struct row r = row_open_counted(w, x, level);

        while (h->start[x + 1] > h->start[x] && !h->error.status && row_next(w, &r)) {
            int owner = owner_of(w, r.number, level);
            uint8_t *at[2];

            block_places(&r.job, at);
            for (int i = 0; i < (at[0] == at[1] ? 1 : 2) && !h->error.status; i++)
                team_share(h->team, owner, at[i], r.job.out[i]->stride, &h->error);
            if (owner != h->team->rank)
                values_count(w, row_values(w, &r));
        }
    }
}

/* Unfinished blocks are not sent. */
static void level_exchange(struct work *w, int id, int level)
{
    struct sharing *h = &w->sharing;

    if (id == 0 && !h->error.status && crew_stopped(w->crew))
        error_set(&h->error, STATUS_INTERRUPTED, "interrupted");
    if (id == 0 && !h->error.status && w->overflow)
        error_set(&h->error, STATUS_OVERFLOW, "overflow");
    crew_wait(w->crew);
    if (h->error.status)
        return;
    if (h->buffer) {
        exchange_rounds(w, id, level);
    } else {
        crew_wait(w->crew); /* all have looked at the error before it can be set */
        if (id == 0)
            exchange_direct(w, level);
    }
    crew_wait(w->crew);
}

/* -------------------------------------------------------------------- solve -- */

/* Solve all blocks with these men of the mover and opponent's men of one level. */
static bool men_solve(struct work *w, struct space *sp, struct refill *refill, uint32_t x,
                      int level)
{
    struct row r = row_open_counted(w, x, level);
    uint64_t values = 0;
    bool fits = true;

    r.job.stop = w->crew->stop;
    while (!crew_stopped(w->crew) && row_next(w, &r)) {
        if (!is_mine(w, r.number, level))
            continue;
        fits &=
            refill ? block_refill(w, sp, &r.job, refill) : w->workspaces->kernel->solve(sp, &r.job);
        values += row_values(w, &r);
    }
    values_count(w, values);
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
        for (uint32_t end = x + chunk; x < end && x < own.end; x++)
            if (!men_solve(w, sp, refill, x, level))
                atomic_store(&w->overflow, true);
    }
}

static void block_solve_joint(struct work *w, int id, struct block_job *job)
{
    job->stop = w->crew->stop;
    if (!w->workspaces->kernel->solve_joint(w->workspaces->space, id, w->crew, job))
        atomic_store(&w->overflow, true);
}

/* The level's few blocks, each by all threads, who go through them in step. */
static void level_solve_joint(struct work *w, int id, int level)
{
    struct block_range own = own_range(w);

    for (uint32_t x = own.first; x < own.end; x++) {
        struct row r = row_open_counted(w, x, level);

        while (row_next(w, &r)) {
            if (!is_mine(w, r.number, level))
                continue;
            block_solve_joint(w, id, &r.job);
            if (id == 0)
                values_count(w, row_values(w, &r));
        }
    }
}

static void solve_job(void *arg, int id)
{
    struct work *w = arg;
    struct space *sp = id < w->workspaces->count ? w->workspaces->space[id] : NULL;

    for (int level = 6 * slice_men(w->slice); level >= 0 && !w->sharing.error.status; level--) {
        if (w->sharing.team)
            level_begin(w, id, level);
        if (w->workspaces->joint)
            level_solve_joint(w, id, level);
        else if (sp)
            level_solve(w, sp, NULL, level);
        crew_wait(w->crew);
        if (w->sharing.shared)
            level_exchange(w, id, level);
    }
}

/* Rank 0 solves, the others get its tables. */
static void solve_small(struct work *w)
{
    struct team *team = w->crew->team;
    struct raw *const *out = w->job->out;
    struct error *e = &w->sharing.error;

    if (team_rank(team) == 0)
        crew_run(w->crew, solve_job, w);
    else
        values_count(w, out[0]->layout.positions * (out[0] == out[1] ? 1 : 2));
    if (crew_stopped(w->crew) || w->overflow)
        return;
    for (int i = 0; i < (out[0] == out[1] ? 1 : 2) && !e->status; i++)
        team_share(team, 0, out[i]->data, raw_layout_bytes(&out[i]->layout, out[i]->form), e);
}

/* Captures lead to other slices only: any order will do. */
static void refill_job(void *arg, int id)
{
    struct work *w = arg;
    struct refill refill;

    if (id >= (w->workspaces->joint ? 1 : w->workspaces->count))
        return;
    if (!refill_open(&refill, w->job->out[0]))
        atomic_store(&w->no_memory, true);
    else
        for (int level = 6 * slice_men(w->slice); level >= 0; level--)
            level_solve(w, w->workspaces->space[id], &refill, level);
    refill_close(&refill);
}

/* The blocks of a list, in any order. */
static void list_job(void *arg, int id)
{
    struct work *w = arg;
    struct block_job job = *w->job;
    struct refill refill = {0};
    bool joint = w->workspaces->joint && !w->refill;

    job.stop = w->crew->stop;
    if (id >= (w->workspaces->joint && w->refill ? 1 : w->workspaces->count))
        return;
    if (w->refill && !refill_open(&refill, w->job->out[0]))
        atomic_store(&w->no_memory, true);
    for (size_t i = 0; joint || (!crew_stopped(w->crew) && !w->no_memory); i++) {
        i = joint ? i : atomic_fetch_add(&w->listed, 1);
        if (i >= w->list_size)
            break;
        job.men = w->list[i].men;
        job.opp_men = w->list[i].opp_men;
        if (joint)
            block_solve_joint(w, id, &job);
        else if (!(w->refill ? block_refill(w, w->workspaces->space[id], &job, &refill)
                             : w->workspaces->kernel->solve(w->workspaces->space[id], &job)))
            atomic_store(&w->overflow, true);
    }
    refill_close(&refill);
}

/* The longest distance that fits a table (value.h, V2 and V3). */
static int longest_of(enum raw_form form)
{
    return form == RAW_NARROW ? 2 * NARROW_OVERFLOW - 1 : 2 * NINE_OVERFLOW - 1;
}

static enum status work_run(struct work *w, crew_job *fn, struct error *e)
{
    char name[SLICE_NAME_MAX];
    enum status rc = STATUS_OK;

    assert(w->workspaces->count == workspaces_wanted(w->slice, w->crew->threads));
    assert(slice_equal(w->job->out[0]->layout.slice, w->slice));
    assert(!w->job->out[1] || slice_equal(w->job->out[1]->layout.slice, slice_flip(w->slice)));
    if (fn != list_job && (men_order_create(&w->own, w->sets, w->slice.men) ||
                           men_order_create(&w->opp, w->sets, w->slice.opp_men)))
        rc = error_set(e, STATUS_NO_MEMORY, "no memory for the order of blocks");
    else if (fn == solve_job && slice_is_small(w))
        solve_small(w);
    else if (fn != solve_job || !(rc = sharing_open(w, e)))
        crew_run(w->crew, fn, w);
    men_order_free(&w->own);
    men_order_free(&w->opp);
    sharing_close(&w->sharing);
    if (rc)
        return rc;
    if (crew_stopped(w->crew))
        return error_set(e, STATUS_INTERRUPTED, "interrupted");
    if (w->no_memory)
        return error_set(e, STATUS_NO_MEMORY, "no memory for a copy of a block");
    if (w->overflow)
        return error_set(e, STATUS_OVERFLOW, "%s: a distance is longer than %d plies",
                         slice_name(w->slice, name), longest_of(w->job->out[0]->form));
    return w->sharing.error.status ? error_pass(e, &w->sharing.error) : STATUS_OK;
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

enum status blocks_solve_list(struct crew *crew, struct workspaces *workspaces,
                              const struct sets *sets, struct slice s, const struct block_job *job,
                              const struct block_men *list, size_t n, bool refill, struct error *e)
{
    struct work w = {.crew = crew,
                     .workspaces = workspaces,
                     .sets = sets,
                     .slice = s,
                     .job = job,
                     .list = list,
                     .list_size = n,
                     .refill = refill};

    return work_run(&w, list_job, e);
}
