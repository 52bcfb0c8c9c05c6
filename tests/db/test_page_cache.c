/* SPDX-License-Identifier: MIT
 *
 * The page cache by itself: what was put in comes out, or nothing does; reserved
 * parts take half of the arena at most and are never emptied (E4). */
#include "kit/test.h"

#include "db/page_cache.h"

enum { SLABS = 16, SLAB_BYTES = CACHE_SLAB_UNITS * CACHE_UNIT_WORDS * 8, PAGES = 600 };

static const int widths[] = {1, 3, 4};

static size_t page_words(int log2)
{
    return (size_t)CACHE_UNIT_WORDS << (log2 - 1);
}

/* The words of page n: no two pages are alike. */
static void fill(uint64_t *words, int log2, uint64_t n)
{
    for (size_t i = 0; i < page_words(log2); i++)
        words[i] = (n + 1) * UINT64_C(0x9E3779B97F4A7C15) ^ i * UINT64_C(0xBF58476D1CE4E5B9);
}

/* Value i of a page as its words have it. */
static uint32_t value_at(const uint64_t *words, int log2, uint32_t i)
{
    uint32_t bits = 1u << log2, each = 64 / bits;

    return (uint32_t)(words[i / each] >> i % each * bits) & ((1u << bits) - 1);
}

static void test_pages(void **state)
{
    static uint64_t words[CACHE_SLAB_UNITS * CACHE_UNIT_WORDS], copy[sizeof words / 8];
    static cache_entry entry[PAGES];
    struct rng r = rng_for_test("pages");
    struct page_cache c;

    (void)state;
    assert_int_equal(page_cache_open(&c, SLABS * SLAB_BYTES), 0);
    for (int n = 0; n < 20 * PAGES; n++) {
        int page = rng_below(&r, PAGES), log2 = widths[page % 3];
        uint32_t i = (uint32_t)rng_below(&r, CACHE_PAGE), value;

        fill(words, log2, (uint64_t)page);
        page_cache_put(&c, &entry[page], log2, words);
        assert_true(page_cache_get(&c, &entry[page], log2, i, &value));
        assert_int_equal(value, value_at(words, log2, i));
        page = rng_below(&r, PAGES); /* another: right, or not here any more */
        log2 = widths[page % 3];
        fill(words, log2, (uint64_t)page);
        if (page_cache_copy(&c, &entry[page], log2, copy))
            assert_memory_equal(words, copy, page_words(log2) * 8);
        else
            assert_int_equal(entry[page], 0);
    }
    page_cache_close(&c);
}

static void test_pinned(void **state)
{
    enum { UNITS = SLABS / 2 * CACHE_SLAB_UNITS, PINNED = UNITS / 4 };
    static uint64_t words[CACHE_SLAB_UNITS * CACHE_UNIT_WORDS], copy[sizeof words / 8];
    static cache_entry other[PAGES];
    static cache_mark mark[PINNED];
    struct page_cache c;
    cache_word *part;
    uint32_t value;

    (void)state;
    assert_int_equal(page_cache_open(&c, SLABS * SLAB_BYTES), 0);
    assert_null(page_cache_reserve(&c, UNITS + 1, 1));
    assert_null(page_cache_reserve(&c, UINT64_MAX / 16, 1));
    part = page_cache_reserve(&c, PINNED, 3); /* all that may be reserved */
    assert_non_null(part);
    assert_null(page_cache_reserve(&c, 1, 1));
    assert_false(page_cache_get_pinned(part, &mark[0], 3, 0, &value));
    for (int page = 0; page < PINNED; page++) {
        fill(words, 3, (uint64_t)page);
        page_cache_put_pinned(part + (size_t)page * page_words(3), &mark[page], 3, words);
    }
    for (int page = 0; page < PAGES; page++) { /* others come and go */
        fill(words, 1, (uint64_t)page + PINNED);
        page_cache_put(&c, &other[page], 1, words);
    }
    for (int page = 0; page < PINNED; page++) {
        const cache_word *place = part + (size_t)page * page_words(3);

        fill(words, 3, (uint64_t)page);
        assert_true(page_cache_copy_pinned(place, &mark[page], 3, copy));
        assert_memory_equal(words, copy, page_words(3) * 8);
        for (uint32_t i = 0; i < CACHE_PAGE; i += 97) {
            assert_true(page_cache_get_pinned(place, &mark[page], 3, i, &value));
            assert_int_equal(value, value_at(words, 3, i));
        }
    }
    assert_null(page_cache_reserve(&c, 1, 1)); /* the arena has been in use everywhere */
    page_cache_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_pinned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
