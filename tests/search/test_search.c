/* SPDX-License-Identifier: MIT
 *
 * The search against slow twins: minimax without pruning, and the tables. */
#include "kit/test.h"

#include "kit/golden.h"
#include "kit/positions.h"
#include "kit/built.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "core/position.h"
#include "db/answer.h"
#include "db/ondemand.h"
#include "search/eval_cache.h"
#include "search/search.h"
#include "search/tt.h"

#include <stdlib.h>

static struct search *search_new(const struct search_options *o)
{
    struct search *s;
    struct error e;

    if (search_open(&s, o, &e))
        fail_msg("%s", e.text);
    return s;
}

static void search_now(struct search *s, const struct board *b, const struct search_limits *l,
                       struct search_result *r)
{
    struct error e;

    if (search_run(s, b, NULL, 0, l, r, &e))
        fail_msg("%s", e.text);
}

/* ----------------------------------------------------------------------- scores -- */

static void scores_keep_apart(void **state)
{
    (void)state;
    assert_true(score_win_in(SEARCH_DEPTH_MAX * 2) >= SCORE_WIN_MIN);
    assert_true(score_db_win(0, SCORE_EVAL_MAX) < SCORE_WIN_MIN);
    assert_true(score_db_win(512, -SCORE_EVAL_MAX) >= SCORE_DB_WIN_MIN);
    assert_true(SCORE_EVAL_MAX < SCORE_DB_WIN_MIN);
    for (int s = -SCORE_WIN; s <= SCORE_WIN; s += 7)
        for (int ply = 0; ply < 100; ply += 9) {
            int kept = score_to_table(s, ply);

            if (score_is_certain(s) == score_is_certain(kept))
                assert_int_equal(score_from_table(kept, ply), s);
        }
    assert_int_equal(score_plies(score_win_in(23)), 23);
    assert_int_equal(score_plies(score_loss_in(22)), 22);
}

/* ------------------------------------------------------------------------ table -- */

/* What was stored last for a position is what comes back, or nothing: never another's. */
static void table_never_mixes_positions(void **state)
{
    enum { N = 60000 };
    struct rng r = rng_for_test("tt");
    struct board *b = malloc(N * sizeof *b);
    int found = 0;
    struct tt t;

    (void)state;
    assert_non_null(b);
    assert_int_equal(tt_open(&t, TT_BYTES_MIN), 0);
    for (int i = 0; i < N; i++) {
        struct tt_key k;

        b[i] = random_position(&r);
        k = tt_key(&t, &b[i]);
        tt_store(&t, &k,
                 &(struct tt_data){.score = network_material(&b[i]),
                                   .depth = moves_count(&b[i]) % 100,
                                   .move = moves_count(&b[i]),
                                   .bound = (enum tt_bound)(1 + b[i].turn),
                                   .solid = b[i].turn});
    }
    for (int i = 0; i < N; i++) {
        struct tt_key k = tt_key(&t, &b[i]);
        struct tt_data d;

        if (!tt_probe(&t, &k, &d))
            continue;
        found++;
        assert_int_equal(d.score, network_material(&b[i]));
        assert_int_equal(d.move, moves_count(&b[i]));
        assert_int_equal(d.bound, 1 + b[i].turn);
        assert_int_equal(d.solid, b[i].turn);
    }
    assert_true(found > N / 4);
    tt_close(&t);
    free(b);
}

/* (E1), for positions of both kinds of turn and all scores. */
static void eval_cache_never_mixes_positions(void **state)
{
    enum { N = 60000 };
    struct rng r = rng_for_test("evals");
    struct eval_cache *c = calloc(1, sizeof *c);
    struct board *b = malloc(N * sizeof *b);
    struct tt t = {.mask = 1};
    int found = 0, score;

    (void)state;
    assert_true(b && c);
    for (int i = 0; i < N; i++) {
        struct tt_key k;

        b[i] = random_position(&r);
        k = tt_key(&t, &b[i]);
        if (eval_cache_find(c, &k, &score))
            assert_int_equal(score, network_material(&b[i]) * 8);
        eval_cache_put(c, &k, network_material(&b[i]) * 8);
        assert_true(eval_cache_find(c, &k, &score));
        assert_int_equal(score, network_material(&b[i]) * 8);
    }
    for (int i = 0; i < N; i++) {
        struct tt_key k = tt_key(&t, &b[i]);

        if (!eval_cache_find(c, &k, &score))
            continue;
        found++;
        assert_int_equal(score, network_material(&b[i]) * 8);
    }
    assert_true(found > N / 4);
    free(b);
    free(c);
}

