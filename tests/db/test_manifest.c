/* SPDX-License-Identifier: MIT
 *
 * Manifests: what is listed is read back, sorted; (M1) bad lines are named. */
#include "kit/built.h"

#include "db/manifest.h"

static void test_list(void **state)
{
    const struct built *b = *state;
    struct catalog *c = tables_catalog(b->tables);
    char text[4096] = "", *at = text;
    struct manifest m, again;
    struct error e;

    assert_int_equal(manifest_list(&m, c, PIECES_MAX, &e), STATUS_OK);
    assert_int_equal(m.count, 9 * KINDS);
    for (int i = 0; i < m.count; i++) {
        assert_true(i == 0 || strcmp(m.entry[i - 1].name, m.entry[i].name) < 0);
        assert_int_equal(manifest_digest(c, m.entry[i].name, m.entry[i].sha256, &e), STATUS_OK);
        at += sprintf(at, "%s  %s\n", m.entry[i].sha256, m.entry[i].name);
    }
    assert_int_equal(manifest_parse(&again, "text", text, &e), STATUS_OK);
    assert_int_equal(again.count, m.count);
    for (int i = 0; i < m.count; i++) {
        assert_string_equal(again.entry[i].name, m.entry[i].name);
        assert_string_equal(again.entry[i].sha256, m.entry[i].sha256);
    }
    manifest_free(&m);
    manifest_free(&again);
}

/* What a builder makes here is what data/ says. */
static void test_published(void **state)
{
    const struct built *b = *state;
    char sha256[SHA256_TEXT];
    struct manifest m;
    struct error e;
    size_t size;
    char *text = (char *)file_read("data/tables-wld.sha256", &size);
    int found = 0;

    text[size] = 0; /* file_read leaves room for it */
    assert_int_equal(manifest_parse(&m, "data", text, &e), STATUS_OK);
    for (int i = 0; i < m.count; i++)
        if (manifest_digest(tables_catalog(b->tables), m.entry[i].name, sha256, &e) == STATUS_OK) {
            assert_string_equal(sha256, m.entry[i].sha256);
            found++;
        }
    assert_int_equal(m.count, 210);
    assert_int_equal(found, 9);
    manifest_free(&m);
    free(text);
}

static void test_bad(void **state)
{
#define SHA "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    static const char *const bad[] = {"x",
                                      SHA,
                                      SHA " 1K-1K.wld",
                                      SHA "  1K-1K.abc",
                                      SHA "  1K-1K",
                                      SHA "  ../1K-1K.wld",
                                      SHA "  1C-1K.wld",
                                      "g" SHA "  1K-1K.wld",
                                      SHA "  a name that is longer than the name of any table.wld",
                                      SHA "  "};
    struct manifest m;
    struct error e;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[512];

        snprintf(text, sizeof text, SHA "  1K-1K.wld\n\n%s\n", bad[i]);
        if (manifest_parse(&m, "file", text, &e) != STATUS_FORMAT)
            fail_msg("'%s' is read", bad[i]);
        assert_true(strncmp(e.text, "file:3: ", 8) == 0);
    }
}

static int setup(void **state)
{
    return built_setup(state, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list), cmocka_unit_test(test_published), cmocka_unit_test(test_bad)};

    return cmocka_run_group_tests(tests, setup, built_teardown);
}
