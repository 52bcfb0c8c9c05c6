/* SPDX-License-Identifier: MIT
 *
 * world.h -- a world in which proofs can be judged: all values of at most WORLD_PIECES pieces,
 * of which the program under test is told those of at most WORLD_KNOWN.
 *
 * One for all tests of a program: cmocka_run_group_tests(tests, world_open, world_close). */
#ifndef KELSO_TESTS_WORLD_H
#define KELSO_TESTS_WORLD_H

#include "kit/built.h"

enum { WORLD_KNOWN = 2, WORLD_PIECES = 4 };

struct world {
    struct built tables;  /* the truth */
    struct tables *known; /* of WORLD_KNOWN pieces */
};

int world_open(void **state);
int world_close(void **state);

#endif
