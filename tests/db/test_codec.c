/* SPDX-License-Identifier: MIT
 *
 * The page codec: maps against the move generator (M1)-(M3), round trips (C1), the
 * same bytes twice (C2), damaged bytes (C3), models as bytes, shares (K1). */
#include "kit/test.h"

#include "core/movegen.h"
#include "db/codec.h"
#include "db/codec_lines.h"
#include "db/value.h"

static const char *const slices[] = {"1K-1K",     "1K-1C",     "1C-1C", "2K1C-1K1C", "3K-2K",
                                     "1K2C-1K1C", "1K1C-3C",   "2C-2C", "3C-2C",     "1C-2K1C",
                                     "2C-3K",     "1K1C-1K1C", "4K-1K", "1C-4K",     "2K-1K2C"};
enum { SLICES = sizeof slices / sizeof *slices };

/* A page of a slice, and room to code it. */
struct fixture {
    struct sets *sets;
    struct layout layout;
    uint64_t first; /* of a random page */
    struct codec_map map, part, direct;
    struct codec_work work;
    struct codec_training training;
    struct codec_model values_model, distances_model, counted_model;
    uint8_t values[CODEC_PAGE_MAX], decoded[CODEC_PAGE_MAX];
    uint16_t distances[CODEC_PAGE_MAX], decoded_distances[CODEC_PAGE_MAX];
    uint8_t bytes[CODEC_DISTANCES_BYTES_MAX], bytes_again[CODEC_DISTANCES_BYTES_MAX];
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    f->sets = sets_create(5);
    assert_non_null(f->sets);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    sets_free(&f->sets);
    free(f);
    return 0;
}

static void open_slice(struct fixture *f, const char *name)
{
    struct slice s;

    assert_true(slice_parse(name, &s));
    assert_int_equal(layout_create(&f->layout, s), 0);
}

/* A random page: mostly short, sometimes as long as can be. */
static void random_page(struct fixture *f, struct rng *r)
{
    uint64_t first = rng_next(r) % f->layout.positions, left = f->layout.positions - first;
    uint32_t n = 1 + (uint32_t)rng_below(r, rng_below(r, 2) ? CODEC_PAGE_MAX : 100);

    f->first = first;
    codec_map_fill(&f->map, &f->layout, f->sets, first, left < n ? (uint32_t)left : n);
}

/* ---------------------------------------------------------------------- maps -- */

static void check_position(const struct fixture *f, uint64_t first, uint32_t i)
{
    struct view v;
    struct board b;

    layout_view(&f->layout, first + i, &v);
    b = view_board(&v, BLACK);
    assert_int_equal(codec_map_bit(f->map.taking, i), board_must_capture(&b));
    b.turn = WHITE;
    assert_int_equal(codec_map_threat(&f->map, i) != 0, board_must_capture(&b));
    assert_true((v.kings       ? v.kings
                 : v.opp_kings ? v.opp_kings
                               : v.opp_men) >>
                    f->map.square[i] &
                1);
}

static void check_runs(const struct codec_map *map)
{
    uint32_t end = 0;

    for (uint32_t r = 0; r < map->runs; r++) {
        assert_int_equal(map->run[r].start, end);
        assert_true(map->run[r].end > end);
        end = map->run[r].end;
        for (int j = 0; j < CODEC_BACK; j++) {
            uint32_t back = map->run[r].back[j];
            assert_true(back >= 1 && (back <= map->run[r].start || back <= 2));
        }
    }
    assert_int_equal(end, map->n);
}

