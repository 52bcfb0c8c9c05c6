/* SPDX-License-Identifier: MIT
 *
 * The fast move generator against the naive one, and the bounds of move.h. */
#include "kit/test.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "core/step.h"
#include "kit/naive.h"
#include "kit/positions.h"

/* ------------------------------------------------- fast against naive moves -- */

static bool same_move(const struct move *fast, const struct naive_move *naive)
{
    squares captured = 0;

    if (fast->jumps != naive->captures || square_number(fast->from) != naive->path[0] ||
        square_number(fast->to) != naive->path[naive->squares - 1])
        return false;
    for (int i = 0; i + 1 < fast->jumps; i++)
        if (square_number(fast->via[i]) != naive->path[i + 1])
            return false;
    for (int i = 0; i < naive->captures; i++)
        captured |= squares_of(square_from_number(naive->captured[i]));
    return fast->captured == captured;
}

static const struct naive_move *find_naive(const struct naive_list *list, const struct move *m)
{
    for (int i = 0; i < list->count; i++)
        if (same_move(m, &list->move[i]))
            return &list->move[i];
    return NULL;
}

static void check_move(const struct board *b, const struct naive_board *n, const struct move *m,
                       const struct naive_move *naive)
{
    struct naive_board naive_next = naive_after(n, naive);
    struct board next = board_after(b, m), expected = naive_to_board(&naive_next);

    assert_true(board_equal(&next, &expected));
    assert_true(board_valid(&next));
    assert_int_equal(m->crowns, squares_count(next.kings) > squares_count(b->kings & ~m->captured));
    for (int i = m->jumps ? m->jumps - 1 : 0; i < MOVE_JUMPS_MAX - 1; i++)
        assert_int_equal(m->via[i], 0);
}

static void check_position(const struct board *b)
{
    static struct naive_list naive;
    struct naive_board n = naive_from_board(b);
    struct move_list fast;

    naive_moves(&n, &naive);
    assert_int_equal(moves_generate(b, &fast), naive.count);
    assert_int_equal(fast.count, naive.count);
    assert_int_equal(moves_count(b), naive.count);
    assert_int_equal(board_must_capture(b), naive.count && naive.move[0].captures);
    for (int i = 0; i < fast.count; i++) {
        const struct naive_move *m = find_naive(&naive, &fast.move[i]);

        assert_non_null(m);
        for (int k = 0; k < i; k++)
            assert_false(move_equal(&fast.move[i], &fast.move[k]));
        check_move(b, &n, &fast.move[i], m);
    }
}

/* With KELSO_TRACE set each position is printed: the last one is where it failed. */
static void check_position_traced(const struct board *b)
{
    char fen[FEN_TEXT_MAX];

    if (getenv("KELSO_TRACE")) {
        fen_format(b, fen);
        printf("# %s\n", fen);
    }
    check_position(b);
}

static void test_random_positions(void **state)
{
    struct rng r = rng_for_test("random positions");

    (void)state;
    for (int i = 0; i < (test_is_sanitized() ? 20000 : 300000); i++) {
        struct board b = random_position(&r);
        check_position_traced(&b);
    }
}

/* Positions as games have them. */
static void test_random_games(void **state)
{
    struct rng r = rng_for_test("random games");

    (void)state;
    for (int game = 0; game < (test_is_sanitized() ? 200 : 3000); game++) {
        struct board b = board_start;
        struct move_list list;

        for (int ply = 0; ply < 150; ply++) {
            check_position_traced(&b);
            if (moves_generate(&b, &list) == 0)
                break;
            b = board_after(&b, &list.move[rng_below(&r, list.count)]);
        }
    }
}

static void visit_position(void *context, const struct board *b)
{
    ++*(int *)context;
    check_position(b);
}

static void test_all_with_few_pieces(void **state)
{
    int visited = 0;

    (void)state;
    for (int pieces = 0; pieces <= (test_is_sanitized() ? 2 : 3); pieces++)
        each_position(pieces, visit_position, &visited);
    printf("# %d positions\n", visited);
}

