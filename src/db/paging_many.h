/* SPDX-License-Identifier: MIT
 *
 * paging_many.h -- the values at many indices of a wld table (paging.h).
 *
 * A single lookup waits for memory two or three times, because what it reads first says where to
 * read on.  Here this is done in steps, each for many indices, and each step requests what the next
 * one reads:
 *
 *     form of the table      paging_request      paging_follow    paging_collect
 *     pages in their place   the mark            the word         the value
 *     pages anywhere         the entry           the word         the value
 *     parts                  tags, single value  the word         the value
 *     quick file             the group           the block        the value, or a lane that
 *                                                                 quick_lanes_run follows
 *
 * The first two steps never wait for more than what the step before requested, and change nothing.
 *
 * (M1) paging_collect and quick_lanes_run give the values that paging_get gives.
 *
 * Safe on any thread. */
#ifndef KELSO_DB_PAGING_MANY_H
#define KELSO_DB_PAGING_MANY_H

#include "db/paging.h"
#include "db/quick_lanes.h"

enum { PAGED_FAULT = 255 }; /* no value: paging_get reports the reason */

void paging_request(const struct paging *p, const struct paged_table *t, const uint64_t *index,
                    uint32_t count);
void paging_follow(const struct paging *p, const struct paged_table *t, const uint64_t *index,
                   uint32_t count);

/* values[0..count-1].  A value that is encoded is left to a lane, with slot `slot` + i for
 * values[i]. */
void paging_collect(struct paging *p, const struct paged_table *t, const uint64_t *index,
                    uint32_t count, uint8_t *values, struct quick_lanes *lanes, uint32_t slot);

#endif
