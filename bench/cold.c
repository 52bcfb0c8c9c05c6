/* SPDX-License-Identifier: MIT
 *
 * What it costs to find a value that is in no cache: random positions without a capture, drawn
 * evenly from all wld tables of PIECES pieces that are there.
 *
 *     bench_cold DIRECTORY PIECES [PROBES]
 *
 * A compressed table is read, checked and decoded up to the value, each time anew; the file itself
 * is in the memory of the system, since it is asked about twice.  "Mixed" are the positions in
 * parts of several values: only these are decoded.  CPU time of one thread.
 *
 * Where all these tables have quick files, the same positions are asked of them, from memory: each
 * once, so that what they need is in no cache of the processor unless another needed it. */
#include "base/clock.h"
#include "core/movegen.h"
#include "db/catalog.h"
#include "db/quick.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct cold {
    struct catalog *catalog;
    const struct table *table[SLICE_CODES];
    struct quick *quick[SLICE_CODES]; /* NULL where there is none */
    int tables;
    uint64_t positions, bytes;
    struct sets *sets;
    struct table_scratch *scratch;
};

static void die(const char *why)
{
    fprintf(stderr, "bench_cold: %s\n", why);
    exit(2);
}

static double cpu_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static uint64_t table_positions(const struct table *t)
{
    return table_layout(t, 0)->positions * (slice_symmetric(table_slice(t)) ? 1 : 2);
}

static void cold_open(struct cold *c, const char *dir, int pieces)
{
    static struct slice list[SLICE_CODES];
    int n = slice_order(pieces, pieces, list), most = 1;
    struct error e;

    if (catalog_open(&c->catalog, dir, &e))
        die(e.text);
    for (int i = 0; i < n; i++) {
        if (slice_pieces(list[i]) != pieces || !catalog_has(c->catalog, list[i], KIND_WLD))
            continue;
        if (catalog_table(c->catalog, list[i], KIND_WLD, &c->table[c->tables], &e))
            die(e.text);
        c->positions += table_positions(c->table[c->tables]);
        c->bytes += table_size(c->table[c->tables++]);
        most = table_sets(list[i]) > most ? table_sets(list[i]) : most;
    }
    if (!c->tables)
        die("no tables of so many pieces");
    if (!(c->sets = sets_create(most)) || !(c->scratch = table_scratch_create(c->sets)))
        die("not enough memory");
}

struct question {
    const struct table *table;
    struct quick *quick;
    int mirror;
    uint64_t index;
};

static struct question question_draw(const struct cold *c, uint64_t *state)
{
    for (;;) {
        uint64_t i = random_next(state) % c->positions;
        struct question q;
        struct view v;
        struct board b;
        int k = 0;

        for (; i >= table_positions(c->table[k]); k++)
            i -= table_positions(c->table[k]);
        q = (struct question){c->table[k], c->quick[k],
                              i >= table_layout(c->table[k], 0)->positions, i};
        q.index -= q.mirror ? table_layout(q.table, 0)->positions : 0;
        layout_view(table_layout(q.table, q.mirror), q.index, &v);
        b = view_board(&v, BLACK);
        if (!board_must_capture(&b))
            return q;
    }
}

static void row(const char *name, double probes, double seconds)
{
    printf("| %-44s | %10.0f | %9.2f |\n", name, probes, 1e6 * seconds / probes);
}

/* All quick files in memory; false if a table has none. */
static bool quick_all(struct cold *c, const char *dir)
{
    for (int i = 0; i < c->tables; i++) {
        struct quick **q = &c->quick[i];
        struct error e;

        if (quick_open(q, dir, c->table[i], &e))
            return false;
        if (quick_reserve(*q))
            die("not enough memory");
        for (int m = 0; m < (*q)->tables; m++)
            for (uint64_t k = 0; k < (*q)->chapters[m]; k++)
                if (quick_load(*q, m, k * QUICK_CHAPTER, &e))
                    die(e.text);
    }
    return true;
}

static void quick_row(const struct question *q, int probes, const char *pieces)
{
    uint32_t value, sum = 0;
    char name[64];
    double took = cpu_now();

    for (int i = 0; i < probes; i++)
        sum += quick_peek(q[i].quick, q[i].mirror, q[i].index, &value) ? value : 0;
    took = cpu_now() - took;
    snprintf(name, sizeof name, "quick, %s pieces, all (values add up to %u)", pieces, sum);
    row(name, probes, took);
}

int main(int argc, char **argv)
{
    static struct cold c;
    static uint8_t values[TABLE_PAGE];
    int probes = argc > 3 ? atoi(argv[3]) : 20000, mixed = 0;
    double took[2] = {0}; /* one value, mixed */
    struct question *q = calloc((size_t)probes, sizeof *q);
    uint64_t state = 88172645463325252u;
    char name[64];
    bool quick;

    if (argc < 3 || probes < 1 || !q)
        die("usage: bench_cold DIRECTORY PIECES [PROBES]");
    cold_open(&c, argv[1], atoi(argv[2]));
    quick = quick_all(&c, argv[1]);
    for (int i = 0; i < probes; i++)
        q[i] = question_draw(&c, &state);
    for (int round = 0; round < 2; round++) {
        took[0] = took[1] = 0;
        mixed = 0;
        for (int i = 0; i < probes; i++) {
            uint64_t first, end;
            struct error e;
            uint8_t one;
            double start = cpu_now();

            if (table_read_part(q[i].table, c.scratch, q[i].mirror, q[i].index, values, &first,
                                &end, &one, &e))
                die(e.text);
            took[one == TABLE_ANY] += cpu_now() - start;
            mixed += one == TABLE_ANY;
        }
    }
    printf("%d tables of %s pieces, %.0f positions, %.1f positions a byte, parts of %u\n", c.tables,
           argv[2], (double)c.positions, (double)c.positions / (double)c.bytes,
           (unsigned)table_part(c.table[0]));
    printf("| wld probe, nothing cached                    |     probes |    CPU us |\n");
    printf("|---|---|---|\n");
    snprintf(name, sizeof name, "compressed, %s pieces, all", argv[2]);
    row(name, probes, took[0] + took[1]);
    snprintf(name, sizeof name, "compressed, %s pieces, mixed parts", argv[2]);
    row(name, mixed ? mixed : 1, took[1]);
    if (quick)
        quick_row(q, probes, argv[2]);
    for (int i = 0; i < c.tables; i++)
        quick_close(&c.quick[i]);
    table_scratch_free(&c.scratch);
    sets_free(&c.sets);
    catalog_close(&c.catalog);
    free(q);
    return 0;
}