/* ---------------------------------------------------------------------- minimax -- */

static int minimax_captures(const struct network *n, const struct board *b, int ply)
{
    struct move_list list;
    int best = -SCORE_INFINITE;

    if (!board_must_capture(b))
        return moves_count(b) ? network_evaluate(n, b) : score_loss_in(ply);
    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++) {
        struct board next = board_after(b, &list.move[i]);
        int score = -minimax_captures(n, &next, ply + 1);

        best = score > best ? score : best;
    }
    return best;
}

/* path[0..ply] leads here. */
static int minimax(const struct network *n, struct board *path, int ply, int depth)
{
    const struct board *b = &path[ply];
    struct move_list list;
    int best = score_loss_in(ply);

    if (depth == 0)
        return minimax_captures(n, b, ply);
    for (int i = ply - 4; i >= 0; i -= 2)
        if (board_equal(b, &path[i]))
            return SCORE_DRAW;
    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++) {
        int score;

        path[ply + 1] = board_after(b, &list.move[i]);
        score = -minimax(n, path, ply + 1, depth - 1);
        best = score > best ? score : best;
    }
    return best;
}

static void plain_search_is_minimax(void **state)
{
    struct rng r = rng_for_test("minimax");
    struct search *s = search_new(&(struct search_options){.hash = 1 << 20, .plain = true});
    struct search_result result;
    int tries = test_is_sanitized() ? 60 : test_is_long() ? 4000 : 400;
    struct network n;
    struct error e;

    (void)state;
    assert_int_equal(network_open(&n, &e), STATUS_OK);
    for (int i = 0; i < tries; i++) {
        struct board path[10] = {random_position(&r)};
        int depth = 1 + rng_below(&r, test_is_long() ? 6 : 5);

        if (moves_count(&path[0]) == 0)
            continue;
        search_now(s, &path[0], &(struct search_limits){.depth = depth}, &result);
        assert_int_equal(result.line[0].score, minimax(&n, path, 0, depth));
        assert_int_equal(result.depth, depth);
    }
    network_close(&n);
    search_close(&s);
}

/* ------------------------------------------------------------------------ tables -- */

/* A position of exactly `pieces` pieces, none of them hanging. */
static struct board random_ending(struct rng *r, int pieces)
{
    for (;;) {
        struct board b = {.turn = (enum side)rng_below(r, 2)};

        for (int i = 0; i < pieces; i++) {
            squares at = squares_of(square_from_number(1 + rng_below(r, 32)));

            b.side[rng_below(r, 2)] |= at;
            if (rng_below(r, 2))
                b.kings |= at;
        }
        if (board_valid(&b) && b.side[BLACK] && b.side[WHITE] &&
            squares_count(b.side[BLACK] | b.side[WHITE]) == pieces)
            return b;
    }
}

static void fail_at(const struct board *b, const struct search_line *line, const char *what)
{
    char fen[FEN_TEXT_MAX];

    fen_format(b, fen);
    fail_msg("%s: %s (score %d)", fen, what, line->score);
}

struct kit {
    struct built tables;
    struct tables *few;
    struct search *search[3]; /* with all tables there are, with those of fewer pieces, and with
                                 every second value */
    struct source half;
    int proven, draws, lines;
};

enum { TABLES = 4 };

/* A source with gaps. */
static enum status half_outcome(void *context, const struct board *b, enum kind kind,
                                struct outcome *o, struct error *e)
{
    if (position_hash(position_of(b)) & 1)
        return STATUS_MISSING;
    return tables_outcome(context, b, kind, o, e);
}

static int set_up(void **state)
{
    struct kit *kit = calloc(1, sizeof *kit);

    assert_non_null(kit);
    kit->tables = built_open(TABLES);
    kit->few = built_few(&kit->tables, TABLES - 1);
    for (int i = 0; i < 2; i++)
        kit->search[i] = search_new(
            &(struct search_options){.hash = 1 << 20, .tables = i ? kit->few : kit->tables.tables});
    kit->half = (struct source){half_outcome, kit->tables.tables};
    kit->search[2] = search_new(
        &(struct search_options){.hash = 1 << 20, .values = &kit->half, .values_pieces = TABLES});
    *state = kit;
    return 0;
}

