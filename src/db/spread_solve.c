/* SPDX-License-Identifier: MIT */
#include "db/spread_solve.h"

#include "base/array.h"
#include "db/men_order.h"
#include "db/part_log.h"
#include "db/reads.h"

#include <assert.h>
#include <stdlib.h>

enum {
    BATCH_MOST = 1 << 16, /* blocks */
    OVERLAP = 4,          /* a part reads about so many times its share of the tables */
    GROUPS = 8,           /* runs of placements that each rank has in a part */
    FINISHED = -1,        /* the level of a rank that has nothing left in a part */
};

/* Blocks of one level, and what they read. */
struct batch {
    int level, use; /* use: its number for spread_use */
    struct block_men *list;
    size_t n, room;
    struct spread_piece *get; /* single blocks to bring */
    size_t gets, get_room;
};

/* What one thread finds. */
struct finder {
    struct spread_piece *get;
    size_t gets, room;
    bool no_memory;
};

struct run {
    const struct spread_job *j;
    struct block_job job;
    struct spread_view *out[2]; /* the second is the first, or NULL, where there is one */
    bool symmetric;             /* blocks (x, y) and (y, x) are solved together */
    struct men_order own, opp;
    uint32_t parts, part;
    struct block_range range; /* of the part */
    uint32_t group;           /* placements that follow each other and have one rank; 0: blocks are
                                 dealt out one by one */
    int level;                /* that the list is of */
    struct block_men *list;   /* this rank's blocks of it, ... */
    size_t n, at, room;       /* ... and how many are in batches */
    struct batch batch[2], *now, *next;
    struct finder finder[CREW_MAX];
    struct batch *finding; /* by all threads */
    _Atomic size_t found;
    struct part_log *log;
    uint64_t solved; /* values, since the ranks last added up */
};

/* ---------------------------------------------------------------------- blocks -- */

static int ranks_of(const struct run *r)
{
    return r->j->spread->pool->ranks;
}

static int rank_of(const struct run *r)
{
    return team_rank(r->j->spread->team);
}

static bool in_part(const struct run *r, uint32_t x, uint32_t y)
{
    uint32_t at = r->range.opponent ? y : x;

    return at >= r->range.first && at < r->range.end;
}

static bool has_group(const struct run *r, uint32_t x)
{
    return x / r->group % (unsigned)ranks_of(r) == (unsigned)rank_of(r);
}

/* Did this rank solve that block, in this part?  Then its view has it. */
static bool is_here(const struct run *r, uint32_t x, uint32_t y)
{
    uint32_t most = r->symmetric && y > x ? y : x;

    return r->group && has_group(r, most) && in_part(r, most, y);
}

static bool list_add(struct run *r, uint32_t men, uint32_t opp_men)
{
    void *list = r->list;

    if (!array_room(&list, &r->room, r->n + 1, sizeof *r->list))
        return false;
    r->list = list;
    r->list[r->n++] = (struct block_men){men, opp_men};
    return true;
}

/* List this rank's blocks of the level; false without memory. */
static bool level_list(struct run *r)
{
    uint32_t first = r->range.opponent ? 0 : r->range.first;
    uint32_t end = r->range.opponent ? r->own.count : r->range.end;
    uint64_t number = (uint64_t)r->level;

    r->n = r->at = 0;
    for (uint32_t x = first; x < end; x++) {
        uint32_t men = r->j->sets->family[r->j->slice.men].set[x];
        int rest = r->level - r->own.advance[x];

        if (rest < 0 || rest >= LEVELS_MAX || (r->group && !has_group(r, x)))
            continue;
        for (uint32_t i = r->opp.first[rest]; i < r->opp.first[rest + 1]; i++) {
            uint32_t opp_men = r->opp.flipped[i], y = r->opp.rank[i];

            if ((men & opp_men) || (r->symmetric && x < y) || !in_part(r, x, y))
                continue;
            if (!r->group && number++ % (unsigned)ranks_of(r) != (unsigned)rank_of(r))
                continue;
            if (!list_add(r, men, opp_men))
                return false;
        }
    }
    return true;
}

/* ----------------------------------------------------------------- what is read -- */

struct asking {
    struct run *run;
    struct finder *finder;
    int use;
    bool mirrored; /* the reads are those of the opponent to move */
};

