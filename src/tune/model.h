/* SPDX-License-Identifier: MIT
 *
 * model.h -- the network of search/network.h in floating point, and its gradient.
 *
 * Values of a layer are 0 to 1, weights have their natural size.  Samples go through the layers in
 * groups of the same bucket, so that a weight is read once for the whole group and not once for
 * each sample; the rows of a layer are vectors.
 *
 * (M1) model_loss returns the loss of the samples added, and adds its gradient, both but for the
 *      rounding of sums.
 *
 * The caller owns all arguments.  Safe on any thread with a gradient of its own. */
#ifndef KELSO_TUNE_MODEL_H
#define KELSO_TUNE_MODEL_H

#include "search/network.h"

enum { MODEL_VIEWS = 2 * NETWORK_FIRST, MODEL_PIECES = 24 };

struct model_head {
    alignas(64) float second[MODEL_VIEWS][NETWORK_SECOND];
    float second_bias[NETWORK_SECOND];
    float third[NETWORK_SECOND][NETWORK_THIRD], third_bias[NETWORK_THIRD];
    float last[NETWORK_THIRD], last_bias;
};

/* All weights, or a gradient: a list of MODEL_NUMBERS numbers (a few of them, at the end of each
 * head, mean nothing and stay 0). */
struct model {
    alignas(64) float first[NETWORK_INPUTS][NETWORK_FIRST];
    float first_bias[NETWORK_FIRST];
    struct model_head head[NETWORK_BUCKETS];
};

enum { MODEL_NUMBERS = sizeof(struct model) / sizeof(float) };

/* The weights of the small layers by output, for the way back. */
struct model_turned {
    struct {
        alignas(64) float second[NETWORK_SECOND][MODEL_VIEWS];
        float third[NETWORK_THIRD][NETWORK_SECOND];
    } head[NETWORK_BUCKETS];
};

/* A sample as the network sees it. */
struct model_sample {
    int count; /* of each side's view */
    uint8_t index[2][MODEL_PIECES + 1];
    int bucket;
    float material, target; /* a logit; expected points, 0 to 1 */
};

/* Fill in all but the target. */
void model_sample_make(const struct board *b, float curve, struct model_sample *s);

void model_turn(const struct model *m, struct model_turned *t);

/* The loss (cross entropy) of n samples, added.  If g is not NULL, the gradient is added to it; t
 * is model_turn(m), and may be NULL without g. */
double model_loss(const struct model *m, const struct model_turned *t,
                  const struct model_sample *list, size_t n, struct model *g);

#endif
