/* SPDX-License-Identifier: MIT
 *
 * core/position.h: a packed position loses nothing, and is found by all of its bits. */
#include "core/position.h"
#include "kit/positions.h"
#include "kit/test.h"

enum { COUNT = 20000 };

/* (K1) */
static void test_comes_back(void **state)
{
    struct rng r = rng_for_test("comes back");

    (void)state;
    for (int i = 0; i < COUNT; i++) {
        struct board b = random_pieces(&r, 2 + rng_below(&r, 20), 3), back;
        struct position p = position_of(&b);
        uint8_t bytes[PLACEMENT_BYTES];

        back = position_board(p);
        assert_true(board_equal(&b, &back));
        placement_put(bytes, p.pieces);
        back = placement_board(placement_get(bytes), b.turn);
        assert_true(board_equal(&b, &back));
    }
}

/* The bytes as the files have them: squares 1 and 9 of Black, 32 of White, a king on 9. */
static void test_bytes(void **state)
{
    static const uint8_t expected[PLACEMENT_BYTES] = {1, 1, 0, 0, 0, 0, 0, 0x80, 0, 1, 0, 0};
    struct board b = {
        .side = {squares_of(square_from_number(1)) | squares_of(square_from_number(9)),
                 squares_of(square_from_number(32))},
        .kings = squares_of(square_from_number(9)),
        .turn = WHITE};
    uint8_t bytes[PLACEMENT_BYTES];

    (void)state;
    placement_put(bytes, placement_of(&b));
    assert_memory_equal(bytes, expected, sizeof bytes);
}

/* The most significant field that differs decides; written once more, as a list of words. */
static int naive_compare(struct position a, struct position b)
{
    const uint32_t x[] = {a.pieces.black, a.pieces.white, a.pieces.kings, a.turn};
    const uint32_t y[] = {b.pieces.black, b.pieces.white, b.pieces.kings, b.turn};

    for (int i = 0; i < 4; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* (K2), (K3): few bits, so that fields are often equal. */
static void test_order(void **state)
{
    struct rng r = rng_for_test("order");
    int equal = 0;

    (void)state;
    for (int i = 0; i < COUNT; i++) {
        struct position p[2];

        for (int k = 0; k < 2; k++)
            p[k] = (struct position){{(uint32_t)rng_below(&r, 2) << 31, (uint32_t)rng_below(&r, 3),
                                      (uint32_t)rng_below(&r, 2) << 31},
                                     (uint32_t)rng_below(&r, 2)};
        assert_int_equal(position_compare(p[0], p[1]), naive_compare(p[0], p[1]));
        assert_int_equal(position_equal(p[0], p[1]), naive_compare(p[0], p[1]) == 0);
        if (position_equal(p[0], p[1])) {
            assert_true(position_hash(p[0]) == position_hash(p[1]));
            equal++;
        }
    }
    assert_true(equal > 100 && equal < COUNT / 2);
}

/* Each bit of the key changes each bit of the hash about every other time. */
static void test_hash_spreads(void **state)
{
    enum { TRIES = 64, KEY_BITS = 32 * 3 + 1 };
    struct rng r = rng_for_test("hash");
    int changed[64] = {0};

    (void)state;
    for (int i = 0; i < TRIES; i++)
        for (int bit = 0; bit < KEY_BITS; bit++) {
            struct position p = {
                {(uint32_t)rng_next(&r), (uint32_t)rng_next(&r), (uint32_t)rng_next(&r)}, 0};
            struct position q = p;
            uint32_t *word[] = {&q.pieces.black, &q.pieces.white, &q.pieces.kings, &q.turn};
            uint64_t difference;

            *word[bit / 32] ^= UINT32_C(1) << bit % 32;
            difference = position_hash(p) ^ position_hash(q);
            assert_true(difference != 0);
            for (int k = 0; k < 64; k++)
                changed[k] += (int)(difference >> k & 1);
        }
    for (int k = 0; k < 64; k++) /* 6208 tries, standard deviation 39 */
        assert_true(abs(changed[k] - TRIES * KEY_BITS / 2) < 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comes_back),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_hash_spreads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
