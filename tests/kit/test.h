/* SPDX-License-Identifier: MIT
 *
 * test.h -- what every test program includes: cmocka with what it needs, and seeds.
 *
 * Random tests take their seed from KELSO_SEED, or from the clock, and print it, so
 * that a failure can be seen again.  Long tests run only with KELSO_LONG set. */
#ifndef KELSO_TESTS_TEST_H
#define KELSO_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The generator of base/random.h with a seed that is printed. */
struct rng {
    uint64_t state;
};

/* Seeded from KELSO_SEED or the clock; prints the seed. */
struct rng rng_for_test(const char *test);
uint64_t rng_next(struct rng *r);
int rng_below(struct rng *r, int n); /* 0 <= result < n */

/* Is this `make check-long`? */
bool test_is_long(void);

/* Built with AddressSanitizer?  Then do less: it is many times slower. */
bool test_is_sanitized(void);

#endif
