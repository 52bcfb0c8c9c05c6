/* SPDX-License-Identifier: MIT
 *
 * Position codes and sorted sets of them: (C1)-(C3), (D1), (D2), (R1), (R2). */
#include "kit/test.h"

#include "core/movegen.h"
#include "games/band.h"
#include "games/code.h"
#include "games/codes.h"
#include "kit/games_brute.h"
#include "kit/positions.h"

static struct board seen_by_mover(const struct board *b)
{
    return b->turn == WHITE ? *b : board_flip(b);
}

static void check_code(const struct code_tables *t, struct code_reader *reader,
                       const struct board *b)
{
    struct board seen = seen_by_mover(b), flip = board_flip(b), back;
    uint32_t movers = squares_pack(seen.side[BLACK]);
    uint64_t code = code_encode(t, b);

    if (code == CODE_NONE) {
        assert_true(squares_count(b->kings) > CODE_KINGS_MAX - 1);
        return;
    }
    back = code_decode(reader, code);
    assert_true(board_equal(&back, &seen));
    assert_int_equal(code_encode(t, &flip), code);
    assert_true(code_first(t, movers) <= code && code < code_end(t));
}

static void test_round_trip(void **state)
{
    struct code_tables *t = code_tables_open();
    struct code_reader reader = code_reader_start(t);
    struct rng r = rng_for_test("round_trip");

    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct board b = random_position(&r), w = brute_walk(&r, rng_below(&r, 60));

        check_code(t, &reader, &b);
        check_code(t, &reader, &w);
    }
    code_tables_close(&t);
    assert_null(t);
}

/* Codes that are neighbours decode to different positions: every code is in use. */
static void test_neighbours(void **state)
{
    struct code_tables *t = code_tables_open();
    struct code_reader reader = code_reader_start(t);
    struct rng r = rng_for_test("neighbours");

    (void)state;
    for (int i = 0; i < 2000; i++) {
        uint64_t code = rng_next(&r) % code_end(t);

        for (int k = 0; k < 3 && code + (uint64_t)k < code_end(t); k++) {
            struct board b = code_decode(&reader, code + (uint64_t)k);
            assert_int_equal(code_encode(t, &b), code + (uint64_t)k);
        }
    }
    code_tables_close(&t);
}

static void test_ranks(void **state)
{
    struct code_tables *t = code_tables_open();
    struct rng r = rng_for_test("ranks");

    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint32_t set = (uint32_t)(rng_next(&r) & rng_next(&r));
        int n = __builtin_popcount(set);

        if (n <= CODE_PIECES_MAX)
            assert_int_equal(code_unrank(t, code_rank(t, set), n), set);
    }
    code_tables_close(&t);
}

static void test_bands(void **state)
{
    struct code_tables *t = code_tables_open();
    struct bands *bands = calloc(1, sizeof *bands);
    struct rng r = rng_for_test("bands");

    (void)state;
    bands_init(bands, t);
    for (int i = 0; i < 100000; i++) {
        uint32_t set = (uint32_t)(rng_next(&r) & rng_next(&r));
        int n = __builtin_popcount(set), b;

        if (n > CODE_PIECES_MAX)
            continue;
        b = band_of(bands, t, set);
        assert_int_equal(bands->pieces[b], n);
        assert_true(bands->first[b] <= code_first(t, set));
        assert_true(code_first(t, set) < bands->first[b + 1]);
    }
    free(bands);
    code_tables_close(&t);
}

/* -------------------------------------------------------------------- sets -- */

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void check_sort(struct rng *r, size_t n, uint64_t low, uint64_t high)
{
    struct codes c = {0}, scratch = {0};
    uint64_t *copy = malloc((n + 1) * sizeof *copy);
    size_t unique = 0;

    assert_true(codes_reserve(&c, n + 1));
    for (c.count = 0; c.count < n; c.count++)
        copy[c.count] = c.data[c.count] = low + rng_next(r) % (high - low);
    qsort(copy, n, sizeof *copy, compare);
    assert_true(codes_sort(&c, &scratch, low, high));
    for (size_t i = 0; i < n; i++)
        if (i == 0 || copy[i] != copy[i - 1])
            assert_int_equal(c.data[unique++], copy[i]);
    assert_int_equal(c.count, unique);
    free(copy);
    free(c.data);
    free(scratch.data);
}

