/* SPDX-License-Identifier: MIT */
#include "proof/estimate.h"

enum { MAN = 100, KING = 150 };

static int side_material(const struct board *b, enum side s)
{
    return MAN * squares_count(board_men(b, s)) + KING * squares_count(board_kings(b, s));
}

int estimate_material(const struct board *b, enum side us)
{
    return side_material(b, us) - side_material(b, side_other(us));
}

static uint32_t at_least_one(int n)
{
    return n > 1 ? (uint32_t)n : 1;
}

struct estimate estimate_numbers(const struct estimate_knobs *k, const struct board *b,
                                 enum side attacker, int above)
{
    int ahead = k->material * estimate_material(b, attacker) / MAN;
    int base = 1 + k->distance * above;

    if (board_kings(b, BLACK) && board_kings(b, WHITE))
        base += k->kings;
    return (struct estimate){at_least_one(base - ahead),
                             at_least_one(base + k->hold_base - 1 + ahead)};
}