static int tear_down(void **state)
{
    struct kit *kit = *state;

    for (int i = 0; i < 3; i++)
        search_close(&kit->search[i]);
    tables_close(&kit->few);
    built_close(&kit->tables);
    free(kit);
    return 0;
}

/* The best line first; where values are known they go before scores. */
static void check_order(const struct board *b, const struct search_result *r)
{
    for (int i = 1; i < r->lines; i++) {
        const struct search_line *before = &r->line[i - 1], *line = &r->line[i];
        bool known = before->proven && line->proven && before->value != line->value;

        if (known ? line->value > before->value : line->score > before->score && !before->proven)
            fail_at(b, line, "a better line comes later");
    }
}

/* Of each line that is proven, its first move has the value. */
static void check_lines(struct kit *kit, const struct source *truth, const struct board *b,
                        const struct search_result *r)
{
    struct outcome o;
    struct error e;

    check_order(b, r);
    for (int i = 0; i < r->lines; i++) {
        struct board next = board_after(b, &r->line[i].pv[0]);

        if (!r->line[i].proven)
            continue;
        if (truth->outcome(truth->context, &next, KIND_DTW, &o, &e))
            fail_msg("%s", e.text);
        if (value_negate(o.value) != r->line[i].value)
            fail_at(b, &r->line[i], "the move is not worth what is proven of it");
        kit->lines++;
    }
}

/* Whatever the search calls proven is the truth; distances are no shorter than it. */
static void check_proven(struct kit *kit, const struct source *truth, struct search *s,
                         const struct board *b, uint64_t nodes)
{
    struct search_result r;
    struct outcome o;
    struct error e;

    search_now(
        s, b,
        &(struct search_limits){.nodes = nodes, .lines = 1 + nodes % 4, .end_when_proven = true},
        &r);
    check_lines(kit, truth, b, &r);
    if (r.lines == 0 || !r.line[0].proven)
        return;
    if (truth->outcome(truth->context, b, KIND_DTW, &o, &e))
        fail_msg("%s", e.text);
    if (o.value != r.line[0].value)
        fail_at(b, &r.line[0], "proven, but not true");
    kit->proven++;
    kit->draws += o.value == VALUE_DRAW;
    if (score_has_distance(r.line[0].score) && score_plies(r.line[0].score) < o.plies)
        fail_at(b, &r.line[0], "shorter than possible");
}

static enum status ending_outcome(void *context, const struct board *b, enum kind kind,
                                  struct outcome *o, struct error *e)
{
    return ondemand_outcome(context, b, kind, o, e);
}

/* Solve one ending, then search positions that play reaches from it. */
static int check_ending(struct kit *kit, struct rng *r, int pieces, int tries, uint64_t nodes)
{
    struct board root = random_ending(r, pieces), b = root;
    struct source truth = {ending_outcome, NULL};
    struct move_list list;
    struct ondemand *o;
    struct error e;
    int tried = 0;

    if (ondemand_open(&o, &root, false, &e))
        fail_msg("%s", e.text);
    if (ondemand_values(o) < 40000000 && !ondemand_solve(o, 2, UINT64_C(2) << 30, NULL, NULL, &e)) {
        truth.context = o;
        for (; tried < tries; tried++) {
            check_proven(kit, &truth, kit->search[tried % 3], &b, nodes + tried / 3 % 4);
            for (int cut = 0; cut < 10; cut++) /* short of a whole iteration */
                check_proven(kit, &truth, kit->search[tried % 3], &b, 1 + rng_below(r, 200));
            if (tried % 8 == 0 || moves_generate(&b, &list) == 0)
                b = root;
            moves_generate(&b, &list);
            if (list.count)
                b = board_after(&b, &list.move[rng_below(r, list.count)]);
        }
    }
    ondemand_close(&o);
    return tried;
}

static void check_endings(struct kit *kit, int pieces, int tries, uint64_t nodes)
{
    struct rng r = rng_for_test("proven");
    int tried = 0;

    kit->proven = kit->draws = kit->lines = 0;
    while (tried < tries ||
           ((kit->proven <= tries / 10 || kit->lines <= kit->proven) && tried < 100 * tries))
        tried += check_ending(kit, &r, pieces, 50, nodes);
    print_message("%d searches of %d endings of at most %d pieces proven, %d as draws\n",
                  kit->proven, tried, pieces, kit->draws);
    assert_true(kit->proven > tries / 10);
    assert_true(kit->lines > kit->proven); /* second lines, too */
}

