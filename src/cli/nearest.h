/* SPDX-License-Identifier: MIT
 *
 * nearest.h -- the name that somebody probably meant.
 *
 * (N1) a name is offered only if it is near: an edit or two away, fewer for short words.
 *
 * Pure; the caller owns everything. */
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
