/* SPDX-License-Identifier: MIT
 *
 * The distances to the exit of a block: a slow twin agrees on every position, wins played by them
 * end, and the player goes by them where the tables know only values. */
#include "kit/test.h"

#include "kit/built.h"
#include "kit/golden.h"

#include "base/clock.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "search/exits.h"
#include "search/finish.h"
#include "search/search.h"

#include <stdlib.h>

enum { PIECES = 5, PLIES_MOST = 400, TWIN_MOST = 16000 };

static enum value value_at(const struct tables *t, const struct board *b)
{
    enum value v;
    struct error e;

    if (tables_value(t, b, &v, &e))
        fail_msg("%s", e.text);
    return v;
}

/* The moves that win. */
static void winning_moves(const struct tables *t, const struct board *b, struct move_list *out)
{
    struct move_list list;

    out->count = 0;
    moves_generate(b, &list);
    for (int m = 0; m < list.count; m++) {
        struct board next = board_after(b, &list.move[m]);

        if (value_at(t, &next) == VALUE_LOSS)
            out->move[out->count++] = list.move[m];
    }
}

/* A random position of PIECES pieces or one less, with a king to move, in which the side to move
 * wins and need not capture. */
static struct board random_win(struct rng *r, const struct tables *t)
{
    for (;;) {
        struct board b = built_random(r, PIECES);

        if (squares_count(b.side[BLACK] | b.side[WHITE]) >= PIECES - 1 && board_kings(&b, b.turn) &&
            !board_must_capture(&b) && value_at(t, &b) == VALUE_WIN)
            return b;
    }
}

/* ------------------------------------------------------------------------ the twin -- */

/* All positions of a block, as boards, and their distances: the least number n for which the
 * definition holds, found by trying n = 0, 1, 2 and so on. */
struct twin {
    int count;
    struct board *board;
    enum value *value;
    int *plies; /* -1: none yet */
    enum side winner;
};

static bool same_block(const struct board *a, const struct board *b)
{
    return board_men(a, BLACK) == board_men(b, BLACK) &&
           board_men(a, WHITE) == board_men(b, WHITE) &&
           squares_count(a->side[BLACK]) == squares_count(b->side[BLACK]) &&
           squares_count(a->side[WHITE]) == squares_count(b->side[WHITE]);
}

static int board_compare(const void *x, const void *y)
{
    const struct board *a = x, *b = y;

    if (a->side[BLACK] != b->side[BLACK])
        return a->side[BLACK] < b->side[BLACK] ? -1 : 1;
    if (a->side[WHITE] != b->side[WHITE])
        return a->side[WHITE] < b->side[WHITE] ? -1 : 1;
    return (int)a->turn - (int)b->turn;
}

static int twin_find(const struct twin *w, const struct board *b)
{
    const struct board *at = bsearch(b, w->board, (size_t)w->count, sizeof *b, board_compare);

    assert_non_null(at);
    return (int)(at - w->board);
}

/* Place the kings that are left on squares from `from` on, Black's before White's. */
static void twin_place(struct twin *w, struct board b, int black, int white, square from)
{
    if (black == 0 && white == 0) {
        for (int turn = BLACK; turn <= WHITE; turn++) {
            b.turn = (enum side)turn;
            assert_true(w->count < 2 * TWIN_MOST);
            w->board[w->count++] = b;
        }
        return;
    }
    for (square s = from; s < 35; s++) {
        struct board next = b;

        if (!(board_empty(&b) & squares_of(s)))
            continue;
        next.side[black ? BLACK : WHITE] |= squares_of(s);
        next.kings |= squares_of(s);
        twin_place(w, next, black ? black - 1 : 0, black ? white : white - 1, black == 1 ? 0 : s);
    }
}

/* Is n the distance of position i?  The winner's moves that leave the block are twin_leaves. */
static bool twin_has(const struct twin *w, int i, int n)
{
    const struct board *b = &w->board[i];
    bool wins = b->turn == w->winner;
    int best = wins ? PLIES_MOST : 0;
    struct move_list list;

    moves_generate(b, &list);
    for (int m = 0; m < list.count; m++) {
        struct board next = board_after(b, &list.move[m]);
        int plies = -1;

        if (same_block(b, &next))
            plies = w->plies[twin_find(w, &next)];
        else if (!wins)
            plies = 0;
        if (plies == -1 && !wins)
            return false;
        if (plies >= 0 && (wins ? plies + 1 < best : plies + 1 > best))
            best = plies + 1;
    }
    return best == n;
}

