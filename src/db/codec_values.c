/* SPDX-License-Identifier: MIT
 *
 * Win, draw and loss.  A value is first guessed: if the two nearest neighbours in other digits
 * agree, their value, otherwise the previous value.  One bit says whether the guess is wrong,
 * another which of the other two values it is.  The contexts are the neighbourhood, whether the
 * mover is threatened, and where three of the pieces stand.  Before that, one bit per chunk says
 * whether all its values equal that of the position before the chunk. */
#include "db/codec_coder.h"
#include "db/codec_lines.h"

#include "db/value.h"

#include <assert.h>
#include <string.h>

/* Contexts, each for the two bits of a value: [threat][6 neighbours]; for each of three
 * pieces [threat][3 neighbours][square]; [square][square][guess][threatened]; then the
 * chunks' [value before][last three bits]. */
enum {
    THREATS = 4,
    NEAR = 27,  /* 3^3 */
    WIDE = 729, /* 3^6 */
    SQUARES = 2 * THREATS * WIDE,
    SQUARES_EACH = 2 * THREATS * NEAR * 32,
    PAIRS = SQUARES + 3 * SQUARES_EACH,
    PAIR = 2 * 3 * 2, /* contexts of a pair of squares */
    CHUNKS = PAIRS + 32 * 32 * PAIR,
    VALUE_CONTEXTS = CHUNKS + 3 * 8,
    TOGETHER = 5, /* contexts of a bit */
    LEARN = 6,    /* weights move by a quarter of the error */
    PAD = 4,      /* draws before the page */
};

_Static_assert((int)VALUE_CONTEXTS <= (int)CODEC_CONTEXTS, "a model has room for all contexts");

/* Values of the page, preceded by PAD draws. */
struct cells {
    uint8_t cell[PAD + CODEC_PAGE_MAX];
};

CODER_INLINE uint32_t guess(uint32_t a, uint32_t b, uint32_t c)
{
    return b == c ? b : a;
}

/* The weights of the model that a page has unpacked so far: those of a neighbourhood, and those
 * of the pairs with a given second square.  Most pages need few of them. */
struct unpacked {
    uint32_t near[THREATS]; /* a bit for each of NEAR */
    uint32_t pairs;         /* a bit for each square */
};

static void unpack(struct coder *c, uint32_t first, uint32_t n)
{
    int32_t *restrict weight = c->weight + first;
    const int8_t *restrict start = c->start + first;

    for (uint32_t i = 0; i < n; i++)
        weight[i] = start[i] * ODDS_STEP;
}

static __attribute__((noinline)) void unpack_near(struct coder *c, uint32_t near)
{
    unpack(c, 2 * (WIDE / NEAR) * near, 2 * (WIDE / NEAR));
    for (uint32_t k = 0; k < 3; k++)
        unpack(c, SQUARES + k * SQUARES_EACH + 2 * 32 * near, 2 * 32);
}

static __attribute__((noinline)) void unpack_pairs(struct coder *c, uint32_t second)
{
    unpack(c, PAIRS + 32 * PAIR * second, 32 * PAIR);
}

CODER_INLINE uint8_t code_value(struct coder *c, enum coder_mode mode, uint32_t *context,
                                uint32_t guessed, uint32_t value)
{
    uint32_t low = guessed == 0, high = guessed == 2 ? 1 : 2; /* the other two */

    if (!coder_bit(c, mode, context, TOGETHER, LEARN, value != guessed))
        return (uint8_t)guessed;
    for (int i = 0; i < TOGETHER; i++)
        context[i]++;
    return (uint8_t)(coder_bit(c, mode, context, TOGETHER, LEARN, value == high) ? high : low);
}

/* What the map says about the positions of a chunk, a bit each. */
struct chunk {
    uint32_t first;
    uint64_t taking, threat[2];
};

