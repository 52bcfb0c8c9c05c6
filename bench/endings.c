/* SPDX-License-Identifier: MIT
 *
 * Does the player win the endings that its tables of values know to be won?
 *
 *     bench_endings TABLES SAMPLES COUNT PIECES N
 *     bench_endings TABLES FEN N
 *
 * COUNT won endings of so many PIECES from games (samples of `kelso tune`, about one of a game),
 * the side to move without a capture.  The winner searches N positions a move, the loser, with the
 * same tables, four times as many.  Printed are the endings that did not end in PLIES_MOST plies,
 * and how many plies the others took.  Or the same with one ending, which also prints the time of
 * the winner's slowest move. */
#include "base/clock.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "db/tables.h"
#include "search/search.h"
#include "tune/samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { APART = 70, PLIES_MOST = 300, DEFENCE = 4 };

static int fail(const char *text)
{
    fprintf(stderr, "bench_endings: %s\n", text);
    return 2;
}

struct ending {
    struct board board[PLIES_MOST + 1];
    int plies;
    double slowest; /* move of the winner, in seconds of processor time */
};

static struct search *search_new(const struct tables *t)
{
    struct search *s;
    struct error e;

    if (search_open(&s, &(struct search_options){.hash = 16 << 20, .tables = t}, &e))
        exit(fail(e.text));
    return s;
}

/* The plies that the win from b took; 0 if it has no end. */
static int win(struct search *side[2], const struct board *b, uint64_t nodes, struct ending *game)
{
    *game = (struct ending){.board = {*b}};
    search_clear(side[0]);
    search_clear(side[1]);
    while (moves_count(&game->board[game->plies]) > 0) {
        int loser = game->plies % 2;
        struct search_limits limits = {.nodes = loser ? DEFENCE * nodes : nodes};
        double took = clock_now(CLOCK_PROCESS_CPUTIME_ID);
        struct search_result r;
        struct error e;

        if (game->plies == PLIES_MOST)
            return 0;
        if (search_run(side[loser], &game->board[game->plies], game->board, game->plies, &limits,
                       &r, &e))
            exit(fail(e.text));
        took = clock_now(CLOCK_PROCESS_CPUTIME_ID) - took;
        if (!loser && took > game->slowest)
            game->slowest = took;
        game->board[game->plies + 1] = board_after(&game->board[game->plies], &r.line[0].pv[0]);
        game->plies++;
    }
    return game->plies;
}

static bool is_won(const struct tables *t, const struct board *b, int pieces)
{
    enum value v;

    return squares_count(b->side[BLACK] | b->side[WHITE]) == pieces && !board_must_capture(b) &&
           tables_knows(t, b) && !tables_value(t, b, &v, NULL) && v == VALUE_WIN;
}

static void report(const struct ending *game, int took)
{
    char text[FEN_TEXT_MAX];

    fen_format(took ? &game->board[0] : &game->board[PLIES_MOST], text);
    if (took == 0)
        printf("%s: no end\n", text);
    fflush(stdout);
}

/* The endings of the samples. */
static void win_samples(const struct tables *t, struct search *side[2], const struct samples *s,
                        char **argv)
{
    int count = atoi(argv[0]), pieces = atoi(argv[1]), tried = 0, open = 0, plies = 0;
    uint64_t nodes = strtoull(argv[2], NULL, 10);

    for (size_t i = 0, next = 0; i < s->count && tried < count; i++) {
        static struct ending game;
        int took;

        if (i < next || !is_won(t, &s->list[i].board, pieces))
            continue;
        took = win(side, &s->list[i].board, nodes, &game);
        next = i + APART;
        tried++;
        plies += took;
        open += took == 0;
        report(&game, took);
    }
    printf("%d endings, %d without an end, the others in %d plies\n", tried, open, plies);
}

static int win_fen(struct search *side[2], const char *fen, uint64_t nodes)
{
    static struct ending game;
    struct text_error at;
    struct board b;
    int took;

    if (!fen_parse(fen, strlen(fen), &b, &at))
        return fail("that is no position");
    took = win(side, &b, nodes, &game);
    report(&game, took);
    printf("%d plies, the slowest move %.2f CPU s\n", took, game.slowest);
    return 0;
}

int main(int argc, char **argv)
{
    struct search *side[2];
    struct samples s = {0};
    struct tables *t;
    struct error e;
    int rc = 0;

    if (argc != 6 && argc != 4)
        return fail("usage: TABLES SAMPLES COUNT PIECES N, or TABLES FEN N");
    if (tables_open(&t, &(struct tables_options){.dir = argv[1]}, &e) ||
        (argc == 6 && samples_read(&s, argv[2], &e)))
        return fail(e.text);
    side[0] = search_new(t);
    side[1] = search_new(t);
    if (argc == 6)
        win_samples(t, side, &s, argv + 3);
    else
        rc = win_fen(side, argv[2], strtoull(argv[3], NULL, 10));
    search_close(&side[0]);
    search_close(&side[1]);
    tables_close(&t);
    samples_free(&s);
    return rc;
}
