/* SPDX-License-Identifier: MIT
 *
 * Turns: pieces that take random times, on several threads: (O1), (O2);
 * failures: (O3). */
#include "kit/test.h"

#include "base/crew.h"
#include "base/turns.h"

#include <unistd.h>

enum { PIECES = 600, SLOTS_MOST = 9 };

struct bench {
    struct turns turns;
    uint64_t delivered;         /* so many, in order */
    atomic_int delivering;      /* threads */
    uint64_t slot[SLOTS_MOST];  /* what was made there */
    atomic_int use[SLOTS_MOST]; /* pieces in it */
    uint8_t nap[PIECES];
};

static void deliver(void *context, uint64_t number, uint32_t slot)
{
    struct bench *b = context;

    assert_int_equal(atomic_fetch_add(&b->delivering, 1), 0);
    assert_int_equal(number, b->delivered);
    assert_int_equal(b->slot[slot], number);
    b->delivered++;
    atomic_fetch_sub(&b->use[slot], 1);
    atomic_fetch_sub(&b->delivering, 1);
}

static void work(void *context, int id)
{
    struct bench *b = context;
    uint64_t number;
    uint32_t slot;

    (void)id;
    while (turns_take(&b->turns, &number, &slot)) {
        assert_int_equal(atomic_fetch_add(&b->use[slot], 1), 0);
        if (b->nap[number % PIECES] > 200)
            usleep(b->nap[number % PIECES]);
        b->slot[slot] = number;
        turns_give(&b->turns, number, deliver, b);
    }
}

static void test_order(void **state)
{
    struct rng r = rng_for_test("turns");

    (void)state;
    for (int k = 0; k < 40; k++) {
        static struct bench b;
        int threads = 1 + rng_below(&r, 5);
        uint32_t slots = 1 + (uint32_t)rng_below(&r, SLOTS_MOST);
        uint64_t first = (uint64_t)rng_below(&r, 1000), n = (uint64_t)rng_below(&r, PIECES);

        memset(&b, 0, sizeof b);
        for (int i = 0; i < PIECES; i++)
            b.nap[i] = (uint8_t)rng_next(&r);
        turns_open(&b.turns, slots);
        for (int round = 0; round < 2; round++, first += n / 2) { /* the second where it likes */
            b.delivered = first;
            turns_begin(&b.turns, first, first + n);
            crew_share(threads, work, &b);
            assert_int_equal(b.delivered, first + n);
        }
        turns_close(&b.turns);
    }
}

/* A thread that is ahead goes on: with two slots, piece 1 is given while piece 0 is in the making.
 */
static void count(void *context, uint64_t number, uint32_t slot)
{
    (void)number;
    (void)slot;
    ++*(int *)context;
}

static void test_ahead(void **state)
{
    struct turns t;
    uint64_t a, b, c;
    uint32_t slot;
    int delivered = 0;

    (void)state;
    turns_open(&t, 2);
    turns_begin(&t, 0, 3);
    assert_true(turns_take(&t, &a, &slot));
    assert_true(turns_take(&t, &b, &slot));
    turns_give(&t, b, count, &delivered);
    assert_int_equal(delivered, 0);
    turns_give(&t, a, count, &delivered);
    assert_int_equal(delivered, 2);
    assert_true(turns_take(&t, &c, &slot));
    assert_int_equal(c, 2);
    assert_false(turns_take(&t, &a, &slot));
    turns_give(&t, c, count, &delivered);
    assert_int_equal(delivered, 3);
    turns_close(&t);
}

static void fail_at_two(void *context, uint64_t number, uint32_t slot)
{
    struct bench *b = context;

    (void)slot;
    b->delivered++;
    if (number == 2) {
        struct error e;

        error_set(&e, STATUS_IO, "piece two");
        turns_fail(&b->turns, &e);
    }
}

static void test_failure(void **state)
{
    static struct bench b;
    uint64_t number;
    uint32_t slot;

    (void)state;
    turns_open(&b.turns, 3);
    turns_begin(&b.turns, 0, 7);
    while (turns_take(&b.turns, &number, &slot)) {
        assert_int_equal(turns_failed(&b.turns), number > 2);
        turns_give(&b.turns, number, fail_at_two, &b);
    }
    assert_int_equal(number, 6);
    assert_int_equal(b.delivered, 3);
    assert_int_equal(b.turns.error.status, STATUS_IO);
    turns_begin(&b.turns, 0, 1);
    assert_false(turns_failed(&b.turns));
    turns_close(&b.turns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_ahead),
                                       cmocka_unit_test(test_failure)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
