/* SPDX-License-Identifier: MIT
 *
 * Messages of the queue: what was put is what is got, and no changed byte goes unnoticed. */
#include "kit/positions.h"
#include "kit/test.h"

#include "base/bytes.h"
#include "proof/wire.h"

#include <xxhash.h>

static struct wire_task task_random(struct rng *r)
{
    return (struct wire_task){.run = rng_next(r),
                              .id = rng_next(r),
                              .tables = rng_next(r),
                              .program = "0.1.0",
                              .task = {.board = random_position(r),
                                       .threshold = rng_below(r, 10002),
                                       .known = {VALUE_LOSS, (enum value)rng_below(r, 3)},
                                       .idle = {rng_below(r, 2), rng_below(r, 2)},
                                       .limits = {0.25 * rng_below(r, 9), 2e6, rng_next(r), 3},
                                       .table = rng_below(r, 3),
                                       .avoid = rng_next(r),
                                       .claims = (uint32_t)rng_next(r)}};
}

static struct wire_result result_random(struct rng *r)
{
    struct wire_result m = {.run = rng_next(r), .id = rng_next(r), .worker = rng_next(r)};

    m.result = (struct prover_result){.id = m.id,
                                      .worker = m.worker,
                                      .board = random_position(r),
                                      .bounds = {(enum value)rng_below(r, 3), VALUE_WIN},
                                      .moves = rng_below(r, MOVES_MAX + 1),
                                      .score = rng_below(r, 20001) - 10000,
                                      .threshold = rng_below(r, 10002),
                                      .solved = rng_below(r, 2),
                                      .nodes = rng_next(r),
                                      .seconds = 1e-6 * rng_below(r, 1 << 30)};
    for (int i = 0; i < m.result.moves; i++)
        m.result.after[i] = (struct solve_numbers){{(uint32_t)rng_next(r), 1}, {2, 3}};
    for (int s = BLACK; s <= WHITE; s++) {
        static const uint8_t pack[] = "a pack of claims, which nobody looks into on the way";
        struct prover_claims *c = &m.result.claims[s];

        c->kept = (enum claims_kept)rng_below(r, CLAIMS_LOST + 1);
        c->wins = rng_below(r, 2);
        c->size = c->kept == CLAIMS_KEPT ? 1 + (size_t)rng_below(r, sizeof pack - 1) : 0;
        c->bytes = pack;
    }
    return m;
}

static void test_tasks_and_results_come_through(void **state)
{
    struct rng r = rng_for_test("wire");
    uint8_t bytes[WIRE_MAX], again[WIRE_MAX];

    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct wire_task t = task_random(&r), t2;
        struct wire_result x = result_random(&r), x2;
        size_t n = wire_put_task(bytes, &t);

        assert_int_equal(wire_get_task(&t2, bytes, n, NULL), STATUS_OK);
        assert_true(board_equal(&t.task.board, &t2.task.board));
        assert_int_equal(t.task.avoid, t2.task.avoid);
        assert_int_equal(t.task.table, t2.task.table);
        assert_true(t.task.limits.look == t2.task.limits.look);
        assert_int_equal(wire_put_task(again, &t2), n);
        assert_memory_equal(bytes, again, n);
        n = wire_put_result(bytes, &x);
        assert_int_equal(wire_get_result(&x2, bytes, n, NULL), STATUS_OK);
        assert_true(board_equal(&x.result.board, &x2.result.board));
        assert_int_equal(x.result.score, x2.result.score);
        assert_int_equal(x.result.moves, x2.result.moves);
        assert_memory_equal(x.result.after, x2.result.after,
                            (size_t)x.result.moves * sizeof *x.result.after);
        assert_int_equal(x2.result.claims[WHITE].size, x.result.claims[WHITE].size);
        assert_memory_equal(x2.result.claims[WHITE].bytes, x.result.claims[WHITE].bytes,
                            x.result.claims[WHITE].size);
        assert_int_equal(wire_put_result(again, &x2), n);
        assert_memory_equal(bytes, again, n);
    }
}

