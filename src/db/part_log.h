/* SPDX-License-Identifier: MIT
 *
 * part_log.h -- the parts of a slice that a rank has finished, in a file.
 *
 * No rank holds the tables of a slice that a team solves (spread.h), so a rank keeps what it
 * solved itself: the bytes that it put to their owners, packed (zstd), in the order of the work.
 * After a part comes a record that says so, and the file is synced.  The next run puts the same
 * bytes again and goes on with the next part.
 *
 *     OFFSET  SIZE  FIELD
 *     0       8     "KELSOLOG"
 *     8       4     version, 1
 *     12      4     kings, men, opponent's kings and men, a byte each
 *     16      2     kind;  18: form, 2 bytes
 *     20      4     rank;  24: ranks, 4 bytes;  28: parts in all, 4 bytes
 *     32            records
 *
 * A record, of SIZE bytes of values or, with 0, of a finished part:
 *
 *     0       8     SIZE
 *     8       8     stored bytes, n
 *     16      8     checksum of the stored bytes (xxh3), with SIZE as seed
 *     24      n     the values, packed
 *
 * (W1) A record that is not whole, and all after it, does not count.
 * (W2) Once part_log_end has returned, the part is on the disk.
 *
 * One thread uses it; the caller owns it. */
#ifndef KELSO_DB_PART_LOG_H
#define KELSO_DB_PART_LOG_H

#include "base/status.h"
#include "db/raw.h"

struct part_log;

struct part_log_name {
    struct slice slice;
    enum kind kind;
    enum raw_form form;
    int rank, ranks;
};

/* Open or create the file.  *parts is the wanted number, and becomes that of the file if the file
 * has finished parts; *done tells how many. */
enum status part_log_open(struct part_log **l, const char *path, const struct part_log_name *name,
                          uint32_t *parts, uint32_t *done, struct error *e);
void part_log_close(struct part_log **l);

/* Keep only the first parts, now cut into `parts`. */
enum status part_log_cut(struct part_log *l, uint32_t parts, uint32_t done, struct error *e);

/* The next values of what was kept, until it is replayed: *n is 0 at the end.  They stay until the
 * next call. */
enum status part_log_next(struct part_log *l, const uint8_t **bytes, size_t *n, struct error *e);

/* Append values; end a part. */
enum status part_log_add(struct part_log *l, const uint8_t *bytes, size_t n, struct error *e);
enum status part_log_end(struct part_log *l, struct error *e);

#endif
