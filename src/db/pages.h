/* SPDX-License-Identifier: MIT
 *
 * pages.h -- convert between tables in memory (raw.h) and on disk (table.h).
 *
 * pages_save writes one slice, all kinds at once, page by page with a crew, and collects the
 * statistics for the file headers on the way.  pages_load reads values back into memory.
 * Positions with a capture are not in the files; their values come out undefined, and
 * blocks_refill computes them.
 *
 * The ranks of a team (team.h) divide models and pages.  Rank 0 writes the files; the others
 * have none.
 *
 * (P1) The bytes written do not depend on the number of threads or ranks.
 * (P2) The pages that a model is trained on are different ones, and the first half, quarter, ... of
 *      them are as evenly spread over the table as all.
 *
 * Raws and sets belong to the caller.  One thread calls; the crew works. */
#ifndef KELSO_DB_PAGES_H
#define KELSO_DB_PAGES_H

#include "base/crew.h"
#include "db/raw.h"
#include "db/table.h"

/* What to save: raws by kind, canonical slice and mirror.  raw[KIND_WLD] is always needed;
 * write[] selects the files to write. */
struct pages_run { /* of one mirror */
    int mirror;
    uint64_t first, count;
};

struct pages_source {
    struct slice slice;
    const struct raw *raw[KINDS][2];
    bool write[KINDS];
    /* If not NULL the raws lack values until they are brought: all ranks call it together, each
     * with the pages that it will read next; what it read before may be gone then. */
    enum status (*bring)(void *context, const struct pages_run *run, size_t n, struct error *e);
    void *context;
};

struct pages_result {
    uint64_t bytes[KINDS];
    struct table_stats stats[KINDS][2];
};

/* The pages of a table that its model is trained on: their number, and the i-th of them.  Their
 * order is scattered, since a model remembers the last pages best and neighbouring pages are
 * alike. */
uint32_t pages_trained(uint64_t pages);
uint64_t pages_trained_at(uint64_t pages, uint32_t i);

enum status pages_save(struct crew *crew, const struct sets *sets, const char *dir,
                       const struct pages_source *source, _Atomic uint64_t *done,
                       struct pages_result *result, struct error *e);

/* Read one side to move of table t (and of wld, if t holds distances): `out` has the slice of
 * the table or its mirror.  All blocks, or those of a range. */
enum status pages_load(struct crew *crew, const struct sets *sets, const struct table *t,
                       const struct table *wld, struct raw *out, struct error *e);
enum status pages_load_blocks(struct crew *crew, const struct sets *sets, const struct table *t,
                              const struct table *wld, struct raw *out, uint64_t first,
                              uint64_t end, struct error *e);

#endif
