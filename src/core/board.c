/* SPDX-License-Identifier: MIT */
#include "core/board.h"

const struct board board_start = {
    .side = {UINT64_C(0x000001EFF), UINT64_C(0x7FBC00000)},
    .kings = 0,
    .turn = BLACK,
};

struct board board_flip(const struct board *b)
{
    return (struct board){
        .side = {squares_flip(b->side[WHITE]), squares_flip(b->side[BLACK])},
        .kings = squares_flip(b->kings),
        .turn = side_other(b->turn),
    };
}

bool board_valid(const struct board *b)
{
    squares all = b->side[BLACK] | b->side[WHITE];

    return (b->turn == BLACK || b->turn == WHITE) && !(all & ~BOARD_SQUARES) &&
           !(b->side[BLACK] & b->side[WHITE]) && !(b->kings & ~all) &&
           !(board_men(b, BLACK) & BOARD_ROW_8) && !(board_men(b, WHITE) & BOARD_ROW_1) &&
           squares_count(b->side[BLACK]) <= 12 && squares_count(b->side[WHITE]) <= 12;
}
