/* SPDX-License-Identifier: MIT */
#include "db/codec_counted.h"

#include "db/codec_coder.h"
#include "db/value.h"

#include <assert.h>
#include <string.h>

/* A difference of at most NEAR has its own symbol.  Beyond that the symbol gives the sign and
 * one of the ranges below, and extra bits give the place in the range. */
enum {
    NEAR = 11,
    STRETCHES = 4,
    BELOW = 2 * NEAR + 1, /* symbols of stretches of negative differences */
    ABOVE = BELOW + STRETCHES,
    SYMBOLS = ABOVE + STRETCHES,
    ROOM = 32, /* shares of a context, with the end of the last */
    LEVELS = 8,
    CONTEXTS = 3 * LEVELS * LEVELS * 2, /* [median][above][below][win] */
    TOTAL = CONTEXTS,                   /* the sum of all contexts */
    ROWS = CONTEXTS + 1,
    SEEN_MIN = 32, /* a context seen less often uses TOTAL */
    PRIOR = 4,     /* the weight of TOTAL as a prior, in observations */
    PAD = 4,
    TAG = 16, /* a cell is value << TAG | distance */
};

static_assert((int)ROWS * (int)SYMBOLS <= (int)CODEC_CONTEXTS, "a model has room for all");
static_assert((int)CODEC_SHARES == (int)CONTEXTS * (int)ROOM && (int)SYMBOLS < (int)ROOM,
              "and for their shares");

static const struct stretch {
    int first, bits;
} stretch[STRETCHES] = {{NEAR + 1, 2}, {NEAR + 5, 3}, {NEAR + 13, 5}, {NEAR + 45, 16}};

/* -------------------------------------------------------------------- models -- */

/* 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, ...; as far as a share goes. */
enum { WEIGHT_MAX = 56 };

static uint32_t weight_value(int weight)
{
    return weight < 4 ? (uint32_t)weight : (4 + ((uint32_t)weight & 3)) << (weight / 4 - 1);
}

static int8_t weight_nearest(uint32_t x)
{
    int w = 0;

    while (w < WEIGHT_MAX && weight_value(w) + weight_value(w + 1) <= 2 * x)
        w++;
    return (int8_t)w;
}

static int64_t row_sum(const int32_t *count)
{
    int64_t sum = 0;

    for (int s = 0; s < SYMBOLS; s++)
        sum += count[s];
    return sum;
}

/* The frequencies of a row in 2^-SHARE_BITS, as if `prior` had been seen PRIOR times. */
static void row_weights(const int32_t *count, const int8_t *prior, int8_t *weight)
{
    int64_t sum = row_sum(count), expected = 0;

    for (int s = 0; s < SYMBOLS; s++)
        expected += weight_value(prior[s]);
    for (int s = 0; s < SYMBOLS; s++) {
        int64_t x = (int64_t)count[s] * expected + PRIOR * (int64_t)weight_value(prior[s]);

        weight[s] = weight_nearest((uint32_t)((x << SHARE_BITS) / ((sum + PRIOR) * expected)));
    }
}

void counted_weights(const int32_t *counts, int8_t *weights)
{
    int32_t total[SYMBOLS] = {0};
    int8_t even[SYMBOLS];

    memset(weights, 0, (size_t)ROWS * SYMBOLS);
    memset(even, 1, sizeof even);
    for (int i = 0; i < CONTEXTS * SYMBOLS; i++)
        total[i % SYMBOLS] += counts[i];
    row_weights(total, even, weights + TOTAL * SYMBOLS);
    for (int c = 0; c < CONTEXTS; c++)
        if (row_sum(counts + c * SYMBOLS) >= SEEN_MIN)
            row_weights(counts + c * SYMBOLS, weights + TOTAL * SYMBOLS, weights + c * SYMBOLS);
}

