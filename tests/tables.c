/* SPDX-License-Identifier: MIT */
#include "tables.h"
#include "test.h"

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
