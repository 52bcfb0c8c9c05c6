/* SPDX-License-Identifier: MIT
 *
 * The network of the evaluation: all instruction sets and both ways to its sums agree, and
 * files that are not networks are refused. */
#include "kit/test.h"

#include "kit/positions.h"
#include "kit/scratch.h"

#include "core/movegen.h"
#include "search/network.h"
#include "search/score.h"

#include <stdlib.h>

static struct network open_network(void)
{
    struct network n;
    struct error e;

    if (network_open(&n, &e))
        fail_msg("%s", e.text);
    return n;
}

/* The network in the program with weights as large as a file may have them: what clips or
 * wraps anywhere would show. */
static struct network extreme_network(struct rng *r)
{
    struct network_weights *w = aligned_alloc(64, sizeof *w);
    struct network n;
    struct error e;
    uint8_t *bytes;
    size_t size;

    assert_non_null(w);
    for (int k = 0; k < NETWORK_FIRST; k++) {
        w->first_bias[k] = (int16_t)(rng_below(r, 2001) - 1000);
        for (int i = 0; i < NETWORK_INPUTS; i++)
            w->first[i][k] = (int16_t)(rng_below(r, 2401) - 1200);
    }
    for (int i = 0; i < NETWORK_BUCKETS; i++) {
        struct network_head *h = &w->head[i];

        for (size_t k = 0; k < sizeof h->second; k++)
            (&h->second[0][0][0])[k] = (int8_t)(rng_below(r, 2) ? 127 : -128);
        for (size_t k = 0; k < sizeof h->third; k++)
            (&h->third[0][0][0])[k] = (int8_t)(rng_below(r, 256) - 128);
        for (int k = 0; k < NETWORK_SECOND; k++)
            h->second_bias[k] = rng_below(r, 1 << 22) - (1 << 21);
        for (int k = 0; k < NETWORK_THIRD; k++) {
            h->third_bias[k] = rng_below(r, 1 << 20) - (1 << 19);
            h->last[k] = (int16_t)(rng_below(r, 65536) - 32768);
        }
        h->last_bias = rng_below(r, 1 << 20);
    }
    assert_non_null(bytes = network_encode(w, &size));
    if (network_decode(&n, "extreme", bytes, size, &e))
        fail_msg("%s", e.text);
    free(bytes);
    free(w);
    return n;
}

static void check_agreement(struct network *n, struct rng *r)
{
    int sets = 0;

    for (int isa = NETWORK_PLAIN + 1; isa < NETWORK_ISAS; isa++) {
        if (!network_use(n, (enum network_isa)isa))
            continue;
        sets++;
        for (int i = 0; i < 3000; i++) {
            struct board b = random_position(r), f = board_flip(&b);
            struct network_sums fast, plain;
            int value;

            network_use(n, (enum network_isa)isa);
            network_refresh(n, &b, &fast);
            value = network_value(n, &b, &fast);
            assert_int_equal(value, network_evaluate(n, &f));
            assert_true(abs(value) <= SCORE_EVAL_MAX);
            network_use(n, NETWORK_PLAIN);
            network_refresh(n, &b, &plain);
            assert_memory_equal(&plain, &fast, sizeof plain);
            assert_int_equal(value, network_value(n, &b, &plain));
        }
    }
    print_message("%d instruction sets beside the plain one\n", sets);
}

static void instruction_sets_agree(void **state)
{
    struct rng r = rng_for_test("network");
    struct network n = open_network(), extreme = extreme_network(&r);

    (void)state;
    check_agreement(&n, &r);
    check_agreement(&extreme, &r);
    network_close(&n);
    network_close(&extreme);
}

