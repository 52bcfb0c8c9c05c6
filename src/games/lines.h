/* SPDX-License-Identifier: MIT
 *
 * lines.h -- all complete games of one length, as a graph.
 *
 * For each ply, the positions through which such a game goes.  Every path from the
 * start to the last ply along legal moves inside the graph is a complete game, so
 * games are counted without being walked, and two graphs are equal exactly when
 * their games are.
 *
 * A game is a sequence of positions: capture routes with the same result are one.
 *
 * (S1) at[t] is sorted and without duplicates; at[0] is the start, or nothing.
 * (S2) In at[plies] the side to move has no move.
 *
 * The caller owns the structure; lines_free frees it. */
#ifndef KELSO_GAMES_LINES_H
#define KELSO_GAMES_LINES_H

#include "core/movegen.h"
#include "core/notation.h"
#include "games/layer.h"

enum { LINES_PLIES_MAX = 40 };

struct lines {
    int plies;
    enum side first; /* the side that moves at ply 0 */
    struct layer at[LINES_PLIES_MAX + 1];
};

struct lines_counts {
    uint64_t games;
    uint64_t blocks;            /* games whose loser still has pieces */
    uint64_t blocks_uncaptured; /* of these, without any capture */
    uint64_t one_sided;         /* games in which one side makes no capture */
    size_t finals, final_blocks;
    int largest_block; /* the most pieces that a blocked loser has left */
    uint64_t largest_games;
};

/* The different positions after one move, each with a move that leads there; the
 * moves are in the order of their squares, rank by rank as Black sees them. */
struct successor {
    struct placement placement;
    struct move move;
};
int board_successors(const struct board *b, struct successor out[MOVES_MAX]);

static inline enum side lines_turn(const struct lines *l, int ply)
{
    return (enum side)(l->first ^ (ply & 1));
}

/* Add all of `other`, a graph of the same length from the same start. */
bool lines_join(struct lines *l, const struct lines *other);
bool lines_equal(const struct lines *a, const struct lines *b);
void lines_free(struct lines *l);

/* The number of games through each kind of end; false when memory is short. */
bool lines_count(const struct lines *l, struct lines_counts *out);

/* Visit the games in order: their moves, and the position before each (the last one is the
 * end).  The first `common` plies are the same as in the game visited before.  With
 * `compressed`, a game is cut where it reaches a position of an earlier line: `plies` is then
 * less than l->plies and `same_as` the number of that line (from 1), else 0.  The visit returns
 * false to stop. */
struct lines_game {
    size_t number; /* from 1 */
    int common, plies;
    size_t same_as;
    const struct move *move;
    const struct board *board;
};
typedef bool lines_game_visit(void *context, const struct lines_game *line);

bool lines_visit(const struct lines *l, bool compressed, lines_game_visit *visit, void *context);

/* A move as text: its two ends, unless moves with these ends lead to different positions. */
size_t lines_move_format(const struct board *before, const struct move *m, enum move_style style,
                         char out[MOVE_TEXT_MAX]);

#endif
