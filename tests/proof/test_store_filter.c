/* SPDX-License-Identifier: MIT
 *
 * The keys that a store lacks: none that it has, and nearly all others; and a store that grows past
 * its filter. */
#include "kit/positions.h"
#include "kit/scratch.h"
#include "kit/test.h"

#include "proof/store.h"
#include "proof/store_filter.h"

#include <stdio.h>
#include <stdlib.h>

static void test_filter(void **state)
{
    enum { KEYS = 1 << 16 }; /* exactly full */
    struct store_filter f = {0};
    int wrong = 0;

    (void)state;
    assert_true(store_filter_full(&f) && !store_filter_lacks(&f, "", 0));
    assert_true(store_filter_make(&f, KEYS));
    for (uint64_t i = 0; i < KEYS; i++) {
        assert_false(store_filter_full(&f));
        store_filter_add(&f, &i, sizeof i);
    }
    for (uint64_t i = 0; i < KEYS; i++)
        assert_false(store_filter_lacks(&f, &i, sizeof i));
    for (uint64_t i = KEYS; i < 3 * KEYS; i++)
        wrong += !store_filter_lacks(&f, &i, sizeof i);
    printf("# %d of %d absent keys look present\n", wrong, 2 * KEYS);
    assert_true(wrong < 2 * KEYS / 100);
    store_filter_free(&f);
}

/* The first filter has room for 32,768 keys. */
static void test_store_grows(void **state)
{
    enum { RECORDS = 80000, GROUP = 10000 };
    struct rng r = rng_for_test("filter");
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX];
    struct store_record had, record = {.bounds = bounds_unknown, .own = bounds_unknown};
    struct board *position = calloc(RECORDS, sizeof *position);
    struct store *store;
    int absent = 0;

    (void)state;
    assert_non_null(position);
    for (int i = 0; i < RECORDS; i++)
        position[i] = random_pieces(&r, 6 + rng_below(&r, 15), 1 + rng_below(&r, 6));
    assert_int_equal(store_open(&store, scratch_file(&dir, "store", path), true, NULL), STATUS_OK);
    store_group(store);
    for (int i = 0; i < RECORDS; i++) {
        record.searches = (uint32_t)i;
        absent += store_get(store, &position[i], &had, NULL) == STATUS_MISSING;
        assert_int_equal(store_put(store, &position[i], &record, NULL), STATUS_OK);
        if (i % GROUP == GROUP - 1)
            assert_int_equal(store_commit(store, NULL), STATUS_OK);
    }
    for (int i = RECORDS; i-- > 0;) {
        assert_int_equal(store_get(store, &position[i], &had, NULL), STATUS_OK);
        assert_true(had.searches >= (uint32_t)i); /* a position that comes twice has the later */
    }
    assert_true(absent > RECORDS / 2);
    store_close(&store);
    free(position);
    scratch_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_store_grows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
