/* SPDX-License-Identifier: MIT
 *
 * codec_counted.h -- code distances by counted frequencies: fast rather than small.
 *
 * The nearest neighbours of equal value give a prediction, their median, and a context: which
 * of them is the median and how far the other two lie above and below it.  The model of a table
 * holds how often each difference from the prediction occurs in each context, counted over a
 * sample of its pages; nothing is learned within a page.  So a distance is a single step of the
 * range coder, without a data-dependent branch.
 *
 * A model's weight [context][symbol] is a frequency rounded to a quarter of an octave; a
 * context that was seen too rarely has zeros, and the sum over all contexts is used instead.
 *
 * (K1) The shares of a context add up to 2^SHARE_BITS, and none is 0: every symbol can be
 *      coded, for any bytes of the model.
 *
 * Private to codec_*.c; callers use codec.h.  Pure functions of the caller's memory; any
 * thread. */
#ifndef KELSO_DB_CODEC_COUNTED_H
#define KELSO_DB_CODEC_COUNTED_H

#include "db/codec.h"

/* Convert counts to a model's weights, and weights to shares. */
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
