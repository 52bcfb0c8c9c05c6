/* SPDX-License-Identifier: MIT */
#include "proof/oracle.h"
#include "core/movegen.h"

#include <limits.h>

/* Is every slice of these two armies there, and of all that captures leave of them? */
static void whole_find(struct oracle *o, const struct slice *list, int n)
{
    for (int i = 0; i <= PIECES_MAX; i++)
        for (int j = 0; j <= PIECES_MAX; j++)
            o->whole[i][j] = i + j <= o->most;
    for (int i = 0; i < n; i++) {
        int us = list[i].kings + list[i].men, them = list[i].opp_kings + list[i].opp_men;

        for (int x = us; !o->has[slice_code(list[i])] && x <= PIECES_MAX; x++)
            for (int y = them; y <= PIECES_MAX; y++)
                o->whole[x][y] = o->whole[y][x] = false;
    }
}

static void above_find(struct oracle *o)
{
    for (int i = 0; i <= 32; i++)
        for (int j = 0; j <= 32; j++) {
            bool whole = i <= PIECES_MAX && j <= PIECES_MAX && o->whole[i][j];
            int less = INT_MAX;

            if (i)
                less = o->above[i - 1][j];
            if (j && o->above[i][j - 1] < less)
                less = o->above[i][j - 1];
            o->above[i][j] = (uint8_t)(whole ? 0 : less + 1);
        }
}

void oracle_open(struct oracle *o, const struct catalog *c, struct probe *p, int pieces)
{
    struct slice list[SLICE_CODES];
    int limit = pieces ? pieces : PIECES_MAX, n = slice_order(limit, PIECES_MAX, list);
    int first_gap = limit + 1;

    *o = (struct oracle){.probe = p};
    for (int i = 0; i < n; i++) {
        int size = slice_pieces(list[i]);
        bool has = catalog_has(c, list[i], KIND_WLD);

        o->has[slice_code(list[i])] = o->has[slice_code(slice_flip(list[i]))] = has;
        if (has && size > o->most)
            o->most = size;
        if (!has && size < first_gap)
            first_gap = size;
    }
    o->complete = first_gap - 1;
    whole_find(o, list, n);
    above_find(o);
}

/* Whatever is captured, one piece or several, leads into the tables. */
static bool captures_known(const struct oracle *o, const struct board *b)
{
    int us = squares_count(b->side[b->turn]), them = squares_count(b->side[side_other(b->turn)]);

    return us <= PIECES_MAX && them <= PIECES_MAX + 1 && o->whole[us][them - 1];
}

bool oracle_knows(const struct oracle *o, const struct board *b)
{
    int pieces = squares_count(b->side[BLACK] | b->side[WHITE]);
    struct view view;

    if (pieces <= o->complete || !b->side[b->turn]) /* the game is over */
        return true;
    if (pieces > o->most + 1)
        return false;
    if (board_must_capture(b)) /* the probe plays the captures */
        return captures_known(o, b);
    if (pieces > o->most)
        return false;
    view = view_of(b);
    return o->has[slice_code(view_slice(&view))];
}

int oracle_distance(const struct oracle *o, const struct board *b)
{
    return o->above[squares_count(b->side[BLACK])][squares_count(b->side[WHITE])];
}

enum status oracle_value(const struct oracle *o, const struct board *b, enum value *v,
                         struct error *e)
{
    return probe_value(o->probe, b, v, e);
}

bool oracle_at_hand(const struct oracle *o, const struct board *b, enum value *v)
{
    return probe_at_hand(o->probe, b, v);
}
