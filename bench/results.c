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
 * the measurement.
 *
 * A result costs visits of nodes: ancestors whose numbers are computed, and nodes on the way to the
 * next choice.  In a large tree each visit waits for memory.  So beside the time of a visit stands
 * that of a read at random in as much memory as the nodes take, each read after the one before. */
#include "base/clock.h"
#include "base/random.h"
#include "proof/manager.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { WORKERS_MAX = 100000, LEAD = 20000, PIECES_LEAST = 18, ROWS_MAX = 8, READS = 2000000 };

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

struct row {
    struct manager_report from, to;
    double wall, cpu, kernel; /* between the two; kernel: the part of cpu that writes the store */
};

struct watch {
    uint64_t most, size, next; /* measured at `size` positions, from `next` */
    atomic_bool stop;
    struct row row[ROWS_MAX];
    int rows;
    bool measuring; /* the last row */
};

static double kernel_seconds(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_stime.tv_sec + 1e-6 * (double)u.ru_stime.tv_usec;
}

static void on_report(void *context, const struct manager_report *r)
{
    struct watch *w = context;
    double wall = clock_now(CLOCK_MONOTONIC), cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID);
    struct row *row = &w->row[w->rows];

    if (r->positions >= w->most)
        atomic_store(&w->stop, true);
    if (r->positions < w->next || w->rows == ROWS_MAX)
        return;
    if (w->measuring) {
        row->to = *r;
        row->wall += wall;
        row->cpu += cpu;
        row->kernel += kernel_seconds();
        w->rows++;
        w->next = w->size *= 10;
    } else {
        *row = (struct row){.from = *r, .wall = -wall, .cpu = -cpu, .kernel = -kernel_seconds()};
        w->next = r->positions + LEAD;
    }
    w->measuring = !w->measuring;
}

/* Seconds for a read at random in the memory of so many nodes. */
static double read_seconds(uint64_t nodes)
{
    struct tree_node *node = calloc(nodes, sizeof *node);
    uint64_t state = 1, at = 0;
    double cpu;

    if (!node)
        return 0;
    for (uint64_t i = 0; i < nodes; i++)
        node[i].task = random_next(&state);
    cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < READS; i++)
        at = (node[at].task + (uint64_t)i) % nodes;
    cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    *(volatile uint64_t *)&node[0].task = at; /* it is used */
    free(node);
    return cpu / READS;
}

static void rows_print(const struct watch *w)
{
    printf("| positions | nodes | results a second | a CPU second | CPU us | in the kernel | "
           "results a commit | visits | ns a visit | ns a read |\n"
           "|---|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < w->rows; i++) {
        const struct row *r = &w->row[i];
        double results = (double)(r->to.searches - r->from.searches);
        double visits = (double)(r->to.visits - r->from.visits);

        printf("| %llu | %llu | %.0f | %.0f | %.1f | %.1f | %.0f | %.1f | %.0f | %.0f |\n",
               (unsigned long long)r->from.positions, (unsigned long long)r->from.tree,
               results / r->wall, results / r->cpu, r->cpu / results * 1e6,
               r->kernel / results * 1e6, results / (double)(r->to.commits - r->from.commits),
               visits / results, r->cpu / visits * 1e9, 1e9 * read_seconds(r->from.tree));
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
    if (tables_open(&tables, &(struct tables_options){.dir = argv[1]}, &e) ||
        store_open(&store, argv[2], true, &e) || provers_create(&provers, &pretended_kind, p, &e) ||
        run(tables, store, provers, &w, &e)) {
        fprintf(stderr, "%s\n", e.text);
        return 1;
    }
    provers_close(&provers);
    store_close(&store);
    tables_close(&tables);
    rows_print(&w);
    return 0;
}
