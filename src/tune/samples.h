/* SPDX-License-Identifier: MIT
 *
 * samples.h -- positions with results, for training the evaluation.
 *
 * A sample is a position in which the side to move has no capture, with its score by a search,
 * the result of its game if it occurred in one, and its value if it is in the
 * tables.  A file of samples is written once:
 *
 *     OFFSET  SIZE
 *     0       8     "kelsoSA1"
 *     8       18 n  records
 *     8+18n   8     XXH3 of everything before
 *
 * and a record, little-endian:
 *
 *     0   4   black pieces, packed       13   1   result for the side to move: 0-2, 3 unknown
 *     4   4   white pieces               14   1   value by the tables: 0-2, 3 unknown
 *     8   4   kings                      15   1   0
 *     12  1   0 Black to move, 1 White   16   2   score, of the side to move
 *
 * (P1) A file that was read is complete, and all its records are valid positions.
 * (P2) A value is the one in the tables.
 *
 * The caller owns a list.  One thread. */
#ifndef KELSO_TUNE_SAMPLES_H
#define KELSO_TUNE_SAMPLES_H

#include "base/status.h"
#include "db/tables.h"

#include <stddef.h>

enum { SAMPLE_BYTES = 18, SAMPLE_UNKNOWN = 3 };

struct sample {
    struct board board;
    uint8_t result; /* half points of the side to move, or SAMPLE_UNKNOWN */
    uint8_t value;  /* enum value, or SAMPLE_UNKNOWN */
    int16_t score;
};

struct samples {
    struct sample *list;
    size_t count, room;
};

bool samples_add(struct samples *s, const struct sample *one); /* false: no memory */
void samples_free(struct samples *s);

/* Write all of them to a new file. */
enum status samples_write(const struct samples *s, const char *path, struct error *e);

/* Add the samples of a file, or of all files of a directory whose names end in .samples, in the
 * order of their names. */
enum status samples_read(struct samples *s, const char *path, struct error *e);

/* Look up the value of each sample that has none: tables built after the games were played help
 * too.  Returns STATUS_OK, or why the tables cannot be read. */
enum status samples_value(struct samples *s, const struct tables *t, struct error *e);

#endif
