/* SPDX-License-Identifier: MIT
 *
 * pages.h -- between tables in memory (raw.h) and tables on disk (table.h).
 *
 * pages_save writes one slice, all kinds at once, page by page with a crew, and
 * gathers the statistics of the file headers on the way.  pages_load reads values
 * back into memory; positions with a capture are not in the files and come out
 * undefined (blocks_refill gives them their value).
 *
 * (A1) the bytes written do not depend on the number of threads. */
#ifndef KELSO_DB_PAGES_H
#define KELSO_DB_PAGES_H

#include "base/crew.h"
#include "db/raw.h"
#include "db/table.h"

/* What to save: raws by kind, canonical slice and mirror.  raw[KIND_WLD] is always
 * needed; write[] says which files to make. */
struct pages_source {
    struct slice slice;
    const struct raw *raw[KINDS][2];
    bool write[KINDS];
};

struct pages_result {
    uint64_t bytes[KINDS];
    struct table_stats stats[KINDS][2];
};

/* Models are learned from every step-th page of a table, from step / 2 on. */
uint64_t pages_train_step(uint64_t pages);

enum status pages_save(struct crew *crew, const struct sets *sets, const char *dir,
                       const struct pages_source *source, _Atomic uint64_t *done,
                       struct pages_result *result, struct error *e);

/* Read one side to move of table t (and of wld, if t holds distances): the slice of `out`
 * is that of the table or its mirror. */
enum status pages_load(struct crew *crew, const struct sets *sets, const struct table *t,
                       const struct table *wld, struct raw *out, struct error *e);

#endif
