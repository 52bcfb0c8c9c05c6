/* SPDX-License-Identifier: MIT
 *
 * The small things of the ground floor: arrays that grow, the clock, random numbers. */
#include "base/array.h"
#include "base/big_array.h"
#include "base/clock.h"
#include "base/random.h"
#include "kit/test.h"

/* (A1): the elements stay, and they are moved rarely. */
static void test_array_grows(void **state)
{
    enum { COUNT = 100000 };
    uint32_t *list = NULL;
    size_t room = 0, before = 0;
    int moved = 0;

    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(array_room((void **)&list, &room, i + 1, sizeof *list));
        assert_true(room > i);
        moved += room != before;
        before = room;
        list[i] = i;
    }
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(list[i], i);
    assert_true(moved < 30);
    assert_true(array_room((void **)&list, &room, 1, sizeof *list)); /* never shrinks */
    assert_int_equal(room, before);
    free(list);
}

/* An array may come from elsewhere, with any room. */
static void test_array_of_one(void **state)
{
    (void)state;
    for (size_t start = 1; start < 200; start++) {
        uint32_t *list = malloc(start * sizeof *list);
        size_t room = start;

        assert_true(array_room((void **)&list, &room, start + 1, sizeof *list));
        assert_true(room > start);
        free(list);
    }
}

/* (A2), and sizes whose product does not fit. */
static void test_array_refuses(void **state)
{
    uint64_t *list = NULL, *same;
    size_t room = 0, before;

    (void)state;
    assert_true(array_room((void **)&list, &room, 10, sizeof *list));
    list[9] = 42;
    same = list;
    before = room;
    assert_false(array_room((void **)&list, &room, SIZE_MAX / sizeof *list + 2, sizeof *list));
    assert_false(array_room((void **)&list, &room, SIZE_MAX, sizeof *list));
    assert_ptr_equal(list, same);
    assert_int_equal(room, before);
    assert_int_equal(list[9], 42);
    free(list);
}

/* From the heap to pages, and on: the elements stay. */
static void test_big_array(void **state)
{
    enum { COUNT = 3000000 };
    uint64_t *list = NULL;
    size_t room = 0, before = 0;
    int moved = 0;

    (void)state;
    for (uint64_t i = 0; i < COUNT; i++) {
        assert_true(big_array_room((void **)&list, &room, i + 1, sizeof *list));
        moved += room != before;
        before = room;
        list[i] = i * i;
    }
    assert_true(room * sizeof *list > 4 * (size_t)BIG_ARRAY && moved < 40);
    assert_int_equal((uintptr_t)list % BIG_PAGE, 0);
    for (uint64_t i = 0; i < COUNT; i++)
        assert_true(list[i] == i * i);
    assert_false(big_array_room((void **)&list, &room, SIZE_MAX / sizeof *list, sizeof *list));
    assert_false(big_array_room((void **)&list, &room, (size_t)1 << 50, sizeof *list));
    assert_true(room == before && list[COUNT - 1] == (uint64_t)(COUNT - 1) * (COUNT - 1));
    big_array_free(list, room, sizeof *list);
    big_array_free(NULL, 0, sizeof *list);
}

static void test_clock(void **state)
{
    double a = clock_seconds(), b = clock_seconds();
    struct timespec soon = clock_after(CLOCK_MONOTONIC, 2.75);
    double until = (double)soon.tv_sec + 1e-9 * (double)soon.tv_nsec;

    (void)state;
    assert_true(a <= b);
    assert_true(until - b >= 2.75 - 1e-6 && until - clock_seconds() <= 2.75 + 1e-6);
    assert_true(soon.tv_nsec >= 0 && soon.tv_nsec < 1000000000);
}

/* splitmix64 as its author publishes it: the first numbers from seed 1234567. */
static void test_random(void **state)
{
    static const uint64_t expected[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
        UINT64_C(4593380528125082431), UINT64_C(16408922859458223821)};
    uint64_t seed = 1234567, other = 99;

    (void)state;
    for (int i = 0; i < 5; i++)
        assert_true(random_next(&seed) == expected[i]);
    for (int i = 0; i < 1000; i++)
        assert_true(random_below(&other, 7) < 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_array_grows),   cmocka_unit_test(test_array_of_one),
        cmocka_unit_test(test_array_refuses), cmocka_unit_test(test_big_array),
        cmocka_unit_test(test_clock),         cmocka_unit_test(test_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
