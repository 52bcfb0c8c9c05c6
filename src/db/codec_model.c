/* SPDX-License-Identifier: MIT
 *
 * Models: what is known of a bit before the first page, in one byte.
 *
 *     255      nothing: it was not met while training
 *     bit 7    the likelier value
 *     6 .. 3   e, 2 .. 0   m: the other value has probability (1 + m/8) / 2^(e + 2)
 */
#include "db/codec_coder.h"

#include <string.h>

enum {
    CODE_UNKNOWN = 255,
    CODE_OCTAVES = 14,
    SEEN_AT_START = 40, /* trust in the model, against what the page says itself */
};

static uint32_t code_probability(uint8_t code)
{
    int shift = 11 - (code >> 3 & 15);
    uint32_t m = 8 + (code & 7), p = shift >= 0 ? m << shift : m >> -shift;

    return code & 128 ? 65536 - p : p;
}

static uint8_t code_from_counts(uint64_t zeros, uint64_t ones)
{
    uint64_t few = zeros < ones ? zeros : ones, all = zeros + ones, p;
    int e = 0, m;

    if (all < 2)
        return CODE_UNKNOWN;
    p = ((5 * few + 2) << 20) / (5 * all + 4); /* (few + 0.4) / (all + 0.8) */
    while (e < CODE_OCTAVES - 1 && p < UINT64_C(1) << (18 - e))
        e++;
    m = (int)((p << (e + 5)) >> 20) - 8;
    m = m < 0 ? 0 : m > 7 ? 7 : m;
    return (uint8_t)((ones > zeros) << 7 | e << 3 | m);
}

/* 65536 / (seen + 1.5), see codec_range.h */
#define R1(i) (uint16_t)(131072 / (2 * (i) + 3))
#define R4(i) R1(i), R1(i + 1), R1(i + 2), R1(i + 3)
#define R16(i) R4(i), R4(i + 4), R4(i + 8), R4(i + 12)
#define R64(i) R16(i), R16(i + 16), R16(i + 32), R16(i + 48)
const uint16_t range_rate[BIT_LIMIT + 1] = {R64(0), R64(64), R64(128), R64(192)};

void coder_start(struct coder *c, const struct codec_model *m, uint32_t n)
{
    uint32_t start[256];

    for (int code = 0; code < CODE_UNKNOWN; code++)
        start[code] = bit_make(code_probability((uint8_t)code), SEEN_AT_START);
    start[CODE_UNKNOWN] = bit_make(32768, 0);
    for (uint32_t i = 0; i < n; i++)
        c->bit[i] = start[m->code[i]];
}

void codec_train_begin(struct codec_training *t, enum codec_kind kind)
{
    memset(t, 0, sizeof *t);
    t->kind = kind;
}

void codec_train_end(const struct codec_training *t, struct codec_model *m)
{
    m->kind = t->kind;
    for (int i = 0; i < CODEC_CONTEXTS; i++)
        m->code[i] = code_from_counts(t->count[i][0], t->count[i][1]);
}

/* A byte of a model is coded as a bit "known", in the context of the one before, and
 * then its eight bits, each in the context of those above it. */
struct model_bits {
    uint32_t known[2], byte[256];
};

static void model_bits_init(struct model_bits *b)
{
    for (int i = 0; i < 2; i++)
        b->known[i] = bit_make(32768, 0);
    for (int i = 0; i < 256; i++)
        b->byte[i] = bit_make(32768, 0);
}

static void put_bit(struct range_encoder *e, uint32_t *b, int bit)
{
    range_encode(e, bit_p(*b), bit);
    *b = bit_learn(*b, bit);
}

static int get_bit(struct range_decoder *d, uint32_t *b)
{
    int bit = range_decode(d, bit_p(*b));

    *b = bit_learn(*b, bit);
    return bit;
}

size_t codec_model_save(const struct codec_model *m, uint8_t out[CODEC_MODEL_BYTES_MAX])
{
    struct range_encoder e;
    struct model_bits b;
    int known = 0;

    model_bits_init(&b);
    range_encoder_init(&e, out, CODEC_MODEL_BYTES_MAX);
    for (int i = 0; i < CODEC_CONTEXTS; i++) {
        int last = known;

        known = m->code[i] != CODE_UNKNOWN;
        put_bit(&e, &b.known[last], known);
        for (int node = 1, k = 7; known && k >= 0; k--) {
            int bit = m->code[i] >> k & 1;

            put_bit(&e, &b.byte[node], bit);
            node = 2 * node + bit;
        }
    }
    return range_finish(&e);
}

bool codec_model_load(struct codec_model *m, enum codec_kind kind, const uint8_t *bytes,
                      size_t size)
{
    struct range_decoder d;
    struct model_bits b;
    int known = 0;

    if (size > CODEC_MODEL_BYTES_MAX)
        return false;
    m->kind = kind;
    model_bits_init(&b);
    range_decoder_init(&d, bytes, size);
    for (int i = 0; i < CODEC_CONTEXTS; i++) {
        int node = 1;

        known = get_bit(&d, &b.known[known]);
        while (known && node < 256)
            node = 2 * node + get_bit(&d, &b.byte[node]);
        m->code[i] = known ? (uint8_t)node : CODE_UNKNOWN;
        if (known && (m->code[i] == CODE_UNKNOWN || (m->code[i] >> 3 & 15) >= CODE_OCTAVES))
            return false;
    }
    return d.at == d.end;
}