/* Every byte changed, every length but the right one. */
static void test_changes_are_noticed(void **state)
{
    struct rng r = rng_for_test("changes");
    struct wire_result x = result_random(&r), got;
    uint8_t bytes[WIRE_MAX + 1];
    struct error e;
    size_t n = wire_put_result(bytes, &x);

    (void)state;
    for (size_t i = 0; i < n; i++) {
        bytes[i] ^= 1 << rng_below(&r, 8);
        assert_int_not_equal(wire_get_result(&got, bytes, n, &e), STATUS_OK);
        wire_put_result(bytes, &x);
    }
    for (size_t i = 0; i <= WIRE_MAX; i++)
        assert_int_equal(wire_get_result(&got, bytes, i, &e) == STATUS_OK, i == n);
    assert_int_not_equal(wire_get_task(&(struct wire_task){0}, bytes, n, &e), STATUS_OK);
    assert_non_null(strstr(e.text, "another kind"));
    bytes[3] = WIRE_VERSION + 1;
    assert_int_equal(wire_get_result(&got, bytes, n, &e), STATUS_FORMAT);
    assert_non_null(strstr(e.text, "of version 5, expected 4"));
}

/* A seal that fits does not make nonsense sense. */
static void test_nonsense_is_refused(void **state)
{
    struct rng r = rng_for_test("nonsense");
    struct wire_task t = task_random(&r);
    uint8_t bytes[WIRE_MAX];
    size_t n = wire_put_task(bytes, &t);
    enum { BOARD = 44, KNOWN = BOARD + 13 + 4 };

    (void)state;
    bytes[KNOWN] = 2; /* a win at least, a loss at most */
    bytes_put(bytes + n - 8, 8, XXH3_64bits(bytes, n - 8));
    assert_int_equal(wire_get_task(&t, bytes, n, NULL), STATUS_FORMAT);
    bytes[KNOWN] = 8;
    memset(bytes + BOARD, 0xff, 8); /* both sides everywhere */
    bytes_put(bytes + n - 8, 8, XXH3_64bits(bytes, n - 8));
    assert_int_equal(wire_get_task(&t, bytes, n, NULL), STATUS_FORMAT);
    for (int i = -1; i <= 1; i += 2) {
        struct wire_result x = result_random(&r), got;

        x.result.score = 10000 * i;
        n = wire_put_result(bytes, &x);
        assert_int_equal(wire_get_result(&got, bytes, n, NULL), STATUS_OK);
        assert_int_equal(got.result.score, x.result.score);
        x.result.score += i; /* no estimate */
        n = wire_put_result(bytes, &x);
        assert_int_equal(wire_get_result(&got, bytes, n, NULL), STATUS_FORMAT);
    }
}

static void test_notices_and_workers_come_through(void **state)
{
    struct wire_notice a = {.run = 7,
                            .program = "0.1.0",
                            .tables = 9,
                            .pieces = 8,
                            .leaving = true,
                            .deep = true,
                            .place = "here, process 3",
                            .given = 1,
                            .results = 2,
                            .dropped = 3,
                            .again = 4,
                            .milli_per_second = 5,
                            .audits = 6},
                       b;
    struct wire_worker w = {3, "there", 2, 17, 1000000}, v;
    struct wire_result x = {.run = 1,
                            .id = 2,
                            .worker = 3,
                            .status = STATUS_NO_MEMORY,
                            .text = "not enough memory"},
                       y;
    struct wire_cancel c = {7, 99}, d;
    uint8_t bytes[WIRE_MAX];
    size_t n = wire_put_notice(bytes, &a);

    (void)state;
    assert_int_equal(wire_get_notice(&b, bytes, n, NULL), STATUS_OK);
    assert_string_equal(a.place, b.place);
    assert_int_equal(b.audits, 6);
    assert_true(b.leaving && b.deep);
    a.leaving = false;
    n = wire_put_notice(bytes, &a);
    assert_int_equal(wire_get_notice(&b, bytes, n, NULL), STATUS_OK);
    assert_true(!b.leaving && b.deep);
    n = wire_put_worker(bytes, &w);
    assert_int_equal(wire_get_worker(&v, bytes, n, NULL), STATUS_OK);
    assert_int_equal(v.searches, 17);
    n = wire_put_cancel(bytes, &c);
    assert_int_equal(wire_get_cancel(&d, bytes, n, NULL), STATUS_OK);
    assert_int_equal(d.id, 99);
    n = wire_put_result(bytes, &x);
    assert_int_equal(wire_get_result(&y, bytes, n, NULL), STATUS_OK);
    assert_int_equal(y.status, STATUS_NO_MEMORY);
    assert_string_equal(y.text, x.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tasks_and_results_come_through),
        cmocka_unit_test(test_changes_are_noticed),
        cmocka_unit_test(test_nonsense_is_refused),
        cmocka_unit_test(test_notices_and_workers_come_through),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
