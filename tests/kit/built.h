/* SPDX-License-Identifier: MIT
 *
 * built.h -- tables built for the tests of one program.
 *
 * build_tables makes all tables of at most `pieces` in a directory of its own, with
 * all kinds, the machine's best instructions and two threads. */
#ifndef KELSO_TESTS_BUILT_H
#define KELSO_TESTS_BUILT_H

#include "kit/scratch.h"
#include "kit/test.h"

#include "db/build.h"
#include "db/tables.h"

/* Tables that are open; the directory goes with built_close if it was made here. */
struct built {
    struct scratch dir; /* made here, or "" */
    struct tables *tables;
    int pieces; /* the most there are tables for */
};

/* All tables of at most `pieces`, or those of WLD alone, open; ends the test on failure. */
struct built built_open(int pieces);
struct built built_open_wld(int pieces);

/* The wld tables that are in a directory, which stays as it is. */
struct built built_open_at(const char *dir);
void built_close(struct built *t);

/* For cmocka: the state is a struct built, with all tables of at most `pieces`. */
int built_setup(void **state, int pieces);
int built_teardown(void **state);

/* The same directory again, as if it held tables of at most `pieces` only; tables_close it. */
struct tables *built_few(const struct built *t, int pieces);

/* A table of a directory; ends the test if it cannot be opened. */
struct table *built_table(const char *dir, struct slice s, enum kind kind);

/* A random position of at most `pieces`: any slice, any index, either colour. */
struct board built_random(struct rng *r, int pieces);

/* A new directory with all tables of at most `pieces`; ends the test on failure. */
struct scratch build_tables(int pieces);

/* The same into a given directory, with given instructions and threads. */
void build_tables_in(const char *dir, int pieces, enum kernel_isa isa, int threads);

#endif
