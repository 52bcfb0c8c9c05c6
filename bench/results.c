/* SPDX-License-Identifier: MIT
 *
 * How many results a second the manager of proofs takes in, at trees of growing size.
 *
 *   bench_results TABLES STORE [POSITIONS [WORKERS]]
 *
 * The provers are pretended: they answer at once, with scores and bounds drawn from the hash of
 * the position, so every search is the manager's and the store's own work.  Where few pieces are
 * left, tables and ends of games give true values, which a pretended bound would contradict: bounds
 * are for positions of many pieces.  STORE is a directory that does not exist; its disk is part of
 * the measurement. */
#include "base/clock.h"
#include "proof/manager.h"

#include <stdio.h>
#include <stdlib.h>

enum { WORKERS_MAX = 100000, LEAD = 20000, PIECES_LEAST = 18 };

/* ------------------------------------------------------------- pretended provers -- */

struct pretended {
    int workers, first, count;
    struct {
        uint64_t id;
        struct prover_task task;
    } given[WORKERS_MAX]; /* a ring */
};

static int pretend_room(void *self)
{
    struct pretended *p = self;

    return p->workers - p->count;
}

static enum status pretend_give(void *self, uint64_t id, const struct prover_task *task,
                                struct error *e)
{
    struct pretended *p = self;
    int at = (p->first + p->count++) % WORKERS_MAX;

    (void)e;
    p->given[at].id = id;
    p->given[at].task = *task;
    return STATUS_OK;
}

/* One in 32 searches proves a bound. */
static bool pretend_proves(const struct board *b, uint64_t hash)
{
    return !(hash >> 32 & 31) && squares_count(b->side[BLACK] | b->side[WHITE]) >= PIECES_LEAST;
}

/* The others leave numbers for each move. */
static enum status pretend_collect(void *self, double seconds, struct prover_result *r,
                                   struct error *e)
{
    struct pretended *p = self;
    const struct prover_task *task = &p->given[p->first].task;
    uint64_t hash;

    (void)e, (void)seconds;
    if (p->count == 0)
        return STATUS_OK;
    hash = pn_key_of(&task->board, BLACK).hash;
    *r = (struct prover_result){.id = p->given[p->first].id,
                                .board = task->board,
                                .bounds = task->known,
                                .score = (int)(hash % 200) - 100,
                                .threshold = task->threshold,
                                .solved = true,
                                .nodes = 1000,
                                .seconds = 0.001};
    if (!pretend_proves(&task->board, hash)) {
        r->moves = 8;
        for (int i = 0; i < r->moves; i++)
            for (int side = 0; side < 2; side++) {
                r->after[i].proof[side] = 1 + (uint32_t)(hash >> (8 + i) & 63);
                r->after[i].disproof[side] = 1 + (uint32_t)(hash >> (16 + i) & 63);
            }
    } else if (hash >> 40 & 1) {
        r->bounds.lower = VALUE_DRAW;
    } else {
        r->bounds.upper = VALUE_DRAW;
    }
    p->first = (p->first + 1) % WORKERS_MAX;
    p->count--;
    return STATUS_OK;
}

static void pretend_close(void *self)
{
    free(self);
}

static const struct provers_kind pretended_kind = {
    .room = pretend_room, .give = pretend_give, .collect = pretend_collect, .close = pretend_close};

/* -------------------------------------------------------------------- measuring -- */

struct watch {
    uint64_t most, size, next; /* measured at `size` positions, from `next` */
    atomic_bool stop;
    struct manager_report last;
    double wall, cpu;
};

static void on_report(void *context, const struct manager_report *r)
{
    struct watch *w = context;
    double wall = clock_now(CLOCK_MONOTONIC), cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID);

    if (r->positions >= w->most)
        atomic_store(&w->stop, true);
    if (r->positions < w->next)
        return;
    if (w->last.searches) {
        double results = (double)(r->searches - w->last.searches);

        printf("| %9llu | %9.0f | %7.0f | %7.0f | %6.1f | %7llu |\n",
               (unsigned long long)w->last.positions, results, results / (wall - w->wall),
               results / (cpu - w->cpu), (cpu - w->cpu) / results * 1e6,
               (unsigned long long)(r->commits - w->last.commits));
        fflush(stdout);
        w->next = w->size *= 10;
        w->last = (struct manager_report){0};
    } else {
        w->next = r->positions + LEAD;
        w->last = *r;
        w->wall = wall;
        w->cpu = cpu;
    }
}

static enum status run(struct tables *tables, struct store *store, struct provers *provers,
                       struct watch *w, struct error *e)
{
    struct manager_options o = {.store = store,
                                .tables = tables,
                                .provers = provers,
                                .line = &board_start,
                                .plies = 1,
                                .from = 125,
                                .step = 5,
                                .until = MANAGER_WIN,
                                .stop = &w->stop,
                                .report = on_report,
                                .context = w};
    struct manager_report r;
    enum status rc = manager_run(&o, &r, e);

    printf("%llu positions, %llu results, %llu evaluations of the whole tree\n",
           (unsigned long long)r.positions, (unsigned long long)r.searches,
           (unsigned long long)r.evaluations);
    return rc == STATUS_INTERRUPTED ? STATUS_OK : rc;
}

int main(int argc, char **argv)
{
    struct watch w = {
        .most = argc > 3 ? strtoull(argv[3], NULL, 10) : 1000000, .size = 10000, .next = 10000};
    struct pretended *p = calloc(1, sizeof *p);
    struct tables *tables = NULL;
    struct store *store = NULL;
    struct provers *provers = NULL;
    struct error e = {0};

    if (argc < 3 || !p) {
        fprintf(stderr, "usage: bench_results TABLES STORE [POSITIONS [WORKERS]]\n");
        return 2;
    }
    w.most += LEAD + 100;
    p->workers = argc > 4 ? atoi(argv[4]) : 1000;
    p->workers = p->workers < 1 ? 1 : p->workers > WORKERS_MAX ? WORKERS_MAX : p->workers;
    printf("| positions |   results | a second | a CPU s | CPU us | commits "
           "|\n|---|---|---|---|---|---|\n");
    if (tables_open(&tables, &(struct tables_options){.dir = argv[1]}, &e) ||
        store_open(&store, argv[2], true, &e) || provers_create(&provers, &pretended_kind, p, &e) ||
        run(tables, store, provers, &w, &e)) {
        fprintf(stderr, "%s\n", e.text);
        return 1;
    }
    provers_close(&provers);
    store_close(&store);
    tables_close(&tables);
    return 0;
}