/* Any bytes give some shares: (K1). */
static void row_shares(const int8_t *weight, uint16_t *share)
{
    const uint32_t all = 1u << SHARE_BITS;
    uint32_t value[SYMBOLS], sum = 0, at = 0;

    for (int s = 0; s < SYMBOLS; s++)
        sum += value[s] = weight_value(weight[s] < 0            ? 0
                                       : weight[s] > WEIGHT_MAX ? WEIGHT_MAX
                                                                : weight[s]);
    for (int s = 0; s < SYMBOLS; s++) {
        share[s] = (uint16_t)at;
        at += 1 + (sum ? (uint32_t)((uint64_t)value[s] * (all - SYMBOLS) / sum) : 0);
    }
    assert(at <= all);
    for (int s = SYMBOLS; s < ROOM; s++)
        share[s] = (uint16_t)all; /* the last symbol gets the rounding remainder */
}

static bool row_is_empty(const int8_t *weight)
{
    for (int s = 0; s < SYMBOLS; s++)
        if (weight[s] != 0)
            return false;
    return true;
}

void counted_shares(struct codec_model *m)
{
    for (int c = 0; c < CONTEXTS; c++) {
        const int8_t *weight = m->weight + c * SYMBOLS;

        row_shares(row_is_empty(weight) ? m->weight + TOTAL * SYMBOLS : weight,
                   m->share + c * ROOM);
    }
}

/* --------------------------------------------------------------------- pages -- */

/* One source for three uses, as in codec_coder.h. */
struct counted {
    const uint16_t *share;
    int32_t *count; /* CODER_TRAIN */
    struct range_encoder encoder;
    struct range_decoder decoder;
    uint32_t last[3]; /* the last distance, by value */
    uint32_t cell[PAD + CODEC_PAGE_MAX];
};

/* The last symbol that starts at or before a point. */
CODER_INLINE uint32_t symbol_find(const uint16_t *share, uint16_t point)
{
    uint16_t n = 0;

    for (int s = 0; s < ROOM; s++)
        n = (uint16_t)(n + (share[s] <= point));
    return n - 1u;
}

CODER_INLINE uint32_t code_symbol(struct counted *c, enum coder_mode mode, uint32_t context,
                                  uint32_t symbol)
{
    if (mode == CODER_TRAIN) {
        c->count[context * SYMBOLS + symbol]++;
        return symbol;
    }
    const uint16_t *share = c->share + context * ROOM;
    if (mode == CODER_DECODE)
        symbol = symbol_find(share, (uint16_t)range_decode_point(&c->decoder, SHARE_BITS));
    uint32_t start = share[symbol], size = share[symbol + 1] - start;
    if (mode == CODER_ENCODE)
        range_encode_part(&c->encoder, start, size, SHARE_BITS);
    else
        range_decode_part(&c->decoder, start, size, SHARE_BITS);
    return symbol;
}

/* A number below 2^bits. */
CODER_INLINE uint32_t code_bits(struct counted *c, enum coder_mode mode, int bits, uint32_t x)
{
    if (mode == CODER_DECODE)
        x = range_decode_point(&c->decoder, bits);
    if (mode == CODER_ENCODE)
        range_encode_part(&c->encoder, x, 1, bits);
    if (mode == CODER_DECODE)
        range_decode_part(&c->decoder, x, 1, bits);
    return x;
}

CODER_INLINE int code_difference(struct counted *c, enum coder_mode mode, uint32_t context,
                                 int difference)
{
    int size = difference < 0 ? -difference : difference, k = 0;
    uint32_t symbol = (uint32_t)(difference + NEAR);

    if (mode != CODER_DECODE && size > NEAR) {
        while (k + 1 < STRETCHES && size >= stretch[k + 1].first)
            k++;
        symbol = (uint32_t)((difference < 0 ? BELOW : ABOVE) + k);
    }
    symbol = code_symbol(c, mode, context, symbol);
    if (symbol < BELOW)
        return (int)symbol - NEAR;
    k = ((int)symbol - BELOW) % STRETCHES;
    size = stretch[k].first +
           (int)code_bits(c, mode, stretch[k].bits, (uint32_t)(size - stretch[k].first));
    return symbol < ABOVE ? -size : size;
}

