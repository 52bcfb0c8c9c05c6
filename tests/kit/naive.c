/* SPDX-License-Identifier: MIT */
#include "kit/naive.h"

#include <ctype.h>

/* ---------------------------------------------------------------- geometry -- */

/* Rows 0 to 7 from Black's back row; columns 0 to 7 as in print. */
static int row_of(int number)
{
    return (number - 1) / 4;
}

static int column_of(int number)
{
    int place = (number - 1) % 4;

    return row_of(number) % 2 == 0 ? 2 * place + 1 : 2 * place;
}

/* The square at a row and column; 0 if it is off the board. */
static int number_at(int row, int column)
{
    if (row < 0 || row > 7 || column < 0 || column > 7)
        return 0;
    return 4 * row + column / 2 + 1;
}

static int neighbour(int number, int rows, int columns)
{
    return number_at(row_of(number) + rows, column_of(number) + columns);
}

/* ------------------------------------------------------------------ pieces -- */

static bool is_king(char piece)
{
    return piece == 'B' || piece == 'W';
}

static bool belongs_to(char piece, char side)
{
    return piece != '.' && tolower(piece) == side;
}

static char opponent(char side)
{
    return side == 'b' ? 'w' : 'b';
}

static bool may_go(char piece, int rows)
{
    return is_king(piece) || rows == (piece == 'b' ? 1 : -1);
}

static bool crowns_on(char piece, int number)
{
    return (piece == 'b' && row_of(number) == 7) || (piece == 'w' && row_of(number) == 0);
}

/* -------------------------------------------------------------- conversion -- */

struct naive_board naive_from_board(const struct board *b)
{
    struct naive_board n = {.turn = b->turn == BLACK ? 'b' : 'w'};

    for (int number = 1; number <= 32; number++) {
        squares bit = squares_of(square_from_number(number));
        char piece = '.';

        if (b->side[BLACK] & bit)
            piece = b->kings & bit ? 'B' : 'b';
        if (b->side[WHITE] & bit)
            piece = b->kings & bit ? 'W' : 'w';
        n.at[number] = piece;
    }
    return n;
}

struct board naive_to_board(const struct naive_board *n)
{
    struct board b = {.turn = n->turn == 'b' ? BLACK : WHITE};

    for (int number = 1; number <= 32; number++) {
        squares bit = squares_of(square_from_number(number));

        if (belongs_to(n->at[number], 'b'))
            b.side[BLACK] |= bit;
        if (belongs_to(n->at[number], 'w'))
            b.side[WHITE] |= bit;
        if (is_king(n->at[number]))
            b.kings |= bit;
    }
    return b;
}

/* ------------------------------------------------------------------- moves -- */

static bool was_captured(const struct naive_move *m, int number)
{
    for (int i = 0; i < m->captures; i++)
        if (m->captured[i] == number)
            return true;
    return false;
}

/* The board is without the moving piece; captured pieces are still on it. */
static void extend_capture(const struct naive_board *n, char piece, const struct naive_move *so_far,
                           struct naive_list *list)
{
    int here = so_far->path[so_far->squares - 1];
    bool more = false;

    for (int rows = -1; rows <= 1; rows += 2) {
        for (int columns = -1; columns <= 1; columns += 2) {
            int over = neighbour(here, rows, columns);
            int landing = neighbour(here, 2 * rows, 2 * columns);

            if (over && landing && may_go(piece, rows) && !crowns_on(piece, here) &&
                belongs_to(n->at[over], opponent(n->turn)) && !was_captured(so_far, over) &&
                n->at[landing] == '.') {
                struct naive_move longer = *so_far;

                longer.path[longer.squares++] = landing;
                longer.captured[longer.captures++] = over;
                extend_capture(n, piece, &longer, list);
                more = true;
            }
        }
    }
    if (!more && so_far->captures > 0)
        list->move[list->count++] = *so_far;
}

static void add_captures(const struct naive_board *n, int from, struct naive_list *list)
{
    struct naive_board without = *n;
    struct naive_move start = {.squares = 1, .path = {from}};

    without.at[from] = '.';
    extend_capture(&without, n->at[from], &start, list);
}

static void add_quiet_moves(const struct naive_board *n, int from, struct naive_list *list)
{
    for (int rows = -1; rows <= 1; rows += 2) {
        for (int columns = -1; columns <= 1; columns += 2) {
            int to = neighbour(from, rows, columns);

            if (to && may_go(n->at[from], rows) && n->at[to] == '.')
                list->move[list->count++] = (struct naive_move){.squares = 2, .path = {from, to}};
        }
    }
}

void naive_moves(const struct naive_board *n, struct naive_list *list)
{
    list->count = 0;
    for (int number = 1; number <= 32; number++)
        if (belongs_to(n->at[number], n->turn))
            add_captures(n, number, list);
    if (list->count > 0)
        return; /* captures are compulsory */
    for (int number = 1; number <= 32; number++)
        if (belongs_to(n->at[number], n->turn))
            add_quiet_moves(n, number, list);
}

struct naive_board naive_after(const struct naive_board *n, const struct naive_move *m)
{
    struct naive_board after = *n;
    int from = m->path[0], to = m->path[m->squares - 1];
    char piece = n->at[from];

    after.at[from] = '.';
    for (int i = 0; i < m->captures; i++)
        after.at[m->captured[i]] = '.';
    after.at[to] = crowns_on(piece, to) ? (char)toupper(piece) : piece;
    after.turn = opponent(n->turn);
    return after;
}
