/* SPDX-License-Identifier: MIT */
#include "kit/games_brute.h"

#include "core/movegen.h"

static const int home[] = {1, 2, 3, 4, 5, 12};

static bool has_home_piece(const struct board *b)
{
    for (int i = 0; i < 6; i++) {
        int number = b->turn == BLACK ? home[i] : 33 - home[i];

        if (b->side[b->turn] & squares_of(square_from_number(number)))
            return true;
    }
    return false;
}

static void count_end(const struct board *b, struct brute_counts *out)
{
    out->games++;
    if (b->side[b->turn]) {
        out->blocks++;
        out->deep += has_home_piece(b);
    }
}

void brute_games(const struct board *b, int plies, struct brute_counts *out)
{
    struct move_list list;
    struct board child[MOVES_MAX];

    moves_generate(b, &list);
    if (plies == 0 && list.count == 0)
        count_end(b, out);
    for (int i = 0; plies > 0 && i < list.count; i++) {
        bool seen = false;

        child[i] = board_after(b, &list.move[i]);
        for (int k = 0; k < i; k++)
            seen = seen || board_equal(&child[i], &child[k]);
        if (!seen)
            brute_games(&child[i], plies - 1, out);
    }
}

struct board brute_walk(struct rng *r, int plies)
{
    struct board b = board_start;
    struct move_list list;

    for (int i = 0; i < plies && moves_generate(&b, &list) > 0; i++)
        b = board_after(&b, &list.move[rng_below(r, list.count)]);
    return b;
}

/* As Black's: a few black pieces at home, white ones close in front of them. */
struct board brute_crowded(struct rng *r)
{
    struct board b = {.turn = rng_below(r, 2) ? BLACK : WHITE};
    int few = 1 + rng_below(r, 3), many = 3 + rng_below(r, 8);

    for (int i = 0; i < few + many; i++) {
        enum side who = i < few ? BLACK : WHITE;
        int number = i < few ? home[rng_below(r, 6)] : 5 + rng_below(r, 14);
        squares at = squares_of(square_from_number(number));

        if (at & (b.side[BLACK] | b.side[WHITE]))
            continue;
        b.side[who] |= at;
        if (rng_below(r, 8) == 0)
            b.kings |= at;
    }
    return rng_below(r, 2) ? b : board_flip(&b);
}
