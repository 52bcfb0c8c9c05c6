/* SPDX-License-Identifier: MIT
 *
 * The program from outside: answers, exit statuses, and one clear line for every kind
 * of bad input. */
#include "cli/nearest.h"
#include "kit/test.h"

#include "kit/run.h"

/* (C2) of command.h: one line, nothing on standard output, exit status 2. */
static void check_refusal(const char *const *args, const void *input, size_t length,
                          const char *expected)
{
    struct run r = run_kelso(args, input, length);

    if (r.status != 2 || (expected && !strstr(r.err, expected)))
        fail_msg("exit %d, expected '%s', found '%s'", r.status, expected, r.err);
    assert_int_equal(r.out_length, 0);
    assert_int_equal(strncmp(r.err, "kelso: ", 7), 0);
    assert_ptr_equal(strchr(r.err, '\n'), r.err + r.err_length - 1);
    assert_true(r.err_length < 600);
    for (size_t i = 0; i + 1 < r.err_length; i++)
        assert_true((unsigned char)r.err[i] >= ' ');
    run_free(&r);
}

static void check_answer(const char *const *args, const char *input, const char *expected)
{
    struct run r = run_kelso(args, input, strlen(input));

    if (r.status != 0 || strcmp(r.out, expected) != 0)
        fail_msg("exit %d, expected '%s', found '%s'", r.status, expected, r.out);
    assert_string_equal(r.err, "");
    run_free(&r);
}

/* ----------------------------------------------------------------- answers -- */

static void test_answers(void **state)
{
    (void)state;
    check_answer(ARGS("moves"), "", "9-13\n10-14\n11-15\n12-16\n9-14\n10-15\n11-16\n");
    check_answer(ARGS("moves", "--algebraic", "B:W6,14,22:B1"), "", "g1xe7\n");
    check_answer(ARGS("moves", "-"), "B:WK17,23:B\n", "");
    check_answer(ARGS("moves", "--", "B:W6,7,14,15:B2"), "", "2x9x18\n2x11x18\n");
    check_answer(ARGS("show", "B:W21:BK1"), "",
                 "  +-----------------+\n"
                 "  |   B   .   .   . |\n"
                 "  | .   .   .   .   |\n"
                 "  |   .   .   .   . |\n"
                 "  | .   .   .   .   |\n"
                 "  |   .   .   .   . |\n"
                 "  | w   .   .   .   |\n"
                 "  |   .   .   .   . |\n"
                 "  | .   .   .   .   |\n"
                 "  +-----------------+\n"
                 "  Black to move\n"
                 "  B:W21:BK1\n");
}

/* The picture of a man on 21 (at x 2, y 202) and, for Black's view, of a king on 1. */
static void test_picture(void **state)
{
    struct run r = run_kelso(ARGS("show", "--svg", "B:W21:BK1"), "", 0);

    (void)state;
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "<circle cx=\"22\" cy=\"222\" r=\"14\" fill=\"#fbfaf5\""));
    assert_non_null(strstr(r.out, "<circle cx=\"62\" cy=\"24\" r=\"14\" fill=\"#1d1d1d\""));
    assert_non_null(strstr(r.out, "</svg>\n"));
    run_free(&r);
    r = run_kelso(ARGS("show", "--svg", "--flip", "B:W21:BK1"), "", 0);
    assert_non_null(strstr(r.out, "<circle cx=\"262\" cy=\"304\" r=\"14\" fill=\"#1d1d1d\""));
    run_free(&r);
}

static void test_json(void **state)
{
    (void)state;
    run_expect_json(ARGS("show", "--json"), "\"turn\":\"black\"");
    run_expect_json(ARGS("moves", "--json"), "\"move\":\"11-15\"");
    run_expect_json(ARGS("moves", "--json", "B:W6,14,22:B1"), "\"captured\":[6,14,22]");
    run_expect_json(ARGS("perft", "--json", "6"), "\"nodes\":36768");
    run_expect_json(ARGS("perft", "--json", "--divide", "1"), "\"divide\":{\"9-13\":1");
    run_expect_json(ARGS("help", "--json"), "\"name\":\"perft\"");
    run_expect_json(ARGS("help", "--json", "pdn"), "\"name\":\"algebraic\"");
    run_expect_json(ARGS("pdn", "check", "--json", "tests/golden/tour.pdn"), "\"bad\":0");
}

