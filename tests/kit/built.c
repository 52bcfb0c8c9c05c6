/* SPDX-License-Identifier: MIT */
#include "kit/built.h"

static void build(struct build_options o, int pieces)
{
    struct build_plan plan;
    struct error e = {0};

    o.memory = UINT64_C(4) << 30;
    if (build_plan_all(&plan, pieces, PIECES_MAX, &e) || build_run(&plan, &o, &e))
        fail_msg("%s", e.text);
    build_plan_free(&plan);
}

void build_tables_in(const char *dir, int pieces, enum kernel_isa isa, int threads)
{
    build(
        (struct build_options){
            .dir = dir, .kind = {true, true, true}, .threads = threads, .isa = isa},
        pieces);
}

struct scratch build_tables(int pieces)
{
    struct scratch dir = scratch_create();

    build_tables_in(dir.path, pieces, kernel_isa_best(), 2);
    return dir;
}

static struct tables *open_tables(const char *dir, int pieces)
{
    struct tables_options o = {.dir = dir, .cache = UINT64_C(256) << 20, .pieces = pieces};
    struct tables *t;
    struct error e;

    if (tables_open(&t, &o, &e))
        fail_msg("%s", e.text);
    return t;
}

static struct built open_made(struct scratch dir, int pieces)
{
    return (struct built){.dir = dir, .tables = open_tables(dir.path, 0), .pieces = pieces};
}

struct built built_open(int pieces)
{
    return open_made(build_tables(pieces), pieces);
}

struct built built_open_at(const char *dir)
{
    struct tables *t = open_tables(dir, 0);

    return (struct built){.dir = {""}, .tables = t, .pieces = tables_complete(t)};
}

struct built built_open_wld(int pieces)
{
    struct scratch dir = scratch_create();

    build(
        (struct build_options){
            .dir = dir.path, .kind = {[KIND_WLD] = true}, .threads = 2, .isa = kernel_isa_best()},
        pieces);
    return open_made(dir, pieces);
}

void built_close(struct built *t)
{
    tables_close(&t->tables);
    if (t->dir.path[0])
        scratch_remove(&t->dir);
}

struct tables *built_few(const struct built *t, int pieces)
{
    return open_tables(tables_dir(t->tables), pieces);
}

struct table *built_table(const char *dir, struct slice s, enum kind kind)
{
    char path[TABLE_PATH_MAX];
    struct table *t;
    struct error e;

    if (table_open(&t, table_path(path, sizeof path, dir, s, kind), &e))
        fail_msg("%s", e.text);
    return t;
}

struct board built_random(struct rng *r, int pieces)
{
    struct slice list[SLICE_CODES];
    struct slice s = list[rng_below(r, slice_order(pieces, pieces, list))];
    struct layout l;
    struct view v;

    if (rng_below(r, 2))
        s = slice_flip(s);
    assert_int_equal(layout_create(&l, s), 0);
    layout_view(&l, rng_next(r) % l.positions, &v);
    layout_free(&l);
    return view_board(&v, rng_below(r, 2) ? BLACK : WHITE);
}

int built_setup(void **state, int pieces)
{
    struct built *t = malloc(sizeof *t);

    assert_non_null(t);
    *t = built_open(pieces);
    *state = t;
    return 0;
}

int built_teardown(void **state)
{
    built_close(*state);
    free(*state);
    return 0;
}