static void proven_is_true(void **state)
{
    if (test_is_sanitized())
        check_endings(*state, 5, 100, 1000);
    else
        check_endings(*state, 5, 500, 10000);
}

static void proven_is_true_with_six_pieces(void **state)
{
    if (test_is_sanitized())
        check_endings(*state, 6, 50, 1000);
    else
        check_endings(*state, 6, test_is_long() ? 3000 : 200, 10000);
}

static void proven_is_true_with_seven_pieces(void **state)
{
    if (!test_is_long())
        skip();
    check_endings(*state, 7, 1000, 10000);
}

/* ------------------------------------------------------------------- determinism -- */

static void same_nodes_twice(void **state)
{
    struct search *s = search_new(&(struct search_options){.hash = 4 << 20});
    struct search_result r[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        search_clear(s);
        search_now(s, &board_start, &(struct search_limits){.depth = 11, .lines = 2}, &r[i]);
    }
    assert_int_equal(r[0].nodes, r[1].nodes);
    assert_int_equal(r[0].line[0].score, r[1].line[0].score);
    assert_int_equal(r[0].line[1].score, r[1].line[1].score);
    assert_true(move_equal(&r[0].line[0].pv[0], &r[1].line[0].pv[0]));
    assert_false(move_equal(&r[0].line[0].pv[0], &r[0].line[1].pv[0]));
    search_close(&s);
}

static void threads_help(void **state)
{
    struct search *s = search_new(&(struct search_options){.hash = 4 << 20, .threads = 3});
    struct search_result r;

    (void)state;
    search_now(s, &board_start, &(struct search_limits){.depth = 10}, &r);
    assert_int_equal(r.depth, 10);
    assert_true(r.line[0].plies >= 1);
    search_close(&s);
}

static void limits_are_kept(void **state)
{
    struct search *s = search_new(&(struct search_options){.hash = 1 << 20});
    atomic_bool stop = true;
    struct search_result r;

    (void)state;
    search_now(s, &board_start, &(struct search_limits){.nodes = 5000}, &r);
    assert_true(r.nodes <= 5000);
    search_now(s, &board_start, &(struct search_limits){.seconds = 0.05}, &r);
    assert_true(r.seconds < 2);
    search_now(s, &board_start, &(struct search_limits){.stop = &stop}, &r);
    assert_int_equal(r.lines, 1); /* a move all the same */
    search_close(&s);
}

/* A position of the game that comes for the third time is a draw, for the second time not. */
static void history_counts(void **state)
{
    static const char *const round[] = {"10-14", "1-5", "14-10", "5-1"};
    struct board path[11] = {golden_board("W:WK10,K30,K31:BK1")};
    struct search *s = search_new(&(struct search_options){.hash = 1 << 20, .plain = true});
    int draws[2] = {0};

    (void)state;
    for (int i = 0; i < 10; i++) {
        struct move m = golden_move(&path[i], round[i % 4]);
        path[i + 1] = board_after(&path[i], &m);
    }
    for (int k = 0; k < 2; k++) { /* 14-10 for the second time, and for the third */
        int plies = 6 + 4 * k;
        struct search_result r;
        struct error e;

        assert_int_equal(search_run(s, &path[plies], path, plies,
                                    &(struct search_limits){.depth = 2, .lines = 16}, &r, &e),
                         STATUS_OK);
        for (int i = 0; i < r.lines; i++)
            if (square_number(r.line[i].pv[0].to) == 10)
                draws[k] += r.line[i].score == SCORE_DRAW;
    }
    assert_int_equal(draws[0], 0);
    assert_int_equal(draws[1], 1);
    search_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_keep_apart),
        cmocka_unit_test(table_never_mixes_positions),
        cmocka_unit_test(eval_cache_never_mixes_positions),
        cmocka_unit_test(plain_search_is_minimax),
        cmocka_unit_test(proven_is_true),
        cmocka_unit_test(proven_is_true_with_six_pieces),
        cmocka_unit_test(proven_is_true_with_seven_pieces),
        cmocka_unit_test(same_nodes_twice),
        cmocka_unit_test(threads_help),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(history_counts),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