static void get_add(struct finder *f, const struct spread_view *v, uint64_t block)
{
    void *get = f->get;

    if (!array_room(&get, &f->room, f->gets + 1, sizeof *f->get)) {
        f->no_memory = true;
        return;
    }
    f->get = get;
    f->get[f->gets++] = (struct spread_piece){block, 1, v->number};
}

static void read_ask(void *context, const struct read *read)
{
    const struct asking *a = context;
    struct run *r = a->run;
    enum kind kind = read->same ? r->j->kind : r->j->across;
    struct spread_view *v = r->j->spread->at[kind][slice_code(read->table)];
    uint64_t block = read_block(&v->raw.layout, read);

    if (!read->same) {
        spread_use(v, block, 1, a->use);
        return;
    }
    uint32_t x = set_rank(a->mirrored ? packed_flip(read->opp_men) : read->men);
    uint32_t y = set_rank(a->mirrored ? read->men : packed_flip(read->opp_men));

    if (!is_here(r, x, y))
        get_add(a->finder, v, block);
}

static bool is_self(const struct run *r, const struct block_men *b)
{
    return r->symmetric && b->men == packed_flip(b->opp_men);
}

static uint64_t block_of(const struct spread_view *v, const struct block_men *b)
{
    return layout_block(&v->raw.layout, b->men, b->opp_men);
}

/* The same block with the other side to move. */
static struct block_men mirror_of(const struct block_men *b)
{
    return (struct block_men){packed_flip(b->opp_men), packed_flip(b->men)};
}

/* The other side is solved as well, in a block of its own. */
static bool has_mirror(const struct run *r, const struct block_men *b)
{
    return r->out[1] && !is_self(r, b);
}

static void block_ask(struct run *r, struct finder *f, const struct block_men *b)
{
    const struct spread_job *j = r->j;
    struct asking a = {.run = r, .finder = f, .use = r->finding->use};
    struct block_men m = mirror_of(b);

    if (j->work == SPREAD_PACK) {
        const struct spread_view *from = j->spread->at[j->across][slice_code(j->slice)];

        get_add(f, from, block_of(from, b));
        return;
    }
    reads_each(j->slice, b->men, b->opp_men, j->work == SPREAD_REFILL, read_ask, &a);
    if (has_mirror(r, b)) {
        a.mirrored = true;
        reads_each(slice_flip(j->slice), m.men, m.opp_men, j->work == SPREAD_REFILL, read_ask, &a);
    }
    if (j->work == SPREAD_REFILL) {
        get_add(f, r->out[0], block_of(r->out[0], b));
        if (has_mirror(r, b))
            get_add(f, r->out[1], block_of(r->out[1], &m));
    }
}

static void find_job(void *arg, int id)
{
    struct run *r = arg;

    for (size_t i; (i = atomic_fetch_add(&r->found, 1)) < r->finding->n;)
        block_ask(r, &r->finder[id], &r->finding->list[i]);
}

static enum status finders_join(struct run *r, struct batch *b, struct error *e)
{
    for (int i = 0; i < r->j->crew->threads; i++) {
        struct finder *f = &r->finder[i];
        void *get = b->get;

        if (f->no_memory || !array_room(&get, &b->get_room, b->gets + f->gets + 1, sizeof *b->get))
            return error_no_memory(e);
        b->get = get;
        if (f->gets)
            memcpy(b->get + b->gets, f->get, f->gets * sizeof *f->get);
        b->gets += f->gets;
    }
    return STATUS_OK;
}

/* Find what the blocks of a batch read; of them as many as there is room for. */
static enum status batch_find(struct run *r, struct batch *b, struct error *e)
{
    for (;; b->n /= 2) {
        spread_unuse(r->j->spread, b->use);
        b->gets = 0;
        for (int i = 0; i < r->j->crew->threads; i++)
            r->finder[i].gets = 0;
        r->finding = b;
        atomic_store(&r->found, 0);
        if (b->n)
            crew_run(r->j->crew, find_job, r);
        if (b->n <= 1 || spread_used(r->j->spread, b->use) <= r->j->room / 2)
            return finders_join(r, b, e);
    }
}

