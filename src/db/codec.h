/* SPDX-License-Identifier: MIT
 *
 * codec.h -- pack the values, or the distances, of a page of positions.
 *
 * Values are predicted from neighbours that come earlier in the page (codec_map.h) and coded
 * bit by bit with a range coder (codec_range.h): the better a bit's contexts predict it
 * (codec_coder.h), the less it costs.  The weights of the contexts are trained on a sample of
 * the table's pages and stored as its model; within a page they adapt further.  Runs of one
 * value take one bit per CODEC_CHUNK positions.  Distances are coded as differences from a
 * prediction, given the values.  Distances to conversion use the same adaptive coder as values;
 * distances to the win, which vary more and take more space, use counted frequencies
 * (codec_counted.h).
 *
 * Positions in which the mover can capture are not coded.  There a reader gets the predicted
 * value and a distance of 0.
 *
 * (C1) Decoding restores every coded value and distance, and fills the other positions the same
 *      way every time.
 * (C2) The bytes depend only on the model, the slice, the place of the page and the coded
 *      values.
 * (C3) For any input bytes, decoding stays inside its arrays, terminates, and yields values 0
 *      .. 2.  An encoded page never exceeds its bound.
 * (C4) An encoded page has at least one byte; a page with a single value (codec_values_same)
 *      need not be coded at all.
 *
 * A model is constant while pages are coded and may be shared by threads.  The weights that
 * change within a page are in the thread's codec_work.  They are unpacked from the model in
 * groups, each when the page first needs it, so a short page does not pay for all of them.
 * Nothing is allocated; a call needs about 256 KiB of stack. */
#ifndef KELSO_DB_CODEC_H
#define KELSO_DB_CODEC_H

#include "db/codec_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum codec_kind {
    CODEC_VALUES,
    CODEC_DISTANCES, /* contexts that adapt within a page: smaller files */
    CODEC_COUNTED,   /* distances by counted frequencies: faster (codec_counted.h) */
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

/* The weights of the page being coded.  What it holds between calls does not matter. */
struct codec_work {
    int32_t weight[CODEC_CONTEXTS];
};

struct codec_model {
    enum codec_kind kind;
    int8_t weight[CODEC_CONTEXTS]; /* see codec_coder.h, codec_counted.h */
    uint16_t share[CODEC_SHARES];  /* CODEC_COUNTED: derived from the weights */
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

/* The single value of all coded positions of the page, or -1 if there are several.  A page
 * without coded positions counts as drawn. */
int codec_values_same(const struct codec_map *map, const uint8_t *values);

/* Pack values[map->n]; positions that are not coded are overwritten with the values a reader will
 * get.  `out` has room for CODEC_VALUES_BYTES_MAX.  Returns the number of bytes. */
size_t codec_encode_values(const struct codec_model *m, struct codec_work *work,
                           const struct codec_map *map, uint8_t *values, uint8_t *out);

/* Unpack the first map->n values of a page of n. */
void codec_decode_values(const struct codec_model *m, struct codec_work *work,
                         const struct codec_map *map, uint32_t n, const uint8_t *bytes, size_t size,
                         uint8_t *values);

/* The same for a map that is described only where necessary (codec_lines.h): `lines` has begun. */
struct codec_lines;
void codec_decode_beginning(const struct codec_model *m, struct codec_work *work,
                            struct codec_lines *lines, uint32_t n, const uint8_t *bytes,
                            size_t size, uint8_t *values);

/* Replace the values that are not coded by predictions from their neighbours.  The result
 * depends only on the coded values, not on how they were packed. */
void codec_fill_values(const struct codec_map *map, uint8_t *values);

/* The same for distances, up to 65535; `values` as decoded.  Smaller numbers pack better: where
 * parity follows from the value, pass half the plies.  Draws and positions that are not coded are
 * read back as 0. */
int codec_distances_same(const struct codec_map *map, const uint8_t *values,
                         const uint16_t *distances);
size_t codec_encode_distances(const struct codec_model *m, const struct codec_map *map,
                              const uint8_t *values, const uint16_t *distances, uint8_t *out);
void codec_decode_distances(const struct codec_model *m, const struct codec_map *map,
                            const uint8_t *values, const uint8_t *bytes, size_t size,
                            uint16_t *distances);

#endif