static void test_sort(void **state)
{
    struct rng r = rng_for_test("sort");

    (void)state;
    for (int i = 0; i < 200; i++) {
        uint64_t low = rng_next(&r) >> (1 + rng_below(&r, 60));
        check_sort(&r, (size_t)rng_below(&r, 3000), low,
                   low + 1 + (rng_next(&r) >> (1 + rng_below(&r, 60))));
    }
}

static void fill(struct rng *r, struct codes *c, struct codes *scratch, size_t n, uint64_t range)
{
    assert_true(codes_reserve(c, n + 1));
    for (c->count = 0; c->count < n; c->count++)
        c->data[c->count] = 1000 + rng_next(r) % range;
    assert_true(codes_sort(c, scratch, 1000, 1000 + range));
}

static bool holds(const struct codes *c, uint64_t code)
{
    return c->count && bsearch(&code, c->data, c->count, sizeof code, compare);
}

static void check_removal(struct rng *r)
{
    struct codes a = {0}, b = {0}, scratch = {0}, was = {0};
    struct run_writer w = {0};
    uint64_t gone[64] = {0}, range = 1 + (rng_next(r) >> (20 + rng_below(r, 43)));
    size_t kept = 0;

    fill(r, &a, &scratch, (size_t)rng_below(r, 3000), range);
    fill(r, &b, &scratch, (size_t)rng_below(r, 3000), range);
    assert_true(codes_reserve(&was, a.count + 1));
    memcpy(was.data, a.data, a.count * sizeof *a.data);
    was.count = a.count;
    assert_true(run_put(&w, &b, 7));
    codes_mark(&a, run_open(w.data, w.size, 7), gone);
    codes_drop(&a, gone);
    for (size_t i = 0; i < was.count; i++)
        if (!holds(&b, was.data[i]))
            assert_int_equal(a.data[kept++], was.data[i]);
    assert_int_equal(a.count, kept);
    free(a.data);
    free(b.data);
    free(was.data);
    free(scratch.data);
    run_writer_free(&w);
}

static void test_removal(void **state)
{
    struct rng r = rng_for_test("removal");

    (void)state;
    for (int i = 0; i < 300; i++)
        check_removal(&r);
}

static void test_run(void **state)
{
    struct rng r = rng_for_test("run");
    struct codes c = {0}, scratch = {0};
    struct run_writer w = {0};
    struct run_reader reader;
    uint64_t code;

    (void)state;
    fill(&r, &c, &scratch, 20000, UINT64_C(1) << 62);
    assert_true(run_put(&w, &c, 1000));
    reader = run_open(w.data, w.size, 1000);
    for (size_t i = 0; i < c.count; i++) {
        assert_true(run_next(&reader, &code));
        assert_int_equal(code, c.data[i]);
    }
    assert_false(run_next(&reader, &code));
    free(c.data);
    free(scratch.data);
    run_writer_free(&w);
}

/* Any bytes end; nothing is read beyond them (the sanitizer watches). */
static void test_run_of_anything(void **state)
{
    struct rng r = rng_for_test("run_of_anything");

    (void)state;
    for (int i = 0; i < 2000; i++) {
        size_t n = (size_t)rng_below(&r, 40), read = 0;
        uint8_t *bytes = malloc(n + 1);
        struct run_reader reader = run_open(bytes, n, 0);
        uint64_t code;

        for (size_t k = 0; k < n; k++)
            bytes[k] = (uint8_t)(rng_next(&r) | (rng_below(&r, 2) ? 0x80 : 0));
        while (run_next(&reader, &code))
            read++;
        assert_true(read <= n);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_ranks),      cmocka_unit_test(test_bands),
        cmocka_unit_test(test_sort),       cmocka_unit_test(test_removal),
        cmocka_unit_test(test_run),        cmocka_unit_test(test_run_of_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
