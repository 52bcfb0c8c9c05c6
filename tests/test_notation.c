/* SPDX-License-Identifier: MIT
 *
 * FEN in all its spellings, and what is refused. */
#include "test.h"

#include "core/notation.h"

#define START "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"

static struct board parse(const char *fen)
{
    struct text_error error = {0};
    struct board b;

    if (!fen_parse(fen, strlen(fen), &b, &error))
        fail_msg("'%s': column %zu: %s", fen, error.at + 1, error.what);
    assert_true(board_valid(&b));
    return b;
}

static void test_spellings(void **state)
{
    static const struct {
        const char *spelling, *canonical;
    } table[] = {
        {START, START},
        {"B:W21-32:B1-12", START},
        {"B:B1-12:W21-32", START},
        {"b:w21-32:b1-12", START},
        {"B:W21-32:B1-12.", START},
        {" B : W 21 - 32 : B 1 - 12 . \r\n", START},
        {"B:W21-32:B1-12;H0;F1", START},
        {"B:W21-32:B1-12:H0:F1", START},
        {"B:W21-32:B1-12;H0;F123456789012345678901.", START},
        {"W:BK4,01,08,10:WK9,K21,12", "W:WK9,12,K21:B1,K4,8,10"},
        {"W:WK1-4:BK29-32", "W:WK1,K2,K3,K4:BK29,K30,K31,K32"},
        {"W:W:B12", "W:W:B12"},
        {"B:WK17,23:B", "B:WK17,23:B"},
        {"B:WK17,23:B.", "B:WK17,23:B"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct board b = parse(table[i].spelling);
        char text[FEN_TEXT_MAX];
        size_t n = fen_format(&b, text);

        assert_string_equal(text, table[i].canonical);
        assert_int_equal(n, strlen(text));
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *fen;
        size_t column;
        const char *what;
    } table[] = {
        {"", 1, "expected the side to move, B or W, found the end"},
        {"X", 1, "expected the side to move, B or W, found 'X'"},
        {"B", 2, "expected ':', found the end"},
        {"B:W21", 6, "expected ':', found the end"},
        {"B:W33:B1", 4, "expected a square from 1 to 32, found '33'"},
        {"B:W0:B1", 4, "expected a square from 1 to 32, found '0'"},
        {"B:W99999999999999999999:B1", 4,
         "expected a square from 1 to 32, found '99999999999999999999'"},
        {"B:WK:B1", 5, "expected a square from 1 to 32, found ':'"},
        {"B:W21,:B1", 7, "expected a square from 1 to 32, found ':'"},
        {"B:W21 22:B1", 7, "expected ',' or the end of the list, found '22'"},
        {"B:W21:W22", 7, "White is listed twice"},
        {"B:W21:B1:B2", 10, "expected H or F and a number, found 'B2'"},
        {"B:W21:B1 x", 10, "expected ',' or the end of the list, found 'x'"},
        {"B:W21:B1;H", 11, "expected a number, found the end"},
        {"B:W21:B1..", 10, "expected the end, found '.'"},
        {"B:W21:B21", 8, "square 21 has a piece already"},
        {"B:W21,K21:B1", 7, "square 21 has a piece already"},
        {"B:W3:B1", 4, "a white man cannot stand on 3, where it becomes a king"},
        {"B:W21:B29", 8, "a black man cannot stand on 29, where it becomes a king"},
        {"B:W28-21:B1", 4, "the range 28-21 runs backwards"},
        {"B:W21:B1-13", 8, "Black has more than 12 pieces"},
        {"B:W:B1", 3, "White has no pieces, so Black cannot be to move"},
        {"W:B:W1K", 6, "a white man cannot stand on 1, where it becomes a king"},
        {"W:W21:B", 7, "Black has no pieces, so White cannot be to move"},
        {"B:W:B", 5, "the board is empty"},
        {"B:W\033[31m:B1", 4, "expected a square from 1 to 32, found '\\x1B[31m'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct text_error error;
        struct board b;

        assert_false(fen_parse(table[i].fen, strlen(table[i].fen), &b, &error));
        assert_string_equal(error.what, table[i].what);
        assert_int_equal(error.at + 1, table[i].column);
        assert_false(fen_parse(table[i].fen, strlen(table[i].fen), &b, NULL));
    }
}

static void test_nul_bytes(void **state)
{
    static const char nul_inside[] = "B:W21\0:B1", nul_after[] = "B:W21:B1";
    struct text_error error;
    struct board b;

    (void)state;
    assert_false(fen_parse(nul_inside, sizeof nul_inside - 1, &b, &error));
    assert_string_equal(error.what, "expected ',' or the end of the list, found '\\x00'");
    assert_false(fen_parse(nul_after, sizeof nul_after, &b, &error));
    assert_true(fen_parse(nul_after, sizeof nul_after - 1, &b, &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_nul_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
