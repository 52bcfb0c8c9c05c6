/* SPDX-License-Identifier: MIT */
#include "search/kings.h"

#include "core/movegen.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A state: whose turn, the squares of the hunters in ascending order (the same square twice if
 * there is one), the square of the hunted king.  The last two have no board. */
enum { MOVES = 8, HUNTED_TURN = 1 << 15, CAUGHT = 31 << 10, ESCAPED = CAUGHT | 1 };

/* The graph of all states, searched from its ends upward. */
struct graph {
    uint8_t moves[KINGS_STATES];          /* of the hunted: not yet known to lose */
    uint32_t first[KINGS_STATES + 1];     /* in `above` */
    uint16_t above[KINGS_STATES * MOVES]; /* the states before a state */
    uint16_t below[KINGS_STATES][MOVES];  /* and after it */
    uint8_t count[KINGS_STATES];
    uint16_t queue[KINGS_STATES]; /* states with a known distance, the nearest first */
    int queued;
};

static int square_index(squares one)
{
    return square_number(square_first(one)) - 1;
}

static squares square_at(int index)
{
    return squares_of(square_from_number(index + 1));
}

/* The state of a board whose hunters are `us`; CAUGHT, ESCAPED if a side has no piece left. */
static int state_of(const struct board *b, enum side us)
{
    squares hunters = b->side[us], hunted = b->side[side_other(us)], last = hunters;

    if (!hunted)
        return CAUGHT;
    if (!hunters)
        return ESCAPED;
    if (squares_count(hunters) == 2)
        last &= last - 1;
    return (b->turn == us ? 0 : HUNTED_TURN) | square_index(hunters & -hunters) << 10 |
           square_index(last) << 5 | square_index(hunted);
}

/* The board of a state, hunters black; false if there is none. */
static bool state_board(int state, struct board *b)
{
    squares one = square_at(state >> 10 & 31), two = square_at(state >> 5 & 31);
    squares hunted = square_at(state & 31);

    *b = (struct board){.turn = state & HUNTED_TURN ? WHITE : BLACK};
    b->side[BLACK] = one | two;
    b->side[WHITE] = hunted;
    b->kings = one | two | hunted;
    return (state >> 10 & 31) <= (state >> 5 & 31) && !((one | two) & hunted);
}

static void settle(struct graph *g, struct kings *k, int state, int plies)
{
    k->plies[state] = (uint8_t)(plies + 1);
    g->queue[g->queued++] = (uint16_t)state;
}

/* List what each state leads to, and begin with those that have ended or end at once. */
static void list_moves(struct graph *g, struct kings *k)
{
    struct move_list list;
    struct board b;

    for (int state = 0; state < KINGS_STATES; state++) {
        if (!state_board(state, &b))
            continue;
        g->count[state] = g->moves[state] = (uint8_t)moves_generate(&b, &list);
        assert(list.count <= MOVES);
        for (int i = 0; i < list.count; i++) {
            struct board next = board_after(&b, &list.move[i]);

            g->below[state][i] = (uint16_t)state_of(&next, BLACK);
        }
        if (list.count == 0 && b.turn == WHITE)
            settle(g, k, state, 0);
    }
    for (int state = 0; state < HUNTED_TURN; state++)
        if (g->count[state] && g->below[state][0] == CAUGHT)
            settle(g, k, state, 1);
}

/* Turn `below` around. */
static void list_above(struct graph *g)
{
    uint32_t n = 0;

    for (int state = 0; state < KINGS_STATES; state++)
        for (int i = 0; i < g->count[state]; i++)
            g->first[g->below[state][i]]++;
    for (int state = 0; state < KINGS_STATES; state++)
        g->first[state] = n += g->first[state];
    g->first[KINGS_STATES] = n;
    for (int state = KINGS_STATES - 1; state >= 0; state--)
        for (int i = 0; i < g->count[state]; i++)
            g->above[--g->first[g->below[state][i]]] = (uint16_t)state;
}

bool kings_make(struct kings *k)
{
    struct graph *g = calloc(1, sizeof *g);

    if (!g)
        return false;
    memset(k, 0, sizeof *k);
    list_moves(g, k);
    list_above(g);
    for (int i = 0; i < g->queued; i++) {
        int state = g->queue[i];

        for (uint32_t j = g->first[state]; j < g->first[state + 1]; j++) {
            int up = g->above[j];

            /* The hunters choose the first win; the hunted lose when all moves do. */
            if (!k->plies[up] && (!(up & HUNTED_TURN) || --g->moves[up] == 0))
                settle(g, k, up, k->plies[state]);
        }
    }
    free(g);
    return true;
}

bool kings_find(const struct kings *k, const struct board *b, enum side *winner, int *plies)
{
    squares all = b->side[BLACK] | b->side[WHITE];

    if (all != b->kings || squares_count(all) > 3)
        return false;
    for (int us = BLACK; us <= WHITE; us++) {
        int state;

        if (squares_count(b->side[side_other((enum side)us)]) != 1)
            continue;
        state = state_of(b, (enum side)us);
        if (!k->plies[state])
            continue;
        *winner = (enum side)us;
        *plies = k->plies[state] - 1;
        return true;
    }
    return false;
}
