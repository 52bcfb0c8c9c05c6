/* SPDX-License-Identifier: MIT
 *
 * The estimates of the solver: against the same network computed slowly from its inputs, both ways
 * to the sums, and what estimate.h promises of all positions. */
#include "kit/test.h"

#include "kit/golden.h"
#include "kit/positions.h"

#include "core/movegen.h"
#include "proof/estimate_rows.h"

#include <math.h>
#include <stdlib.h>

enum { POSITIONS = 3000 };

static void random_question(struct rng *r, struct board *b, enum side *attacker, int *above)
{
    *b = random_position(r);
    *attacker = (enum side)rng_below(r, 2);
    *above = rng_below(r, ESTIMATE_ABOVE_MAX + 3);
}

/* What passes of a sum in units of 1 / ESTIMATE_ONE^2. */
static int64_t slow_pass(int64_t sum)
{
    return sum < 0 ? 0 : sum / ESTIMATE_ONE < INT16_MAX ? sum / ESTIMATE_ONE : INT16_MAX;
}

/* The logarithm, in wide numbers and without vectors. */
static double slow_log(const struct board *b, enum side attacker, int above, bool proof)
{
    const struct estimate_weights *w = &estimate_weights;
    const struct estimate_head *h = &w->head[estimate_head_of(b, attacker, above)];
    uint8_t input[ESTIMATE_ACTIVE_MAX];
    int n = estimate_inputs(b, attacker, above, input);
    int64_t out = h->last_bias[proof ? 0 : 1], middle[ESTIMATE_MIDDLE];

    for (int j = 0; j < ESTIMATE_MIDDLE; j++)
        middle[j] = h->middle_bias[j];
    for (int k = 0; k < ESTIMATE_SUMS; k++) {
        int64_t sum = w->first_bias[k];

        for (int i = 0; i < n; i++)
            sum += w->first[input[i]][k];
        for (int j = 0; sum > 0 && j < ESTIMATE_MIDDLE; j++)
            middle[j] += sum * h->middle[j][k];
    }
    for (int j = 0; j < ESTIMATE_MIDDLE; j++)
        out += slow_pass(middle[j]) * h->last[proof ? 0 : 1][j];
    return (double)out / ((double)ESTIMATE_ONE * ESTIMATE_ONE);
}

/* A sixteenth of a power of two is lost to rounding, and what is below one; the steps in between
 * are exact to a thousandth. */
static void check_near(uint32_t number, double exponent)
{
    double exact = exp2(fmin(fmax(exponent, 0), ESTIMATE_BITS));

    assert_true(number <= exact * 1.001);
    assert_true(number >= exact / exp2(1.0 / 16) * 0.999 - 1.01);
}

static void test_slow_twin(void **state)
{
    struct rng r = rng_for_test("twin");

    (void)state;
    for (int i = 0; i < POSITIONS; i++) {
        enum side attacker;
        struct estimate g;
        struct board b;
        int above;

        random_question(&r, &b, &attacker, &above);
        g = estimate_numbers(&b, attacker, above);
        check_near(g.proof, slow_log(&b, attacker, above, true));
        check_near(g.disproof, slow_log(&b, attacker, above, false));
        assert_in_range(g.proof, 1, ESTIMATE_MAX); /* (E1) */
        assert_in_range(g.disproof, 1, ESTIMATE_MAX);
    }
}

/* (E2) */
static void test_flip(void **state)
{
    struct rng r = rng_for_test("flip");

    (void)state;
    for (int i = 0; i < POSITIONS; i++) {
        struct estimate one, other;
        enum side attacker;
        struct board b, f;
        int above;

        random_question(&r, &b, &attacker, &above);
        f = board_flip(&b);
        one = estimate_numbers(&b, attacker, above);
        other = estimate_numbers(&f, side_other(attacker), above);
        assert_int_equal(one.proof, other.proof);
        assert_int_equal(one.disproof, other.disproof);
    }
}

/* (E4) */
static void test_after(void **state)
{
    struct rng r = rng_for_test("after");
    int moves = 0;

    (void)state;
    for (int i = 0; i < POSITIONS; i++) {
        struct estimate_sums from;
        struct move_list list;
        enum side attacker;
        struct board b;
        int above;

        random_question(&r, &b, &attacker, &above);
        estimate_refresh(&from, &b, attacker);
        moves_generate(&b, &list);
        for (int m = 0; m < list.count; m++, moves++) {
            struct board next = board_after(&b, &list.move[m]);
            struct estimate after = estimate_after(&from, &b, &next, attacker, above);
            struct estimate fresh = estimate_numbers(&next, attacker, above);

            assert_int_equal(after.proof, fresh.proof);
            assert_int_equal(after.disproof, fresh.disproof);
        }
    }
    assert_true(moves > POSITIONS);
}

