/* SPDX-License-Identifier: MIT
 *
 * Distances, given the values.  The neighbours of equal value give a prediction,
 * their median, and how far they disagree is the context for the difference: zero or
 * not, its sign, its size in unary, and beyond UNARY_MAX as a number with its length
 * before it.  Draws and positions that are not coded cost nothing. */
#include "db/codec_coder.h"

#include "db/value.h"

#include <string.h>

enum {
    UNARY_MAX = 20,
    SETS = 2 * 2 * 10 * 3,     /* [win][threatened][spread][shape] */
    SET_SIZE = 2 + UNARY_MAX,  /* zero, sign, unary */
    LENGTHS = SETS * SET_SIZE, /* then [bits so far] of a length, */
    MANTISSA = LENGTHS + 16,   /* and its digits */
    DISTANCE_CONTEXTS = MANTISSA + 16,
    PAD = 4,
};

struct cells {
    uint16_t distance[PAD + CODEC_PAGE_MAX];
    uint8_t value[PAD + CODEC_PAGE_MAX];
};

CODER_INLINE int minimum(int a, int b)
{
    return a < b ? a : b;
}

CODER_INLINE int maximum(int a, int b)
{
    return a > b ? a : b;
}

CODER_INLINE int code_bit(struct coder *c, enum coder_mode mode, uint32_t context, int bit)
{
    return coder_bit(c, mode, &context, 1, bit);
}

/* A number of at least 1 and below 2^16. */
CODER_INLINE uint32_t code_number(struct coder *c, enum coder_mode mode, uint32_t x)
{
    int length = 0;
    uint32_t result = 1;

    while (length < 15 && code_bit(c, mode, LENGTHS + (uint32_t)length,
                                   mode != CODER_DECODE && x >> (length + 1) != 0))
        length++;
    while (length-- > 0)
        result = 2 * result + (uint32_t)code_bit(c, mode, MANTISSA + (uint32_t)length,
                                                 mode != CODER_DECODE && (x >> length & 1));
    return result;
}

CODER_INLINE uint16_t code_distance(struct coder *c, enum coder_mode mode, uint32_t set,
                                    int predicted, int distance)
{
    uint32_t base = set * SET_SIZE, size;
    int difference = distance - predicted, sign, k = 1;

    if (!code_bit(c, mode, base, difference != 0))
        return (uint16_t)predicted;
    sign = code_bit(c, mode, base + 1, difference < 0);
    size = (uint32_t)(difference < 0 ? -difference : difference);
    while (k <= UNARY_MAX &&
           code_bit(c, mode, base + 1 + (uint32_t)k, mode != CODER_DECODE && size > (uint32_t)k))
        k++;
    if (k > UNARY_MAX)
        k += (int)code_number(c, mode, size - UNARY_MAX) - 1;
    return (uint16_t)(sign ? predicted - k : predicted + k);
}

static const uint8_t spread_class[] = {0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 7, 7,
                                       7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 8, 9};

CODER_INLINE void code_run(struct coder *c, enum coder_mode mode, const struct codec_map *map,
                           const struct codec_run *run, uint16_t last[3], uint16_t *distance,
                           const uint8_t *value)
{
    uint32_t b1 = run->back[0], b2 = run->back[1];

    for (uint32_t i = run->start; i < run->end; i++) {
        uint16_t *at = distance + i;
        const uint8_t *v = value + i;

        if (*v == VALUE_DRAW)
            continue;
        if (codec_map_bit(map->taking, i)) {
            *at = last[*v];
            continue;
        }
        int a = v[-1] == *v ? at[-1] : last[*v];
        int b = *(v - b1) == *v ? *(at - b1) : a;
        int d = *(v - b2) == *v ? *(at - b2) : a;
        int low = minimum(a, b), high = maximum(a, b);
        int middle = maximum(low, minimum(high, d));
        int spread = maximum(high, d) - minimum(low, d);
        uint32_t set = spread_class[minimum(spread, 24)];

        set = set * 3 + (uint32_t)(a == middle ? 0 : a < middle ? 1 : 2);
        set = set * 2 + (codec_map_threat(map, i) != 0);
        set = set * 2 + (*v == VALUE_WIN);
        *at = last[*v] = code_distance(c, mode, set, middle, *at);
    }
}