/* Has the winner a move that leaves the block and keeps the win? */
static bool twin_leaves(const struct twin *w, const struct tables *t, int i)
{
    const struct board *b = &w->board[i];
    struct move_list list;

    winning_moves(t, b, &list);
    for (int m = 0; m < list.count; m++) {
        struct board next = board_after(b, &list.move[m]);

        if (!same_block(b, &next))
            return true;
    }
    return false;
}

static bool twin_level(struct twin *w, const struct tables *t, int n)
{
    bool *found = calloc((size_t)w->count, sizeof *found), any = false;

    assert_non_null(found);
    for (int i = 0; i < w->count; i++) {
        bool wins = w->board[i].turn == w->winner;

        if (w->plies[i] >= 0 || w->value[i] != (wins ? VALUE_WIN : VALUE_LOSS))
            continue;
        found[i] = wins && n == 1 && twin_leaves(w, t, i) ? true : twin_has(w, i, n);
    }
    for (int i = 0; i < w->count; i++)
        if (found[i]) {
            w->plies[i] = n;
            any = true;
        }
    free(found);
    return any;
}

static struct twin twin_make(const struct tables *t, const struct board *b)
{
    struct twin w = {.winner = b->turn, .board = malloc(2 * TWIN_MOST * sizeof *w.board)};
    struct board men = *b;
    int idle = 0;

    men.side[BLACK] &= ~b->kings;
    men.side[WHITE] &= ~b->kings;
    men.kings = 0;
    twin_place(&w, men, squares_count(board_kings(b, BLACK)), squares_count(board_kings(b, WHITE)),
               0);
    qsort(w.board, (size_t)w.count, sizeof *w.board, board_compare);
    w.value = malloc((size_t)w.count * sizeof *w.value);
    w.plies = malloc((size_t)w.count * sizeof *w.plies);
    assert_true(w.board && w.value && w.plies);
    for (int i = 0; i < w.count; i++) {
        w.value[i] = value_at(t, &w.board[i]);
        w.plies[i] = -1;
    }
    for (int n = 0; idle < 2; n++)
        idle = twin_level(&w, t, n) ? 0 : idle + 1;
    return w;
}

static void twin_free(struct twin *w)
{
    free(w->board);
    free(w->value);
    free(w->plies);
}

/* -------------------------------------------------------------------------- agree -- */

static void check_moves(const struct exits *x, const struct twin *w, const struct tables *t, int i)
{
    const struct board *b = &w->board[i];
    struct move_list list;
    int least = PLIES_MOST;

    winning_moves(t, b, &list);
    for (int m = 0; m < list.count; m++) {
        struct board next = board_after(b, &list.move[m]);
        int by = exits_by(x, b, &list.move[m]);

        assert_int_equal(exits_leaves(b, &list.move[m]), !same_block(b, &next));
        if (same_block(b, &next))
            assert_int_equal(by, 1 + w->plies[twin_find(w, &next)]);
        else
            assert_int_equal(by, 1);
        least = by < least ? by : least;
    }
    assert_int_equal(least, exits_plies(x, b));
}

/* Returns the largest distance. */
static int check_block(const struct exits *x, const struct tables *t, const struct board *b)
{
    struct twin w = twin_make(t, b);
    int most = 0;

    for (int i = 0; i < w.count; i++) {
        const struct board *at = &w.board[i];
        bool wins = at->turn == w.winner && w.value[i] == VALUE_WIN;

        if (at->turn != w.winner && w.value[i] == VALUE_LOSS)
            assert_true(w.plies[i] >= 0);
        assert_int_equal(exits_plies(x, at), wins ? w.plies[i] : 0);
        if (!wins)
            continue;
        assert_true(w.plies[i] > 0);
        check_moves(x, &w, t, i);
        most = w.plies[i] > most ? w.plies[i] : most;
    }
    twin_free(&w);
    return most;
}

static int placings_of(const struct board *b)
{
    int room = 32 - squares_count((b->side[BLACK] | b->side[WHITE]) & ~b->kings);
    int black = squares_count(board_kings(b, BLACK)), white = squares_count(board_kings(b, WHITE));

    return (int)(binomial(room, black) * binomial(room - black, white));
}

