/* SPDX-License-Identifier: MIT
 *
 * naive.h -- the rules again, on an array of 32 squares, written to be obvious.
 *
 * It shares nothing with src/core but the conversion from and to struct board; it
 * is the judge of the fast generator, not a user of it. */
#ifndef KELSO_TESTS_NAIVE_H
#define KELSO_TESTS_NAIVE_H

#include "core/board.h"

struct naive_board {
    char at[33]; /* at[1..32]: 'b' 'w' men, 'B' 'W' kings, '.' empty */
    char turn;   /* 'b' or 'w' */
};

struct naive_move {
    int squares;  /* how many squares the path has: 2 or more */
    int path[13]; /* their numbers, from the start to the end */
    int captures;
    int captured[12]; /* in the order they are jumped */
};

struct naive_list {
    int count;
    struct naive_move move[1000];
};

struct naive_board naive_from_board(const struct board *b);
struct board naive_to_board(const struct naive_board *n);

void naive_moves(const struct naive_board *n, struct naive_list *list);
struct naive_board naive_after(const struct naive_board *n, const struct naive_move *m);

#endif