/* ------------------------------------------------------------------- board -- */

/* (B1) to (B3), each broken in turn. */
static void test_valid(void **state)
{
    const squares black = squares_of(square_from_number(9));
    const squares white = squares_of(square_from_number(24));
    const struct board fine = {.side = {black, white}, .kings = black};
    const struct board broken[] = {
        {.side = {black, black}},                         /* two pieces on a square */
        {.side = {squares_of(8), white}},                 /* a piece between the squares */
        {.side = {squares_of(35), white}},                /* and off the board */
        {.side = {black, white}, .kings = squares_of(0)}, /* a king that is no piece */
        {.side = {BOARD_ROW_8 & -BOARD_ROW_8, white}},    /* a black man on its last row */
        {.side = {black, BOARD_ROW_1 & -BOARD_ROW_1}},    /* a white one */
        {.side = {0x3EFF, white}},                        /* thirteen black pieces */
        {.side = {black, squares_flip(0x3EFF)}},          /* thirteen white ones */
        {.side = {black, white}, .turn = (enum side)2},   /* nobody to move */
    };

    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        assert_false(board_valid(&broken[i]));
    assert_true(board_valid(&fine));
    assert_true(board_valid(&board_start));
    assert_int_equal(squares_count(0x3EFF & BOARD_SQUARES), 13);
}

/* ------------------------------------------------------------------- flips -- */

static struct move flip_move(const struct move *m)
{
    struct move f = *m;

    f.from = (uint8_t)(34 - m->from);
    f.to = (uint8_t)(34 - m->to);
    f.captured = squares_flip(m->captured);
    for (int i = 0; i + 1 < m->jumps; i++)
        f.via[i] = (uint8_t)(34 - m->via[i]);
    return f;
}

static bool list_has(const struct move_list *list, const struct move *m)
{
    for (int i = 0; i < list->count; i++)
        if (move_equal(&list->move[i], m))
            return true;
    return false;
}

/* (B4), and that the moves of a flipped position are the flipped moves. */
static void test_flip(void **state)
{
    struct rng r = rng_for_test("flip");

    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct board b = random_position(&r), f = board_flip(&b), back = board_flip(&f);
        struct move_list list, flipped;

        assert_true(board_equal(&b, &back));
        assert_true(board_valid(&f));
        assert_int_equal(moves_generate(&b, &list), moves_generate(&f, &flipped));
        for (int k = 0; k < list.count; k++) {
            struct move m = flip_move(&list.move[k]);
            struct board next = board_after(&b, &list.move[k]);
            struct board next_flipped = board_flip(&next), other = board_after(&f, &m);

            assert_true(list_has(&flipped, &m));
            assert_true(board_equal(&next_flipped, &other));
        }
    }
}

static void test_packing(void **state)
{
    (void)state;
    for (int number = 1; number <= 32; number++) {
        square s = square_from_number(number);
        uint32_t packed = UINT32_C(1) << (number - 1);

        assert_int_equal(square_number(s), number);
        assert_true(squares_of(s) & BOARD_SQUARES);
        assert_int_equal(squares_pack(squares_of(s)), packed);
        assert_int_equal(squares_unpack(packed), squares_of(s));
        assert_int_equal(squares_flip(squares_of(s)), squares_of(square_from_number(33 - number)));
        assert_int_equal(packed_flip(packed), UINT32_C(1) << (32 - number));
    }
    assert_int_equal(squares_count(BOARD_SQUARES), 32);
}

static void test_step(void **state)
{
    (void)state;
    for (int number = 1; number <= 32; number++)
        for (enum direction d = UP_4; d < DIRECTIONS; d++) {
            squares bit = squares_of(square_from_number(number));
            squares to = step(bit, d) & BOARD_SQUARES;

            assert_true(to == 0 || step_back(to, d) == bit);
        }
}

/* ------------------------------------------------------------------ bounds -- */