/* Positions start .. end - 1, of one run and one chunk. */
CODER_INLINE void code_stretch(struct coder *c, enum coder_mode mode, struct unpacked *unpacked,
                               const struct codec_map *map, const struct codec_run *run,
                               const struct chunk *chunk, uint32_t start, uint32_t end,
                               uint8_t *cell)
{
    uint32_t b1 = run->back[0], b2 = run->back[1], b3 = run->back[2];
    uint32_t side = b1 > 2 ? b1 - 1 : 2;
    uint64_t taking = chunk->taking, threat0 = chunk->threat[0], threat1 = chunk->threat[1];
    uint32_t second = run->square[0], third = run->square[1];

    if (mode != CODER_TRAIN && !(unpacked->pairs >> second & 1)) {
        unpacked->pairs |= UINT32_C(1) << second;
        unpack_pairs(c, second);
    }
    for (uint32_t i = start; i < end; i++) {
        const uint8_t *at = cell + i;
        uint32_t bit = i - chunk->first, v0 = at[-1], v1 = *(at - b1), v2 = *(at - b2);
        uint32_t guessed = guess(v0, v1, v2);

        if (taking >> bit & 1) {
            cell[i] = (uint8_t)guessed;
            continue;
        }
        uint32_t threat = (uint32_t)(threat0 >> bit & 1) | (uint32_t)(threat1 >> bit & 1) << 1;
        uint32_t values = v0 + 3 * v1 + 9 * v2, near = values + NEAR * threat;
        uint32_t first = map->square[i];
        uint32_t wide = 27 * near + *(at - b3) + 3 * *(at - side) + 9 * at[-3];
        uint32_t context[TOGETHER] = {
            2 * wide,
            SQUARES + 2 * (32 * near + first),
            SQUARES + SQUARES_EACH + 2 * (32 * near + second),
            SQUARES + 2 * SQUARES_EACH + 2 * (32 * near + third),
            PAIRS + PAIR * (32 * second + first) + 2 * (2 * guessed + (threat != 0)),
        };
        assert(mode == CODER_DECODE || cell[i] <= VALUE_WIN);
        if (mode != CODER_TRAIN && !(unpacked->near[threat] >> values & 1)) {
            unpacked->near[threat] |= UINT32_C(1) << values;
            unpack_near(c, near);
        }
        cell[i] = code_value(c, mode, context, guessed, cell[i]);
    }
}

/* Bit i: byte i of eight values is not `value`. */
static uint64_t bytes_differ(const uint8_t *cell, uint8_t value)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t x;

    memcpy(&x, cell, sizeof x);
    x ^= ones * value;
    x = (x | x >> 1) & ones; /* values have two bits */
    return x * UINT64_C(0x0102040810204080) >> 56;
}

static bool chunk_is(const uint8_t *cell, uint64_t taking, uint32_t start, uint32_t end,
                     uint8_t value)
{
    uint32_t i = start;

    for (; i + 8 <= end; i += 8)
        if (bytes_differ(cell + i, value) & ~(taking >> (i - start)))
            return false;
    for (; i < end; i++)
        if (cell[i] != value && !(taking >> (i - start) & 1))
            return false;
    return true;
}

/* With `lines`, the map is filled where it is needed. */
CODER_INLINE void code_page(struct coder *c, enum coder_mode mode, const struct codec_map *map,
                            struct codec_lines *lines, uint8_t *cell)
{
    const struct codec_run *run = map->run;
    struct unpacked unpacked = {0};
    uint32_t flags = 0;

    if (mode != CODER_TRAIN)
        unpack(c, CHUNKS, VALUE_CONTEXTS - CHUNKS);
    for (uint32_t start = 0; start < map->n; start += CODEC_CHUNK) {
        uint32_t end = start + CODEC_CHUNK < map->n ? start + CODEC_CHUNK : map->n;
        struct chunk chunk;
        uint8_t last = cell[(int64_t)start - 1];
        uint32_t context = CHUNKS + 8 * last + flags;
        int same =
            mode != CODER_DECODE && chunk_is(cell, map->taking[start / 64], start, end, last);

        same = coder_bit(c, mode, &context, 1, LEARN, same);
        flags = (2 * flags + (uint32_t)same) & 7;
        if (same) {
            memset(cell + start, last, end - start);
            continue;
        }
        if (lines)
            codec_lines_fill(lines, start, end);
        chunk = (struct chunk){start,
                               map->taking[start / 64],
                               {map->threat[0][start / 64], map->threat[1][start / 64]}};
        while (run->end <= start)
            run++;
        for (uint32_t i = start; i < end; run += run->end <= i) {
            uint32_t stop = run->end < end ? run->end : end;

            code_stretch(c, mode, &unpacked, map, run, &chunk, i, stop, cell);
            i = stop;
        }
    }
}

