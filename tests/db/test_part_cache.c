/* SPDX-License-Identifier: MIT
 *
 * The cache of parts by itself: what was put in comes out, as far as it went, or nothing does. */
#include "kit/test.h"

#include "db/part_cache.h"

#include <pthread.h>

enum { KEYS = 5000, BYTES = 1 << 20 };

static void fill(uint64_t *words, uint64_t key)
{
    for (uint64_t i = 0; i < PART_WORDS; i++)
        words[i] = (key + 1) * UINT64_C(0x9E3779B97F4A7C15) ^ i * UINT64_C(0xBF58476D1CE4E5B9);
}

static uint32_t value_at(uint64_t key, uint32_t i)
{
    uint64_t words[PART_WORDS];

    fill(words, key);
    return words[i / 32] >> i % 32 * 2 & 3;
}

/* part_cache_get and its twin without branches. */
static bool both_get(const struct part_cache *c, uint64_t key, uint32_t i, uint32_t *v)
{
    uint32_t other;
    bool found = part_cache_get(c, key, i, v);

    assert_int_equal(part_cache_read(c, key, i, &other), found);
    if (found)
        assert_int_equal(other, *v);
    return found;
}

static void test_parts(void **state)
{
    struct rng r = rng_for_test("parts");
    uint64_t words[PART_WORDS];
    struct part_cache c;
    uint32_t v, found = 0;

    (void)state;
    assert_int_equal(part_cache_open(&c, BYTES), 0);
    assert_true(c.bytes <= BYTES);
    for (int k = 0; k < 40000; k++) {
        uint64_t key = 1 + (uint64_t)rng_below(&r, KEYS);
        uint32_t count = 1 + (uint32_t)rng_below(&r, PART_VALUES), i;

        fill(words, key);
        part_cache_put(&c, key, count, words);
        i = (uint32_t)rng_below(&r, (int)count);
        assert_true(both_get(&c, key, i, &v)); /* what was just put in is there */
        assert_int_equal(v, value_at(key, i));
        key = 1 + (uint64_t)rng_below(&r, KEYS);
        i = (uint32_t)rng_below(&r, PART_VALUES);
        if (!both_get(&c, key, i, &v))
            continue;
        assert_int_equal(v, value_at(key, i));
        found++;
    }
    assert_true(found > 1000);
    part_cache_close(&c);
}

/* A longer beginning takes the place of a shorter one, and not the other way round. */
static void test_longer(void **state)
{
    uint64_t words[PART_WORDS];
    struct part_cache c;
    uint32_t v;

    (void)state;
    assert_int_equal(part_cache_open(&c, 0), 0);
    fill(words, 7);
    assert_false(both_get(&c, 7, 0, &v));
    part_cache_put(&c, 7, 64, words);
    assert_true(both_get(&c, 7, 63, &v));
    assert_false(both_get(&c, 7, 64, &v));
    part_cache_put(&c, 7, PART_VALUES, words);
    assert_true(both_get(&c, 7, PART_VALUES - 1, &v));
    assert_int_equal(v, value_at(7, PART_VALUES - 1));
    part_cache_put(&c, 7, 64, words);
    assert_true(both_get(&c, 7, PART_VALUES - 1, &v));
    part_cache_close(&c);
}

/* Each time a slot is filled its generation is the next one, whatever happens elsewhere: (B2). */
static void test_generations(void **state)
{
    uint64_t words[PART_WORDS], slot, last = 0, other = 8;
    struct part_cache c;

    (void)state;
    assert_int_equal(part_cache_open(&c, 0), 0);
    while (part_cache_set(&c, other) != part_cache_set(&c, 7))
        other++;
    for (uint32_t count = 64; count <= PART_VALUES; count += 64) {
        fill(words, 7);
        part_cache_put(&c, 7, count, words);
        slot = part_cache_place(&c, 7, 0).slot;
        assert_int_equal(c.tag[slot] >> 7 & 511, ++last);
        fill(words, other);
        for (int k = 0; k < 511; k++) /* in the same set */
            part_cache_put(&c, other, 64, words);
    }
    part_cache_close(&c);
}

