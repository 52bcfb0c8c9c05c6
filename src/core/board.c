/* SPDX-License-Identifier: MIT */
#include "core/board.h"

const struct board board_start = {
    .side = {UINT64_C(0x000001EFF), UINT64_C(0x7FBC00000)},
    .kings = 0,
    .turn = BLACK,
};

static uint64_t reverse64(uint64_t x)
{
    x = __builtin_bswap64(x);
    x = (x >> 4 & UINT64_C(0x0F0F0F0F0F0F0F0F)) | (x & UINT64_C(0x0F0F0F0F0F0F0F0F)) << 4;
    x = (x >> 2 & UINT64_C(0x3333333333333333)) | (x & UINT64_C(0x3333333333333333)) << 2;
    return (x >> 1 & UINT64_C(0x5555555555555555)) | (x & UINT64_C(0x5555555555555555)) << 1;
}

squares squares_flip(squares set)
{
    return reverse64(set) >> 29; /* bit b becomes bit 34 - b */
}

uint32_t packed_flip(uint32_t set)
{
    return (uint32_t)(reverse64(set) >> 32);
}

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
