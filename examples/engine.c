/* SPDX-License-Identifier: MIT
 *
 * An engine takes kelso's tables through the egdb interface: a search that stops where
 * the tables know the value.  Here the engine's own part is a plain negamax over a game
 * with more pieces than it needs to look at.
 *
 *     cc engine.c $(pkg-config --cflags --libs kelso) -o engine
 *     ./engine DIRECTORY [FEN] */
#include <kelso_egdb.h>

#include <stdio.h>

enum { LOST = -100, WON = 100, NOTHING_KNOWN = 0, DEPTH = 6 };

static int pieces(const kelso_position *p)
{
    uint32_t all = p->black_men | p->black_kings | p->white_men | p->white_kings;
    int n = 0;

    for (; all; all &= all - 1)
        n++;
    return n;
}

/* What the tables say, as a score; 0 if they do not know. */
static int look_up(EGDB_DRIVER *db, const kelso_position *p, int max_pieces, int *known)
{
    int color = p->turn == KELSO_BLACK ? EGDB_BLACK : EGDB_WHITE;
    int value = EGDB_UNKNOWN;
    EGDB_BITBOARD e;

    e.normal.black = p->black_men | p->black_kings;
    e.normal.white = p->white_men | p->white_kings;
    e.normal.king = p->black_kings | p->white_kings;
    if (pieces(p) <= max_pieces)
        value = db->lookup(db, &e, color, 0);
    *known = value != EGDB_UNKNOWN;
    return value == EGDB_WIN ? WON : value == EGDB_LOSS ? LOST : NOTHING_KNOWN;
}

static int search(EGDB_DRIVER *db, const kelso_position *p, int max_pieces, int depth, long *nodes)
{
    kelso_move moves[KELSO_MOVES_MAX];
    int count, known, best = LOST, score = look_up(db, p, max_pieces, &known);

    ++*nodes;
    if (known || depth == 0)
        return score;
    if (kelso_moves(p, moves, &count, NULL))
        return LOST; /* no pieces left to move */
    for (int i = 0; i < count && best < WON; i++) {
        kelso_position next;

        kelso_play(p, &moves[i], &next, NULL);
        score = -search(db, &next, max_pieces, depth - 1, nodes);
        best = score > best ? score : best;
    }
    return best;
}

static void complain(char *text)
{
    fprintf(stderr, "engine: %s\n", text);
}

int main(int argc, char **argv)
{
    const char *fen = argc > 2 ? argv[2] : "B:W22,K10,30:BK15,K14,K6";
    const char *dir = argc > 1 ? argv[1] : NULL;
    EGDB_DRIVER *db;
    EGDB_TYPE type;
    kelso_position p;
    kelso_error error;
    long nodes = 0;
    int score, max_pieces;

    if (egdb_identify(dir, &type, &max_pieces)) {
        fprintf(stderr, "engine: no tables there\n");
        return 1;
    }
    if (!(db = egdb_open(EGDB_NORMAL, max_pieces, 64, dir, complain)))
        return 1;
    if (kelso_position_parse(fen, &p, &error)) {
        complain(error.text);
        db->close(db);
        return 2;
    }
    score = search(db, &p, max_pieces, DEPTH, &nodes);
    printf("%s: %s after %ld nodes, with tables of %d pieces\n", fen,
           score == WON    ? "win"
           : score == LOST ? "loss"
                           : "nothing proven",
           nodes, max_pieces);
    db->close(db);
    return 0;
}
