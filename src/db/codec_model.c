/* SPDX-License-Identifier: MIT
 *
 * Models: the weights that a page starts with, in eighths. */
#include "db/codec_coder.h"
#include "db/codec_counted.h"

#include <assert.h>
#include <string.h>

/* A weight is set to 0 if training moved it less often or less far: it would save less than it
 * costs. */
enum { SEEN_MIN = 8, WEIGHT_MIN = 2 };

/* clang-format off */
const uint32_t coder_logistic[] = {
    6, 7, 8, 9, 11, 12, 14, 15, 18, 20,
    22, 25, 29, 33, 37, 42, 48, 54, 61, 69,
    78, 89, 101, 114, 129, 147, 166, 188, 213, 242,
    274, 310, 352, 398, 451, 512, 580, 657, 744, 843,
    955, 1082, 1226, 1389, 1574, 1783, 2020, 2289, 2593, 2937,
    3327, 3768, 4268, 4833, 5474, 6198, 7018, 7945, 8994, 10180,
    11521, 13036, 14747, 16679, 18860, 21320, 24094, 27218, 30736, 34693,
    39140, 44132, 49730, 55997, 63005, 70828, 79543, 89233, 99981, 111873,
    124993, 139423, 155239, 172508, 191287, 211617, 233518, 256990, 282006, 308507,
    336406, 365581, 395880, 427120, 459091, 491563, 524288, 557013, 589485, 621456,
    652696, 682995, 712170, 740069, 766570, 791586, 815058, 836959, 857289, 876068,
    893337, 909153, 923583, 936703, 948595, 959343, 969033, 977748, 985571, 992579,
    998846, 1004444, 1009436, 1013883, 1017840, 1021358, 1024482, 1027256, 1029716, 1031897,
    1033829, 1035540, 1037055, 1038396, 1039582, 1040631, 1041558, 1042378, 1043102, 1043743,
    1044308, 1044808, 1045249, 1045639, 1045983, 1046287, 1046556, 1046793, 1047002, 1047187,
    1047350, 1047494, 1047621, 1047733, 1047832, 1047919, 1047996, 1048064, 1048125, 1048178,
    1048224, 1048266, 1048302, 1048334, 1048363, 1048388, 1048410, 1048429, 1048447, 1048462,
    1048475, 1048487, 1048498, 1048507, 1048515, 1048522, 1048528, 1048534, 1048539, 1048543,
    1048547, 1048551, 1048554, 1048556, 1048558, 1048561, 1048562, 1048564, 1048565, 1048567,
    1048568, 1048569, 1048570,
    1048575,
};
/* clang-format on */

/* Less and less, so that the last pages do not outweigh the first: 65536 * ODDS_UNIT / 2^20 /
 * (seen + 1.5), where `seen` ends at 255. */
#define RATE(seen) (8192 / (2 * (seen) + 3))
#define RATE_4(i) RATE(i), RATE(i + 1), RATE(i + 2), RATE(i + 3)
#define RATE_16(i) RATE_4(i), RATE_4(i + 4), RATE_4(i + 8), RATE_4(i + 12)
#define RATE_64(i) RATE_16(i), RATE_16(i + 16), RATE_16(i + 32), RATE_16(i + 48)
const uint16_t coder_rate[256] = {RATE_64(0), RATE_64(64), RATE_64(128), RATE_64(192)};

void coder_start(struct coder *c, const struct codec_model *m, enum codec_kind kind, uint32_t n)
{
    assert(m->kind == kind);
    (void)kind;
    for (uint32_t i = 0; i < n; i++)
        c->weight[i] = m->weight[i] * ODDS_STEP;
}

void codec_train_begin(struct codec_training *t, enum codec_kind kind)
{
    memset(t, 0, sizeof *t);
    t->kind = kind;
}

static int8_t weight_rounded(int32_t weight, uint8_t seen)
{
    int32_t w = (weight + ODDS_STEP / 2) >> 13;

    if (seen < SEEN_MIN || (w < WEIGHT_MIN && w > -WEIGHT_MIN))
        return 0;
    return (int8_t)(w < -127 ? -127 : w > 127 ? 127 : w);
}

void codec_train_end(const struct codec_training *t, struct codec_model *m)
{
    m->kind = t->kind;
    if (t->kind == CODEC_COUNTED) {
        memset(m->weight, 0, sizeof m->weight);
        counted_weights(t->weight, m->weight);
        counted_shares(m);
        return;
    }
    for (int i = 0; i < CODEC_CONTEXTS; i++)
        m->weight[i] = weight_rounded(t->weight[i], t->seen[i]);
}

/* ------------------------------------------------------------- as bytes -- */

/* A weight is a bit "not 0", in the context of the one before, and then eight bits,
 * each in the context of those above it. */
enum { NOT_ZERO = 256, MODEL_CONTEXTS = 258, LEARN = 7 };

static int model_weight(struct coder *c, enum coder_mode mode, uint32_t *last, int weight)
{
    uint32_t context = NOT_ZERO + *last, node = 1;

    *last = (uint32_t)coder_bit(c, mode, &context, 1, LEARN, weight != 0);
    if (!*last)
        return 0;
    for (int k = 7; k >= 0; k--) {
        context = node;
        node = 2 * node + (uint32_t)coder_bit(c, mode, &context, 1, LEARN, (weight + 128) >> k & 1);
    }
    return (int)(node & 255) - 128;
}

static uint32_t stored(enum codec_kind kind, uint32_t i)
{
    return kind == CODEC_VALUES ? codec_values_stored(i) : i;
}

size_t codec_model_save(const struct codec_model *m, uint8_t out[CODEC_MODEL_BYTES_MAX])
{
    int32_t weight[MODEL_CONTEXTS] = {0};
    struct coder c = {.weight = weight};
    uint32_t last = 0;

    range_encoder_init(&c.encoder, out, CODEC_MODEL_BYTES_MAX);
    for (uint32_t i = 0; i < CODEC_CONTEXTS; i++)
        model_weight(&c, CODER_ENCODE, &last, m->weight[stored(m->kind, i)]);
    return range_finish(&c.encoder);
}

bool codec_model_load(struct codec_model *m, enum codec_kind kind, const uint8_t *bytes,
                      size_t size)
{
    int32_t weight[MODEL_CONTEXTS] = {0};
    struct coder c = {.weight = weight};
    uint32_t last = 0;

    if (size > CODEC_MODEL_BYTES_MAX)
        return false;
    m->kind = kind;
    range_decoder_init(&c.decoder, bytes, size);
    for (uint32_t i = 0; i < CODEC_CONTEXTS; i++)
        m->weight[stored(kind, i)] = (int8_t)model_weight(&c, CODER_DECODE, &last, 0);
    if (kind == CODEC_COUNTED)
        counted_shares(m);
    return c.decoder.at == c.decoder.end;
}
