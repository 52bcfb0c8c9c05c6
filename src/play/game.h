/* SPDX-License-Identifier: MIT
 *
 * game.h -- a game in progress: its positions and moves, and when it is over.
 *
 * A side without a move has lost.  A third repetition, eighty plies without a capture or a
 * man's move, and a game of GAME_PLIES_MAX plies are draws.
 *
 * (G1) board[i + 1] is board[i] after move[i].
 * (G2) plies <= GAME_PLIES_MAX, whatever moves are pushed.
 *
 * The caller owns a game.  It belongs to one thread. */
#ifndef KELSO_PLAY_GAME_H
#define KELSO_PLAY_GAME_H

#include "core/move.h"
#include "core/pdn.h"

#include <stdio.h>

enum { GAME_PLIES_MAX = 600, GAME_QUIET_MAX = 80 };

struct game {
    int plies;
    struct board board[GAME_PLIES_MAX + 1];
    struct move move[GAME_PLIES_MAX];
};

enum game_state { GAME_ON, GAME_BLACK_WINS, GAME_WHITE_WINS, GAME_DRAWN };

void game_begin(struct game *g, const struct board *start);

/* Add a move that is legal in game_now.  False, with nothing added, when the game is full:
 * moves come from other programs, so this is not asserted. */
bool game_push(struct game *g, const struct move *m);

static inline const struct board *game_now(const struct game *g)
{
    return &g->board[g->plies];
}

/* `why`, if not NULL, is set to the reason in words. */
enum game_state game_state(const struct game *g, const char **why);

static inline enum game_state game_won_by(enum side s)
{
    return s == BLACK ? GAME_BLACK_WINS : GAME_WHITE_WINS;
}

enum pdn_result game_result(enum game_state state);

struct game_tags {
    const char *event, *black, *white, *round, *opening; /* NULL: left out */
};

/* Write the game as PDN.  `comment`, if not NULL, returns the comment on ply i, or NULL; its text
 * is used at once. */
void game_write_pdn(const struct game *g, const struct game_tags *tags, enum pdn_result result,
                    const char *(*comment)(void *context, int ply, int *nag), void *context,
                    FILE *out);

#endif