/* A jump moves a piece two rows and two columns, so a jumping piece stays within
 * one of four classes of squares.  Within a class, squares and possible jumps are a
 * graph; a piece is jumped at most once and lies under one jump of the class only, so
 * a capture is a trail: a walk that repeats no edge.  The longest capture has at most
 * as many jumps as the graph has edges, and trying every set of own pieces and every
 * set of victims counts the most captures that a class can have.  Four times that
 * bounds any position with captures; four steps for each of twelve pieces bounds any
 * other. */
struct jump_graph {
    int squares, jumps;
    int number[32];      /* of each square of the class */
    int ends[32][2];     /* the two squares of each jump, as places in number[] */
    squares victim[32];  /* the square under each jump */
    squares victims_all; /* to see that they differ */
};

static int place_of(const struct jump_graph *g, squares bit)
{
    for (int i = 0; i < g->squares; i++)
        if (squares_of(square_from_number(g->number[i])) == bit)
            return i;
    return -1;
}

static void add_square(struct jump_graph *g, squares bit)
{
    if (place_of(g, bit) < 0)
        g->number[g->squares++] = square_number(square_first(bit));
}

/* All squares that jumps can reach from square `number`, and all those jumps. */
static struct jump_graph jump_graph_from(int number)
{
    struct jump_graph g = {.squares = 1, .number = {number}};

    for (int i = 0; i < g.squares; i++) {
        squares at = squares_of(square_from_number(g.number[i]));

        for (enum direction d = UP_4; d < DIRECTIONS; d++) {
            squares over = step(at, d) & BOARD_SQUARES, land = step(over, d) & BOARD_SQUARES;

            if (!land)
                continue;
            add_square(&g, land);
            if (d < DOWN_4) {
                assert_false(g.victims_all & over);
                g.victims_all |= over;
                g.victim[g.jumps] = over;
                g.ends[g.jumps][0] = i;
                g.ends[g.jumps][1] = place_of(&g, land);
                g.jumps++;
            }
        }
    }
    return g;
}

/* Trails from `at` over the jumps in `victims`, past the squares in `blocked`. */
static int count_trails(const struct jump_graph *g, int at, int victims, int blocked)
{
    int n = 0;

    for (int e = 0; e < g->jumps; e++) {
        int other = g->ends[e][0] == at ? g->ends[e][1] : g->ends[e][0];

        if ((victims >> e & 1) && (g->ends[e][0] == at || g->ends[e][1] == at) &&
            !(blocked >> other & 1)) {
            int longer = count_trails(g, other, victims & ~(1 << e), blocked);
            n += longer ? longer : 1;
        }
    }
    return n;
}

static int most_captures(const struct jump_graph *g)
{
    int most = 0;

    for (int pieces = 0; pieces < 1 << g->squares; pieces++)
        for (int victims = 0; victims < 1 << g->jumps; victims++) {
            int n = 0;

            for (int i = 0; i < g->squares; i++)
                if (pieces >> i & 1)
                    n += count_trails(g, i, victims, pieces & ~(1 << i));
            most = n > most ? n : most;
        }
    return most;
}

static void test_bounds(void **state)
{
    static const int one_of_each_class[4] = {1, 2, 5, 6};
    squares covered = 0;
    int captures = 0;

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct jump_graph g = jump_graph_from(one_of_each_class[i]);

        for (int k = 0; k < g.squares; k++)
            covered |= squares_of(square_from_number(g.number[k]));
        assert_int_equal(g.squares, 8);
        assert_int_equal(g.jumps, MOVE_JUMPS_MAX);
        captures += most_captures(&g);
    }
    assert_int_equal(covered, BOARD_SQUARES);
    assert_int_equal(captures, MOVES_MAX);
    assert_true(4 * 12 <= MOVES_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_positions),
        cmocka_unit_test(test_random_games),
        cmocka_unit_test(test_all_with_few_pieces),
        cmocka_unit_test(test_valid),
        cmocka_unit_test(test_flip),
        cmocka_unit_test(test_packing),
        cmocka_unit_test(test_step),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
