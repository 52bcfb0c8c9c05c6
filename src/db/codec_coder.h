/* SPDX-License-Identifier: MIT
 *
 * codec_coder.h -- one text for training, writing and reading.
 *
 * What a page codes, in which order and in which contexts is written once, as a
 * function of a constant `mode`: coder_bit counts, encodes or decodes the bit, and
 * returns it.  Reader and writer cannot drift apart, and the compiler makes three
 * loops of the one text. */
#ifndef KELSO_DB_CODEC_CODER_H
#define KELSO_DB_CODEC_CODER_H

#include "db/codec.h"
#include "db/codec_range.h"

#define CODER_INLINE static inline __attribute__((always_inline))

enum coder_mode { CODER_TRAIN, CODER_ENCODE, CODER_DECODE };

struct coder {
    uint32_t (*count)[2]; /* CODER_TRAIN: of a struct codec_training */
    struct range_encoder encoder;
    struct range_decoder decoder;
    uint32_t bit[CODEC_CONTEXTS];
};

CODER_INLINE int coder_bit(struct coder *c, enum coder_mode mode, uint32_t context, int bit)
{
    uint32_t b;

    if (mode == CODER_TRAIN) {
        c->count[context][bit]++;
        return bit;
    }
    b = c->bit[context];
    if (mode == CODER_ENCODE)
        range_encode(&c->encoder, bit_p(b), bit);
    else
        bit = range_decode(&c->decoder, bit_p(b));
    c->bit[context] = bit_learn(b, bit);
    return bit;
}

/* Set the first n learning bits to what the model knows. */
void coder_start(struct coder *c, const struct codec_model *m, uint32_t n);

#endif
