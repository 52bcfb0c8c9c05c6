/* SPDX-License-Identifier: MIT
 *
 * Distances, given the values.  The nearest neighbours of equal value give a
 * prediction, their median, and how they and others differ from it is the context for
 * what is coded: the difference, as zero or not, its sign, its size in unary, and
 * beyond UNARY_MAX as a number with its length before it.  Draws and positions that
 * are not coded cost nothing. */
#include "db/codec_coder.h"
#include "db/codec_counted.h"

#include "db/value.h"

#include <string.h>

enum {
    UNARY_MAX = 14,
    NODES = 2 + UNARY_MAX, /* bits of a difference: zero, sign, unary */
    SPREADS = 10,
    /* Contexts, each for NODES bits: */
    DISAGREEMENT = 0,                                /* [spread][shape][threat][win] */
    NEIGHBOURS = DISAGREEMENT + SPREADS * 3 * 4 * 2, /* [7][7][7][win] */
    SQUARES = NEIGHBOURS + 7 * 7 * 7 * 2,            /* three times [square][threat][win] */
    FARTHER = SQUARES + 3 * 32 * 2 * 2,              /* [7][7][7][win] */
    SETS = FARTHER + 7 * 7 * 7 * 2,
    SETS_TOGETHER = 6,
    /* Single contexts: */
    LENGTHS = SETS * NODES, /* of a number beyond UNARY_MAX */
    DIGITS = LENGTHS + 16,
    DISTANCE_CONTEXTS = DIGITS + 16,
    LEARN = 7, /* weights move by an eighth of the error */
    PAD = 4,
};

_Static_assert((int)DISTANCE_CONTEXTS <= (int)CODEC_CONTEXTS, "a model has room for all contexts");

struct cells {
    uint16_t distance[PAD + CODEC_PAGE_MAX];
    uint8_t value[PAD + CODEC_PAGE_MAX];
    uint16_t last[3]; /* the last distance, by value */
};

CODER_INLINE int minimum(int a, int b)
{
    return a < b ? a : b;
}

CODER_INLINE int maximum(int a, int b)
{
    return a > b ? a : b;
}

