/* SPDX-License-Identifier: MIT
 *
 * stores.h -- what the tests of proof stores share: a small proof, a record, and a count. */
#ifndef KELSO_TESTS_STORES_H
#define KELSO_TESTS_STORES_H

#include "kit/test.h"

#include "proof/store.h"

/* A draw that takes the manager dozens of searches with little time for each. */
extern const char small_proof[];

/* A record with something in every field. */
extern const struct store_record some_record;

/* The searches counted in the records of a store; 0 if there is no store yet. */
uint64_t store_searches(const char *dir);

#endif
