/* SPDX-License-Identifier: MIT
 *
 * The published games, replayed move by move. */
#include "kit/test.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "kit/golden.h"

/* Every move must also survive a trip through each way of writing it. */
static void check_texts(const struct board *b, const struct move *m)
{
    struct move_list legal;

    moves_generate(b, &legal);
    for (enum move_style style = MOVE_NUMBERS; style <= MOVE_ALGEBRAIC; style++)
        for (int whole = 0; whole < 2; whole++) {
            char text[MOVE_TEXT_MAX];
            struct move back;

            move_format(m, whole ? NULL : &legal, style, text);
            back = golden_move(b, text);
            assert_true(move_equal(&back, m));
        }
}

/* Play the moves of a line; returns how many. */
static int replay(struct board *b, char *moves)
{
    char *rest = moves, *text;
    int plies = 0;

    while ((text = strsep(&rest, " "))) {
        struct move m = golden_move(b, text);

        check_texts(b, &m);
        *b = board_after(b, &m);
        plies++;
    }
    return plies;
}

/* ---------------------------------------------------------- shortest games -- */

enum { FINALS = 32 };

struct finals {
    struct board board[FINALS + 1];
    int reached[FINALS + 1];
};

static void read_finals(struct finals *f)
{
    char *bytes = golden_read("data/shortest_finals.txt", NULL), *rest = bytes, *line;

    while ((line = strsep(&rest, "\n")) && *line) {
        char *fen;
        long number = strtol(line, &fen, 10);

        assert_in_range(number, 1, FINALS);
        f->board[number] = golden_board(fen);
    }
    free(bytes);
}

static void check_shortest(void *context, const char *name, const char *fen, char *moves)
{
    struct finals *f = context;
    struct board b = golden_board(fen);
    int final = atoi(strchr(name, '#') + 1);

    assert_true(board_equal(&b, &board_start));
    assert_int_equal(replay(&b, moves), 20);
    assert_int_equal(moves_count(&b), 0);
    assert_in_range(final, 1, FINALS);
    assert_true(board_equal(&b, &f->board[final]));
    f->reached[final]++;
}

static void test_shortest_games(void **state)
{
    struct finals f = {0};

    (void)state;
    read_finals(&f);
    assert_int_equal(golden_each_game("data/shortest_games.txt", check_shortest, &f), 247);
    for (int i = 1; i <= FINALS; i++) {
        assert_true(f.reached[i]);
        assert_int_equal(f.board[i].side[BLACK] != 0, i == 14); /* the only block */
    }
}

/* Line 001 as printed, in algebraic squares. */
static void test_algebraic_line(void **state)
{
    char moves[] = "a3-b4 b6-c5 e3-d4 c5xe3 d2xf4 f6-g5 c1-d2 g5xc1 e1-d2 c1xc5 a1-b2 d6-e5 "
                   "g3-f4 e5xe1 g1-f2 e1xg3 h2xf4 a7-b6 c3-b4 c5xg5";
    char again[sizeof moves] = "", text[MOVE_TEXT_MAX], *rest = moves, *word;
    struct board b = board_start;
    struct finals f = {0};

    (void)state;
    read_finals(&f);
    while ((word = strsep(&rest, " "))) {
        struct move m = golden_move(&b, word);
        struct move_list legal;

        moves_generate(&b, &legal);
        move_format(&m, &legal, MOVE_ALGEBRAIC, text);
        assert_string_equal(text, word);
        strcat(strcat(again, *again ? " " : ""), text);
        b = board_after(&b, &m);
    }
    assert_true(board_equal(&b, &f.board[21]));
}

/* ---------------------------------------------------------------- listings -- */

static void check_listing(void *context, const char *name, const char *fen, char *moves)
{
    static const struct {
        const char *name;
        int plies;
    } table[] = {{"Listing1", 253}, {"Listing2", 207}, {"Listing3", 207}, {"Listing8", 81}};
    struct board b = golden_board(fen);
    int *seen = context;

    assert_string_equal(name, table[*seen].name);
    assert_int_equal(replay(&b, moves), table[*seen].plies);
    assert_int_equal(moves_count(&b), 0); /* won: nothing is left to move */
    ++*seen;
}

static void test_listings(void **state)
{
    int seen = 0;

    (void)state;
    assert_int_equal(golden_each_game("data/listings.txt", check_listing, &seen), 4);
}

static void check_opening(void *context, const char *name, const char *fen, char *moves)
{
    struct board b = golden_board(fen);

    (void)context, (void)name;
    assert_int_equal(replay(&b, moves), 3);
}

static void test_openings(void **state)
{
    (void)state;
    assert_int_equal(golden_each_game("data/openings.txt", check_opening, NULL), 19);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shortest_games),
        cmocka_unit_test(test_algebraic_line),
        cmocka_unit_test(test_listings),
        cmocka_unit_test(test_openings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
