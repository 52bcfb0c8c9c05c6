/* SPDX-License-Identifier: MIT
 *
 * spill.h -- runs of codes waiting for their row.
 *
 * While a ply is expanded, captures lead to rows that are processed later.  Their codes are sorted,
 * encoded and set aside here, in memory or in one temporary file per row, until that row takes them
 * back.
 *
 * (W1) Every run comes back whole and checked, once; then its file is removed.
 * (W2) Nothing here outlives the process: spill_open removes files that an earlier one
 *      left.
 *
 * spill_put may be called from any thread; spill_take of a row by one thread, after
 * the last put for that row. */
#ifndef KELSO_GAMES_SPILL_H
#define KELSO_GAMES_SPILL_H

#include "games/ply.h"

#include <pthread.h>

struct spill_run {
    uint64_t offset, sum;
    size_t size;
};

struct spill_row {
    struct spill_run *run;
    size_t runs, run_room;
    uint64_t bytes;
    uint8_t *data; /* in memory */
    size_t data_room;
    int fd; /* in a file; -1 while there is none */
};

struct spill {
    const char *dir; /* NULL: in memory */
    pthread_mutex_t lock;
    uint64_t bytes, peak; /* held now, and at most */
    struct spill_row row[BANDS];
};

void spill_open(struct spill *s, const char *dir);
void spill_close(struct spill *s);

enum status spill_put(struct spill *s, int row, const struct run_writer *run, struct error *e);

/* All runs of a row: their bytes in *out, the start and size of each in *runs (freed by the
 * caller).  The row is empty afterwards. */
enum status spill_take(struct spill *s, int row, struct ply_bytes *out, struct spill_run **runs,
                       size_t *count, struct error *e);

#endif