/* Threads, a hash and dividing change nothing but the speed. */
static void test_perft(void **state)
{
    const char *const *const runs[] = {
        ARGS("perft", "8", "--json"),
        ARGS("perft", "8", "--json", "--threads", "3"),
        ARGS("perft", "8", "--json", "--hash=1"),
        ARGS("perft", "8", "--json", "--hash", "64K", "--threads", "2", "--divide"),
        ARGS("perft", "8", "--json", "--fen", "B:W21-32:B1-12"),
    };

    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        run_expect_json(runs[i], "\"nodes\":845931,");
    run_expect_json(ARGS("perft", "0", "--json"), "\"nodes\":1,");
    run_expect_json(ARGS("perft", "3", "--json", "--fen", "B:WK1:B"), "\"nodes\":0,");
}

static void test_perft_long(void **state)
{
    (void)state;
    if (!test_is_long())
        skip();
    run_expect_json(ARGS("perft", "16", "--json", "--hash=1G", "--threads=2"),
                    "\"nodes\":165629569428,");
}

static void test_help(void **state)
{
    struct run r = run_kelso(ARGS("help"), "", 0), v = run_kelso(ARGS("--version"), "", 0);
    struct run list = run_kelso(ARGS("help", "--list"), "", 0), bare = run_kelso(ARGS(NULL), "", 0);
    char *rest = list.out, *name;

    (void)state;
    assert_int_equal(r.status, 0);
    assert_int_equal(v.status, 0);
    assert_int_equal(bare.status, 0);
    assert_string_equal(bare.out, r.out);
    assert_non_null(strstr(r.out, "\nProve:\n  solve "));
    assert_string_equal(v.out, "kelso " KELSO_VERSION "\n");
    while ((name = strsep(&rest, "\n")) && *name) { /* each command tells about itself */
        struct run one = run_kelso(ARGS(name, "--help"), "", 0);
        struct run two = run_kelso(ARGS("help", name), "", 0);

        assert_non_null(strstr(r.out, name));
        assert_int_equal(one.status, 0);
        assert_string_equal(one.out, two.out);
        assert_int_equal(strncmp(one.out, "kelso ", 6), 0);
        if (!strstr(one.out, "\n  kelso ") && !strstr(one.out, "\n    kelso "))
            fail_msg("kelso help %s: no example", name);
        run_free(&one);
        run_free(&two);
    }
    run_free(&r);
    run_free(&v);
    run_free(&list);
    run_free(&bare);
}

static void test_nearest(void **state)
{
    static const struct {
        const char *a, *b;
        int distance;
    } facts[] = {{"", "", 0},         {"", "abc", 3},       {"abc", "", 3},
                 {"show", "shwo", 1}, {"show", "shows", 1}, {"probe", "prove", 1},
                 {"abc", "cab", 2},   {"ca", "ac", 1},      {"kitten", "sitting", 3}};

    (void)state;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        assert_int_equal(nearest_distance(facts[i].a, facts[i].b), facts[i].distance);
        assert_int_equal(nearest_distance(facts[i].b, facts[i].a), facts[i].distance);
    }
}

/* --------------------------------------------------------------- bad usage -- */

