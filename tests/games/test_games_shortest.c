/* SPDX-License-Identifier: MIT
 *
 * The shortest games: the published ones, and both methods against brute force. */
#include "kit/test.h"

#include "core/movegen.h"
#include "games/deep.h"
#include "games/shortest.h"
#include "games/trace.h"
#include "kit/games_brute.h"
#include "kit/golden.h"
#include "kit/run.h"

static struct lines by_search(const struct board *b, int plies)
{
    struct shortest_options o = {.start = *b, .plies = plies};
    struct deep_options d = {.start = *b, .plies = plies, .threads = 2, .memory = 1 << 16};
    struct deep_result deep;
    struct lines lines;

    d.look = 1 + plies % 3; /* so that some plies are kept */
    assert_int_equal(shortest_shallow(&o, &lines, NULL), STATUS_OK);
    assert_int_equal(deep_search(&d, &deep, NULL), STATUS_OK);
    assert_true(lines_join(&lines, &deep.lines));
    lines_free(&deep.lines);
    return lines;
}

static struct lines by_bfs(const struct board *b, int plies, uint64_t *shorter)
{
    struct census *c = malloc(sizeof *c);
    struct census_options o = {.start = b,
                               .plies = plies - 1,
                               .counting = CENSUS_BRYANT,
                               .keep_last = true,
                               .memory = 1 << 20};
    struct trace_options t = {.plies = plies, .first = b->turn, .threads = 2};
    struct lines lines;

    assert_int_equal(census_run(c, &o, NULL), STATUS_OK);
    assert_int_equal(trace_run(c, &t, &lines, shorter, NULL), STATUS_OK);
    census_close(c);
    free(c);
    return lines;
}

/* Games of exactly n plies, n = 1, 2, ..., until the shortest are found. */
static int check_shortest(const struct board *b, int plies_max)
{
    for (int plies = 1; plies <= plies_max; plies++) {
        struct brute_counts brute = {0};
        struct lines_counts counts;
        uint64_t shorter;
        struct lines s = by_search(b, plies), t = by_bfs(b, plies, &shorter);

        brute_games(b, plies, &brute);
        assert_true(lines_count(&s, &counts));
        assert_int_equal(counts.games, brute.games);
        assert_int_equal(counts.blocks, brute.blocks);
        assert_int_equal(shorter, 0);
        assert_true(lines_equal(&s, &t));
        lines_free(&s);
        lines_free(&t);
        if (brute.games > 0)
            return plies;
    }
    return 0;
}

static void test_random(void **state)
{
    struct rng r = rng_for_test("random");
    int n = test_is_long() ? 300 : test_is_sanitized() ? 10 : 60, found = 0;

    (void)state;
    for (int i = 0; i < n || (!found && i < 1000); i++) {
        struct board b = i % 2 ? brute_walk(&r, 20 + rng_below(&r, 60)) : brute_crowded(&r);

        if (moves_count(&b) > 0 && squares_count(b.kings) <= 2)
            found += check_shortest(&b, 4) > 0;
    }
    assert_true(found > 0);
}

/* Longer games than the shortest: search keeps every ply's positions apart. */
static void test_longer(void **state)
{
    struct rng r = rng_for_test("longer");

    (void)state;
    for (int i = 0; i < (test_is_sanitized() ? 10 : 40); i++) {
        struct board b = brute_crowded(&r);

        for (int plies = 1; plies <= 4; plies++) {
            struct brute_counts brute = {0};
            struct lines_counts counts;
            struct lines s = by_search(&b, plies);

            brute_games(&b, plies, &brute);
            assert_true(lines_count(&s, &counts));
            assert_int_equal(counts.games, brute.games);
            assert_int_equal(counts.blocks, brute.blocks);
            lines_free(&s);
        }
    }
}

/* The deep blocks do not depend on what cuts the search, nor on the threads. */
static struct deep_result deep_by(const struct board *b, int plies, int rows, int look)
{
    struct deep_options d = {.start = *b, .plies = plies, .threads = rows - 1};
    struct deep_result result;

    d.rows = rows;
    d.look = look;
    assert_int_equal(deep_search(&d, &result, NULL), STATUS_OK);
    return result;
}

static void test_walls(void **state)
{
    struct rng r = rng_for_test("walls");
    int n = test_is_sanitized() ? 1 : 6, found = 0;

    (void)state;
    for (int i = 0; i < n || (!found && i < 1000); i++) {
        struct board b = brute_crowded(&r);

        for (int plies = 5; plies <= 6; plies++) {
            struct deep_result low = deep_by(&b, plies, 2, 6), high = deep_by(&b, plies, 3, 2);

            assert_true(lines_equal(&low.lines, &high.lines));
            assert_int_equal(low.shortest, high.shortest);
            found += low.lines.at[plies].count > 0;
            lines_free(&low.lines);
            lines_free(&high.lines);
        }
    }
    assert_true(found > 0);
}

/* ------------------------------------------------------- the published games -- */

struct late {
    int every, ply, seen;
};

static void check_late(void *context, const char *name, const char *fen, char *moves)
{
    struct late *late = context;
    struct board b = golden_board(fen);

    (void)name;
    if (late->seen++ % late->every)
        return;
    for (char *text = strtok(moves, " "); text && late->ply > 0; text = strtok(NULL, " ")) {
        struct move m = golden_move(&b, text);

        b = board_after(&b, &m);
        if (--late->ply == 0)
            break;
    }
    late->ply = 15;
    assert_int_equal(check_shortest(&b, 5), 5);
}

