/* SPDX-License-Identifier: MIT
 *
 * Positions for bench/proofs, from games: for each number of pieces the same number of
 * positions, at most two of one game, material different by one piece at most, the side
 * to move without a capture.
 *
 *     bench_ladder GAMES.pdn PIECES COUNT */
#include "core/movegen.h"
#include "core/notation.h"
#include "core/pdn.h"

#include <stdio.h>
#include <stdlib.h>

enum { GAME_MAX = 2, APART = 6 };

struct ladder {
    int pieces, wanted, found;
    int of_game, last_ply;
};

static bool board_fits(const struct board *b, int pieces)
{
    int black = squares_count(b->side[BLACK]), white = squares_count(b->side[WHITE]);

    return black + white == pieces && abs(black - white) <= 1 && !board_must_capture(b);
}

static void visit(void *context, const struct pdn_event *event)
{
    struct ladder *l = context;
    char fen[FEN_TEXT_MAX];

    if (event->kind == PDN_GAME)
        l->of_game = 0;
    if (event->kind != PDN_MOVE || event->depth > 0 || !board_fits(event->board, l->pieces))
        return;
    if (l->found == l->wanted || l->of_game == GAME_MAX ||
        (l->of_game && event->ply < l->last_ply + APART))
        return;
    l->found++;
    l->of_game++;
    l->last_ply = event->ply;
    fen_format(event->board, fen);
    puts(fen);
}

int main(int argc, char **argv)
{
    FILE *f = argc == 4 ? fopen(argv[1], "rb") : NULL;
    static char text[64 << 20];
    struct ladder l = {0};
    struct pdn_reader r;
    size_t length;

    if (!f) {
        fprintf(stderr, "usage: bench_ladder GAMES.pdn PIECES COUNT\n");
        return 2;
    }
    length = fread(text, 1, sizeof text, f);
    fclose(f);
    l.pieces = atoi(argv[2]);
    l.wanted = atoi(argv[3]);
    r = pdn_open(text, length);
    while (l.found < l.wanted && pdn_next(&r, visit, &l, NULL) != PDN_AT_END)
        ;
    return l.found == l.wanted ? 0 : 1;
}
