/* SPDX-License-Identifier: MIT
 *
 * judge.h -- judge the moves of a game: their values, and which are bad.
 *
 * Each position of the game is searched once.  The value of a move is the negated value of the
 * position after it.  It is a blunder if it throws away a proven result or costs a man, and bad
 * if it costs a good part of one.
 *
 * (J1) The move that the search would have played is never marked.  A move named as better has also
 *      been played and searched, so both are compared at the same depth.
 * (J2) Moves may be judged in any order; judging a move searches the positions up to the one
 *      after it.
 * (J3) After a failure, or once limits.stop is set, nothing more is searched.
 *
 * The caller owns a judge, which is large: allocate it on the heap.  One thread. */
#ifndef KELSO_PLAY_JUDGE_H
#define KELSO_PLAY_JUDGE_H

#include "play/game.h"
#include "report/json.h"
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

/* The judgement of one move, for the side that made it; variations begin with the move itself. */
struct judgement {
    enum mark mark;
    struct search_line played;
    struct search_line best;   /* of the position, as it was searched */
    struct search_line better; /* the same, by a search after the move if that was needed */
};

/* Begin with the game in j->game; search and limits are set. */
void judge_begin(struct judge *j);

/* False: j->status says why.  STATUS_INTERRUPTED: limits.stop was set. */
bool judge_move(struct judge *j, int ply, struct judgement *out);

/* Summary of one side.  Losses are counted only between two estimates: a proven result has no
 * value in men. */
struct side_summary {
    int moves, marks[MARK_BLUNDER + 1], opinions;
    double loss; /* hundredths of a man, together */
};

/* Count a judged move for the side that made it. */
void summary_add(struct side_summary side[2], const struct judge *j, int ply,
                 const struct judgement *found);

/* Members "black" and "white" of the open object. */
void summary_json(struct json *out, const struct side_summary side[2]);

/* "blunder", "bad", or NULL. */
const char *mark_name(enum mark mark);

#endif
