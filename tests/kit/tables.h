/* SPDX-License-Identifier: MIT
 *
 * tables.h -- tables built for the tests of one program.
 *
 * tables_build makes all tables of at most `pieces` in a directory of its own, with
 * all kinds, the machine's best instructions and two threads. */
#ifndef KELSO_TESTS_TABLES_H
#define KELSO_TESTS_TABLES_H

#include "kit/scratch.h"
#include "kit/test.h"

#include "db/build.h"
#include "db/probe.h"

/* Tables and a probe on them; the directory goes with tables_close if it was made here. */
struct tables {
    struct scratch dir; /* made here, or "" */
    struct catalog *catalog;
    struct probe *probe;
    int pieces; /* the most there are tables for */
};

/* All tables of at most `pieces`, or those of WLD alone, open; ends the test on failure. */
struct tables tables_open(int pieces);
struct tables tables_open_wld(int pieces);

/* The wld tables that are in a directory, which stays as it is. */
struct tables tables_open_at(const char *dir);
void tables_close(struct tables *t);

/* A random position of at most `pieces`: any slice, any index, either colour. */
struct board tables_random(struct rng *r, int pieces);

/* A new directory with all tables of at most `pieces`; ends the test on failure. */
struct scratch tables_build(int pieces);

/* The same into a given directory, with given instructions and threads. */
void tables_build_in(const char *dir, int pieces, enum kernel_isa isa, int threads);

#endif