/* Parts with a single value, many more than slots, beside parts with several. */
static void test_ones(void **state)
{
    struct rng r = rng_for_test("ones");
    uint64_t words[PART_WORDS];
    struct part_cache c;
    uint32_t v, found = 0;

    (void)state;
    assert_int_equal(part_cache_open(&c, BYTES), 0);
    for (int k = 0; k < 40000; k++) {
        uint64_t key = 1 + (uint64_t)rng_below(&r, KEYS);
        uint32_t i = (uint32_t)rng_below(&r, PART_VALUES);

        if (key % 5 == 0) {
            fill(words, key);
            part_cache_put(&c, key, PART_VALUES, words);
        } else {
            part_cache_put_one(&c, key, key % 3);
        }
        assert_true(both_get(&c, key, i, &v));
        key = 1 + (uint64_t)rng_below(&r, KEYS);
        if (!both_get(&c, key, i, &v))
            continue;
        assert_int_equal(v, key % 5 ? key % 3 : value_at(key, i));
        found += key % 5 != 0;
    }
    assert_true(found > 10000); /* of some 32,000; the slots alone hold a third of the keys */
    part_cache_close(&c);
}

/* (B5): the words in use are the first ones, and each slot has its own. */
static void test_places(void **state)
{
    uint64_t words[PART_WORDS], slots, filled = 0;
    bool taken[BYTES / (PART_WORDS * 8)] = {false};
    struct part_cache c;

    (void)state;
    assert_int_equal(part_cache_open(&c, BYTES), 0);
    slots = c.sets * PART_WAYS;
    for (uint64_t key = 1; key <= KEYS; key++) {
        fill(words, key);
        part_cache_put(&c, key, PART_VALUES, words);
        assert_true(atomic_load(&c.used) <= key);
    }
    for (uint64_t slot = 0; slot < slots; slot++) {
        uint32_t place = atomic_load(&c.place[slot]);

        assert_true(place <= slots && !(place && taken[place]));
        taken[place] = true;
        filled += place != 0;
    }
    assert_int_equal(filled, atomic_load(&c.used));
    part_cache_close(&c);
}

/* More memory than slots can be numbered for: the cache is smaller, if the system lets it be. */
static void test_large(void **state)
{
    struct part_cache c;

    (void)state;
    if (part_cache_open(&c, UINT64_MAX))
        return;
    assert_true(c.sets * PART_WAYS < UINT32_MAX);
    part_cache_close(&c);
}

/* (B1): writers and readers at once, in a cache much too small. */
static void *threads_job(void *arg)
{
    struct part_cache *c = arg;
    static _Atomic uint64_t seed = 1;
    uint64_t words[PART_WORDS], state = atomic_fetch_add(&seed, 1) * UINT64_C(0x9E3779B97F4A7C15);

    for (int k = 0; k < (test_is_sanitized() ? 20000 : 100000); k++) {
        uint64_t key;
        uint32_t i, v;

        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        key = 1 + (state >> 33) % 300;
        i = state >> 20 & (PART_VALUES - 1);
        if ((k % 2 ? part_cache_get(c, key, i, &v) : part_cache_read(c, key, i, &v)) &&
            v != value_at(key, i))
            return c;
        if (k % 4)
            continue;
        fill(words, key);
        part_cache_put(c, key, i + 1, words);
    }
    return NULL;
}

static void test_threads(void **state)
{
    struct part_cache c;
    pthread_t thread[4];
    void *wrong;

    (void)state;
    assert_int_equal(part_cache_open(&c, 0), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, threads_job, &c), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], &wrong);
        assert_null(wrong);
    }
    part_cache_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),       cmocka_unit_test(test_longer),
        cmocka_unit_test(test_generations), cmocka_unit_test(test_ones),
        cmocka_unit_test(test_places),      cmocka_unit_test(test_large),
        cmocka_unit_test(test_threads)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