/* A neighbour's distance if it has the value of the tag, else `other`. */
CODER_INLINE uint32_t cell_distance(uint32_t cell, uint32_t tag, uint32_t other)
{
    return cell - tag < 1u << TAG ? cell - tag : other;
}

CODER_INLINE uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

CODER_INLINE uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

CODER_INLINE uint32_t level(uint32_t difference)
{
    static const uint8_t of[] = {0, 1, 2, 3, 4, 5, 5, 6, 6, 6, 7};

    return of[smaller(difference, sizeof of - 1)];
}

CODER_INLINE void code_run(struct counted *c, enum coder_mode mode, const struct codec_map *map,
                           const struct codec_run *run)
{
    uint32_t b1 = run->back[0], b2 = run->back[1];

    for (uint32_t i = run->start; i < run->end; i++) {
        uint32_t *at = c->cell + PAD + i, value = *at >> TAG, tag = value << TAG;

        if (value == VALUE_DRAW)
            continue;
        uint32_t x = cell_distance(at[-1], tag, c->last[value]);
        uint32_t y = cell_distance(*(at - b1), tag, x), z = cell_distance(*(at - b2), tag, x);
        uint32_t low = smaller(x, y), high = larger(x, y);
        uint32_t middle = larger(low, smaller(high, z));
        if (codec_map_bit(map->taking, i)) {
            *at = tag | middle;
            continue;
        }
        uint32_t median = x == middle ? 0 : y == middle ? 1 : 2;
        uint32_t above = level(larger(high, z) - middle), below = level(middle - smaller(low, z));
        uint32_t context = ((median * LEVELS + above) * LEVELS + below) * 2 + value / VALUE_WIN;
        int difference = code_difference(c, mode, context, (int)(*at - tag) - (int)middle);
        c->last[value] = (middle + (uint32_t)difference) & ((1u << TAG) - 1);
        *at = tag | c->last[value];
    }
}

CODER_INLINE void code_page(struct counted *c, enum coder_mode mode, const struct codec_map *map)
{
    for (uint32_t r = 0; r < map->runs; r++)
        code_run(c, mode, map, &map->run[r]);
}

/* `distances` may be NULL. */
static void cells_fill(struct counted *c, const uint8_t *values, const uint16_t *distances,
                       uint32_t n)
{
    memset(c->last, 0, sizeof c->last);
    for (int i = 0; i < PAD; i++)
        c->cell[i] = VALUE_DRAW << TAG;
    for (uint32_t i = 0; i < n; i++)
        c->cell[PAD + i] = (uint32_t)values[i] << TAG;
    for (uint32_t i = 0; distances && i < n; i++)
        c->cell[PAD + i] |= distances[i];
}

void counted_train(struct codec_training *t, const struct codec_map *map, const uint8_t *values,
                   const uint16_t *distances)
{
    struct counted c;

    c.count = t->weight;
    cells_fill(&c, values, distances, map->n);
    code_page(&c, CODER_TRAIN, map);
}

size_t counted_encode(const struct codec_model *m, const struct codec_map *map,
                      const uint8_t *values, const uint16_t *distances, uint8_t *out,
                      size_t capacity)
{
    struct counted c;
    size_t size;

    c.share = m->share;
    cells_fill(&c, values, distances, map->n);
    range_encoder_init(&c.encoder, out, capacity);
    code_page(&c, CODER_ENCODE, map);
    size = range_finish(&c.encoder);
    if (size == 0 && capacity)
        out[size++] = 0;
    return c.encoder.full ? 0 : size;
}

void counted_decode(const struct codec_model *m, const struct codec_map *map, const uint8_t *values,
                    const uint8_t *bytes, size_t size, uint16_t *distances)
{
    struct counted c;

    c.share = m->share;
    cells_fill(&c, values, NULL, map->n);
    range_decoder_init(&c.decoder, bytes, size);
    code_page(&c, CODER_DECODE, map);
    for (uint32_t i = 0; i < map->n; i++)
        distances[i] = (uint16_t)c.cell[PAD + i];
}
