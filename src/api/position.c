/* SPDX-License-Identifier: MIT
 *
 * Positions and moves of the public library; no tables are needed. */
#include "api/public.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "db/views.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static_assert((int)KELSO_MOVES_MAX == (int)MOVES_MAX, "room for all moves");
static_assert((int)KELSO_PATH_MAX == MOVE_JUMPS_MAX + 1, "room for the longest path");
static_assert((int)KELSO_FEN_MAX == (int)FEN_TEXT_MAX, "room for any FEN");
static_assert((int)KELSO_MOVE_TEXT_MAX == (int)MOVE_TEXT_MAX, "room for any move");

/* ------------------------------------------------------------------ positions -- */

/* In place, a word at a time: a board that is returned would be copied in vectors, which wait for
 * the words just stored, and a probe would take a tenth longer. */
static void board_set(struct board *b, const kelso_position *p)
{
    b->side[BLACK] = squares_unpack(p->black_men | p->black_kings);
    b->side[WHITE] = squares_unpack(p->white_men | p->white_kings);
    b->kings = squares_unpack(p->black_kings | p->white_kings);
    b->turn = p->turn == KELSO_WHITE ? WHITE : BLACK;
}

kelso_position public_position(const struct board *b)
{
    return (kelso_position){
        .black_men = squares_pack(board_men(b, BLACK)),
        .black_kings = squares_pack(board_kings(b, BLACK)),
        .white_men = squares_pack(board_men(b, WHITE)),
        .white_kings = squares_pack(board_kings(b, WHITE)),
        .turn = b->turn == WHITE ? KELSO_WHITE : KELSO_BLACK,
    };
}

/* What is wrong with a position from outside, or NULL. */
static const char *position_fault(const kelso_position *p, struct board *b)
{
    uint32_t black = p->black_men | p->black_kings, white = p->white_men | p->white_kings;

    if (p->turn != KELSO_BLACK && p->turn != KELSO_WHITE)
        return "the side to move is neither Black nor White";
    if ((p->black_men & p->black_kings) | (p->white_men & p->white_kings) | (black & white))
        return "two pieces on one square";
    if (p->black_men >> 28 || p->white_men & 0xF || __builtin_popcount(black) > 12 ||
        __builtin_popcount(white) > 12)
        return "a man on the row where it is crowned, or more than twelve pieces";
    if (!(p->turn == KELSO_BLACK ? white : black))
        return "the side that is not to move has no pieces";
    board_set(b, p);
    assert(board_valid(b));
    return NULL;
}

/* All ones if position_fault finds nothing.  There is no branch. */
static inline uint32_t position_good(const kelso_position *p, uint32_t own, uint32_t other)
{
    bool fault = (p->black_men & p->black_kings) | (p->white_men & p->white_kings) | (own & other) |
                 p->black_men >> 28 | (p->white_men & 0xF);

    fault |= (p->turn != KELSO_BLACK) & (p->turn != KELSO_WHITE);
    fault |= (__builtin_popcount(own) > 12) | (__builtin_popcount(other) > 12) | !other;
    return (uint32_t)fault - 1;
}

/* In portions, of which the compiler turns the boards with vector instructions. */
void public_views(const kelso_position *p, size_t count, const struct views *views)
{
    enum { PORTION = 256 };
    uint32_t white[PORTION];

    for (size_t first = 0, n; first < count; first += n) {
        struct views out = views_from(views, first);

        n = count - first < PORTION ? count - first : PORTION;
        for (size_t i = 0; i < n; i++, p++) {
            uint32_t turn = p->turn == KELSO_WHITE ? UINT32_MAX : 0, good;
            uint32_t men = (p->black_men ^ p->white_men) & turn;
            uint32_t kings = (p->black_kings ^ p->white_kings) & turn;
            struct view v = {p->black_men ^ men, p->black_kings ^ kings, p->white_men ^ men,
                             p->white_kings ^ kings};

            good = position_good(p, v.men | v.kings, v.opp_men | v.opp_kings);
            views_set(
                &out, i,
                (struct view){v.men & good, v.kings & good, v.opp_men & good, v.opp_kings & good});
            white[i] = turn;
        }
        views_turn(&out, n, white);
    }
}