CODER_INLINE void code_page(struct coder *c, enum coder_mode mode, const struct codec_map *map,
                            struct cells *cells)
{
    uint16_t last[3] = {0};

    for (uint32_t r = 0; r < map->runs; r++)
        code_run(c, mode, map, &map->run[r], last, cells->distance + PAD, cells->value + PAD);
}

static void cells_init(struct cells *cells, const uint8_t *values, uint32_t n)
{
    memset(cells->value, VALUE_DRAW, PAD);
    memset(cells->distance, 0, PAD * sizeof *cells->distance);
    memcpy(cells->value + PAD, values, n);
}

void codec_train_distances(struct codec_training *t, const struct codec_map *map,
                           const uint8_t *values, const uint16_t *distances)
{
    struct coder c = {.weight = t->weight, .seen = t->seen};
    struct cells cells;

    cells_init(&cells, values, map->n);
    memcpy(cells.distance + PAD, distances, map->n * sizeof *distances);
    code_page(&c, CODER_TRAIN, map, &cells);
}

CODER_INLINE bool is_coded(const struct codec_map *map, const uint8_t *values, uint32_t i)
{
    return values[i] != VALUE_DRAW && !codec_map_bit(map->taking, i);
}

/* A page of 2n bytes holds the distances as they are. */
static size_t distances_put(const struct codec_map *map, const uint8_t *values,
                            const uint16_t *distances, uint8_t *out)
{
    for (uint32_t i = 0; i < map->n; i++) {
        uint16_t d = is_coded(map, values, i) ? distances[i] : 0;

        out[2 * i] = (uint8_t)d;
        out[2 * i + 1] = (uint8_t)(d >> 8);
    }
    return 2 * (size_t)map->n;
}

size_t codec_encode_distances(const struct codec_model *m, const struct codec_map *map,
                              const uint8_t *values, const uint16_t *distances, uint8_t *out)
{
    size_t size, raw = 2 * (size_t)map->n;
    int32_t weight[DISTANCE_CONTEXTS];
    struct coder c = {.weight = weight};
    struct cells cells;

    cells_init(&cells, values, map->n);
    memcpy(cells.distance + PAD, distances, map->n * sizeof *distances);
    coder_start(&c, m, DISTANCE_CONTEXTS);
    range_encoder_init(&c.encoder, out, raw);
    code_page(&c, CODER_ENCODE, map, &cells);
    size = range_finish(&c.encoder);
    if (c.encoder.full || size >= raw)
        return distances_put(map, values, distances, out);
    if (size == 0)
        out[size++] = 0;
    return size;
}

void codec_decode_distances(const struct codec_model *m, const struct codec_map *map,
                            const uint8_t *values, const uint8_t *bytes, size_t size,
                            uint16_t *distances)
{
    int32_t weight[DISTANCE_CONTEXTS];
    struct coder c = {.weight = weight};
    struct cells cells;

    if (size == 2 * (size_t)map->n) {
        for (uint32_t i = 0; i < map->n; i++)
            distances[i] = (uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
    } else {
        cells_init(&cells, values, map->n);
        coder_start(&c, m, DISTANCE_CONTEXTS);
        range_decoder_init(&c.decoder, bytes, size);
        code_page(&c, CODER_DECODE, map, &cells);
        memcpy(distances, cells.distance + PAD, map->n * sizeof *distances);
    }
    for (uint32_t i = 0; i < map->n; i++)
        if (!is_coded(map, values, i))
            distances[i] = 0;
}
