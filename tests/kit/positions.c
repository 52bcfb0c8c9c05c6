/* SPDX-License-Identifier: MIT */
#include "kit/positions.h"

/* Kings are rare, common or everything, so that each kind of position has its share. */
struct board random_position(struct rng *r)
{
    struct board b = {.turn = (enum side)rng_below(r, 2)};
    int share = rng_below(r, 5), many = 1 + rng_below(r, 12);

    for (enum side s = BLACK; s <= WHITE; s++) {
        int pieces = rng_below(r, many + 1);

        while (squares_count(b.side[s]) < pieces) {
            squares bit = squares_of(square_from_number(1 + rng_below(r, 32)));

            if (bit & ~board_empty(&b))
                continue;
            b.side[s] |= bit;
            if ((bit & squares_crown_row(s)) || rng_below(r, 4) < share)
                b.kings |= bit;
        }
    }
    return b;
}

struct placing {
    void (*visit)(void *context, const struct board *b);
    void *context;
};

/* Put `pieces` more on squares from `first` on, in every way. */
static void place(const struct placing *p, struct board b, int first, int pieces)
{
    if (pieces == 0) {
        for (b.turn = BLACK; b.turn <= WHITE; b.turn++)
            if (board_valid(&b))
                p->visit(p->context, &b);
        return;
    }
    for (int number = first; number <= 32; number++) {
        squares bit = squares_of(square_from_number(number));

        for (int kind = 0; kind < 4; kind++) {
            struct board next = b;

            next.side[kind & 1] |= bit;
            next.kings |= kind & 2 ? bit : 0;
            place(p, next, number + 1, pieces - 1);
        }
    }
}

void each_position(int pieces, void (*visit)(void *context, const struct board *b), void *context)
{
    place(&(struct placing){visit, context}, (struct board){0}, 1, pieces);
}

struct board random_pieces(struct rng *r, int pieces, int men)
{
    for (;;) {
        struct board b = {.turn = (enum side)rng_below(r, 2)};

        while (squares_count(b.side[BLACK] | b.side[WHITE]) < pieces) {
            enum side s = (enum side)rng_below(r, 2);
            squares bit = squares_of(square_from_number(1 + rng_below(r, 32)));

            if (bit & ~board_empty(&b))
                continue;
            b.side[s] |= bit;
            if ((bit & squares_crown_row(s)) || rng_below(r, men))
                b.kings |= bit;
        }
        if (b.side[BLACK] && b.side[WHITE])
            return b;
    }
}