kelso_status public_board(const kelso_position *p, struct board *b, kelso_error *error)
{
    const char *fault = position_fault(p, b);

    return fault ? public_fail(error, KELSO_BAD_INPUT, "position: %s", fault) : KELSO_OK;
}

kelso_status kelso_position_parse(const char *fen, kelso_position *position, kelso_error *error)
{
    struct text_error where;
    struct board b;

    if (!fen_parse(fen, strlen(fen), &b, &where))
        return public_fail(error, KELSO_BAD_INPUT, "FEN, column %zu: %s", where.at + 1, where.what);
    *position = public_position(&b);
    return KELSO_OK;
}

/* fen_format has room for 24 pieces.  An invalid position may have more, and squares in two
 * sets; write it as if it were valid. */
char *kelso_position_format(const kelso_position *position, char fen[KELSO_FEN_MAX])
{
    struct board b;

    board_set(&b, position);
    b.side[WHITE] &= ~b.side[BLACK];
    for (int us = BLACK; us <= WHITE; us++)
        while (squares_count(b.side[us]) > 12)
            b.side[us] &= b.side[us] - 1;
    b.kings &= b.side[BLACK] | b.side[WHITE];
    fen_format(&b, fen);
    return fen;
}

/* ---------------------------------------------------------------------- moves -- */

kelso_move public_move(const struct move *m)
{
    kelso_move out = {.crowns = m->crowns, .captured = squares_pack(m->captured)};

    out.path[out.length++] = (uint8_t)square_number(m->from);
    for (int i = 0; i + 1 < m->jumps; i++)
        out.path[out.length++] = (uint8_t)square_number(m->via[i]);
    out.path[out.length++] = (uint8_t)square_number(m->to);
    return out;
}

static bool same_path(const kelso_move *a, const kelso_move *b)
{
    return a->length == b->length && a->length <= KELSO_PATH_MAX &&
           memcmp(a->path, b->path, a->length) == 0;
}

kelso_status kelso_moves(const kelso_position *position, kelso_move *moves, int *count,
                         kelso_error *error)
{
    struct move_list list;
    struct board b;
    kelso_status rc = public_board(position, &b, error);

    if (rc)
        return rc;
    *count = moves_generate(&b, &list);
    for (int i = 0; i < list.count; i++)
        moves[i] = public_move(&list.move[i]);
    return KELSO_OK;
}

kelso_status kelso_play(const kelso_position *position, const kelso_move *move,
                        kelso_position *after, kelso_error *error)
{
    struct move_list list;
    struct board b, next;
    kelso_status rc = public_board(position, &b, error);

    if (rc)
        return rc;
    moves_generate(&b, &list);
    for (int i = 0; i < list.count; i++) {
        kelso_move legal = public_move(&list.move[i]);

        if (!same_path(&legal, move))
            continue;
        next = board_after(&b, &list.move[i]);
        *after = public_position(&next);
        return KELSO_OK;
    }
    return public_fail(error, KELSO_BAD_INPUT, "move: not legal in this position");
}

kelso_status kelso_move_parse(const kelso_position *position, const char *text, kelso_move *move,
                              kelso_error *error)
{
    struct text_error where;
    struct move_list list;
    struct board b;
    struct move m;
    kelso_status rc = public_board(position, &b, error);

    if (rc)
        return rc;
    moves_generate(&b, &list);
    if (!move_parse(text, strlen(text), &list, &m, &where))
        return public_fail(error, KELSO_BAD_INPUT, "move, column %zu: %s", where.at + 1,
                           where.what);
    *move = public_move(&m);
    return KELSO_OK;
}

char *kelso_move_format(const kelso_move *move, char text[KELSO_MOVE_TEXT_MAX])
{
    int length = move->length < KELSO_PATH_MAX ? move->length : KELSO_PATH_MAX;
    size_t n = 0;

    text[0] = '\0';
    for (int i = 0; i < length; i++)
        n += (size_t)snprintf(text + n, KELSO_MOVE_TEXT_MAX - n, "%s%d",
                              !i               ? ""
                              : move->captured ? "x"
                                               : "-",
                              move->path[i] % 100);
    return text;
}
