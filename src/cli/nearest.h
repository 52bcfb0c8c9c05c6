/* SPDX-License-Identifier: MIT
 *
 * nearest.h -- find the name that was probably meant.
 *
 * (N1) A name is suggested only if it is one or two edits away, fewer for short words.
 *
 * Pure functions; the caller owns everything. */
#ifndef KELSO_CLI_NEAREST_H
#define KELSO_CLI_NEAREST_H

struct nearest {
    const char *wanted;
    const char *name; /* the nearest so far; NULL if none is near */
    int distance;
};

struct nearest nearest_to(const char *wanted);

/* Consider one more name, which must outlive the search. */
void nearest_try(struct nearest *n, const char *name);

/* Inserted, removed, replaced or swapped characters between two words. */
int nearest_distance(const char *a, const char *b);

#endif