/* (X1) */
static void every_position_agrees(void **state)
{
    static const char *const fen[] = {
        "W:WK10,K20:BK32",       /* kings alone */
        "W:WK10,14:B5",          /* no kings of the loser */
        "B:WK22:B12,K18",        /* a man on the edge */
        "B:W21,K30:BK19,K23,20", /* men that hold each other up */
        "W:WK6,K15,30:B3,K29",   /* a man that can be crowned */
        "W:WK11,K18,21:BK4,13",  /* the loser's man is caught */
    };
    const struct tables *t = ((struct built *)*state)->tables;
    struct rng r = rng_for_test("blocks");
    int random = test_is_sanitized() ? 3 : test_is_long() ? 200 : 25, most = 0, left = random;
    struct exits x = {0};

    for (int i = 0; i < 6; i++) {
        struct board b = golden_board(fen[i]);

        assert_true(exits_solve(&x, t, &b, 0, NULL));
        print_message("%s: up to %d plies\n", fen[i], check_block(&x, t, &b));
    }
    while (left > 0) {
        struct board b = random_win(&r, t);
        int plies;

        if (placings_of(&b) > (test_is_sanitized() ? TWIN_MOST / 8 : TWIN_MOST))
            continue;
        assert_true(exits_solve(&x, t, &b, 0, NULL));
        plies = check_block(&x, t, &b);
        most = plies > most ? plies : most;
        left--;
    }
    print_message("%d random blocks, distances up to %d\n", random, most);
    exits_clear(&x);
}

/* (X3): a call whose time is over does nothing; many short ones lead to the same end, once one has
 * had the time to open the block. */
static void pauses_lose_nothing(void **state)
{
    const struct built *built = *state;
    struct tables *t = built_few(built, PIECES);
    struct board b = golden_board("B:W21,K30:BK19,K23,20");
    const atomic_bool stop = true;
    struct exits x = {0};
    int calls = 1;

    assert_false(exits_solve(&x, t, &b, 1e-9, NULL));
    assert_false(exits_solve(&x, t, &b, 0, &stop));
    assert_int_equal(tables_stats(t).decoded, 0);
    assert_int_equal(exits_plies(&x, &b), 0);
    while (!exits_solve(&x, t, &b, clock_seconds() + 1e-5, NULL))
        calls++;
    print_message("%d calls\n", calls);
    assert_true(calls > 2);
    check_block(&x, t, &b);
    exits_clear(&x);
    tables_close(&t);
}

/* Too large a block, and one whose tables are missing. */
static void what_cannot_be_solved(void **state)
{
    const struct tables *t = ((struct built *)*state)->tables;
    struct board large = golden_board("W:WK1,K2,K3,K4:BK29,K30,K31");
    struct board many = golden_board("W:WK1,K2,K3,K4,K5,K6,K7:B12,13,20");
    struct board missing = golden_board("B:W21,K30,12:BK19,K23,20");
    struct exits x = {0};

    assert_false(exits_solve(&x, t, &large, 0, NULL));
    assert_false(exits_solve(&x, t, &many, 0, NULL));
    assert_null(x.block);
    for (int i = 0; i < 2; i++) {
        assert_false(exits_solve(&x, t, &missing, 0, NULL));
        assert_int_equal(exits_plies(&x, &missing), 0);
    }
    exits_clear(&x);
}

/* --------------------------------------------------------------------------- play -- */

/* The winner's move, the nearest to the exit; of equal ones any. */
static struct move choose_exit(struct rng *r, const struct exits *x, const struct tables *t,
                               const struct board *b)
{
    struct move_list list;
    struct move best = {0};
    int least = PLIES_MOST, equal = 0;

    winning_moves(t, b, &list);
    for (int m = 0; m < list.count; m++) {
        int by = exits_by(x, b, &list.move[m]);

        equal = by < least ? 1 : equal + (by == least);
        if (by < least || (by == least && rng_below(r, equal) == 0))
            best = list.move[m];
        least = by < least ? by : least;
    }
    assert_int_equal(least, exits_plies(x, b));
    return best;
}

/* The loser's move, the farthest from the exit; leaving the block is the last resort. */
static struct board resist(struct rng *r, const struct exits *x, const struct board *b)
{
    struct move_list list;
    struct board best;
    int most = -1, n = moves_generate(b, &list), first = rng_below(r, n);

