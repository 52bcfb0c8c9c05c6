/* SPDX-License-Identifier: MIT */
#include "search/order.h"

#include <string.h>

enum {
    FIRST = 1 << 24,
    CAPTURE = 1 << 20, /* a piece taken */
    CROWN = 1 << 18,
    KILLER = 1 << 17,
    HISTORY_MAX = 16000,
};

void order_forget(struct order_memory *m)
{
    memset(m, 0, sizeof *m);
}

static uint16_t move_ends(const struct move *m)
{
    return (uint16_t)(m->from << 8 | m->to);
}

void order_open(struct order *o, const struct order_memory *m, const struct move_list *list,
                enum side us, int ply, int first)
{
    const uint16_t *killer = m->killer[ply];

    o->count = list->count;
    o->tried = 0;
    for (int i = 0; i < list->count; i++) {
        const struct move *move = &list->move[i];
        uint16_t ends = move_ends(move);
        int score = m->history[us][move->from][move->to] + move->jumps * CAPTURE;

        score += move->crowns ? CROWN : 0;
        score += ends == killer[0] ? KILLER + 1 : ends == killer[1] ? KILLER : 0;
        o->score[i] = i == first ? FIRST : score;
        o->move[i] = (uint8_t)i;
    }
}

/* Toward +-HISTORY_MAX, by a part of what is left. */
static void history_add(int16_t *h, int bonus)
{
    int size = bonus < 0 ? -bonus : bonus;

    *h = (int16_t)(*h + bonus - *h * size / HISTORY_MAX);
}

void order_learn(struct order_memory *m, const struct move_list *list, const struct order *o,
                 enum side us, int ply, int depth, int best)
{
    const struct move *move = &list->move[best];
    uint16_t ends = move_ends(move), *killer = m->killer[ply];
    int bonus = depth > 20 ? 400 : depth * depth;

    if (killer[0] != ends) {
        killer[1] = killer[0];
        killer[0] = ends;
    }
    history_add(&m->history[us][move->from][move->to], bonus);
    for (int i = 0; i < o->tried; i++) {
        const struct move *other = &list->move[o->move[i]];

        if (o->move[i] != best)
            history_add(&m->history[us][other->from][other->to], -bonus);
    }
}
