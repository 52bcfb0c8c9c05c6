/* SPDX-License-Identifier: MIT
 *
 * How fast positions are answered, through the public functions: random positions of
 * all slices with the most pieces, positions in search order, distances, two threads.
 *
 *     bench_probe DIRECTORY [PIECES] [SECONDS] [CACHE]
 *
 * Random positions are drawn evenly from all positions of PIECES pieces (as many as the
 * tables have) and are asked about again and again, so that all pages they need are in
 * the cache: what is measured is probing, not decoding.  If the cache is too small for that, a row
 * says so.  In search order, the positions are those that a depth-first search meets: each a child
 * of one before.  CACHE is the memory for decoded pages, in MiB (4096). */
#include "base/random.h"
#include "base/clock.h"
#include "core/movegen.h"
#include "db/slice.h"
#include "kelso.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM = 1 << 20, SEARCHED = 1 << 20, SEARCH_DEPTH = 8 };

struct set {
    kelso_position *position;
    int count;
};

typedef kelso_status probe_one(kelso_tables *t, const kelso_position *p);

static kelso_position position_of(const struct board *b)
{
    return (kelso_position){squares_pack(board_men(b, BLACK)), squares_pack(board_kings(b, BLACK)),
                            squares_pack(board_men(b, WHITE)), squares_pack(board_kings(b, WHITE)),
                            b->turn == BLACK ? KELSO_BLACK : KELSO_WHITE};
}

static void die(const char *what)
{
    fprintf(stderr, "bench_probe: %s\n", what);
    exit(2);
}

static struct set set_create(int count)
{
    struct set s = {calloc((size_t)count, sizeof *s.position), 0};

    if (!s.position)
        die("not enough memory");
    return s;
}

/* ------------------------------------------------------------------- positions -- */

/* The slices of exactly so many pieces that are there, each side to move. */
struct pool {
    int slices;
    struct layout layout[SLICE_CODES];
    uint64_t total;
};

static bool is_there(kelso_tables *t, const struct layout *l)
{
    struct view v;
    struct board b;
    kelso_position p;
    kelso_value value;

    layout_view(l, 0, &v);
    b = view_board(&v, BLACK);
    p = position_of(&b);
    return kelso_probe_wld(t, &p, &value, NULL) == KELSO_OK;
}

static void pool_open(struct pool *p, kelso_tables *t, int pieces)
{
    static struct slice list[SLICE_CODES];
    int n = slice_order(pieces, pieces, list);

    for (int i = 0; i < 2 * n; i++) {
        struct layout *l = &p->layout[p->slices];
        struct slice s = i % 2 ? slice_flip(list[i / 2]) : list[i / 2];

        if (slice_pieces(s) != pieces || (i % 2 && slice_symmetric(s)))
            continue;
        if (layout_create(l, s))
            die("not enough memory");
        if (!is_there(t, l)) {
            layout_free(l);
            continue;
        }
        p->total += l->positions;
        p->slices++;
    }
    if (!p->slices)
        die("the tables do not have so many pieces");
}

static struct board pool_draw(const struct pool *p, uint64_t *state)
{
    uint64_t i = random_next(state) % p->total;
    const struct layout *l = p->layout;
    struct view v;

    for (; i >= l->positions; l++)
        i -= l->positions;
    layout_view(l, i, &v);
    return view_board(&v, random_next(state) % 2 ? WHITE : BLACK);
}

static struct set random_set(const struct pool *p)
{
    struct set s = set_create(RANDOM);
    uint64_t state = 1;

    while (s.count < RANDOM) {
        struct board b = pool_draw(p, &state);

        s.position[s.count++] = position_of(&b);
    }
    return s;
}

/* The positions of a search of a fixed depth, in the order it meets them. */
static void search(struct set *s, const struct board *b, int depth)
{
    struct move_list moves;

    if (s->count == SEARCHED || !b->side[b->turn])
        return;
    s->position[s->count++] = position_of(b);
    if (depth == 0)
        return;
    moves_generate(b, &moves);
    for (int i = 0; i < moves.count; i++) {
        struct board next = board_after(b, &moves.move[i]);

        search(s, &next, depth - 1);
    }
}

static struct set search_set(const struct pool *p)
{
    struct set s = set_create(SEARCHED);
    uint64_t state = 2;

    while (s.count < SEARCHED) {
        struct board b = pool_draw(p, &state);

        search(&s, &b, SEARCH_DEPTH);
    }
    return s;
}

/* ------------------------------------------------------------------- measuring -- */

static kelso_status one_wld(kelso_tables *t, const kelso_position *p)
{
    kelso_value v;

    return kelso_probe_wld(t, p, &v, NULL);
}

static kelso_status one_dtc(kelso_tables *t, const kelso_position *p)
{
    kelso_answer a;

    return kelso_probe_dtc(t, p, &a, NULL);
}

static kelso_status one_dtw(kelso_tables *t, const kelso_position *p)
{
    kelso_answer a;

    return kelso_probe_dtw(t, p, &a, NULL);
}

/* Nanoseconds a position, one after the other or all at once. */
static double round_single(kelso_tables *t, const struct set *set)
{
    double cpu = clock_now(CLOCK_THREAD_CPUTIME_ID);

    for (int i = 0; i < set->count; i++)
        if (one_wld(t, &set->position[i]))
            die("a position is outside the tables");
    return (clock_now(CLOCK_THREAD_CPUTIME_ID) - cpu) / set->count * 1e9;
}

