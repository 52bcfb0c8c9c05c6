/* SPDX-License-Identifier: MIT */
#include "tables.h"

void tables_build_in(const char *dir, int pieces, enum kernel_isa isa, int threads)
{
    struct build_options o = {.dir = dir,
                              .kind = {true, true, true},
                              .threads = threads,
                              .memory = UINT64_C(4) << 30,
                              .isa = isa};
    struct build_plan plan;
    struct error e = {0};

    if (build_plan_all(&plan, pieces, PIECES_MAX, &e) || build_run(&plan, &o, &e))
        fail_msg("%s", e.text);
    build_plan_free(&plan);
}

struct scratch tables_build(int pieces)
{
    struct scratch dir = scratch_create();

    tables_build_in(dir.path, pieces, kernel_isa_best(), 2);
    return dir;
}

struct tables tables_open(int pieces)
{
    struct tables t = {.dir = tables_build(pieces)};
    struct error e;

    if (catalog_open(&t.catalog, t.dir.path, &e) ||
        probe_open(&t.probe, t.catalog, UINT64_C(64) << 20, &e))
        fail_msg("%s", e.text);
    return t;
}

void tables_close(struct tables *t)
{
    probe_close(&t->probe);
    catalog_close(&t->catalog);
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