CODER_INLINE int clamp(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

CODER_INLINE int code_bit(struct coder *c, enum coder_mode mode, uint32_t context, int bit)
{
    return coder_bit(c, mode, &context, 1, LEARN, bit);
}

/* A number of at least 1 and below 2^16. */
CODER_INLINE uint32_t code_number(struct coder *c, enum coder_mode mode, uint32_t x)
{
    uint32_t length = 0, result = 1;

    while (length < 15 && code_bit(c, mode, LENGTHS + length, x >> length > 1))
        length++;
    while (length-- > 0)
        result = 2 * result + (uint32_t)code_bit(c, mode, DIGITS + length, x >> length & 1);
    return result;
}

/* One bit of a difference; `set` are the contexts. */
CODER_INLINE int code_node(struct coder *c, enum coder_mode mode, const uint32_t *set,
                           uint32_t node, int bit)
{
    uint32_t context[SETS_TOGETHER];

    for (int i = 0; i < SETS_TOGETHER; i++)
        context[i] = set[i] * NODES + node;
    return coder_bit(c, mode, context, SETS_TOGETHER, LEARN, bit);
}

CODER_INLINE int code_difference(struct coder *c, enum coder_mode mode, const uint32_t *set,
                                 int difference)
{
    int size = difference < 0 ? -difference : difference, sign, k = 1;

    if (!code_node(c, mode, set, 0, difference != 0))
        return 0;
    sign = code_node(c, mode, set, 1, difference < 0);
    while (k <= UNARY_MAX && code_node(c, mode, set, 1 + (uint32_t)k, size > k))
        k++;
    if (k > UNARY_MAX)
        k += (int)code_number(c, mode, (uint32_t)(size - UNARY_MAX)) - 1;
    return sign ? -k : k;
}

/* What the neighbours of equal value say. */
struct forecast {
    int a, b, d, middle, spread;
};

CODER_INLINE struct forecast forecast_make(const uint16_t *at, const uint8_t *v, uint32_t b1,
                                           uint32_t b2, const uint16_t *last)
{
    struct forecast f;

    f.a = v[-1] == *v ? at[-1] : last[*v];
    f.b = *(v - b1) == *v ? *(at - b1) : f.a;
    f.d = *(v - b2) == *v ? *(at - b2) : f.a;
    int low = minimum(f.a, f.b), high = maximum(f.a, f.b);
    f.middle = clamp(f.d, low, high);
    f.spread = maximum(high, f.d) - minimum(low, f.d);
    return f;
}

static const uint8_t spread_class[] = {0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 7, 7,
                                       7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 8, 9};

CODER_INLINE uint32_t forecast_shape(const struct forecast *f)
{
    return f->a == f->middle ? 0 : f->a < f->middle ? 1 : 2;
}

/* How three distances differ from the prediction: 0 .. 7^3 - 1. */
CODER_INLINE uint32_t forecast_differences(const struct forecast *f, int a, int b, int d)
{
    a = clamp(a - f->middle, -3, 3) + 3;
    b = clamp(b - f->middle, -3, 3) + 3;
    d = clamp(d - f->middle, -3, 3) + 3;
    return (uint32_t)((a * 7 + b) * 7 + d);
}

/* The distance `back` positions before, if the value is the same there. */
CODER_INLINE int distance_back(const struct forecast *f, const uint16_t *at, const uint8_t *v,
                               uint32_t back)
{
    return *(v - back) == *v ? *(at - back) : f->middle;
}

CODER_INLINE uint32_t farther_neighbours(const struct forecast *f, const uint16_t *at,
                                         const uint8_t *v, const struct codec_run *run)
{
    uint32_t side = run->back[0] > 2 ? run->back[0] - 1 : 2;

    return forecast_differences(f, distance_back(f, at, v, run->back[2]),
                                distance_back(f, at, v, side), distance_back(f, at, v, 3));
}

CODER_INLINE void code_run(struct coder *c, enum coder_mode mode, const struct codec_map *map,
                           const struct codec_run *run, struct cells *cells)
{
    uint32_t b1 = run->back[0], b2 = run->back[1];

    for (uint32_t i = run->start; i < run->end; i++) {
        uint16_t *at = cells->distance + PAD + i;
        const uint8_t *v = cells->value + PAD + i;

        if (*v == VALUE_DRAW)
            continue;
        struct forecast f = forecast_make(at, v, b1, b2, cells->last);
        if (codec_map_bit(map->taking, i)) {
            *at = (uint16_t)f.middle;
            continue;
        }
        uint32_t win = *v == VALUE_WIN, threat = codec_map_threat(map, i);
        uint32_t kind = (threat != 0) * 2 + win;
        uint32_t shape = spread_class[minimum(f.spread, 24)] * 3 + forecast_shape(&f);
        uint32_t set[SETS_TOGETHER] = {
            DISAGREEMENT + (shape * 4 + threat) * 2 + win,
            NEIGHBOURS + forecast_differences(&f, f.a, f.b, f.d) * 2 + win,
            SQUARES + map->square[i] * 4u + kind,
            SQUARES + (32 + run->square[0]) * 4u + kind,
            SQUARES + (64 + run->square[1]) * 4u + kind,
            FARTHER + farther_neighbours(&f, at, v, run) * 2 + win,
        };
        int difference = code_difference(c, mode, set, *at - f.middle);
        *at = cells->last[*v] = (uint16_t)(f.middle + difference);
    }
}

CODER_INLINE void code_page(struct coder *c, enum coder_mode mode, const struct codec_map *map,
                            struct cells *cells)
{
    for (uint32_t r = 0; r < map->runs; r++)
        code_run(c, mode, map, &map->run[r], cells);
}

static void cells_init(struct cells *cells, const uint8_t *values, uint32_t n)
{
    memset(cells->value, VALUE_DRAW, PAD);
    memset(cells->distance, 0, PAD * sizeof *cells->distance);
    memcpy(cells->value + PAD, values, n);
    memset(cells->last, 0, sizeof cells->last);
}

CODER_INLINE bool is_coded(const struct codec_map *map, const uint8_t *values, uint32_t i)
{
    return values[i] != VALUE_DRAW && !codec_map_bit(map->taking, i);
}

int codec_distances_same(const struct codec_map *map, const uint8_t *values,
                         const uint16_t *distances)
{
    int same = -1;

    for (uint32_t i = 0; i < map->n; i++) {
        if (!is_coded(map, values, i) || distances[i] == same)
            continue;
        if (same >= 0)
            return -1;
        same = distances[i];
    }
    return same >= 0 ? same : 0;
}

void codec_train_distances(struct codec_training *t, const struct codec_map *map,
                           const uint8_t *values, const uint16_t *distances)
{
    struct coder c = {.weight = t->weight, .seen = t->seen};
    struct cells cells;

    if (t->kind == CODEC_COUNTED) {
        counted_train(t, map, values, distances);
        return;
    }
    cells_init(&cells, values, map->n);
    memcpy(cells.distance + PAD, distances, map->n * sizeof *distances);
    code_page(&c, CODER_TRAIN, map, &cells);
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

static size_t mixed_encode(const struct codec_model *m, const struct codec_map *map,
                           const uint8_t *values, const uint16_t *distances, uint8_t *out,
                           size_t capacity)
{
    int32_t weight[DISTANCE_CONTEXTS];
    struct coder c = {.weight = weight};
    struct cells cells;
    size_t size;

    cells_init(&cells, values, map->n);
    memcpy(cells.distance + PAD, distances, map->n * sizeof *distances);
    coder_start(&c, m, CODEC_DISTANCES, DISTANCE_CONTEXTS);
    range_encoder_init(&c.encoder, out, capacity);
    code_page(&c, CODER_ENCODE, map, &cells);
    size = range_finish(&c.encoder);
    if (size == 0 && capacity)
        out[size++] = 0;
    return c.encoder.full ? 0 : size;
}

static void mixed_decode(const struct codec_model *m, const struct codec_map *map,
                         const uint8_t *values, const uint8_t *bytes, size_t size,
                         uint16_t *distances)
{
    int32_t weight[DISTANCE_CONTEXTS];
    struct coder c = {.weight = weight};
    struct cells cells;

    cells_init(&cells, values, map->n);
    coder_start(&c, m, CODEC_DISTANCES, DISTANCE_CONTEXTS);
    range_decoder_init(&c.decoder, bytes, size);
    code_page(&c, CODER_DECODE, map, &cells);
    memcpy(distances, cells.distance + PAD, map->n * sizeof *distances);
}

size_t codec_encode_distances(const struct codec_model *m, const struct codec_map *map,
                              const uint8_t *values, const uint16_t *distances, uint8_t *out)
{
    size_t raw = 2 * (size_t)map->n;
    size_t size = m->kind == CODEC_COUNTED ? counted_encode(m, map, values, distances, out, raw)
                                           : mixed_encode(m, map, values, distances, out, raw);

    return size && size < raw ? size : distances_put(map, values, distances, out);
}

void codec_decode_distances(const struct codec_model *m, const struct codec_map *map,
                            const uint8_t *values, const uint8_t *bytes, size_t size,
                            uint16_t *distances)
{
    if (size == 2 * (size_t)map->n)
        for (uint32_t i = 0; i < map->n; i++)
            distances[i] = (uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
    else if (m->kind == CODEC_COUNTED)
        counted_decode(m, map, values, bytes, size, distances);
    else
        mixed_decode(m, map, values, bytes, size, distances);
    for (uint32_t i = 0; i < map->n; i++)
        if (!is_coded(map, values, i))
            distances[i] = 0;
}