static void test_maps(void **state)
{
    struct fixture *f = *state;
    struct rng r = rng_for_test("maps");

    for (int s = 0; s < SLICES; s++) {
        open_slice(f, slices[s]);
        for (int page = 0; page < 4; page++) {
            uint64_t first = rng_next(&r) % f->layout.positions, left = f->layout.positions - first;

            codec_map_fill(&f->map, &f->layout, f->sets, first,
                           left < 3000 ? (uint32_t)left : 3000);
            check_runs(&f->map);
            for (uint32_t i = 0; i < f->map.n; i++)
                check_position(f, first, i);
            codec_map_captures(&f->direct, &f->layout, f->sets, first, f->map.n);
            assert_memory_equal(f->direct.taking, f->map.taking, (f->map.n + 63) / 64 * 8);
        }
        layout_free(&f->layout);
    }
}

/* A part of a map is what codec_map_fill says of its positions. */
static void test_map_parts(void **state)
{
    struct fixture *f = *state;
    struct rng r = rng_for_test("map parts");

    for (int k = 0; k < 3 * SLICES; k++) {
        uint32_t from, n;

        open_slice(f, slices[k % SLICES]);
        uint64_t first = rng_next(&r) % f->layout.positions, left = f->layout.positions - first;
        codec_map_fill(&f->map, &f->layout, f->sets, first,
                       left < CODEC_PAGE_MAX ? (uint32_t)left : CODEC_PAGE_MAX);
        from = (uint32_t)rng_below(&r, (int)f->map.n) / 64 * 64;
        n = 1 + (uint32_t)rng_below(&r, (int)(f->map.n - from));
        codec_map_part(&f->part, &f->map, from, n);
        codec_map_fill(&f->direct, &f->layout, f->sets, first + from, n);
        check_runs(&f->part);
        assert_int_equal(f->part.n, n);
        assert_int_equal(f->part.runs, f->direct.runs);
        assert_memory_equal(f->part.run, f->direct.run, f->part.runs * sizeof *f->part.run);
        assert_memory_equal(f->part.square, f->direct.square, n);
        assert_memory_equal(f->part.taking, f->direct.taking, (n / 64 + 1) * 8);
        for (int i = 0; i < 2; i++)
            assert_memory_equal(f->part.threat[i], f->direct.threat[i], (n / 64 + 1) * 8);
        layout_free(&f->layout);
    }
}

/* Position i in a map: its run, or NULL if there is none. */
static const struct codec_run *run_at(const struct codec_map *map, uint32_t i)
{
    for (uint32_t r = 0; r < map->runs; r++)
        if (map->run[r].start <= i && i < map->run[r].end)
            return &map->run[r];
    return NULL;
}

static void check_described(const struct fixture *f, uint32_t i)
{
    const struct codec_run *run = run_at(&f->map, i), *other = run_at(&f->part, i);

    assert_non_null(other);
    assert_memory_equal(run->back, other->back, sizeof run->back);
    assert_memory_equal(run->square, other->square, sizeof run->square);
    assert_int_equal(f->map.square[i], f->part.square[i]);
    assert_int_equal(codec_map_bit(f->map.taking, i), codec_map_bit(f->part.taking, i));
    assert_int_equal(codec_map_threat(&f->map, i), codec_map_threat(&f->part, i));
}

/* (L1), (L2): a map that is described here and there is that of codec_map_fill, as far as it goes.
 */
static void test_map_lines(void **state)
{
    struct fixture *f = *state;
    struct rng r = rng_for_test("map lines");
    struct codec_lines lines;

    for (int k = 0; k < 3 * SLICES; k++) {
        uint32_t n = 2000;

        open_slice(f, slices[k % SLICES]);
        uint64_t first = rng_next(&r) % f->layout.positions, left = f->layout.positions - first;
        n = left < n ? (uint32_t)left : n;
        codec_map_fill(&f->map, &f->layout, f->sets, first, n);
        codec_lines_begin(&lines, &f->part, &f->layout, f->sets, first, n);
        for (uint32_t start = 0; start < n; start += 64) {
            uint32_t end = start + 64 < n ? start + 64 : n;

            if (rng_below(&r, 2))
                continue;
            codec_lines_fill(&lines, start, end);
            for (uint32_t i = start; i < end; i++)
                check_described(f, i);
        }
        for (uint32_t i = 1; i < f->part.runs; i++)
            assert_true(f->part.run[i - 1].end <= f->part.run[i].start);
        layout_free(&f->layout);
    }
}

