/* SPDX-License-Identifier: MIT
 *
 * FEN and move text: all their spellings, what is refused, and the way back. */
#include "kit/test.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "kit/positions.h"

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
        {"W:Wa5,Kh8:Bg1,kb2", "W:W20,K29:B1,K8"},
        {"w:wa5,kH8:bg1,kb2", "W:W20,K29:B1,K8"},
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

/* (N2) */
static void test_fen_round_trip(void **state)
{
    struct rng r = rng_for_test("FEN round trip");

    (void)state;
    for (int i = 0; i < 50000; i++) {
        struct board b = random_position(&r), back;
        struct text_error error;
        char fen[FEN_TEXT_MAX];
        size_t n = fen_format(&b, fen);

        if (!b.side[side_other(b.turn)]) { /* (N1) */
            assert_false(fen_parse(fen, n, &back, &error));
            continue;
        }
        assert_true(fen_parse(fen, n, &back, &error));
        assert_true(board_equal(&b, &back));
    }
}

/* -------------------------------------------------------------- move text -- */

/* (N3): each legal move, in each style, short and whole. */
static void test_move_round_trip(void **state)
{
    struct rng r = rng_for_test("move round trip");

    (void)state;
    for (int i = 0; i < (test_is_sanitized() ? 5000 : 50000); i++) {
        struct board b = random_position(&r);
        struct move_list legal;

        moves_generate(&b, &legal);
        for (int k = 0; k < 4 * legal.count; k++) {
            const struct move *m = &legal.move[k / 4];
            struct text_error error;
            char text[MOVE_TEXT_MAX];
            struct move back;
            size_t n = move_format(m, k & 1 ? &legal : NULL, (enum move_style)(k >> 1 & 1), text);

            assert_int_equal(n, strlen(text));
            assert_true(move_parse(text, n, &legal, &back, &error));
            assert_true(move_equal(m, &back));
        }
    }
}

/* a1 is square 4 and h8 is 29, as in the paper on the shortest games. */
static void test_algebraic_squares(void **state)
{
    static const char *const name[33] = {"",   "g1", "e1", "c1", "a1", "h2", "f2", "d2", "b2",
                                         "g3", "e3", "c3", "a3", "h4", "f4", "d4", "b4", "g5",
                                         "e5", "c5", "a5", "h6", "f6", "d6", "b6", "g7", "e7",
                                         "c7", "a7", "h8", "f8", "d8", "b8"};

    (void)state;
    for (int number = 1; number <= 32; number++) {
        struct move m = {.from = (uint8_t)square_from_number(number),
                         .to = (uint8_t)square_from_number(33 - number)};
        char text[MOVE_TEXT_MAX], expected[8];

        sprintf(expected, "%s-%s", name[number], name[33 - number]);
        move_format(&m, NULL, MOVE_ALGEBRAIC, text);
        assert_string_equal(text, expected);
    }
}

