/* SPDX-License-Identifier: MIT */
#include "kit/tables.h"

static void build(struct build_options o, int pieces)
{
    struct build_plan plan;
    struct error e = {0};

    o.memory = UINT64_C(4) << 30;
    if (build_plan_all(&plan, pieces, PIECES_MAX, &e) || build_run(&plan, &o, &e))
        fail_msg("%s", e.text);
    build_plan_free(&plan);
}

void tables_build_in(const char *dir, int pieces, enum kernel_isa isa, int threads)
{
    build(
        (struct build_options){
            .dir = dir, .kind = {true, true, true}, .threads = threads, .isa = isa},
        pieces);
}

struct scratch tables_build(int pieces)
{
    struct scratch dir = scratch_create();

    tables_build_in(dir.path, pieces, kernel_isa_best(), 2);
    return dir;
}

static void open_probe(struct tables *t, const char *dir)
{
    struct error e;

    if (catalog_open(&t->catalog, dir, &e) ||
        probe_open(&t->probe, t->catalog, UINT64_C(256) << 20, &e))
        fail_msg("%s", e.text);
}

static struct tables open_made(struct scratch dir, int pieces)
{
    struct tables t = {.dir = dir, .pieces = pieces};

    open_probe(&t, dir.path);
    return t;
}

struct tables tables_open(int pieces)
{
    return open_made(tables_build(pieces), pieces);
}

/* All slices of so many pieces, or fewer, are there. */
static int pieces_complete(const struct catalog *c)
{
    struct slice list[SLICE_CODES];
    int n = slice_order(PIECES_MAX, PIECES_MAX, list), least = PIECES_MAX + 1;

    for (int i = 0; i < n; i++)
        if (!catalog_has(c, list[i], KIND_WLD) && slice_pieces(list[i]) < least)
            least = slice_pieces(list[i]);
    return least - 1;
}

struct tables tables_open_at(const char *dir)
{
    struct tables t = {.dir = {""}};

    open_probe(&t, dir);
    t.pieces = pieces_complete(t.catalog);
    return t;
}

struct tables tables_open_wld(int pieces)
{
    struct scratch dir = scratch_create();

    build(
        (struct build_options){
            .dir = dir.path, .kind = {[KIND_WLD] = true}, .threads = 2, .isa = kernel_isa_best()},
        pieces);
    return open_made(dir, pieces);
}

void tables_close(struct tables *t)
{
    probe_close(&t->probe);
    catalog_close(&t->catalog);
    if (t->dir.path[0])
        scratch_remove(&t->dir);
}

struct board tables_random(struct rng *r, int pieces)
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