/* The next batch of this rank: of the level at hand, or of the next that has blocks. */
static enum status batch_make(struct run *r, struct batch *b, struct error *e)
{
    enum status rc;
    void *list = b->list;

    while (r->at == r->n && r->level > 0) {
        r->level--;
        if (!level_list(r))
            return error_no_memory(e);
    }
    b->n = r->n - r->at < BATCH_MOST ? r->n - r->at : BATCH_MOST;
    b->level = b->n ? r->level : FINISHED;
    if (!array_room(&list, &b->room, b->n + 1, sizeof *b->list))
        return error_no_memory(e);
    b->list = list;
    if (b->n)
        memcpy(b->list, r->list + r->at, b->n * sizeof *b->list);
    rc = batch_find(r, b, e);
    r->at += b->n;
    return rc;
}

/* ------------------------------------------------------------------------- work -- */

struct prefetch {
    struct spread *spread;
    int use;
    struct error error;
    pthread_t thread;
};

static void *prefetch_run(void *arg)
{
    struct prefetch *p = arg;

    spread_fetch(p->spread, p->use, &p->error);
    return NULL;
}

static enum status batch_pack(struct run *r, const struct batch *b, struct error *e)
{
    const struct spread_job *j = r->j;
    const struct raw *from = j->spread->set[j->across].at[slice_code(j->slice)];

    for (size_t i = 0; i < b->n && !crew_stopped(j->crew); i++)
        raw_pack_block(&r->out[0]->raw, from, block_of(r->out[0], &b->list[i]), j->crew->stop);
    return crew_stopped(j->crew) ? error_set(e, STATUS_INTERRUPTED, "interrupted") : STATUS_OK;
}

static enum status batch_work(struct run *r, const struct batch *b, struct error *e)
{
    const struct spread_job *j = r->j;

    if (!b->n)
        return STATUS_OK;
    assert(b->n == 1 || spread_used(j->spread, b->use) <= j->room / 2); /* (D2) */
    if (j->work == SPREAD_PACK)
        return batch_pack(r, b, e);
    return blocks_solve_list(j->crew, j->workspaces, j->sets, j->slice, &r->job, b->list, b->n,
                             j->work == SPREAD_REFILL, e);
}

/* Work on a batch while what the next one reads is on its way. */
static enum status batch_overlap(struct run *r, struct error *e)
{
    struct prefetch p = {.spread = r->j->spread, .use = r->next->use};
    enum status rc;

    if (pthread_create(&p.thread, NULL, prefetch_run, &p) != 0)
        return error_set(e, STATUS_NO_MEMORY, "no thread to fetch tables");
    rc = batch_work(r, r->now, e);
    pthread_join(p.thread, NULL);
    return rc || !p.error.status ? rc : error_pass(e, &p.error);
}

static enum status log_add(void *context, const uint8_t *bytes, size_t n, struct error *e)
{
    return part_log_add(context, bytes, n, e);
}

/* The blocks of a batch, and their mirrors, to their owners. */
static enum status batch_put(struct run *r, const struct batch *b, struct error *e)
{
    struct spread_piece *list = malloc((2 * b->n + 1) * sizeof *list);
    size_t n = 0;
    enum status rc;

    if (!list)
        return error_no_memory(e);
    for (size_t i = 0; i < b->n; i++) {
        struct block_men m = mirror_of(&b->list[i]);

        list[n++] = (struct spread_piece){block_of(r->out[0], &b->list[i]), 1, r->out[0]->number};
        if (has_mirror(r, &b->list[i]))
            list[n++] = (struct spread_piece){block_of(r->out[1], &m), 1, r->out[1]->number};
    }
    rc = spread_put(r->j->spread, list, n, r->log ? log_add : NULL, r->log, e);
    r->solved += n * r->out[0]->raw.layout.block_size;
    free(list);
    return rc;
}

/* Nobody reads what was written, unless this rank knows that it is here. */
static void views_release(struct run *r)
{
    const struct spread_job *j = r->j;

    spread_release(j->spread, r->out[0]);
    if (r->out[1] && r->out[1] != r->out[0])
        spread_release(j->spread, r->out[1]);
    if (j->work == SPREAD_PACK)
        spread_release(j->spread, j->spread->at[j->across][slice_code(j->slice)]);
}

