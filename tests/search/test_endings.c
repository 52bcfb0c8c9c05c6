/* SPDX-License-Identifier: MIT
 *
 * The player in endings that its tables know: no move gives a value away, wins are won, with
 * distances as fast as possible, and pages that are not in memory do not hold up a move. */
#include "kit/test.h"

#include "kit/built.h"
#include "kit/golden.h"
#include "kit/positions.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "search/finish.h"
#include "search/search.h"

#include <stdlib.h>

enum { PIECES = 4, PLIES_MOST = 160 };

static struct search *search_new(const struct tables *t, bool no_distances)
{
    struct search *s;
    struct error e;

    if (search_open(
            &s,
            &(struct search_options){.hash = 1 << 20, .tables = t, .no_distances = no_distances},
            &e))
        fail_msg("%s", e.text);
    return s;
}

static struct outcome outcome_at(const struct tables *t, const struct board *b)
{
    struct outcome o;
    struct error e;

    if (tables_outcome(t, b, KIND_DTW, &o, &e))
        fail_msg("%s", e.text);
    return o;
}

/* A game from a position: what was on the board, and what is. */
struct game_kit {
    struct board board[PLIES_MOST + 2];
    int plies;
};

static const struct board *now(const struct game_kit *g)
{
    return &g->board[g->plies];
}

static void play(struct game_kit *g, const struct move *m)
{
    g->board[g->plies + 1] = board_after(now(g), m);
    g->plies++;
}

static void think_and_play(struct search *s, struct game_kit *g, uint64_t nodes)
{
    struct search_result r;
    struct error e;

    if (search_run(s, now(g), g->board, g->plies, &(struct search_limits){.nodes = nodes}, &r, &e))
        fail_msg("%s", e.text);
    assert_true(r.lines > 0);
    play(g, &r.line[0].pv[0]);
}

/* The defence that holds out longest. */
static void defend(const struct tables *t, struct game_kit *g)
{
    struct outcome best = outcome_lost;
    struct move_list list;
    int choice = 0;

    moves_generate(now(g), &list);
    for (int i = 0; i < list.count; i++) {
        struct board next = board_after(now(g), &list.move[i]);
        struct outcome o = outcome_before(outcome_at(t, &next));

        if (i == 0 || outcome_better(o, best)) {
            best = o;
            choice = i;
        }
    }
    play(g, &list.move[choice]);
}

static void fail_game(const struct game_kit *g, const char *what)
{
    char fen[2][FEN_TEXT_MAX];

    fen_format(&g->board[0], fen[0]);
    fen_format(now(g), fen[1]);
    fail_msg("%s: %s after %d plies from %s", fen[1], what, g->plies, fen[0]);
}

/* Against random moves: the value before a move of the player is the value after it. */
static void values_are_kept(void **state)
{
    const struct tables *t = ((struct built *)*state)->tables;
    struct search *s = search_new(t, true);
    struct rng r = rng_for_test("keep");
    int draws = 0, games = test_is_sanitized() ? 20 : 150;

    for (int i = 0; i < games; i++) {
        struct game_kit g = {.board = {built_random(&r, PIECES)}};
        struct move_list list;

        search_clear(s);
        while (g.plies < 40 && moves_generate(now(&g), &list)) {
            enum value v = outcome_at(t, now(&g)).value;

            if (g.plies % 2) {
                play(&g, &list.move[rng_below(&r, list.count)]);
                continue;
            }
            think_and_play(s, &g, 100);
            if (value_negate(outcome_at(t, now(&g)).value) != v)
                fail_game(&g, "the move gave the value away");
            draws += v == VALUE_DRAW;
        }
    }
    print_message("%d moves in drawn positions\n", draws);
    assert_true(draws > games);
    search_close(&s);
}

/* Win against the best defence and return the plies it took; 0: it was no win. */
static int win(const struct tables *t, struct search *s, const struct board *b, uint64_t nodes)
{
    struct game_kit g = {.board = {*b}};

    if (outcome_at(t, b).value != VALUE_WIN)
        return 0;
    search_clear(s);
    while (moves_count(now(&g)) > 0) {
        if (g.plies == PLIES_MOST)
            fail_game(&g, "no progress");
        if (g.plies % 2)
            defend(t, &g);
        else
            think_and_play(s, &g, nodes);
    }
    assert_int_equal(g.plies % 2, 1);
    return g.plies;
}

/* With values alone.  Two kings against one in the double corner are the hardest: 27 plies.  The
 * positions are the same in every run: a win of so few nodes a move has some luck in it. */
static void wins_are_won(void **state)
{
    static const char *const hard[] = {"W:WK7,K10:BK28", "W:WK10,K20:BK32"};
    const struct tables *t = ((struct built *)*state)->tables;
    struct search *s = search_new(t, true);
    int won = 0, plies = 0, least = 0, wanted = test_is_sanitized() ? 2 : 25;
    struct rng r = {1};

    for (int i = 0; i < 2 && !test_is_sanitized(); i++) {
        struct board b = golden_board(hard[i]);

        assert_true(win(t, s, &b, 100000) > 0);
    }
    while (won < wanted) {
        struct board b = built_random(&r, PIECES);
        int took = win(t, s, &b, 20000);

        won += took > 0;
        plies += took;
        least += took ? outcome_at(t, &b).plies : 0;
    }
    print_message("%d wins in %d plies, %d at least\n", won, plies, least);
    search_close(&s);
}

