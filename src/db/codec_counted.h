/* SPDX-License-Identifier: MIT
 *
 * codec_counted.h -- distances from counted frequencies: quick rather than small.
 *
 * The nearest neighbours of equal value give a prediction, their median, and a context:
 * which of them is the median and how far the other two lie above and below it.  How
 * often each difference to the prediction follows in each context is counted in some
 * pages of the table and kept as its model; inside a page nothing is learned.  So a
 * distance is a single step of the range coder, without a branch that depends on it.
 *
 * A model's weight [context][symbol] is a frequency rounded to a quarter of an octave;
 * a context that was seen too seldom has zeros and is taken for the sum of all.
 *
 * (K1) the shares of a context add up to 2^SHARE_BITS, and none is 0: every symbol can
 *      be coded, whatever the model's bytes.
 *
 * Private to codec_*.c; the functions of codec.h do the rest. */
#ifndef KELSO_DB_CODEC_COUNTED_H
#define KELSO_DB_CODEC_COUNTED_H

#include "db/codec.h"

/* From counts to a model's weights, and from these to shares. */
void counted_weights(const int32_t *counts, int8_t *weights);
void counted_shares(struct codec_model *m);

void counted_train(struct codec_training *t, const struct codec_map *map, const uint8_t *values,
                   const uint16_t *distances);

/* At most `capacity` bytes; 0 if that is not enough. */
size_t counted_encode(const struct codec_model *m, const struct codec_map *map,
                      const uint8_t *values, const uint16_t *distances, uint8_t *out,
                      size_t capacity);
void counted_decode(const struct codec_model *m, const struct codec_map *map, const uint8_t *values,
                    const uint8_t *bytes, size_t size, uint16_t *distances);

#endif
