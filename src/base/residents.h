/* SPDX-License-Identifier: MIT
 *
 * residents.h -- keep the resident pages of mapped files within a bound.
 *
 * A page of a mapped file that was touched once counts as memory of this process until the system
 * needs it for something else.  Here a thread looks at their number every few milliseconds, and
 * when there are too many it unmaps the pages of all files at once.  Their content is in the files,
 * which the system may go on caching in memory that nobody else wants; the next touch maps a page
 * again.
 *
 * (R1) Unmapping never changes what is read, nor loses what was written.
 * (R2) When residents_remove has returned, its addresses are left alone.
 * (R3) The bound is exceeded by no more than what threads touch between two looks, and by the
 *      pages of the program itself, of which up to 8 MiB may be added to those at first.
 * (R4) What unmapping did not give back is taken for those, and no reason to unmap again.
 *
 * The mappings (MAP_SHARED, of files) belong to the caller, and so does the order of calls: one
 * thread at a time adds, removes and sets the bound, while any thread may touch the pages. */
#ifndef KELSO_BASE_RESIDENTS_H
#define KELSO_BASE_RESIDENTS_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

struct residents;

enum status residents_open(struct residents **r, struct error *e);
void residents_close(struct residents **r); /* all mappings must have been removed */

/* The thread runs from the first mapping to the last. */
enum status residents_add(struct residents *r, void *at, size_t bytes, struct error *e);
void residents_remove(struct residents *r, const void *at);

/* No bound at first. */
void residents_bound(struct residents *r, uint64_t bytes);

/* The bytes of files that this process has mapped and touched since residents_open, without what
 * was left when they were last unmapped; 0 if the system does not tell. */
uint64_t residents_now(const struct residents *r);

#endif