static void test_bad_usage(void **state)
{
    (void)state;
    check_refusal(ARGS("shwo"), "", 0, "unknown command 'shwo'; did you mean 'show'?");
    check_refusal(ARGS("xyzzy"), "", 0, "unknown command 'xyzzy'; 'kelso help' lists them");
    check_refusal(ARGS("help", "shwo"), "", 0, "unknown command 'shwo'");
    check_refusal(ARGS("show", "--nmbers"), "", 0,
                  "unknown option '--nmbers'; did you mean '--numbers'?");
    check_refusal(ARGS("show", "-x"), "", 0, "unknown option '-x'");
    check_refusal(ARGS("show", "--json=yes"), "", 0, "--json takes no value");
    check_refusal(ARGS("show", "B:W21:B1", "B:W21:B2"), "", 0, "unexpected argument 'B:W21:B2'");
    check_refusal(ARGS("perft"), "", 0, "too few arguments: kelso perft DEPTH");
    check_refusal(ARGS("perft", "x"), "", 0, "expected a depth from 0 to 40, found 'x'");
    check_refusal(ARGS("perft", "-1"), "", 0, "unknown option '-1'");
    check_refusal(ARGS("perft", "41"), "", 0, "expected a depth from 0 to 40");
    check_refusal(ARGS("perft", "5", "--threads"), "", 0, "--threads expects a value");
    check_refusal(ARGS("perft", "5", "--threads", "0"), "", 0, "from 1 to 256, found '0'");
    check_refusal(ARGS("perft", "5", "--threads=two"), "", 0, "from 1 to 256, found 'two'");
    check_refusal(ARGS("perft", "5", "--hash", "1Q"), "", 0, "a size such as 512M, found '1Q'");
    check_refusal(ARGS("perft", "5", "--hash", "9999999T"), "", 0, "a size such as 512M");
    check_refusal(ARGS("perft", "5", "--hash", "900000T"), "", 0, "at most the machine's ");
    check_refusal(ARGS("solve", "--memory", "900G", "B:W21:B1"), "", 0, "at most the machine's ");
    check_refusal(ARGS("solve", "--time", "0", "B:W21:B1"), "", 0, "a time such as 90s or 10m");
    check_refusal(ARGS("solve", "--time", "nan", "B:W21:B1"), "", 0, "a time such as 90s or 10m");
    check_refusal(ARGS("solve", "--time", "99999999999d", "B:W21:B1"), "", 0, "found '9999");
    check_refusal(ARGS("analyze", "--nodes", "-1"), "", 0, "a number such as 20000 or 5M");
    check_refusal(ARGS("pdn", "check"), "", 0, "too few arguments");
    check_refusal(ARGS("pdn", "eat", "x.pdn"), "", 0, "expected check, print or convert");
    check_refusal(ARGS("pdn", "convert", "no/such.pdn"), "", 0, "no/such.pdn: No such file");
    check_refusal(ARGS("pdn", "convert", "tests"), "", 0, "tests: Is a directory");
    check_refusal(ARGS("show", "\033[31m\n\n"), "", 0, "found '\\x1B[31m'");
    check_refusal(ARGS("\033[31m\n"), "", 0, "unknown command '?[31m?'");
}

/* What cannot work is refused before the work, by what is wrong with it. */
static void test_refused_early(void **state)
{
    (void)state;
    check_refusal(ARGS("analyze", "nofile"), "", 0, "'nofile' is neither a FEN nor a file");
    check_refusal(ARGS("analyze", "."), "", 0, "Is a directory");
    check_refusal(ARGS("match", "--games", "3"), "", 0, "an even number");
    check_refusal(ARGS("match", "--games=2", "--nodes=9", "--no-tables", "--pdn", "no/x.pdn"), "",
                  0, "no/x.pdn: cannot be written: No such file");
    check_refusal(ARGS("match", "--a=hub=false", "--games=2", "--nodes=9", "--no-tables"), "", 0,
                  "it does not answer");
    check_refusal(ARGS("play", "--pdn", "no/x.pdn"), "", 0, "no/x.pdn: cannot be written");
    check_refusal(ARGS("duel", "B:WK31:B25", "--svg", "no/x.svg"), "", 0, "cannot be written");
    check_refusal(ARGS("tune", "--data", "/dev/null", "--out", "no/x.bin"), "", 0,
                  "not a regular file");
    check_refusal(ARGS("verify", "--sample", "0"), "", 0, "a number above 0, at most 1");
    check_refusal(ARGS("serve", "--web", "no/page"), "", 0, "no/page: No such file");
    check_refusal(ARGS("prove", "B:W21:B1"), "", 0, "prove: give --store DIR");
}

