/* SPDX-License-Identifier: MIT
 *
 * Lists of JSON as CSV. */
#include "kit/test.h"

#include "report/csv.h"
#include "report/json.h"

static void check(const char *json, const char *key, const char *expected)
{
    size_t size;
    char *text;
    FILE *out = open_memstream(&text, &size);
    bool found = csv_from_json(json, strlen(json), key, out);

    fclose(out);
    assert_int_equal(found, expected != NULL);
    if (expected)
        assert_string_equal(text, expected);
    free(text);
}

static void test_forms(void **state)
{
    (void)state;
    check("{\"a\":[{\"x\":1,\"y\":\"z\"},{\"x\":-2.5,\"y\":null}]}\n", "a",
          "x,y\r\n1,z\r\n-2.5,\r\n");
    check("{\"b\":[1],\"o\":{\"a\":[{\"q\":1}]},\"a\":[{\"x\":true}]}", "a", "x\r\ntrue\r\n");
    check("{\"a\":[{\"p\":{\"q\":{\"r\":1}}},{\"p\":null,\"s\":2}]}", "a",
          "p.q.r,s\r\n1,\r\n,2\r\n");
    check("{\"a\":[{\"m\":[\"1-5\",\"6-9\",3],\"n\":[],\"o\":[{\"x\":1}]}]}", "a",
          "m,n\r\n1-5 6-9 3,\r\n");
    check("{\"a\":[{\"x\":\"1,2\",\"y\":\"\\\"q\\\"\\n\",\"z\":\"\\u0001]}{\\\\\"}]}", "a",
          "x,y,z\r\n\"1,2\",\"\"\"q\"\"\n\",\x01]}{\\\r\n");
    check("{\"a\":[]}", "a", "\r\n");
    check("{\"a\":[1,2]}", "a", "\r\n");
    check("{\"a\":{\"x\":1}}", "a", NULL);
    check("{\"a\":[{\"x\":1}]}", "b", NULL);
    check("{}", "a", NULL);
    check("", "a", NULL);
}

/* What json.h writes of any bytes comes out as those bytes, or U+FFFD, in quotes. */
static void test_any_text(void **state)
{
    struct rng r = rng_for_test("csv");

    (void)state;
    for (int i = 0; i < 500; i++) {
        char text[40], *json, *csv, expected[120], *to = expected;
        int n = rng_below(&r, 12);
        size_t size;
        FILE *out = open_memstream(&json, &size);
        struct json j = json_open(out);

        for (int k = 0; k < n; k++)
            text[k] = (char)(1 + rng_below(&r, 126)); /* ASCII, but for NUL and DEL */
        json_object(&j, NULL);
        json_array(&j, "a");
        json_object(&j, NULL);
        json_bytes(&j, "x", text, (size_t)n);
        json_text(&j, "y", ",");
        json_end(&j);
        json_end(&j);
        json_end(&j);
        fclose(out);
        out = open_memstream(&csv, &size);
        assert_true(csv_from_json(json, strlen(json), "a", out));
        fclose(out);
        for (int k = 0; k < n; k++) {
            if (text[k] == '"')
                *to++ = '"';
            *to++ = text[k];
        }
        *to = 0;
        text[n] = 0;
        {
            bool quoted = strpbrk(text, ",\"\r\n") != NULL;
            char whole[160];

            snprintf(whole, sizeof whole, "x,y\r\n%s%s%s,\",\"\r\n", quoted ? "\"" : "", expected,
                     quoted ? "\"" : "");
            assert_string_equal(csv, whole);
        }
        free(json);
        free(csv);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_any_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