/* In a file the pairs come by their first square. */
uint32_t codec_values_stored(uint32_t i)
{
    uint32_t pair = (i - PAIRS) / PAIR;

    if (i < PAIRS || i >= CHUNKS)
        return i;
    return PAIRS + PAIR * (32 * (pair % 32) + pair / 32) + (i - PAIRS) % PAIR;
}

static uint8_t *cells_init(struct cells *cells)
{
    memset(cells->cell, VALUE_DRAW, PAD);
    return cells->cell + PAD;
}

int codec_values_same(const struct codec_map *map, const uint8_t *values)
{
    int same = -1;

    for (uint32_t i = 0; i < map->n; i++) {
        if (codec_map_bit(map->taking, i) || values[i] == same)
            continue;
        if (same >= 0)
            return -1;
        same = values[i];
    }
    return same >= 0 ? same : VALUE_DRAW;
}

void codec_train_values(struct codec_training *t, const struct codec_map *map,
                        const uint8_t *values)
{
    struct coder c = {.weight = t->weight, .seen = t->seen};
    struct cells cells;
    uint8_t *cell = cells_init(&cells);

    memcpy(cell, values, map->n);
    code_page(&c, CODER_TRAIN, map, NULL, cell);
}

size_t codec_encode_values(const struct codec_model *m, struct codec_work *work,
                           const struct codec_map *map, uint8_t *values, uint8_t *out)
{
    struct coder c = {.start = m->weight, .weight = work->weight};
    struct cells cells;
    uint8_t *cell = cells_init(&cells);
    size_t size;

    memcpy(cell, values, map->n);
    assert(m->kind == CODEC_VALUES);
    range_encoder_init(&c.encoder, out, map->n);
    code_page(&c, CODER_ENCODE, map, NULL, cell);
    memcpy(values, cell, map->n);
    size = range_finish(&c.encoder);
    if (size == 0)
        out[size++] = 0;
    if (c.encoder.full || size >= map->n) { /* a page of n bytes is stored uncompressed */
        memcpy(out, values, map->n);
        return map->n;
    }
    return size;
}

static void values_copy(uint8_t *values, const uint8_t *bytes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        values[i] = bytes[i] <= VALUE_WIN ? bytes[i] : VALUE_DRAW;
}

static void decode(const struct codec_model *m, struct codec_work *work,
                   const struct codec_map *map, struct codec_lines *lines, uint32_t n,
                   const uint8_t *bytes, size_t size, uint8_t *values)
{
    struct coder c = {.start = m->weight, .weight = work->weight};
    struct cells cells;
    uint8_t *cell = cells_init(&cells);

    assert(m->kind == CODEC_VALUES && map->n <= n);
    if (size == n) {
        values_copy(values, bytes, map->n);
        return;
    }
    range_decoder_init(&c.decoder, bytes, size);
    code_page(&c, CODER_DECODE, map, lines, cell);
    memcpy(values, cell, map->n);
}

void codec_decode_values(const struct codec_model *m, struct codec_work *work,
                         const struct codec_map *map, uint32_t n, const uint8_t *bytes, size_t size,
                         uint8_t *values)
{
    decode(m, work, map, NULL, n, bytes, size, values);
}

void codec_decode_beginning(const struct codec_model *m, struct codec_work *work,
                            struct codec_lines *lines, uint32_t n, const uint8_t *bytes,
                            size_t size, uint8_t *values)
{
    decode(m, work, lines->map, lines, n, bytes, size, values);
}

void codec_fill_values(const struct codec_map *map, uint8_t *values)
{
    struct cells cells;
    uint8_t *cell = cells_init(&cells);

    memcpy(cell, values, map->n);
    for (const struct codec_run *run = map->run; run < map->run + map->runs; run++)
        for (uint32_t i = run->start; i < run->end; i++)
            if (codec_map_bit(map->taking, i))
                values[i] = cell[i] = (uint8_t)guess(
                    cell[(int64_t)i - 1], *(cell + i - run->back[0]), *(cell + i - run->back[1]));
}
