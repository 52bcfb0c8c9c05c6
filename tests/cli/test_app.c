/* SPDX-License-Identifier: MIT
 *
 * What the commands share: option values, JSON, numbers for people, progress. */
#include "base/parse.h"
#include "kit/test.h"

#include "cli/command.h"
#include "report/json.h"
#include "report/progress.h"
#include "report/term.h"
#include "kit/run.h"

#include <math.h>

/* ----------------------------------------------------------------- options -- */

static void test_sizes(void **state)
{
    static const struct {
        const char *text;
        uint64_t unit;
        int64_t bytes; /* -1: refused */
    } table[] = {{"0", 0, 0},
                 {"4096", 0, 4096},
                 {"512K", 0, 512 << 10},
                 {"64M", 0, 64 << 20},
                 {"64m", 0, 64 << 20},
                 {"1.5G", 0, INT64_C(3) << 29},
                 {"2GiB", 0, INT64_C(2) << 30},
                 {"1TB", 0, INT64_C(1) << 40},
                 {"16", 1 << 20, 16 << 20},
                 {"16K", 1 << 20, 16 << 10},
                 {"", 0, -1},
                 {"M", 0, -1},
                 {"-1", 0, -1},
                 {"1Q", 0, -1},
                 {"1MM", 0, -1},
                 {"nan", 0, -1},
                 {"inf", 0, -1},
                 {"0x10", 0, -1},
                 {" 1", 0, -1},
                 {"99999999999999999999", 0, -1},
                 {"8388608T", 0, -1},
                 {".5M", 0, -1}};

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        uint64_t bytes = 0;
        bool fine = parse_size(table[i].text, table[i].unit, &bytes);

        if (fine != (table[i].bytes >= 0) || (fine && bytes != (uint64_t)table[i].bytes))
            fail_msg("'%s' read as %d, %llu", table[i].text, fine, (unsigned long long)bytes);
    }
}

static void test_counts(void **state)
{
    uint64_t n = 0;

    (void)state;
    assert_true(parse_count("20000", &n) && n == 20000);
    assert_true(parse_count("50k", &n) && n == 50000);
    assert_true(parse_count("1.5G", &n) && n == 1500000000);
    assert_false(parse_count("", &n) || parse_count("-1", &n) || parse_count("1e9", &n) ||
                 parse_count("5MiB", &n) || parse_count("nan", &n));
}

static void test_durations(void **state)
{
    static const struct {
        const char *text;
        double seconds;
    } table[] = {{"90", 90},    {"1.5s", 1.5},   {"10m", 600}, {"2h", 7200},
                 {"1d", 86400}, {"250ms", 0.25}, {"", -1},     {"s", -1},
                 {"1x", -1},    {"-1", -1},      {"nan", -1}};

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double seconds = -1;
        bool fine = parse_duration(table[i].text, &seconds);

        assert_int_equal(fine, table[i].seconds >= 0);
        assert_true(fabs(seconds - table[i].seconds) < 1e-9);
    }
}

static void test_ints_and_choices(void **state)
{
    int n = -7;

    (void)state;
    assert_true(parse_int("12", 1, 12, &n) && n == 12);
    assert_false(parse_int("13", 1, 12, &n) || parse_int("0", 1, 12, &n));
    assert_false(parse_int("", 0, 9, &n) || parse_int("1x", 0, 9, &n) || parse_int("x", 0, 9, &n));
    assert_false(parse_int("99999999999999999999", 0, INT64_MAX, &n));
    assert_int_equal(n, 12);
    assert_true(parse_choice("b", "a|b|cd", &n) && n == 1);
    assert_true(parse_choice("cd", "a|b|cd", &n) && n == 2);
    assert_false(parse_choice("c", "a|b|cd", &n) || parse_choice("", "a|b|cd", &n));
}

struct args {
    bool flag;
    int number;
    uint64_t size;
    double time;
    const char *text;
    int choice;
};

static const struct option_spec options[] = {
    {"flag", OPTION_FLAG, offsetof(struct args, flag), NULL, ""},
    {"number", OPTION_INT, offsetof(struct args, number), "N", "", .min = -5, .max = 5},
    {"size", OPTION_SIZE, offsetof(struct args, size), "SIZE", ""},
    {"time", OPTION_DURATION, offsetof(struct args, time), "TIME", ""},
    {"text", OPTION_TEXT, offsetof(struct args, text), "TEXT", ""},
    {"choice", OPTION_CHOICE, offsetof(struct args, choice), "WHAT", "", .choices = "a|b"},
    {0}};