/* ------------------------------------------------------------------------- parts -- */

/* What the ranks tell each other before a batch. */
struct word {
    int64_t level;
    uint64_t solved;
};

/* The highest level that any rank is at. */
static enum status level_agree(struct run *r, int *level, struct error *e)
{
    struct word all[TEAM_MAX] = {{0}};
    uint64_t solved = 0;
    enum status rc;

    all[rank_of(r)] = (struct word){r->next->level, r->solved};
    rc = team_gather(r->j->spread->team, all, sizeof *all, e);
    *level = FINISHED;
    for (int i = 0; i < ranks_of(r) && !rc; i++) {
        *level = all[i].level > *level ? (int)all[i].level : *level;
        solved += all[i].solved;
    }
    r->solved = 0;
    if (r->j->done)
        atomic_fetch_add(r->j->done, solved);
    return rc;
}

/* The next batch if it is of this level, else nothing. */
static enum status batch_turn(struct run *r, int level, struct error *e)
{
    struct batch *b = r->next;

    if (b->level != level) {
        r->now->n = r->now->gets = 0;
        spread_unuse(r->j->spread, r->now->use);
        return STATUS_OK;
    }
    r->next = r->now;
    r->now = b;
    return batch_make(r, r->next, e);
}

static enum status round_run(struct run *r, int level, struct error *e)
{
    struct spread *s = r->j->spread;
    enum status rc = batch_turn(r, level, e);

    if (!rc && s->held > r->j->room / 2)
        spread_trim(s);
    if (!rc)
        rc = spread_fetch(s, r->now->use, e); /* little, if it was fetched before */
    if (!rc)
        rc = spread_get(s, r->now->get, r->now->gets, e);
    if (!rc)
        rc = batch_overlap(r, e);
    if (!rc)
        rc = batch_put(r, r->now, e);
    if (!rc && !r->group)
        views_release(r);
    return rc;
}

/* Part i: the ranks from the top down. */
static void part_begin(struct run *r)
{
    struct slice s = r->j->slice;
    uint64_t n = s.men ? r->own.count : r->opp.count, count;

    r->range = (struct block_range){(uint32_t)(n - n * (r->part + 1) / r->parts),
                                    (uint32_t)(n - n * r->part / r->parts), !s.men};
    count = r->range.end - r->range.first;
    r->group = 0;
    if (s.men && r->j->work == SPREAD_SOLVE && count >= (uint64_t)ranks_of(r) * GROUPS)
        r->group = (uint32_t)(count / ((uint64_t)ranks_of(r) * GROUPS));
    r->level = 6 * slice_men(s) + 1;
    r->n = r->at = 0;
}

static enum status part_run(struct run *r, struct error *e)
{
    int level = 0;
    enum status rc;

    part_begin(r);
    rc = batch_make(r, r->next, e);
    while (!rc && !(rc = level_agree(r, &level, e)) && level != FINISHED)
        rc = round_run(r, level, e);
    views_release(r);
    if (!rc && r->log)
        rc = part_log_end(r->log, e);
    r->j->spread->parts += !rc && r->j->work == SPREAD_SOLVE;
    return rc;
}

/* As many parts as make what a rank reads and writes in one fit into its room. */
static uint32_t parts_wanted(const struct run *r)
{
    const struct spread *s = r->j->spread;
    uint64_t bytes = 0, n, most = r->j->slice.men ? r->own.count : r->opp.count;
    uint64_t written = 2 * r->out[0]->cut.blocks * r->out[0]->cut.stride;

    if (r->j->work != SPREAD_SOLVE)
        return 1;
    for (int i = 0; i < s->count; i++)
        bytes += s->view[i]->cut.blocks * s->view[i]->cut.stride;
    n = OVERLAP * bytes / (unsigned)ranks_of(r) / (r->j->room + 1) + 1;
    if (r->j->part_bytes && written / r->j->part_bytes >= n)
        n = written / r->j->part_bytes + 1;
    return (uint32_t)(n < most ? n : most);
}

/* The ranks agree on the number of parts, and go on after those that all of them have. */
static enum status parts_agree(struct run *r, uint32_t done, struct error *e)
{
    uint32_t all[2 * TEAM_MAX] = {0}, parts;
    enum status rc;

