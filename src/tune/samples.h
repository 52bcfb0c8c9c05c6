/* SPDX-License-Identifier: MIT
 *
 * samples.h -- positions with what became of them, to fit the evaluation to.
 *
 * Self-play games make them: quiet positions, each with the result of its game, what the
 * search thought of it, and the value by the tables where these know it.  They are kept in
 * a file of records of SAMPLE_BYTES bytes, little-endian:
 *
 *     OFFSET SIZE
 *     0      4     black pieces, packed       13     1    result for the side to move: 0-2
 *     4      4     white pieces               14     1    value by the tables: 0-2, 3 none
 *     8      4     kings                      15     1    0
 *     12     1     0 Black to move, 1 White   16     2    score, of the side to move
 *
 * (P1) records that are no positions are left out when read.
 *
 * A list belongs to its caller. */
#ifndef KELSO_TUNE_SAMPLES_H
#define KELSO_TUNE_SAMPLES_H

#include "play/player.h"

#include <stdatomic.h>

enum { SAMPLE_BYTES = 18, SAMPLE_UNKNOWN = 3 };

struct sample {
    struct board board;
    uint8_t result; /* half points of the side to move */
    uint8_t value;  /* enum value, or SAMPLE_UNKNOWN */
    int16_t score;
};

struct samples {
    struct sample *list;
    size_t count, room;
};

bool samples_add(struct samples *s, const struct sample *one); /* false: no memory */
void samples_free(struct samples *s);

/* Append to a file; read a whole file, which must hold at least one. */
enum status samples_append(const struct samples *s, const char *path, struct error *e);
enum status samples_read(struct samples *s, const char *path, struct error *e);

struct samples_play {
    int games, threads;
    uint64_t nodes, seed;
    const struct tables *tables;
    const struct eval_weights *weights; /* NULL: those in use */
    const atomic_bool *stop;
    _Atomic uint64_t *done; /* games */
};

/* Play games against itself from random openings and collect positions. */
enum status samples_make(const struct samples_play *play, struct samples *out, struct error *e);

#endif