static const struct command command = {
    .name = "test", .usage = "", .options = options, .operands_min = 1, .operands_max = 3};

/* Options may stand anywhere; operands keep their order. */
static void test_parse(void **state)
{
    char *argv[] = {"one", "--flag",  "--number", "-3", "--size=2K", "-",  "--time",
                    "1m",  "--text=", "--choice", "b",  "--",        "--x"};
    struct args a = {0};

    (void)state;
    assert_int_equal(options_parse(&command, sizeof argv / sizeof *argv, argv, &a), 3);
    assert_string_equal(argv[0], "one");
    assert_string_equal(argv[1], "-");
    assert_string_equal(argv[2], "--x");
    assert_true(a.flag);
    assert_int_equal(a.number, -3);
    assert_int_equal(a.size, 2048);
    assert_true(a.time == 60);
    assert_string_equal(a.text, "");
    assert_int_equal(a.choice, 1);
}

/* -------------------------------------------------------------------- JSON -- */

static char *written(FILE *f)
{
    static char text[4096];
    size_t n;

    rewind(f);
    n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    fclose(f);
    return text;
}

static void test_json_writer(void **state)
{
    FILE *f = tmpfile();
    struct json j = json_open(f);

    (void)state;
    json_object(&j, NULL);
    json_text(&j, "a\"b",
              "\x01\t\n\\ \xC3\xA9 \xFF \xC0\x80 \xED\xA0\x80 \xF4\x90\x80\x80 \xE2\x82");
    json_array(&j, "list");
    json_int(&j, NULL, INT64_MIN);
    json_uint(&j, NULL, UINT64_MAX);
    json_object(&j, NULL);
    json_end(&j);
    json_array(&j, NULL);
    json_end(&j);
    json_end(&j);
    json_real(&j, "x", 0.5);
    json_real(&j, "nan", NAN);
    json_bool(&j, "yes", true);
    json_null(&j, "none");
    json_text(&j, "null", NULL);
    json_bytes(&j, "nul", "a\0b", 3);
    json_end(&j);
    json_int(&j, NULL, 7);
    assert_string_equal(
        written(f),
        "{\"a\\\"b\":\"\\u0001\\t\\n\\\\ \xC3\xA9 \\ufffd \\ufffd\\ufffd \\ufffd\\ufffd\\ufffd "
        "\\ufffd\\ufffd\\ufffd\\ufffd \\ufffd\\ufffd\","
        "\"list\":[-9223372036854775808,18446744073709551615,{},[]],\"x\":0.5,\"nan\":null,"
        "\"yes\":true,\"none\":null,\"null\":null,\"nul\":\"a\\u0000b\"}\n7\n");
}

/* (J1) for any bytes. */
static void test_json_random(void **state)
{
    struct rng r = rng_for_test("JSON");

    (void)state;
    for (int i = 0; i < 2000; i++) {
        FILE *f = tmpfile();
        struct json j = json_open(f);
        char bytes[64];

        for (size_t k = 0; k < sizeof bytes; k++)
            bytes[k] = (char)(rng_below(&r, 2) ? rng_below(&r, 128) : 128 + rng_below(&r, 128));
        json_bytes(&j, NULL, bytes, (size_t)rng_below(&r, sizeof bytes + 1));
        assert_true(json_is_valid(written(f)));
    }
}

/* ----------------------------------------------------------------- numbers -- */

static void test_formats(void **state)
{
    char out[FORMAT_MAX];

    (void)state;
    assert_string_equal(format_count(0, out), "0");
    assert_string_equal(format_count(999, out), "999");
    assert_string_equal(format_count(1000, out), "1,000");
    assert_string_equal(format_count(UINT64_MAX, out), "18,446,744,073,709,551,615");
    assert_string_equal(format_short(0, out), "0");
    assert_string_equal(format_short(999, out), "999");
    assert_string_equal(format_short(1234, out), "1.23 k");
    assert_string_equal(format_short(150e6, out), "150 M");
    assert_string_equal(format_short(99.96e6, out), "100 M");
    assert_string_equal(format_short(1e18, out), "1000000 T");
    assert_string_equal(format_duration(3.14159, out), "3.1 s");
    assert_string_equal(format_duration(9.96, out), "0:10");
    assert_string_equal(format_duration(75, out), "1:15");
    assert_string_equal(format_duration(4000, out), "1:06:40");
}