static double round_batch(kelso_tables *t, const struct set *set, int8_t *values)
{
    double cpu = clock_now(CLOCK_THREAD_CPUTIME_ID);

    if (kelso_probe_batch(t, set->position, (size_t)set->count, values, NULL))
        die("a table is damaged");
    return (clock_now(CLOCK_THREAD_CPUTIME_ID) - cpu) / set->count * 1e9;
}

/* The whole set at once, in turns with one after the other, so that both have the same neighbours;
 * the best of each. */
static void batch_row(const char *name, kelso_tables *t, const struct set *set, double seconds)
{
    int8_t *values = malloc((size_t)set->count);
    double wall = clock_now(CLOCK_MONOTONIC), single = 1e9, batch = 1e9;
    kelso_cache before, after;

    if (!values)
        die("not enough memory");
    kelso_cache_stats(t, &before);
    for (int i = 0; i < 3 || clock_now(CLOCK_MONOTONIC) - wall < seconds; i++) {
        double one = round_single(t, set), all = round_batch(t, set, values);

        single = one < single ? one : single;
        batch = all < batch ? all : batch;
    }
    printf("| %-36s | %14d | %13.2f |\n", name, set->count, 1e3 / batch);
    printf("| %-36s | %14s | %13.2f |\n", "  times the rate of single probes", "", single / batch);
    kelso_cache_stats(t, &after);
    if (after.decoded != before.decoded)
        printf("| %-36s | %14s | %13" PRIu64 " |\n", "  pages decoded meanwhile", "",
               after.decoded - before.decoded);
    fflush(stdout);
    free(values);
}

struct runner {
    kelso_tables *tables;
    const struct set *set;
    probe_one *probe;
    double seconds;
    uint64_t probes;
    double cpu, wall;
};

static void *runner_run(void *arg)
{
    struct runner *r = arg;
    double cpu = clock_now(CLOCK_THREAD_CPUTIME_ID), wall = clock_now(CLOCK_MONOTONIC);

    do {
        for (int i = 0; i < r->set->count; i++)
            if (r->probe(r->tables, &r->set->position[i]))
                die("a position is outside the tables");
        r->probes += (uint64_t)r->set->count;
    } while (clock_now(CLOCK_MONOTONIC) - wall < r->seconds);
    r->cpu = clock_now(CLOCK_THREAD_CPUTIME_ID) - cpu;
    r->wall = clock_now(CLOCK_MONOTONIC) - wall;
    return NULL;
}

/* Millions of probes a CPU second of one thread, summed over the threads. */
static double measure(kelso_tables *t, const struct set *set, probe_one *probe, int threads,
                      double seconds)
{
    struct runner runner[2];
    pthread_t thread[2];
    double sum = 0;

    for (int i = 0; i < threads; i++) {
        runner[i] = (struct runner){t, set, probe, seconds, 0, 0, 0};
        if (pthread_create(&thread[i], NULL, runner_run, &runner[i]))
            die("no thread");
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        sum += (double)runner[i].probes / runner[i].cpu / 1e6;
    }
    return sum;
}

static void row(const char *name, kelso_tables *t, const struct set *set, probe_one *probe,
                int threads, double seconds)
{
    struct runner warm = {t, set, probe, 0, 0, 0, 0};

    runner_run(&warm); /* decode what will be needed */
    printf("| %-36s | %14d | %13.2f |\n", name, set->count,
           measure(t, set, probe, threads, seconds));
    fflush(stdout);
}

/* Are the tables of a kind there?  A capture may need those of other kinds only. */
static bool has_all(kelso_tables *t, const struct set *set, probe_one *probe)
{
    for (int i = 0; i < 1000; i++)
        if (probe(t, &set->position[i]))
            return false;
    return true;
}

static double opening(const char *dir)
{
    double start = clock_now(CLOCK_MONOTONIC);
    kelso_tables *t;

    if (kelso_open(&t, dir, 0, NULL))
        die("cannot open");
    start = clock_now(CLOCK_MONOTONIC) - start;
    kelso_close(&t);
    return start;
}

int main(int argc, char **argv)
{
    static struct pool pool;
    double seconds = argc > 3 ? atof(argv[3]) : 2;
    uint64_t cache = argc > 4 ? (uint64_t)atoi(argv[4]) : 4096;
    struct set random, searched;
    kelso_tables *t;
    kelso_error e;
    char name[64];
    int pieces;

    if (argc < 2)
        die("usage: bench_probe DIRECTORY [PIECES] [SECONDS] [CACHE]");
    if (kelso_open(&t, argv[1], cache << 20, &e))
        die(e.text);
    pieces = argc > 2 ? atoi(argv[2]) : kelso_pieces(t);
    if (pieces < 2 || pieces > PIECES_MAX)
        die("PIECES is a number from 2 to 8");
    pool_open(&pool, t, pieces);
    random = random_set(&pool);
    searched = search_set(&pool);
    snprintf(name, sizeof name, "wld, random, %d pieces", pieces);
    row(name, t, &random, one_wld, 1, seconds);
    batch_row("wld, random, as a batch", t, &random, seconds);
    snprintf(name, sizeof name, "wld, search order, from %d pieces", pieces);
    row(name, t, &searched, one_wld, 1, seconds);
    row("wld, random, 2 threads", t, &random, one_wld, 2, seconds);
    if (has_all(t, &random, one_dtw))
        row("dtw, random", t, &random, one_dtw, 1, seconds);
    if (has_all(t, &random, one_dtc))
        row("dtc, random", t, &random, one_dtc, 1, seconds);
    printf("| %-36s | %14s | %10.4f s  |\n", "opening the directory", "", opening(argv[1]));
    kelso_close(&t);
    return 0;
}
