/* SPDX-License-Identifier: MIT
 *
 * shortest.h -- the shortest games, by a search that needs little memory.
 *
 * A piece on the edge of the board cannot be captured.  So each of the loser's pieces on its home
 * edge (squares 1, 2, 3, 4, 5, 12 for Black) either moves away, which takes a separate move, or is
 * still there when the game ends.
 *
 * shortest_shallow finds all games at whose end the loser's home edge is empty: breadth first,
 * without the positions that hold more pieces on the home edge than the loser has moves left.  All
 * games that end by capture are among them.  The remaining games end in blocks with a piece on the
 * home edge ("deep" blocks): deep.h.
 *
 * (A1) shortest_shallow gives each such game of exactly `plies` plies, and no other.
 *
 * Shares only core/ with the census.  One thread, the caller's. */
#ifndef KELSO_GAMES_SHORTEST_H
#define KELSO_GAMES_SHORTEST_H

#include "games/lines.h"
#include "base/status.h"

struct shortest_report {
    int ply, plies;
    size_t positions; /* of this ply */
    bool back;        /* tracing back */
    bool wall;        /* no ply yet: levels of the wall (wall.h), and its states */
};

/* Return false to stop. */
typedef bool shortest_report_visit(void *context, const struct shortest_report *report);

struct shortest_options {
    struct board start;
    int plies; /* 1 .. LINES_PLIES_MAX */
    shortest_report_visit *report;
    void *context;
};

/* The loser's starting squares on the edge, where a piece cannot be captured unless it moves
 * away. */
squares home_edge(enum side loser);

/* The number of moves that `who` makes in `plies` plies when `turn` moves first. */
static inline int moves_left(enum side who, enum side turn, int plies)
{
    return who == turn ? (plies + 1) / 2 : plies / 2;
}

enum status shortest_shallow(const struct shortest_options *options, struct lines *out,
                             struct error *e);

#endif