/* --------------------------------------------------------------- round trips -- */

enum pattern { NOISE, STRIPES, RARE, ONE, PATTERNS };

static uint8_t pattern_value(enum pattern p, struct rng *r, uint32_t i)
{
    switch (p) {
    case NOISE:
        return (uint8_t)rng_below(r, 3);
    case STRIPES:
        return (uint8_t)(i / 97 % 3);
    case RARE:
        return rng_below(r, 500) ? VALUE_WIN : VALUE_LOSS;
    default:
        return VALUE_LOSS;
    }
}

static void fill_pattern(struct fixture *f, struct rng *r, enum pattern p)
{
    static const int range[] = {1, 2, 40, 300, 65536};
    int most = range[rng_below(r, 5)];

    for (uint32_t i = 0; i < f->map.n; i++) {
        f->values[i] = pattern_value(p, r, i);
        f->distances[i] = (uint16_t)(rng_below(r, most) * (p == NOISE || i % 7 == 0));
    }
}

static void train(struct fixture *f)
{
    codec_train_begin(&f->training, CODEC_VALUES);
    codec_train_values(&f->training, &f->map, f->values);
    codec_train_end(&f->training, &f->values_model);
    codec_train_begin(&f->training, CODEC_DISTANCES);
    codec_train_distances(&f->training, &f->map, f->values, f->distances);
    codec_train_end(&f->training, &f->distances_model);
    codec_train_begin(&f->training, CODEC_COUNTED);
    codec_train_distances(&f->training, &f->map, f->values, f->distances);
    codec_train_end(&f->training, &f->counted_model);
}

/* The beginning of a page needs no more than its own map, and that only where it is decoded. */
static void check_beginning(struct fixture *f, uint32_t stop, size_t size)
{
    uint32_t n = f->map.n;
    struct codec_lines lines;

    codec_map_part(&f->part, &f->map, 0, stop);
    memset(f->decoded, 9, n);
    codec_decode_values(&f->values_model, &f->work, &f->part, n, f->bytes, size, f->decoded);
    assert_memory_equal(f->decoded, f->values, stop);
    assert_true(stop == n || f->decoded[stop] == 9);
    memset(f->decoded, 9, n);
    codec_lines_begin(&lines, &f->part, &f->layout, f->sets, f->first, stop);
    codec_decode_beginning(&f->values_model, &f->work, &lines, n, f->bytes, size, f->decoded);
    assert_memory_equal(f->decoded, f->values, stop);
    assert_true(stop == n || f->decoded[stop] == 9);
}

static void check_values(struct fixture *f)
{
    uint32_t n = f->map.n;
    size_t size, again;
    int same = codec_values_same(&f->map, f->values);

    memcpy(f->decoded, f->values, n);
    size = codec_encode_values(&f->values_model, &f->work, &f->map, f->values, f->bytes);
    assert_true(size >= 1 && size <= n);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(codec_map_bit(f->map.taking, i) || f->values[i] == f->decoded[i]);
        assert_true(same < 0 || codec_map_bit(f->map.taking, i) || f->values[i] == same);
        if (codec_map_bit(f->map.taking, i))
            f->decoded[i] = 3; /* what was there must not matter */
    }
    memset(&f->work, 0xA5, sizeof f->work); /* nor this */
    again = codec_encode_values(&f->values_model, &f->work, &f->map, f->decoded, f->bytes_again);
    assert_int_equal(again, size);
    assert_memory_equal(f->bytes, f->bytes_again, size);
    memset(&f->work, 0x5A, sizeof f->work);
    codec_decode_values(&f->values_model, &f->work, &f->map, f->map.n, f->bytes, size, f->decoded);
    assert_memory_equal(f->decoded, f->values, n);
    for (uint32_t k = 1; k <= 3; k++)
        check_beginning(f, (n - 1) * k / 3 + 1, size);
    for (uint32_t i = 0; i < n; i++)
        f->decoded[i] = codec_map_bit(f->map.taking, i) ? 3 : f->values[i];
    codec_fill_values(&f->map, f->decoded);
    for (uint32_t i = 0; i < n; i++)
        assert_true(f->decoded[i] <= VALUE_WIN &&
                    (codec_map_bit(f->map.taking, i) || f->decoded[i] == f->values[i]));
}

