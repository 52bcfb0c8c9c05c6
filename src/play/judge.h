/* SPDX-License-Identifier: MIT
 *
 * judge.h -- what each move of a game is worth, and which moves are bad.
 *
 * Each position of the game is searched once.  A move is worth what the position after it is
 * worth to the other side; it is a blunder if a proven result is thrown away or it costs a
 * man, bad if it costs a good part of one.
 *
 * (J1) a move that the search would have played is never marked, and what is called better was
 *      searched behind that move too, so that both are seen from the same distance.
 * (J2) moves may be judged in any order; judging a move searches the positions up to the one
 *      after it.
 * (J3) after a failure, or once limits.stop was raised, nothing is searched any more.
 *
 * A judge is large: it belongs on the heap.  One thread. */
#ifndef KELSO_PLAY_JUDGE_H
#define KELSO_PLAY_JUDGE_H

#include "play/game.h"
#include "search/search.h"

enum mark { MARK_NONE, MARK_BAD, MARK_BLUNDER };

struct judge {
    struct search *search;       /* not owned */
    struct search_limits limits; /* of each search: a move takes up to two */
    struct game game;
    enum status status; /* not STATUS_OK: (J3), as `error` says */
    struct error error;
    int searched;                                /* positions whose line is known */
    struct search_line line[GAME_PLIES_MAX + 1]; /* the best of each position */
    struct search_result result;
};

/* Of one move, as the side that made it sees it; variations begin with the move itself. */
struct judgement {
    enum mark mark;
    struct search_line played;
    struct search_line best;   /* of the position, as it was searched */
    struct search_line better; /* the same, by a search behind the move where that was needed */
};

/* Begin with the game in j->game; search and limits are set. */
void judge_begin(struct judge *j);

/* False: j->status says why.  STATUS_INTERRUPTED: limits.stop was raised. */
bool judge_move(struct judge *j, int ply, struct judgement *out);

/* "blunder", "bad", or NULL. */
const char *mark_name(enum mark mark);

#endif
