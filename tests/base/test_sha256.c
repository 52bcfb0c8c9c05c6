/* SPDX-License-Identifier: MIT
 *
 * SHA-256 against the examples of NIST (FIPS 180-4, and the long messages of the CAVS set's
 * kind: a million letters), and cut in any way. */
#include "kit/scratch.h"
#include "kit/test.h"

#include "base/sha256.h"

static void expect(const void *bytes, size_t n, const char *want)
{
    struct scratch dir = scratch_create();
    char path[SCRATCH_MAX], text[SHA256_TEXT];
    struct error e;

    file_write(scratch_file(&dir, "message", path), bytes, n);
    if (sha256_file(path, text, &e))
        fail_msg("%s", e.text);
    assert_string_equal(text, want);
    scratch_remove(&dir);
}

static void test_vectors(void **state)
{
    static char million[1000000];

    (void)state;
    memset(million, 'a', sizeof million);
    expect("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect(
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
        "lmnopqrsmnopqrstnopqrstu",
        112, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    expect(million, sizeof million,
           "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* (S1) */
static void test_cuts(void **state)
{
    struct rng r = rng_for_test("cuts");
    uint8_t bytes[1000], whole[SHA256_BYTES], cut[SHA256_BYTES];
    struct sha256 s;

    (void)state;
    for (int k = 0; k < 500; k++) {
        size_t n = (size_t)rng_below(&r, sizeof bytes + 1), at = 0;

        for (size_t i = 0; i < n; i++)
            bytes[i] = (uint8_t)rng_next(&r);
        sha256_begin(&s);
        sha256_add(&s, bytes, n);
        sha256_end(&s, whole);
        sha256_begin(&s);
        while (at < n) {
            size_t step = 1 + (size_t)rng_below(&r, 150);

            step = step < n - at ? step : n - at;
            sha256_add(&s, bytes + at, step);
            at += step;
        }
        sha256_end(&s, cut);
        assert_memory_equal(whole, cut, sizeof whole);
    }
}

static void test_missing(void **state)
{
    char text[SHA256_TEXT];
    struct error e;

    (void)state;
    assert_int_equal(sha256_file("/nowhere/at all", text, &e), STATUS_MISSING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors), cmocka_unit_test(test_cuts),
                                       cmocka_unit_test(test_missing)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
