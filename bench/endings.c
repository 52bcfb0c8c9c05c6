/* SPDX-License-Identifier: MIT
 *
 * Does the player win the endings that its tables of values know to be won?
 *
 *     bench_endings TABLES SAMPLES COUNT PIECES N
 *
 * COUNT won endings of so many PIECES from games (samples of `kelso tune`, about one of a game),
 * the side to move without a capture.  The winner searches N positions a move, the loser, with the
 * same tables, four times as many.  Printed are the endings that did not end in PLIES_MOST plies,
 * and how many plies the others took. */
#include "core/movegen.h"
#include "core/notation.h"
#include "db/tables.h"
#include "search/search.h"
#include "tune/samples.h"

#include <stdio.h>
#include <stdlib.h>

enum { APART = 70, PLIES_MOST = 300, DEFENCE = 4 };

static int fail(const char *text)
{
    fprintf(stderr, "bench_endings: %s\n", text);
    return 2;
}

struct ending {
    struct board board[PLIES_MOST + 1];
    int plies;
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
        struct search_result r;
        struct error e;

        if (game->plies == PLIES_MOST)
            return 0;
        if (search_run(side[loser], &game->board[game->plies], game->board, game->plies, &limits,
                       &r, &e))
            exit(fail(e.text));
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

int main(int argc, char **argv)
{
    struct search *side[2];
    struct samples s = {0};
    struct tables *t;
    struct error e;
    int count, pieces, tried = 0, open = 0, plies = 0;

    if (argc != 6)
        return fail("usage: TABLES SAMPLES COUNT PIECES N");
    if (tables_open(&t, &(struct tables_options){.dir = argv[1]}, &e) ||
        samples_read(&s, argv[2], &e))
        return fail(e.text);
    count = atoi(argv[3]);
    pieces = atoi(argv[4]);
    side[0] = search_new(t);
    side[1] = search_new(t);
    for (size_t i = 0, next = 0; i < s.count && tried < count; i++) {
        static struct ending game;
        char text[FEN_TEXT_MAX];
        int took;

        if (i < next || !is_won(t, &s.list[i].board, pieces))
            continue;
        took = win(side, &s.list[i].board, strtoull(argv[5], NULL, 10), &game);
        next = i + APART;
        tried++;
        plies += took;
        open += took == 0;
        fen_format(took ? &game.board[0] : &game.board[PLIES_MOST], text);
        if (took == 0)
            printf("%s: no end\n", text);
        fflush(stdout);
    }
    printf("%d endings, %d without an end, the others in %d plies\n", tried, open, plies);
    search_close(&side[0]);
    search_close(&side[1]);
    tables_close(&t);
    samples_free(&s);
    return 0;
}
