/* SPDX-License-Identifier: MIT */
#include "play/dxp_wire.h"

#include <stdio.h>
#include <string.h>

static const char pieces[] = "zZwW";

static char colour_letter(enum side s)
{
    return s == WHITE ? 'W' : 'Z';
}

/* -------------------------------------------------------------------- encoding -- */

static int encode_start(const struct board *b, char *out, size_t size)
{
    char board[33];

    if (board_equal(b, &board_start))
        return snprintf(out, size, "A");
    for (int n = 1; n <= 32; n++) {
        squares at = squares_of(square_from_number(n));
        int piece = (b->side[WHITE] & at ? 2 : 0) + ((b->kings & at) != 0);

        board[n - 1] = board_empty(b) & at ? 'e' : pieces[piece];
    }
    board[32] = 0;
    return snprintf(out, size, "B%c%s", colour_letter(b->turn), board);
}

static int encode_move(const struct dxp_message *m, char *out, size_t size)
{
    int n = snprintf(out, size, "M%04d%02d%02d%02d", m->seconds, m->from, m->to,
                     squares_count(m->captured));

    for (squares c = m->captured; c; c &= c - 1)
        n += snprintf(out + n, size - (size_t)n, "%02d", square_number(square_first(c)));
    return n;
}

size_t dxp_encode(const struct dxp_message *m, char out[DXP_MESSAGE_MAX])
{
    const size_t size = DXP_MESSAGE_MAX;
    int n = 0;

    switch (m->kind) {
    case 'R':
        n = snprintf(out, size, "R%02d%-32.32s%c%03d%03d", m->version, m->name,
                     colour_letter(m->colour), m->minutes, m->moves);
        n += encode_start(&m->start, out + n, size - (size_t)n);
        break;
    case 'A':
        n = snprintf(out, size, "A%-32.32s%c", m->name, m->code);
        break;
    case 'M':
        n = encode_move(m, out, size);
        break;
    case 'E':
        n = snprintf(out, size, "E%c%c", m->code, m->stop);
        break;
    case 'C':
        n = snprintf(out, size, "C%s", m->text);
        break;
    case 'B':
        n = snprintf(out, size, "B%03d%c", m->moves, colour_letter(m->colour));
        break;
    default:
        n = snprintf(out, size, "K%c", m->code);
    }
    return (size_t)n + 1;
}

/* -------------------------------------------------------------------- decoding -- */

/* A number of `digits` digits (blanks may stand before it); false if there is none. */
static bool take_number(const char **at, int digits, int *out)
{
    const char *p = *at;

    *out = 0;
    for (int i = 0; i < digits; i++, p++) {
        if (*p == ' ' && *out == 0)
            continue;
        if (*p < '0' || *p > '9')
            return false;
        *out = *out * 10 + *p - '0';
    }
    *at = p;
    return true;
}

static bool take_char(const char **at, char *out)
{
    if (!**at)
        return false;
    *out = *(*at)++;
    return true;
}

static bool take_name(const char **at, char out[DXP_NAME_MAX])
{
    if (strnlen(*at, DXP_NAME_MAX - 1) < DXP_NAME_MAX - 1)
        return false;
    memcpy(out, *at, DXP_NAME_MAX - 1);
    *at += DXP_NAME_MAX - 1;
    for (int n = DXP_NAME_MAX - 1; n >= 0 && (out[n] = 0, n > 0 && out[n - 1] == ' '); n--)
        ;
    for (char *p = out; *p; p++)
        if (*p < ' ' || *p > '~')
            *p = '?';
    return true;
}

static bool take_colour(const char **at, enum side *out)
{
    char c;

    if (!take_char(at, &c) || (c != 'W' && c != 'Z'))
        return false;
    *out = c == 'W' ? WHITE : BLACK;
    return true;
}

static bool take_start(const char **at, struct board *out)
{
    struct board b = {0};
    char kind;

    *out = board_start;
    if (!take_char(at, &kind) || (kind != 'A' && kind != 'B'))
        return false;
    if (kind == 'A')
        return true;
    if (!take_colour(at, &b.turn))
        return false;
    for (int n = 1; n <= 32; n++) {
        squares bit = squares_of(square_from_number(n));
        const char *piece;
        char c;

        if (!take_char(at, &c))
            return false;
        if (c == 'e')
            continue;
        if (!(piece = strchr(pieces, c)))
            return false;
        b.side[piece - pieces >= 2 ? WHITE : BLACK] |= bit;
        if ((piece - pieces) & 1)
            b.kings |= bit;
    }
    *out = b;
    return board_valid(&b) && b.side[side_other(b.turn)];
}

static bool take_move(const char **at, struct dxp_message *m)
{
    int n, at_square;

    if (!take_number(at, 4, &m->seconds) || !take_number(at, 2, &m->from) ||
        !take_number(at, 2, &m->to) || !take_number(at, 2, &n) || n > 12)
        return false;
    while (n-- > 0) {
        if (!take_number(at, 2, &at_square) || at_square < 1 || at_square > 32)
            return false;
        m->captured |= squares_of(square_from_number(at_square));
    }
    return true;
}

const char *dxp_decode(const char *text, struct dxp_message *m)
{
    const char *at = text + (*text != 0);

    *m = (struct dxp_message){.kind = *text};
    switch (*text) {
    case 'R':
        return take_number(&at, 2, &m->version) && take_name(&at, m->name) &&
                       take_colour(&at, &m->colour) && take_number(&at, 3, &m->minutes) &&
                       take_number(&at, 3, &m->moves) && take_start(&at, &m->start) &&
                       at[strspn(at, " ")] == 0 /* a board of 50 squares goes on here */
                   ? NULL
                   : "a request for a game that cannot be read";
    case 'A':
        return take_name(&at, m->name) && take_char(&at, &m->code) ? NULL
                                                                   : "an answer that is cut off";
    case 'M':
        return take_move(&at, m) ? NULL : "a move that cannot be read";
    case 'E':
        return take_char(&at, &m->code) && take_char(&at, &m->stop) && m->code >= DXP_UNKNOWN &&
                       m->code <= DXP_I_WIN
                   ? NULL
                   : "an end of a game that cannot be read";
    case 'C':
        snprintf(m->text, sizeof m->text, "%s", at);
        for (char *p = m->text; *p; p++)
            if (*p < ' ' || *p > '~')
                *p = '?';
        return NULL;
    case 'B':
        return take_number(&at, 3, &m->moves) && take_colour(&at, &m->colour)
                   ? NULL
                   : "a request to go back that cannot be read";
    case 'K':
        return take_char(&at, &m->code) ? NULL : "an answer that is cut off";
    default:
        return "an unknown kind of message";
    }
}