/* Play the move from one square to another, if it is legal and takes nothing. */
static bool step(struct game_kit *g, square from, square to)
{
    struct move_list list;

    moves_generate(now(g), &list);
    for (int i = 0; i < list.count; i++)
        if (list.move[i].from == from && list.move[i].to == to && !list.move[i].jumps) {
            play(g, &list.move[i]);
            return true;
        }
    return false;
}

/* From a position of kings: the move of the player, any answer, and both back again. */
static bool go_and_return(struct search *s, struct game_kit *g)
{
    struct move_list list;
    struct game_kit there;
    struct board start = *now(g);

    think_and_play(s, g, 2000);
    there = *g;
    moves_generate(now(g), &list);
    for (int i = 0; i < list.count; i++) {
        squares ours = there.board[0].side[start.turn], after = there.board[1].side[start.turn];
        square from = square_first(ours & ~after), to = square_first(after & ~ours);

        *g = there;
        play(g, &list.move[i]);
        if (step(g, to, from) && step(g, list.move[i].to, list.move[i].from))
            return board_equal(now(g), &start);
    }
    return false;
}

/* A move that led nowhere is not played again from the same position. */
static void wins_do_not_go_round(void **state)
{
    static const char *const fen[] = {"W:WK7,K10:BK28", "W:WK10,K20:BK32", "W:WK7,K10,K11:BK28"};
    const struct tables *t = ((struct built *)*state)->tables;
    struct search *s = search_new(t, true);

    for (int i = 0; i < 3; i++) {
        struct game_kit g = {.board = {golden_board(fen[i])}};

        search_clear(s);
        assert_true(go_and_return(s, &g));
        search_clear(s);
        think_and_play(s, &g, 2000);
        assert_false(board_equal(&g.board[5], &g.board[1]));
    }
    search_close(&s);
}

static void distances_give_the_shortest_win(void **state)
{
    const struct tables *t = ((struct built *)*state)->tables;
    struct search *s = search_new(t, false);
    struct rng r = rng_for_test("shortest");
    int won = 0;

    while (won < (test_is_sanitized() ? 5 : 60)) {
        struct board b = built_random(&r, PIECES);
        int took = win(t, s, &b, 10);

        if (took > 0)
            assert_int_equal(took, outcome_at(t, &b).plies);
        won += took > 0;
    }
    search_close(&s);
}

/* With values alone, but few enough pieces to solve the ending when it arises (F1), however long
 * the win and however few the nodes. */
static void values_and_few_pieces_are_enough(void **state)
{
    const struct tables *t = ((struct built *)*state)->tables;
    struct built wld = built_open_wld(PIECES);
    struct board b = golden_board("B:W21,23:B9,13");
    struct search *s = search_new(wld.tables, false);
    struct rng r = rng_for_test("finish");
    int won = 0;

    assert_int_equal(win(t, s, &b, 10), 97);
    while (won < (test_is_sanitized() ? 2 : 40)) {
        int took;

        b = built_random(&r, PIECES);
        took = win(t, s, &b, 10);
        if (took > 0)
            assert_int_equal(took, outcome_at(t, &b).plies);
        won += took > 0;
    }
    search_close(&s);
    built_close(&wld);
}

/* Five kings are not too many; eight pieces are, and so is a second too few. */
static void large_endings_are_refused(void **state)
{
    struct board kings = golden_board("B:WK12,K32:BK13,K17,K29");
    struct board eight = golden_board("B:WK12,K32,20,21:BK13,K17,K29,1");
    struct finish f = {0};
    struct outcome o;
    struct source source;

    (void)state;
    assert_false(finish_solve(&f, &eight, 0, NULL));
    assert_false(finish_solve(&f, &kings, 0.001, NULL));
    assert_true(finish_solve(&f, &kings, 0, NULL));
    source = finish_source(&f);
    assert_int_equal(source.outcome(source.context, &kings, KIND_DTW, &o, NULL), STATUS_OK);
    assert_true(o.value == VALUE_WIN && o.plies == 53);
    finish_clear(&f);
}

/* Of positions just outside the tables, search one with this limit and fresh tables; how many
 * pages were decoded? */
static uint64_t decoded_for(const struct built *built, const struct board *b,
                            const struct search_limits *limits)
{
    struct tables *t = built_few(built, PIECES);
    struct search *s = search_new(t, true);
    struct search_result r;
    struct error e;
    uint64_t decoded;

    if (search_run(s, b, NULL, 0, limits, &r, &e))
        fail_msg("%s", e.text);
    decoded = tables_stats(t).decoded;
    search_close(&s);
    tables_close(&t);
    return decoded;
}

/* When the time is nearly over, a search does without what it would have to decode.  Without a
 * time limit it asks for everything. */
static void cold_pages_do_not_delay(void **state)
{
    const struct search_limits hurry = {.seconds = 1e-9}, calm = {.nodes = 1000};
    const struct built *built = *state;
    struct rng r = rng_for_test("cold");
    uint64_t decoded = 0;

    for (int i = 0; i < 20; i++) {
        struct board b = random_pieces(&r, PIECES + 1, 2);

        assert_int_equal(decoded_for(built, &b, &hurry), 0);
        decoded += decoded_for(built, &b, &calm);
    }
    assert_true(decoded > 0);
}

static int set_up(void **state)
{
    return built_setup(state, PIECES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_kept),
        cmocka_unit_test(wins_are_won),
        cmocka_unit_test(wins_do_not_go_round),
        cmocka_unit_test(distances_give_the_shortest_win),
        cmocka_unit_test(values_and_few_pieces_are_enough),
        cmocka_unit_test(large_endings_are_refused),
        cmocka_unit_test(cold_pages_do_not_delay),
    };

    return cmocka_run_group_tests(tests, set_up, built_teardown);
}