/* From late positions of the published games: the same ends by all three. */
static void test_late(void **state)
{
    struct late late = {.every = test_is_long() ? 5 : test_is_sanitized() ? 100 : 40, .ply = 15};

    (void)state;
    assert_int_equal(golden_each_game("data/shortest_games.txt", check_late, &late), 247);
}

/* From late positions of a game that ends in a block of all twelve men, nothing captured: the
 * same ends by all three, deep blocks all of them. */
static void test_late_block(void **state)
{
    char moves[] = "12-16 22-17 16-20 23-19 11-15 26-23 9-14 19-16 6-9 23-19 14-18 16-12 7-11 "
                   "31-26 11-16 26-23 9-14 30-26 5-9 26-22 9-13";
    int left = 21, first = test_is_long() ? 12 : 15; /* plies played */
    struct board b = board_start;
    struct brute_counts brute = {0};

    (void)state;
    for (char *text = strtok(moves, " "); text; text = strtok(NULL, " ")) {
        struct move m = golden_move(&b, text);

        if (21 - left >= first)
            assert_int_equal(check_shortest(&b, left), left);
        b = board_after(&b, &m);
        left--;
    }
    brute_games(&b, 0, &brute);
    assert_int_equal(brute.deep, 1);
}

struct listing {
    size_t lines, cut;
    char (*text)[256];
};

static bool store_line(void *context, const struct lines_game *line)
{
    struct listing *l = context;
    char *at = l->text[l->lines++];

    for (int ply = 0; ply < line->plies; ply++) {
        if (ply)
            *at++ = ' ';
        at += lines_move_format(&line->board[ply], &line->move[ply], MOVE_NUMBERS, at);
    }
    l->cut += line->same_as != 0;
    return true;
}

static void compare_line(void *context, const char *name, const char *fen, char *moves)
{
    struct listing *l = context;

    (void)fen;
    assert_string_equal(l->text[atoi(name) - 1], moves);
}

/* All 247, in the order of the print; 32 ends, one block; Table 4 has 133 lines. */
static void test_published(void **state)
{
    struct shortest_options o = {.start = board_start, .plies = 20};
    struct listing listing = {0}, compressed;
    struct lines_counts counts;
    struct lines lines;

    (void)state;
    if (test_is_sanitized())
        skip();
    listing.text = calloc(247, sizeof *listing.text);
    assert_non_null(listing.text);
    compressed = listing;
    assert_int_equal(shortest_shallow(&o, &lines, NULL), STATUS_OK);
    assert_true(lines_count(&lines, &counts));
    assert_int_equal(counts.games, 247);
    assert_int_equal(counts.finals, 32);
    assert_int_equal(counts.blocks, 1);
    assert_true(lines_visit(&lines, true, store_line, &compressed));
    assert_int_equal(compressed.lines, 133);
    assert_true(lines_visit(&lines, false, store_line, &listing));
    assert_int_equal(golden_each_game("data/shortest_games.txt", compare_line, &listing), 247);
    lines_free(&lines);
    free(listing.text);
}

static void test_none_shorter(void **state)
{
    (void)state;
    for (int plies = 1; plies < (test_is_sanitized() ? 13 : 20); plies++) {
        struct shortest_options o = {.start = board_start, .plies = plies};
        struct lines lines;

        assert_int_equal(shortest_shallow(&o, &lines, NULL), STATUS_OK);
        assert_int_equal(lines.at[plies].count, 0);
        lines_free(&lines);
    }
}

/* ------------------------------------------------------------- the commands -- */

static void test_commands(void **state)
{
    (void)state;
    run_expect(ARGS("census", "--plies", "6", "--count", "bryant"), 0, "9,089", "");
    run_expect(ARGS("census", "--plies", "6"), 0, "9,105", "");
    run_expect(ARGS("census", "--plies", "99"), 2, "", "plies");
    run_expect(ARGS("census", "--dir", "/dev/null/x", "--plies", "2"), 2, "", "/dev/null/x");
    run_expect(ARGS("shortest", "--plies", "12"), 0, "0 games of 12 plies", "");
    run_expect(ARGS("shortest", "--plies", "6"), 0, "none but for deep blocks", "");
    run_expect(ARGS("shortest", "--plies", "6", "--deep"), 0, "none\ndeep blocks among", "");
    run_expect(ARGS("shortest", "--plies", "6", "--method", "bfs"), 0, "shorter games: none\n", "");
    run_expect(ARGS("shortest", "--plies", "0"), 2, "", "plies");
    run_expect(ARGS("shortest", "--method", "bfs", "--plies", "28"), 2, "", "bfs");
    run_expect_json(ARGS("shortest", "--plies", "6", "--deep", "--json"), "");
}

/* The same games from the program, by both methods, in every listing. */
static void test_listings(void **state)
{
    static const char *const list[] = {"games", "tree", "compressed", "finals", "pdn"};
    const char *fen = "W:WK19,28,29,30,31,32:B11,16";

    (void)state;
    for (int i = 0; i < 5; i++) {
        struct run a = run_kelso(
            ARGS("shortest", "--fen", fen, "--plies", "1", "--deep", "--list", list[i]), NULL, 0);
        struct run b = run_kelso(
            ARGS("shortest", "--fen", fen, "--plies", "1", "--method", "bfs", "--list", list[i]),
            NULL, 0);

        assert_int_equal(a.status, 0);
        assert_string_equal(a.out, b.out);
        run_free(&a);
        run_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),       cmocka_unit_test(test_longer),
        cmocka_unit_test(test_walls),        cmocka_unit_test(test_late),
        cmocka_unit_test(test_late_block),   cmocka_unit_test(test_published),
        cmocka_unit_test(test_none_shorter), cmocka_unit_test(test_commands),
        cmocka_unit_test(test_listings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