/* The sums say what the header says: one row for each piece, as each side sees it. */
static void sums_are_rows_added(void **state)
{
    struct rng r = rng_for_test("rows");
    struct network n = open_network();

    (void)state;
    for (int i = 0; i < 500; i++) {
        struct board b = random_position(&r);
        struct network_sums s;

        network_refresh(&n, &b, &s);
        for (int us = 0; us < 2; us++)
            for (int k = 0; k < NETWORK_FIRST; k += 17) {
                int sum = n.weights->first_bias[k];

                for (int number = 0; number < 32; number++) {
                    squares at = squares_of(square_from_number(number + 1));
                    int from_home = us == BLACK ? number : 31 - number;
                    int kind = (b.kings & at) ? 32 : 0;

                    if (b.side[us] & at)
                        sum += n.weights->first[kind + from_home][k];
                    if (b.side[!us] & at)
                        sum += n.weights->first[64 + kind + from_home][k];
                }
                assert_int_equal(s.of[us][k], sum);
            }
    }
    network_close(&n);
}

/* Along random games, and from any position to any other. */
static void updates_are_refreshes(void **state)
{
    struct rng r = rng_for_test("update");
    struct network n = open_network();
    struct board b = board_start;
    struct network_sums s, next, full;
    struct move_list list;

    (void)state;
    network_refresh(&n, &b, &s);
    for (int i = 0; i < 5000; i++) {
        bool over = moves_generate(&b, &list) == 0 || rng_below(&r, 50) == 0;
        struct board to =
            over ? random_position(&r) : board_after(&b, &list.move[rng_below(&r, list.count)]);

        network_use(&n, (enum network_isa)rng_below(&r, NETWORK_ISAS));
        network_update(&n, &b, &s, &to, &next);
        network_refresh(&n, &to, &full);
        assert_memory_equal(&next, &full, sizeof full);
        b = to;
        s = next;
    }
    network_close(&n);
}

static void refuse(const uint8_t *bytes, size_t size, const char *why)
{
    struct network n;
    struct error e;

    assert_int_not_equal(network_decode(&n, "file", bytes, size, &e), STATUS_OK);
    if (!strstr(e.text, why))
        fail_msg("expected '%s', found '%s'", why, e.text);
    assert_null(n.weights);
}

static void damaged_files_are_refused(void **state)
{
    struct rng r = rng_for_test("damage");
    struct network n = open_network();
    size_t size;
    uint8_t *bytes = network_encode(n.weights, &size);

    (void)state;
    assert_non_null(bytes);
    refuse(bytes, 3, "not a network");
    refuse(bytes, size - 1, "bytes, expected");
    for (int i = 0; i < 50; i++) {
        size_t at = 18 + (size_t)rng_below(&r, (int)size - 18);

        bytes[at] ^= 1;
        refuse(bytes, size, "checksum");
        bytes[at] ^= 1;
    }
    bytes[8]++;
    refuse(bytes, size, "offset 8");
    bytes[0] = 'x';
    refuse(bytes, size, "not a network");
    free(bytes);
    network_close(&n);
}

static void files_come_back(void **state)
{
    struct scratch dir = scratch_create();
    struct network n = open_network(), back;
    char path[SCRATCH_MAX];
    struct error e;
    size_t size;
    uint8_t *bytes = network_encode(n.weights, &size);

    (void)state;
    assert_non_null(bytes);
    scratch_file(&dir, "network.bin", path);
    assert_int_equal(network_read(&back, path, &e), STATUS_MISSING);
    file_write(path, bytes, size);
    assert_int_equal(network_read(&back, path, &e), STATUS_OK);
    assert_memory_equal(back.weights->first, n.weights->first, sizeof n.weights->first);
    for (int i = 0; i < NETWORK_BUCKETS; i++)
        assert_memory_equal(back.weights->head[i].second, n.weights->head[i].second,
                            sizeof n.weights->head[i].second);
    network_close(&back);
    network_close(&n);
    free(bytes);
    scratch_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instruction_sets_agree), cmocka_unit_test(sums_are_rows_added),
        cmocka_unit_test(updates_are_refreshes),  cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(files_come_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