/* ---------------------------------------------------------------- progress -- */

/* One status line of a job with this label, this many columns wide, 40 seconds after it began. */
static char *progress_drawn(const char *columns, const char *label, uint64_t done, uint64_t total,
                            double limit)
{
    struct progress p;
    FILE *f = tmpfile();

    setenv("COLUMNS", columns, 1);
    progress_open(&p, PROGRESS_BAR);
    p.out = f;
    p.colour = false;
    progress_stage(&p, label, "values", total);
    progress_limit(&p, limit);
    p.started -= 40; /* seconds ago */
    atomic_store(&p.next_draw, 0);
    progress_add(&p, done);
    p.shown = false;
    progress_close(&p);
    unsetenv("COLUMNS");
    return written(f);
}

static char *progress_line(const char *columns, const char *label, uint64_t done, uint64_t total)
{
    return progress_drawn(columns, label, done, total, 0);
}

static char *progress_limited(const char *columns, double limit)
{
    return progress_drawn(columns, "solving", 10, 0, limit);
}

/* What matters stays when the room gets less: the bar goes first, then figures. */
static void test_progress_width(void **state)
{
    static const struct {
        const char *columns, *expected;
    } table[] = {
        {"81", "\r1K-1K [=====                ]  25%  2.00 M of 8.00 M values  50.0 k/s  2:00 "
               "left\033[K"},
        {"60", "\r1K-1K  25%  2.00 M of 8.00 M values  50.0 k/s  2:00 left\033[K"},
        {"40", "\r1K-1K [===            ]  25%  2:00 left\033[K"},
        {"20", "\r1K-  25%  2:00 left\033[K"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_string_equal(progress_line(table[i].columns, "1K-1K", 2000000, 8000000),
                            table[i].expected);
    assert_string_equal(progress_line("80", "proving", 10, 0),
                        "\rproving 10 values  15.0/min  0:40\033[K"); /* no total: no bar */
    assert_string_equal(progress_limited("80", 100),
                        "\rsolving 10 values  15.0/min  at most 1:00 left\033[K");
    assert_string_equal(progress_limited("80", 30),
                        "\rsolving 10 values  15.0/min  at most 0.0 s left\033[K");
}

static char *progress_output(enum progress_mode mode)
{
    struct progress p;
    FILE *f = tmpfile();

    progress_open(&p, mode);
    p.out = f;
    progress_stage(&p, "counting", "nodes", 200);
    atomic_store(&p.next_draw, 0); /* due at once */
    progress_add(&p, 50);
    progress_add(&p, 50); /* not yet due again */
    progress_note(&p, "half of %d", 200);
    progress_close(&p);
    return written(f);
}

static void test_progress(void **state)
{
    char *text;

    (void)state;
    text = progress_output(PROGRESS_PLAIN);
    assert_int_equal(strncmp(text, "counting:  25%  50 of 200 nodes  ", 33), 0);
    assert_non_null(strstr(text, "\nhalf of 200\n"));
    text = progress_output(PROGRESS_JSON);
    assert_int_equal(
        strncmp(text, "{\"progress\":\"counting\",\"unit\":\"nodes\",\"done\":50,", 46), 0);
    assert_non_null(strstr(text, "}\n{\"note\":\"half of 200\"}\n"));
    text = progress_output(PROGRESS_BAR);
    assert_int_equal(strncmp(text, "\rcounting [======                  ]  25%", 40), 0);
    assert_non_null(strstr(text, "\r\033[Khalf of 200\n")); /* (P1) */
    assert_string_equal(progress_output(PROGRESS_NONE), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),       cmocka_unit_test(test_counts),
        cmocka_unit_test(test_durations),   cmocka_unit_test(test_ints_and_choices),
        cmocka_unit_test(test_parse),       cmocka_unit_test(test_json_writer),
        cmocka_unit_test(test_json_random), cmocka_unit_test(test_formats),
        cmocka_unit_test(test_progress),    cmocka_unit_test(test_progress_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