/* Files of other systems: a byte order mark, CR LF, no end of the last line, notes. */
static void test_foreign_text(void **state)
{
    static const char *const texts[] = {"\xEF\xBB\xBF"
                                        "B:W6,7,14,15:B2",
                                        "B:W6,7,14,15:B2\r\n",
                                        "\xEF\xBB\xBF"
                                        "B:W6,7,14,15:B2\r\n"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_answer(ARGS("moves", "-"), texts[i], "2x9x18\n2x11x18\n");
}

/* ----------------------------------------------------------------- signals -- */

/* Ctrl-C ends long work soon, without a status line left over, and says so. */
static void test_stopped(void **state)
{
    static const char *const jobs[][6] = {
        {"census", "--plies=20", "--progress=bar"},
        {"perft", "17", "--progress=bar"},
        {"shortest", "--plies=25", "--deep", "--progress=bar"},
        {"shortest", "--plies=20", "--method=bfs", "--progress=bar"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct run r = run_kelso_stopped(jobs[i]);

        assert_int_equal(r.status, 130);
        assert_string_equal(r.out, "");
        assert_non_null(strstr(r.err, "\r\033[Kkelso: stopped\n"));
        run_free(&r);
    }
}

/* ----------------------------------------------------------------- bad FEN -- */

static const char *const bad_fens[] = {
    "",
    "garbage",
    "B",
    "B:",
    "B:W21",
    "B:W21:B",     /* fine for Black to move, but */
    "W:W21:B",     /* not for White */
    "B:W:B",       /* an empty board */
    "B:W4:B12",    /* a man where it is crowned */
    "B:W21:B30",   /* likewise */
    "B:W21,21:B1", /* two pieces on a square */
    "B:W21:B21",   /* likewise */
    "B:W20-32:B1", /* thirteen */
    "B:W21:B1-12,K32",
    "B:W0:B1",
    "B:W33:B1",
    "B:W-1:B1",
    "B:W21:B1:",
    "B:W21:B1;Z9",
    "B:W21:B1 and more",
    "B:W21:W1",
    "B:W4294967297:B1",
    "B:W21;B1",
    "B:W21,,22:B1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
};

static void test_bad_fens(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_fens / sizeof *bad_fens; i++) {
        const char *fen = bad_fens[i];

        if (strcmp(fen, "B:W21:B") == 0) {
            check_answer(ARGS("moves", fen), "", "");
            continue;
        }
        check_refusal(ARGS("show", fen), "", 0, "FEN, column ");
        check_refusal(ARGS("moves", "-"), fen, strlen(fen), "FEN, column ");
        check_refusal(ARGS("perft", "3", "--fen", fen), "", 0, "FEN, column ");
    }
}

static void test_floods(void **state)
{
    enum { MEGABYTE = 1 << 20 };
    struct rng r = rng_for_test("floods");
    char *bytes = malloc(MEGABYTE);

    (void)state;
    assert_non_null(bytes);
    for (int i = 0; i < MEGABYTE; i++)
        bytes[i] = (char)rng_next(&r);
    check_refusal(ARGS("show", "-"), bytes, MEGABYTE, "more than 4096 bytes");
    check_refusal(ARGS("show", "-"), bytes, 4096, "FEN, column ");
    memset(bytes, 0, MEGABYTE);
    check_refusal(ARGS("moves", "-"), bytes, MEGABYTE, "more than 4096 bytes");
    check_refusal(ARGS("moves", "-"), bytes, 100, "found '\\x00'");
    memset(bytes, '1', MEGABYTE);
    memcpy(bytes, "B:W", 3);
    check_refusal(ARGS("moves", "-"), bytes, 4000, "expected a square from 1 to 32");
    bytes[100000] = '\0';
    check_refusal(ARGS("show", bytes), "", 0, "expected a square from 1 to 32");
    check_refusal(ARGS("show", "-"), "B:W21\0:B1", 9, "found '\\x00'");
    free(bytes);
}

/* --------------------------------------------------------------------- PDN -- */

static struct run run_pdn(const char *verb, const char *text)
{
    return run_kelso(ARGS("pdn", verb, "-"), text, strlen(text));
}

static void test_pdn_status(void **state)
{
    struct run good = run_pdn("check", "11-15 *"), bad = run_pdn("check", "11-17 * 11-15 *");
    struct run written = run_pdn("convert", "11-17 * 11-15 *"),
               printed = run_pdn("print", "11-15 *");

    (void)state;
    assert_int_equal(good.status, 0);
    assert_string_equal(good.out, "standard input: 1 game good, 0 bad, 1 move\n");
    assert_int_equal(bad.status, 1);
    assert_string_equal(bad.out, "standard input: 1 game good, 1 bad, 1 move\n");
    assert_non_null(strstr(bad.err, "kelso: standard input:1:1: game 1: expected a legal move ("));
    assert_int_equal(written.status, 2);
    assert_string_equal(written.out, "[GameType \"21\"]\n\n1. 11-15 *\n");
    assert_int_equal(printed.status, 0);
    assert_non_null(strstr(printed.out, "   1. 11-15\n  result * after 1 plies\n"));
    run_free(&good);
    run_free(&bad);
    run_free(&written);
    run_free(&printed);
}

/* Any bytes are read to the end; there may be many errors, each on its line. */
static void test_pdn_garbage(void **state)
{
    enum { BYTES = 1 << 20 };
    struct rng r = rng_for_test("PDN garbage");
    char *bytes = malloc(BYTES);

    (void)state;
    assert_non_null(bytes);
    for (int pass = 0; pass < 3; pass++) {
        static const char letters[] = "[]{}();*1-0 x\n\"$!\\";
        struct run run;

        for (int i = 0; i < BYTES; i++)
            bytes[i] = pass == 0   ? (char)rng_next(&r)
                       : pass == 1 ? letters[rng_below(&r, sizeof letters - 1)]
                                   : '\0';
        run = run_kelso(ARGS("pdn", "check", "-"), bytes, pass == 1 ? 20000 : BYTES);
        assert_int_equal(run.status, 1);
        assert_int_equal(strncmp(run.err, "kelso: standard input:", 22), 0);
        run_free(&run);
    }
    free(bytes);
}

/* ---------------------------------------------------------------- terminal -- */

static void test_colour(void **state)
{
    struct run plain, coloured, refused;

    (void)state;
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    plain = run_kelso(ARGS("show"), "", 0);
    coloured = run_kelso_on_terminal(ARGS("show"));
    setenv("NO_COLOR", "1", 1);
    refused = run_kelso_on_terminal(ARGS("show"));
    unsetenv("NO_COLOR");
    assert_null(strchr(plain.out, '\033'));
    assert_non_null(strchr(coloured.out, '\033'));
    assert_null(strchr(refused.out, '\033'));
    run_free(&plain);
    run_free(&coloured);
    run_free(&refused);
}

/* An answer that cannot be written is an error. */
static void test_full_disk(void **state)
{
    char command[300];
    int status;

    (void)state;
    snprintf(command, sizeof command, "%s moves >/dev/full 2>/dev/null", getenv("KELSO_BINARY"));
    status = system(command);
    assert_int_equal(status, 2 << 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),      cmocka_unit_test(test_picture),
        cmocka_unit_test(test_json),         cmocka_unit_test(test_perft),
        cmocka_unit_test(test_help),         cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_perft_long),   cmocka_unit_test(test_bad_usage),
        cmocka_unit_test(test_stopped),      cmocka_unit_test(test_refused_early),
        cmocka_unit_test(test_foreign_text), cmocka_unit_test(test_bad_fens),
        cmocka_unit_test(test_floods),       cmocka_unit_test(test_pdn_status),
        cmocka_unit_test(test_pdn_garbage),  cmocka_unit_test(test_colour),
        cmocka_unit_test(test_full_disk),
    };

    setenv("KELSO_BINARY", "build/check/kelso", 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
