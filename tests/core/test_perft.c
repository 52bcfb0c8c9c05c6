/* SPDX-License-Identifier: MIT
 *
 * The published perft counts, and (P1): a hash changes nothing. */
#include "kit/test.h"

#include "core/perft.h"

static const uint64_t published[] = {1,           7,           49,        302,        1469,
                                     7361,        36768,       179740,    845931,     3963680,
                                     18391564,    85242128,    388623673, 1766623630, 7978439499,
                                     36263167175, 165629569428};

static void check_depths(int from, int to)
{
    for (int depth = from; depth <= to; depth++)
        assert_int_equal(perft(&board_start, depth, NULL), published[depth]);
}

static void test_short(void **state)
{
    (void)state;
    check_depths(0, test_is_sanitized() ? 9 : 11);
}

static void test_hash(void **state)
{
    enum { BYTES = 1 << 16 }; /* small, so that entries replace each other */
    static struct perft_entry entry[BYTES / sizeof(struct perft_entry)];
    struct perft_hash hash;

    (void)state;
    assert_true(perft_hash_init(&hash, entry, sizeof entry));
    for (int depth = 0; depth <= 9; depth++)
        assert_int_equal(perft(&board_start, depth, &hash), published[depth]);
}

static void test_hash_size(void **state)
{
    struct perft_entry entry[4];
    struct perft_hash hash;

    (void)state;
    assert_false(perft_hash_init(&hash, entry, sizeof *entry - 1));
    assert_true(perft_hash_init(&hash, entry, sizeof *entry));
    assert_int_equal(hash.mask, 0);
    assert_true(perft_hash_init(&hash, entry, sizeof entry - 1));
    assert_int_equal(hash.mask, 1);
}

static void test_long(void **state)
{
    (void)state;
    if (!test_is_long())
        skip();
    check_depths(12, 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_hash_size),
        cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