static void check_distances(struct fixture *f, const struct codec_model *m)
{
    size_t size = codec_encode_distances(m, &f->map, f->values, f->distances, f->bytes);
    int same = codec_distances_same(&f->map, f->values, f->distances);

    assert_true(size >= 1 && size <= 2 * (size_t)f->map.n);
    for (uint32_t i = 0; i < f->map.n; i++)
        if (f->values[i] == VALUE_DRAW || codec_map_bit(f->map.taking, i))
            f->distances[i] = 0;
        else
            assert_true(same < 0 || f->distances[i] == same);
    assert_int_equal(size,
                     codec_encode_distances(m, &f->map, f->values, f->distances, f->bytes_again));
    assert_memory_equal(f->bytes, f->bytes_again, size);
    codec_decode_distances(m, &f->map, f->values, f->bytes, size, f->decoded_distances);
    assert_memory_equal(f->decoded_distances, f->distances, f->map.n * sizeof *f->distances);
}

/* (K1): the shares of each context rise, and end with the whole. */
static void check_shares(const struct codec_model *m)
{
    enum { ROOM = 32 };

    for (int i = 0; i < CODEC_SHARES; i += ROOM) {
        assert_int_equal(m->share[i], 0);
        assert_int_equal(m->share[i + ROOM - 1], 1 << SHARE_BITS);
        for (int s = i + 1; s < i + ROOM; s++)
            assert_true(m->share[s - 1] < m->share[s]);
    }
}

/* Models trained on this page, on another one, or on nothing. */
static void test_round_trips(void **state)
{
    struct fixture *f = *state;
    struct rng r = rng_for_test("round trips");

    codec_train_begin(&f->training, CODEC_VALUES);
    codec_train_end(&f->training, &f->values_model);
    codec_train_begin(&f->training, CODEC_DISTANCES);
    codec_train_end(&f->training, &f->distances_model);
    codec_train_begin(&f->training, CODEC_COUNTED);
    codec_train_end(&f->training, &f->counted_model);
    for (int s = 0; s < SLICES; s++) {
        open_slice(f, slices[s]);
        for (int page = 0; page < (test_is_sanitized() ? 4 : 12); page++) {
            random_page(f, &r);
            fill_pattern(f, &r, (enum pattern)(page % PATTERNS));
            if (rng_below(&r, 2))
                train(f);
            check_values(f);
            check_distances(f, &f->distances_model);
            check_distances(f, &f->counted_model);
            check_shares(&f->counted_model);
        }
        layout_free(&f->layout);
    }
}

/* A page that the model expects costs next to nothing; noise costs no more than its
 * bound; a page of one value is seen. */
static void test_sizes(void **state)
{
    struct fixture *f = *state;
    struct rng r = rng_for_test("sizes");

    open_slice(f, "2K1C-1K1C");
    codec_map_fill(&f->map, &f->layout, f->sets, 1000000, CODEC_PAGE_MAX);
    fill_pattern(f, &r, ONE);
    assert_int_equal(codec_values_same(&f->map, f->values), VALUE_LOSS);
    train(f);
    assert_true(codec_encode_values(&f->values_model, &f->work, &f->map, f->values, f->bytes) < 8);
    fill_pattern(f, &r, NOISE);
    assert_int_equal(codec_values_same(&f->map, f->values), -1);
    assert_true(codec_encode_values(&f->values_model, &f->work, &f->map, f->values, f->bytes) <=
                f->map.n);
    layout_free(&f->layout);
}

