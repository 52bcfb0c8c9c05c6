/* SPDX-License-Identifier: MIT
 *
 * codec.h -- pack the values, or the distances, of a page of positions.
 *
 * Values are predicted from neighbours that come earlier in the page (codec_map.h)
 * and coded bit by bit with a range coder (codec_range.h): the better the contexts of
 * a bit foretell it (codec_coder.h), the less it costs.  What each context tells is
 * learned from some pages of the table and kept as its model; inside a page learning
 * goes on from there.  Stretches of one value are coded with one bit for CODEC_CHUNK
 * positions.  Distances are coded as differences to a prediction, given the values:
 * those to conversion like values, those to the win, which change more and of which there
 * is more to write, by frequencies that were counted (codec_counted.h).
 *
 * Positions in which the mover can take are not coded.  A reader finds there the
 * predicted value and a distance of 0.
 *
 * (C1) decoding gives back every coded value and distance, and the same filling.
 * (C2) the bytes depend on the model, the slice, the place and the coded values only.
 * (C3) whatever the bytes, decoding stays inside its arrays, ends, and yields values
 *      0 .. 2; a page is never larger than its bound.
 * (C4) a page of at least one byte is made for every page; pages of one value
 *      (codec_values_same) need not be coded at all.
 *
 * A model is constant while pages are coded: any thread.  What a page of values learns is
 * kept beside the model, in the thread's codec_work, and undone by a log: a short page
 * does not pay for a copy of the weights.  Nothing is allocated; a call needs some 256 KiB
 * of stack. */
#ifndef KELSO_DB_CODEC_H
#define KELSO_DB_CODEC_H

#include "db/codec_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum codec_kind {
    CODEC_VALUES,
    CODEC_DISTANCES, /* contexts that learn inside a page: small */
    CODEC_COUNTED,   /* distances, by counted frequencies: quick (codec_counted.h) */
};

enum {
    CODEC_CHUNK = 64,
    CODEC_CONTEXTS = 38912, /* weights of a model, at most */
    SHARE_BITS = 15,
    CODEC_SHARES = 3 * 8 * 8 * 2 * 32,
    CODEC_MODEL_BYTES_MAX = 4 * CODEC_CONTEXTS,
    CODEC_VALUES_BYTES_MAX = CODEC_PAGE_MAX,
    CODEC_DISTANCES_BYTES_MAX = 2 * CODEC_PAGE_MAX,
};

/* What the page at hand has learned; all zero between calls, so make it with calloc. */
enum { CODEC_LOG = 1 << 15 };

struct codec_work {
    int32_t learned[CODEC_CONTEXTS]; /* to be added to the weights of the model */
    uint32_t logged;
    uint16_t log[CODEC_LOG]; /* which of them, for as long as there is room */
};

struct codec_model {
    enum codec_kind kind;
    int8_t weight[CODEC_CONTEXTS]; /* see codec_coder.h, codec_counted.h */
    uint16_t share[CODEC_SHARES];  /* CODEC_COUNTED: what follows from the weights */
};

/* ------------------------------------------------------------------- models -- */

struct codec_training {
    enum codec_kind kind;
    int32_t weight[CODEC_CONTEXTS];
    uint8_t seen[CODEC_CONTEXTS];
};

void codec_train_begin(struct codec_training *t, enum codec_kind kind);
void codec_train_values(struct codec_training *t, const struct codec_map *map,
                        const uint8_t *values);
void codec_train_distances(struct codec_training *t, const struct codec_map *map,
                           const uint8_t *values, const uint16_t *distances);
void codec_train_end(const struct codec_training *t, struct codec_model *m);

/* Returns the number of bytes, at most CODEC_MODEL_BYTES_MAX. */
size_t codec_model_save(const struct codec_model *m, uint8_t out[CODEC_MODEL_BYTES_MAX]);
bool codec_model_load(struct codec_model *m, enum codec_kind kind, const uint8_t *bytes,
                      size_t size);

/* -------------------------------------------------------------------- pages -- */

/* The only value of the page's coded positions, or -1 if there are several; a page
 * without any has draws. */
int codec_values_same(const struct codec_map *map, const uint8_t *values);

/* Pack values[map->n]; positions that are not coded are overwritten with what a
 * reader will find there.  `out` has room for CODEC_VALUES_BYTES_MAX.  Returns the
 * number of bytes. */
size_t codec_encode_values(const struct codec_model *m, struct codec_work *work,
                           const struct codec_map *map, uint8_t *values, uint8_t *out);

/* Unpack the first map->n values of a page of n. */
void codec_decode_values(const struct codec_model *m, struct codec_work *work,
                         const struct codec_map *map, uint32_t n, const uint8_t *bytes, size_t size,
                         uint8_t *values);

/* Replace the values that are not coded by what their neighbours foretell: the same for
 * whoever knows the coded ones, however these were packed. */
void codec_fill_values(const struct codec_map *map, uint8_t *values);

/* The same for distances, up to 65535; `values` as decoded.  The smaller the numbers
 * the better: where parity follows from the value, give half of the plies.  Draws and
 * positions that are not coded are read back as 0. */
int codec_distances_same(const struct codec_map *map, const uint8_t *values,
                         const uint16_t *distances);
size_t codec_encode_distances(const struct codec_model *m, const struct codec_map *map,
                              const uint8_t *values, const uint16_t *distances, uint8_t *out);
void codec_decode_distances(const struct codec_model *m, const struct codec_map *map,
                            const uint8_t *values, const uint8_t *bytes, size_t size,
                            uint16_t *distances);

#endif
