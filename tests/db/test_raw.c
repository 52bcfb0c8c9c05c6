/* SPDX-License-Identifier: MIT
 *
 * raw.h: what is put into a raw comes back, in all forms, and stays in its block. */
#include "db/raw.h"
#include "kit/test.h"

static const struct slice slices[] = {{1, 0, 1, 0}, {0, 1, 0, 1}, {2, 0, 1, 0},
                                      {1, 1, 1, 0}, {1, 1, 0, 2}, {2, 1, 1, 0}};
enum { SLICES = sizeof slices / sizeof slices[0] };

/* Any outcome that this form can hold. */
static struct outcome random_outcome(struct rng *r, enum raw_form form)
{
    static const int range[] = {[RAW_NARROW] = 127, [RAW_WIDE] = 1000, [RAW_NINE] = 255};
    int n = rng_below(r, range[form]);

    switch (rng_below(r, 3)) {
    case 0:
        return (struct outcome){VALUE_DRAW, 0};
    case 1: /* a win in an odd number of plies, unless two bytes are there to say otherwise */
        return (struct outcome){VALUE_WIN, form == RAW_WIDE ? n + 1 : 2 * n + 1};
    default:
        return (struct outcome){VALUE_LOSS, form == RAW_WIDE ? n : 2 * n};
    }
}

/* The naive way to write one position. */
static void put(struct raw *r, uint64_t index, struct outcome o)
{
    uint64_t i = index % r->layout.block_size;
    uint8_t *block = r->data + index / r->layout.block_size * r->stride;
    uint16_t wide = outcome_to_wide(o), nine = outcome_to_nine(o);
    uint8_t *high = block + r->layout.block_size + i / 8, bit = (uint8_t)(1 << i % 8);

    if (r->form == RAW_NARROW) {
        block[i] = outcome_to_narrow(o);
    } else if (r->form == RAW_NINE) {
        block[i] = (uint8_t)nine;
        *high = (uint8_t)(nine > 255 ? *high | bit : *high & ~bit);
    } else {
        memcpy(block + 2 * i, &wide, 2);
    }
}

static struct outcome *fill(struct raw *r, struct rng *g)
{
    struct outcome *all = malloc(r->layout.positions * sizeof *all);

    for (uint64_t i = 0; i < r->layout.positions; i++)
        put(r, i, all[i] = random_outcome(g, r->form));
    return all;
}

/* Distances come back; packed, their values do. */
static void test_comes_back(void **state)
{
    struct rng g = rng_for_test("comes back");

    (void)state;
    for (int s = 0; s < SLICES; s++)
        for (int form = RAW_NARROW; form < RAW_FORMS; form++) {
            struct raw distances, packed;
            struct outcome *all;

            assert_int_equal(raw_create(&distances, slices[s], (enum raw_form)form, NULL), 0);
            assert_int_equal(raw_create_sparse(&packed, slices[s], RAW_PACKED), 0);
            all = fill(&distances, &g);
            raw_pack(&packed, &distances, NULL);
            for (uint64_t i = 0; i < distances.layout.positions; i++) {
                assert_true(outcome_equal(raw_outcome(&distances, i), all[i]));
                assert_true(raw_outcome(&packed, i).value == all[i].value);
                assert_int_equal(raw_outcome(&packed, i).plies, 0);
            }
            free(all);
            raw_free(&distances);
            raw_free(&packed);
            assert_null(packed.data);
        }
}

/* (R1): one block is packed, and no byte outside of it changes. */
static void test_blocks_apart(void **state)
{
    struct rng g = rng_for_test("blocks apart");

    (void)state;
    for (int s = 0; s < SLICES; s++) {
        struct raw distances, packed;
        uint64_t block;
        size_t begin;
        struct outcome *all;

        assert_int_equal(raw_create(&distances, slices[s], RAW_NARROW, NULL), 0);
        assert_int_equal(raw_create(&packed, slices[s], RAW_PACKED, NULL), 0);
        free(all = fill(&distances, &g));
        block = rng_next(&g) % packed.layout.blocks;
        begin = block * packed.stride;
        memset(packed.data, 0xA5, packed.bytes);
        raw_pack_block(&packed, &distances, block, NULL);
        for (size_t i = 0; i < packed.bytes; i++)
            if (i < begin || i >= begin + packed.stride)
                assert_int_equal(packed.data[i], 0xA5);
        for (uint64_t i = 0; i < packed.layout.block_size; i++) {
            uint64_t index = block * packed.layout.block_size + i;

            assert_true(raw_outcome(&packed, index).value == raw_outcome(&distances, index).value);
        }
        raw_free(&distances);
        raw_free(&packed);
    }
}

/* raw_bytes tells what is mapped: all blocks and (R2) the slack, in whole memory pages. */
static void test_sizes(void **state)
{
    (void)state;
    for (int s = 0; s < SLICES; s++)
        for (int form = RAW_PACKED; form < RAW_FORMS; form++) {
            struct raw r;
            uint64_t values = 0;

            assert_int_equal(raw_create(&r, slices[s], (enum raw_form)form, NULL), 0);
            assert_int_equal(r.bytes, raw_bytes(slices[s], (enum raw_form)form));
            assert_int_equal(r.bytes, frames_size(r.layout.blocks * r.stride + RAW_SLACK));
            values = r.layout.blocks * r.stride;
            if (form == RAW_PACKED) /* two bits a position, each plane rounded up to bytes */
                assert_true(4 * values >= r.layout.positions &&
                            4 * values < r.layout.positions + 16 * 4 * r.layout.blocks);
            else if (form == RAW_NINE)
                assert_int_equal(values, r.layout.positions +
                                             r.layout.blocks * ((r.layout.block_size + 7) / 8));
            else
                assert_int_equal(values, r.layout.positions * (form == RAW_WIDE ? 2 : 1));
            memset(r.data, 0xFF, r.bytes);
            raw_free(&r);
        }
}

/* (V1) and (V3): all codes of nine bits, there and back; a win or loss of the mover is a loss or
 * win to the opponent who moved there. */
static void test_nine_bits(void **state)
{
    (void)state;
    for (uint16_t seen = 1; seen <= NINE_TOP; seen++) {
        struct outcome o = outcome_from_nine(seen);
        uint16_t score = o.value == VALUE_DRAW  ? NINE_DRAW
                         : o.value == VALUE_WIN ? (uint16_t)(NINE_TOP - o.plies / 2)
                                                : (uint16_t)(o.plies / 2);

        assert_int_equal(outcome_to_nine(o), seen);
        assert_int_equal(score_seen_nine(score), seen);
        assert_int_equal(o.value == VALUE_DRAW ? 0 : o.plies % 2, o.value == VALUE_WIN);
    }
    assert_int_equal(outcome_from_nine(1).plies, 1);
    assert_int_equal(outcome_from_nine(255).plies, 509);
    assert_int_equal(outcome_from_nine(257).plies, 508);
    assert_int_equal(score_seen_nine(NINE_OVERFLOW), NINE_DRAW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comes_back),
        cmocka_unit_test(test_blocks_apart),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_nine_bits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