    for (int m = 0; m < n; m++) {
        const struct move *move = &list.move[(first + m) % n];
        struct board next = board_after(b, move);
        int plies = exits_leaves(b, move) ? 0 : exits_plies(x, &next);

        if (plies > most) {
            most = plies;
            best = next;
        }
    }
    return best;
}

static int play_out(struct rng *r, const struct tables *t, struct board b)
{
    struct exits x = {0};
    int plies = 0, before = 0; /* the distance two plies ago, 0 in a new block */

    for (;; plies += 2) {
        struct board last = b, next;
        struct move m;

        assert_true(plies < PLIES_MOST);
        assert_true(exits_solve(&x, t, &b, 0, NULL));
        assert_true(before == 0 || exits_plies(&x, &b) <= before - 2);
        before = exits_plies(&x, &b);
        m = choose_exit(r, &x, t, &b);
        next = board_after(&b, &m);
        if (moves_count(&next) == 0)
            break;
        b = resist(r, &x, &next);
        if (!same_block(&last, &b))
            before = 0;
    }
    exits_clear(&x);
    return plies + 1;
}

/* (X2): the distance falls until the block is left, and the game ends. */
static void wins_end(void **state)
{
    const struct tables *t = ((struct built *)*state)->tables;
    struct rng r = rng_for_test("wins");
    int games = test_is_sanitized() ? 2 : 12, plies = 0;

    for (int i = 0; i < games; i++)
        plies += play_out(&r, t, random_win(&r, t));
    print_message("%d wins in %d plies\n", games, plies);
}

/* A win of five pieces that is too much for finish.h. */
static struct board random_long_win(struct rng *r, const struct tables *t)
{
    for (;;) {
        struct board b = random_win(r, t);
        struct finish f = {0};
        bool solved = finish_solve(&f, &b, 0, NULL);

        finish_clear(&f);
        if (!solved)
            return b;
    }
}

/* Search with few nodes and return the position after the move; it goes by the distance, also if
 * there are more lines. */
static struct board think(struct search *s, struct exits *x, const struct tables *t,
                          const struct board *b)
{
    const struct search_limits one = {.nodes = 50}, some = {.nodes = 50, .lines = 4};
    struct search_result r;
    struct error e;

    for (int i = 0; i < 2; i++) {
        if (search_run(s, b, NULL, 0, i ? &one : &some, &r, &e))
            fail_msg("%s", e.text);
        assert_true(r.line[0].proven && r.line[0].value == VALUE_WIN);
        if (r.depth > 0) { /* not by finish.h */
            assert_true(exits_solve(x, t, b, 0, NULL));
            assert_int_equal(exits_by(x, b, &r.line[0].pv[0]), exits_plies(x, b));
        }
    }
    return board_after(b, &r.line[0].pv[0]);
}

static void player_goes_by_the_distance(void **state)
{
    const struct tables *t = ((struct built *)*state)->tables;
    struct rng r = rng_for_test("player");
    int games = test_is_sanitized() ? 1 : 10, plies = 0;
    struct exits x = {0};
    struct search *s;
    struct error e;

    if (search_open(&s, &(struct search_options){.hash = 1 << 20, .tables = t}, &e))
        fail_msg("%s", e.text);
    for (int i = 0; i < games; i++) {
        struct board b = random_long_win(&r, t);

        search_clear(s);
        for (int took = 0;; took += 2) {
            struct board next = think(s, &x, t, &b);

            assert_true(took < PLIES_MOST);
            plies += 1 + (moves_count(&next) > 0);
            if (moves_count(&next) == 0)
                break;
            b = resist(&r, &x, &next);
        }
    }
    print_message("%d wins in %d plies\n", games, plies);
    exits_clear(&x);
    search_close(&s);
}

static int set_up(void **state)
{
    struct built *t = malloc(sizeof *t);

    assert_non_null(t);
    *t = built_open_wld(PIECES);
    *state = t;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_position_agrees),       cmocka_unit_test(pauses_lose_nothing),
        cmocka_unit_test(what_cannot_be_solved),       cmocka_unit_test(wins_end),
        cmocka_unit_test(player_goes_by_the_distance),
    };

    return cmocka_run_group_tests(tests, set_up, built_teardown);
}