static void test_move_spellings(void **state)
{
    static const struct {
        const char *fen, *text, *move;
    } table[] = {
        {START, "9-13", "9-13"},
        {START, "09-13", "9-13"},
        {START, "g3-h4", "9-13"},
        {START, "g3h4", "9-13"},
        {START, "G3xH4", "9-13"},
        {START, "1115", "11-15"},
        {START, "11x15", "11-15"}, /* the sign says nothing */
        {START, "11:15", "11-15"},
        {START, "11X15!?", "11-15"},
        {START,
         "11\xC3\x97"
         "15",
         "11-15"}, /* multiplication sign */
        {START,
         "11\xE2\x80\x93"
         "15",
         "11-15"}, /* en dash */
        {START,
         "11\xE2\x88\x92"
         "15",
         "11-15"}, /* minus */
        {START, "11- 15", "11-15"},
        {START, "11 -\xC2\xA0\r\n15", "11-15"},
        {"B:W6,14,22:B1", "1-10-17x26", "1x10x17x26"},
        {"B:W6,14,22:B1", "g1e3g5e7", "1x10x17x26"},
        {"B:W6,14,22:B1", "1x10x17x26", "1x10x17x26"},
        {"B:W6,14,22:B1", "1x26", "1x10x17x26"},
        {"B:W6,14,22:B1", "1-26", "1x10x17x26"},
        {"B:W6,14,22:B1", "1X17X26", "1x10x17x26"},
        {"B:W6,14,22:B1", "g1xe7", "1x10x17x26"},
        {"W:WK2:B6,7,14,15", "2x9x2", "2x9x18x11x2"},
        {"B:W6,7,14,15:B2", "2x11x18", "2x11x18"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct board b = parse(table[i].fen);
        struct text_error error = {0};
        struct move_list legal;
        char text[MOVE_TEXT_MAX];
        struct move m;

        moves_generate(&b, &legal);
        if (!move_parse(table[i].text, strlen(table[i].text), &legal, &m, &error))
            fail_msg("%s: %s", table[i].text, error.what);
        move_format(&m, NULL, MOVE_NUMBERS, text);
        assert_string_equal(text, table[i].move);
    }
}

static void test_moves_refused(void **state)
{
    static const struct {
        const char *fen, *text;
        size_t column;
        const char *what;
    } table[] = {
        {START, "", 1, "expected a square, 1 to 32 or a1 to h8, found the end"},
        {START, "9", 2, "expected - or x, found the end"},
        {START, "9-", 3, "expected a square, 1 to 32 or a1 to h8, found the end"},
        {START, "9-33", 3, "expected a square, 1 to 32 or a1 to h8, found '33'"},
        {START, "0-9", 1, "expected a square, 1 to 32 or a1 to h8, found '0-9'"},
        {START, "a2-b3", 1, "a2 is a light square, where no piece stands"},
        {START, "a9-b4", 2, "expected a row from 1 to 8, found '9-b4'"},
        {START, "9-13x17", 1,
         "expected a legal move (9-13, 10-14, 11-15, 12-16, 9-14, 10-15, 11-16), found '9-13x17'"},
        {START, "9-13 ", 5, "expected - or x, found ' '"},
        {START, "9x17", 1,
         "expected a legal move (9-13, 10-14, 11-15, 12-16, 9-14, 10-15, 11-16), found '9x17'"},
        {START, "913", 1, "expected a square, 1 to 32 or a1 to h8, found '913'"},
        {START, "9-13!x", 6, "expected - or x, found 'x'"},
        {START, "1x2x3x4x5x6x7x8x9x10x11", 22, "a move has at most 9 jumps"},
        {"B:WK1:B", "1-5", 1, "expected no move, as none is legal, found '1-5'"},
        {"B:W6,14,22:B1", "1x14x26", 1, "expected a legal move (1x26), found '1x14x26'"},
        {"B:W6,14,22:B1", "1x17x10x26", 1, "expected a legal move (1x26), found '1x17x10x26'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct board b = parse(table[i].fen);
        struct text_error error = {0};
        struct move_list legal;
        struct move m;

        moves_generate(&b, &legal);
        assert_false(move_parse(table[i].text, strlen(table[i].text), &legal, &m, &error));
        assert_string_equal(error.what, table[i].what);
        assert_int_equal(error.at + 1, table[i].column);
        assert_false(move_parse(table[i].text, strlen(table[i].text), &legal, &m, NULL));
    }
}

/* Two paths with the same ends: ambiguous if they take different pieces, and one move
 * in two spellings if they take the same. */
static void test_ambiguous(void **state)
{
    struct board two = parse("B:W6,7,14,15:B2"), round = parse("W:WK2:B6,7,14,15");
    struct text_error error = {0};
    struct move_list legal;
    struct move m;

    (void)state;
    assert_int_equal(moves_generate(&two, &legal), 2);
    assert_false(move_parse("2x18", 4, &legal, &m, &error));
    assert_string_equal(error.what, "'2x18' is ambiguous: expected one of 2x9x18, 2x11x18");
    assert_int_equal(moves_generate(&round, &legal), 2);
    assert_true(move_parse("2x2", 3, &legal, &m, &error));
    assert_int_equal(squares_count(m.captured), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spellings),       cmocka_unit_test(test_refused),
        cmocka_unit_test(test_nul_bytes),       cmocka_unit_test(test_fen_round_trip),
        cmocka_unit_test(test_move_round_trip), cmocka_unit_test(test_algebraic_squares),
        cmocka_unit_test(test_move_spellings),  cmocka_unit_test(test_moves_refused),
        cmocka_unit_test(test_ambiguous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