    all[2 * rank_of(r)] = done;
    all[2 * rank_of(r) + 1] = r->parts;
    rc = team_gather(r->j->spread->team, all, 2 * sizeof *all, e);
    parts = all[1];
    for (int i = 0; i < ranks_of(r); i++) {
        done = all[2 * i] < done ? all[2 * i] : done;
        if (all[2 * i + 1] != parts)
            done = 0; /* runs with other memory */
    }
    for (int i = 0; i < ranks_of(r) && !done; i++)
        parts = all[2 * i + 1] > parts ? all[2 * i + 1] : parts;
    r->parts = parts;
    r->part = done;
    return rc || !r->log ? rc : part_log_cut(r->log, parts, done, e);
}

/* Put again what was solved before. */
static enum status log_replay(struct run *r, struct error *e)
{
    enum status rc = STATUS_OK;

    for (bool any = true; any && !rc;) {
        uint8_t all[TEAM_MAX] = {0};
        const uint8_t *bytes = NULL;
        size_t n, count = 0;

        rc = part_log_next(r->log, &bytes, &n, e);
        if (!rc)
            rc = spread_replay(r->j->spread, bytes, n, &count, e);
        r->solved += count * r->out[0]->raw.layout.block_size;
        all[rank_of(r)] = n > 0;
        if (!rc)
            rc = team_gather(r->j->spread->team, all, 1, e);
        any = false;
        for (int i = 0; i < ranks_of(r); i++)
            any |= all[i];
    }
    return rc;
}

static enum status parts_open(struct run *r, struct error *e)
{
    struct part_log_name name = {r->j->slice, r->j->kind, r->out[0]->raw.form, rank_of(r),
                                 ranks_of(r)};
    uint32_t done = 0;
    enum status rc = STATUS_OK;

    if (r->j->log)
        rc = part_log_open(&r->log, r->j->log, &name, &r->parts, &done, e);
    if (!rc)
        rc = parts_agree(r, done, e);
    return rc || !r->log ? rc : log_replay(r, e);
}

static enum status run_open(struct run *r, struct error *e)
{
    const struct spread_job *j = r->j;
    struct spread *s = j->spread;
    bool both = j->work == SPREAD_SOLVE || slice_symmetric(j->slice);

    r->symmetric = j->work != SPREAD_PACK && slice_symmetric(j->slice);
    r->out[0] = s->at[j->kind][slice_code(j->slice)];
    r->out[1] =
        both && j->work != SPREAD_PACK ? s->at[j->kind][slice_code(slice_flip(j->slice))] : NULL;
    r->job = (struct block_job){.same = &s->set[j->kind], .conv = &s->set[j->across]};
    r->job.out[0] = &r->out[0]->raw;
    r->job.out[1] = r->out[1] ? &r->out[1]->raw : NULL;
    r->now = &r->batch[0];
    r->next = &r->batch[1];
    r->next->use = 1;
    if (men_order_create(&r->own, j->sets, j->slice.men) ||
        men_order_create(&r->opp, j->sets, j->slice.opp_men))
        return error_set(e, STATUS_NO_MEMORY, "no memory for the order of blocks");
    r->parts = parts_wanted(r);
    return parts_open(r, e);
}

static void run_close(struct run *r)
{
    men_order_free(&r->own);
    men_order_free(&r->opp);
    for (int i = 0; i < 2; i++) {
        free(r->batch[i].list);
        free(r->batch[i].get);
    }
    for (int i = 0; i < CREW_MAX; i++)
        free(r->finder[i].get);
    free(r->list);
    part_log_close(&r->log);
    free(r);
}

enum status spread_run(const struct spread_job *j, struct error *e)
{
    struct run *r = calloc(1, sizeof *r);
    enum status rc;
    int level;

    if (!r)
        return error_no_memory(e);
    r->j = j;
    rc = run_open(r, e);
    j->spread->kept += rc ? 0 : r->part;
    for (; !rc && r->part < r->parts; r->part++)
        rc = part_run(r, e);
    if (!rc)
        rc = level_agree(r, &level, e); /* what was put last is not counted yet */
    run_close(r);
    return rc;
}
