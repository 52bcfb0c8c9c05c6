/* SPDX-License-Identifier: MIT
 *
 * codec_coder.h -- code bits predicted by several contexts; one source for three uses.
 *
 * Each context has a weight; the sum of the weights of a bit's contexts is the logarithm of the
 * odds that the bit is 1.  After each bit, every weight moves by the same fraction of the error
 * (online logistic regression).  Weights are integers, so every machine gets the same bits.
 *
 * The order and the contexts of a page's bits are written once, as a function of a constant
 * `mode`: coder_bit trains, encodes or decodes a bit and returns it.  Reader and writer cannot
 * drift apart, and the compiler turns the one source into three loops.  A coder belongs to one
 * thread. */
#ifndef KELSO_DB_CODEC_CODER_H
#define KELSO_DB_CODEC_CODER_H

#include "db/codec.h"
#include "db/codec_range.h"

#define CODER_INLINE static inline __attribute__((always_inline))

enum coder_mode { CODER_TRAIN, CODER_ENCODE, CODER_DECODE };

enum {
    CODER_TOGETHER = 4, /* contexts of a bit */
    ODDS_UNIT = 65536,  /* weights count natural logarithms in 65536ths */
    ODDS_MAX = 12,      /* logarithms are clamped to +-12 */
    ODDS_STEP = 8192,   /* of the table of probabilities */
};

struct coder {
    int32_t *weight;
    const int8_t *start; /* the weights at the start of a page, in ODDS_STEP */
    uint8_t *seen;       /* CODER_TRAIN: how often each weight has moved, up to 255 */
    struct range_encoder encoder;
    struct range_decoder decoder;
};

/* 1 / (1 + e^-x) in units of 2^-RANGE_BITS, x from -12 to 12 in steps of 1/8. */
extern const uint32_t coder_logistic[2 * ODDS_MAX * ODDS_UNIT / ODDS_STEP + 2];

/* The learning rate in training, by how often a weight has moved. */
extern const uint16_t coder_rate[256];

CODER_INLINE uint32_t odds_probability(int32_t odds)
{
    enum { LIMIT = ODDS_MAX * ODDS_UNIT };
    uint32_t x = (uint32_t)((odds < -LIMIT ? -LIMIT : odds > LIMIT ? LIMIT : odds) + LIMIT);
    const uint32_t *t = coder_logistic + x / ODDS_STEP;

    return t[0] + ((t[1] - t[0]) * (x % ODDS_STEP / 16) / (ODDS_STEP / 16));
}

/* Sums wrap: damaged bytes may drive weights anywhere. */
CODER_INLINE int32_t weight_add(int32_t weight, int32_t by)
{
    return (int32_t)((uint32_t)weight + (uint32_t)by);
}

CODER_INLINE void coder_train(struct coder *c, const uint32_t *context, int contexts, int32_t error)
{
    for (int i = 0; i < contexts; i++) {
        uint8_t *seen = &c->seen[context[i]];

        c->weight[context[i]] += (int32_t)(((int64_t)error * coder_rate[*seen]) >> 16);
        *seen = (uint8_t)(*seen + (*seen < 255));
    }
}

/* Code `bit` in some contexts; afterwards weights move by error / 2^(learn - 4). */
CODER_INLINE int coder_bit(struct coder *c, enum coder_mode mode, const uint32_t *context,
                           int contexts, int learn, int bit)
{
    int32_t odds = 0, error;
    uint32_t p;

    for (int i = 0; i < contexts; i++)
        odds = weight_add(odds, c->weight[context[i]]);
    p = odds_probability(odds);
    if (mode == CODER_ENCODE)
        range_encode(&c->encoder, p, bit);
    if (mode == CODER_DECODE)
        bit = range_decode(&c->decoder, p);
    error = (bit << RANGE_BITS) - (int32_t)p;
    if (mode == CODER_TRAIN) {
        coder_train(c, context, contexts, error);
        return bit;
    }
    for (int i = 0; i < contexts; i++)
        c->weight[context[i]] = weight_add(c->weight[context[i]], error >> learn);
    return bit;
}

/* Which weight of a model for values a file has as its i-th. */
uint32_t codec_values_stored(uint32_t i);

/* Set the first n weights from the model, which must be of that kind. */
void coder_start(struct coder *c, const struct codec_model *m, enum codec_kind kind, uint32_t n);

#endif
