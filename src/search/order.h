/* SPDX-License-Identifier: MIT
 *
 * order.h -- move ordering.
 *
 * First the move of the transposition table, then crownings and the longest captures, then
 * moves that caused a cutoff elsewhere at this ply (killers), then moves that have caused many
 * cutoffs (history).  Moves are identified by their end squares only, which is good enough for
 * ordering.
 *
 * (O1) order_pick returns each move once, then -1.
 *
 * The caller owns both structs.  Each belongs to one thread. */
#ifndef KELSO_SEARCH_ORDER_H
#define KELSO_SEARCH_ORDER_H

#include "core/move.h"

enum { ORDER_SQUARES = 36, ORDER_PLIES = 256 };

struct order_memory {
    int16_t history[2][ORDER_SQUARES][ORDER_SQUARES];
    uint16_t killer[ORDER_PLIES][2];
};

/* The moves of one node. */
struct order {
    int count, tried;
    int score[MOVES_MAX];
    uint8_t move[MOVES_MAX];
};

void order_forget(struct order_memory *m);

void order_open(struct order *o, const struct order_memory *m, const struct move_list *list,
                enum side us, int ply, int first);

/* The best of the remaining moves; -1 when there are none. */
static inline int order_pick(struct order *o)
{
    int best = o->tried, i = best;
    uint8_t move;

    if (i >= o->count)
        return -1;
    for (int j = i + 1; j < o->count; j++)
        if (o->score[j] > o->score[best])
            best = j;
    move = o->move[best];
    o->move[best] = o->move[i];
    o->score[best] = o->score[i];
    o->move[i] = move;
    o->tried++;
    return move;
}

/* Record that move `best` caused a cutoff at this depth, after the others in o had been tried. */
void order_learn(struct order_memory *m, const struct move_list *list, const struct order *o,
                 enum side us, int ply, int depth, int best);

#endif