static void random_inputs(struct rng *r, uint8_t *input, int *n)
{
    *n = rng_below(r, ESTIMATE_ACTIVE_MAX / 2 + 1);
    for (int i = 0; i < *n; i++)
        input[i] = (uint8_t)rng_below(r, ESTIMATE_INPUTS);
}

/* Every kernel that this machine can run against the plain one, on rows of any position and none:
 * estimate_rows.h, R1. */
static void test_kernels(void **state)
{
    const struct estimate_kernel *plain = &estimate_kernel_plain, *best = estimate_kernel_best();
    struct rng r = rng_for_test("kernels");

    (void)state;
    if (best == plain)
        skip();
    for (int i = 0; i < 10 * POSITIONS; i++) {
        const struct estimate_head *h = &estimate_weights.head[rng_below(&r, ESTIMATE_HEADS)];
        struct estimate_sums from = {{0}}, one, other;
        struct estimate_change c;
        int32_t log_one[2], log_other[2];

        random_inputs(&r, c.remove, &c.removed);
        random_inputs(&r, c.add, &c.added);
        plain->change(from.sum, &c, one.sum);
        best->change(from.sum, &c, other.sum);
        assert_memory_equal(one.sum, other.sum, sizeof one.sum);
        plain->logarithms(from.sum, &c, h, log_one);
        best->logarithms(from.sum, &c, h, log_other);
        assert_memory_equal(log_one, log_other, sizeof log_one);
    }
}

static void check_weights(const int16_t *list, size_t n, int most)
{
    for (size_t i = 0; i < n; i++)
        assert_in_range(abs(list[i]), 0, most);
}

static void check_sums(const int32_t *bias, size_t n, int inputs, int weight_most)
{
    for (size_t i = 0; i < n; i++)
        assert_true((int64_t)inputs * INT16_MAX * weight_most + llabs((long long)bias[i]) <=
                    INT32_MAX);
}

/* The sums of 16 bits, and those of 32, hold whatever is active. */
static void test_weights(void **state)
{
    const struct estimate_weights *w = &estimate_weights;

    (void)state;
    check_weights(&w->first[0][0], (size_t)ESTIMATE_INPUTS * ESTIMATE_SUMS, ESTIMATE_WEIGHT_MAX);
    check_weights(w->first_bias, ESTIMATE_SUMS, ESTIMATE_WEIGHT_MAX);
    for (int i = 0; i < ESTIMATE_HEADS; i++) {
        const struct estimate_head *h = &w->head[i];

        check_weights(&h->middle[0][0], (size_t)ESTIMATE_MIDDLE * ESTIMATE_SUMS,
                      ESTIMATE_MIDDLE_WEIGHT_MAX);
        check_sums(h->middle_bias, ESTIMATE_MIDDLE, ESTIMATE_SUMS, ESTIMATE_MIDDLE_WEIGHT_MAX);
        check_weights(&h->last[0][0], (size_t)2 * ESTIMATE_MIDDLE, ESTIMATE_MIDDLE_WEIGHT_MAX);
        check_sums(h->last_bias, 2, ESTIMATE_MIDDLE, ESTIMATE_MIDDLE_WEIGHT_MAX);
    }
}

/* The inputs for more pieces than any sample had are those of the nearest number that some had. */
static void test_more_pieces(void **state)
{
    enum { ABOVE = 6, COUNT = 7 }; /* of the largest samples */
    const int16_t(*first)[ESTIMATE_SUMS] = estimate_weights.first;

    (void)state;
    for (int i = 0; i < 2; i++) {
        int above = ESTIMATE_TURN + i * ESTIMATE_ABOVE_MAX - 1;
        int count = ESTIMATE_COUNTS + i * (ESTIMATE_COUNT_MAX + 1);

        for (int n = ABOVE + 1; n <= ESTIMATE_ABOVE_MAX; n++)
            assert_memory_equal(first[above + n], first[above + ABOVE], sizeof *first);
        for (int n = COUNT + 1; n <= ESTIMATE_COUNT_MAX; n++)
            assert_memory_equal(first[count + n], first[count + COUNT], sizeof *first);
    }
}

/* Four men against one are sooner shown to win than to fail, one against four the other way. */
static void test_sense(void **state)
{
    struct board b = golden_board("B:W32:B9,10,11,K14");
    struct estimate strong = estimate_numbers(&b, BLACK, 1), weak = estimate_numbers(&b, WHITE, 1);

    (void)state;
    assert_true(strong.proof < strong.disproof);
    assert_true(weak.proof > weak.disproof);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_twin), cmocka_unit_test(test_flip),
        cmocka_unit_test(test_after),     cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_weights),   cmocka_unit_test(test_more_pieces),
        cmocka_unit_test(test_sense)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