/* -------------------------------------------------------------------- models -- */

static void test_models(void **state)
{
    static uint8_t bytes[CODEC_MODEL_BYTES_MAX];
    static struct codec_model read;
    struct fixture *f = *state;
    struct rng r = rng_for_test("models");

    open_slice(f, "1K2C-1K1C");
    for (int k = 0; k < 8; k++) {
        size_t size;

        random_page(f, &r);
        fill_pattern(f, &r, (enum pattern)(k % PATTERNS));
        train(f);
        size = codec_model_save(&f->values_model, bytes);
        assert_true(codec_model_load(&read, CODEC_VALUES, bytes, size));
        assert_memory_equal(read.weight, f->values_model.weight, sizeof read.weight);
        size = codec_model_save(&f->distances_model, bytes);
        assert_true(codec_model_load(&read, CODEC_DISTANCES, bytes, size));
        assert_memory_equal(read.weight, f->distances_model.weight, sizeof read.weight);
        size = codec_model_save(&f->counted_model, bytes);
        assert_true(codec_model_load(&read, CODEC_COUNTED, bytes, size));
        assert_memory_equal(read.weight, f->counted_model.weight, sizeof read.weight);
        assert_memory_equal(read.share, f->counted_model.share, sizeof read.share);
    }
    assert_false(codec_model_load(&read, CODEC_VALUES, bytes, CODEC_MODEL_BYTES_MAX + 1));
    layout_free(&f->layout);
}

/* ------------------------------------------------------------- damaged bytes -- */

static void decode_copy(struct fixture *f, const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size + (size == 0)); /* of its exact size, for the sanitizer */

    assert_non_null(copy);
    memcpy(copy, bytes, size);
    codec_decode_values(&f->values_model, &f->work, &f->map, f->map.n, copy, size, f->decoded);
    for (uint32_t i = 0; i < f->map.n; i++)
        assert_true(f->decoded[i] <= VALUE_WIN);
    codec_decode_distances(&f->distances_model, &f->map, f->decoded, copy, size,
                           f->decoded_distances);
    codec_decode_distances(&f->counted_model, &f->map, f->decoded, copy, size,
                           f->decoded_distances);
    codec_model_load(&f->values_model, CODEC_VALUES, copy, size);
    codec_model_load(&f->distances_model, CODEC_DISTANCES, copy, size);
    codec_model_load(&f->counted_model, CODEC_COUNTED, copy, size);
    check_shares(&f->counted_model);
    free(copy);
}

static void test_damage(void **state)
{
    struct fixture *f = *state;
    struct rng r = rng_for_test("damage");

    for (int k = 0; k < (test_is_sanitized() ? 60 : 300); k++) {
        size_t size;

        open_slice(f, slices[k % SLICES]);
        random_page(f, &r);
        fill_pattern(f, &r, (enum pattern)(k % PATTERNS));
        train(f);
        size = codec_encode_values(&f->values_model, &f->work, &f->map, f->values, f->bytes);
        if (k % 3)
            size = codec_encode_distances(k % 3 == 1 ? &f->distances_model : &f->counted_model,
                                          &f->map, f->values, f->distances, f->bytes);
        for (int flips = rng_below(&r, 5); flips >= 0; flips--)
            f->bytes[rng_below(&r, (int)size)] ^= (uint8_t)(1 << rng_below(&r, 8));
        if (k % 4 == 0)
            size = (size_t)rng_below(&r, (int)size + 1);
        if (k % 7 == 0)
            memset(f->bytes, k % 2 ? 0xFF : 0, size);
        decode_copy(f, f->bytes, size);
        layout_free(&f->layout);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maps),      cmocka_unit_test(test_map_parts),
        cmocka_unit_test(test_map_lines), cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_sizes),     cmocka_unit_test(test_models),
        cmocka_unit_test(test_damage),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
