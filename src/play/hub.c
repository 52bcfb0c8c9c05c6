/* SPDX-License-Identifier: MIT */
#include "play/hub.h"

#include "core/movegen.h"
#include "core/notation.h"

#include <stdio.h>
#include <string.h>

/* ----------------------------------------------------------------------- lines -- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static char *skip_spaces(char *p)
{
    while (is_space(*p))
        p++;
    return p;
}

/* To the end of a word; '=' ends it too if `name`. */
static char *word_end(char *p, bool name)
{
    while (*p && !is_space(*p) && !(name && *p == '='))
        p++;
    return p;
}

/* End the word at p and step past it. */
static char *cut(char *p)
{
    if (*p)
        *p++ = 0;
    return p;
}

bool hub_line_parse(char *text, struct hub_line *line)
{
    char *p = skip_spaces(text);

    *line = (struct hub_line){.command = p};
    p = cut(word_end(p, false));
    while (*(p = skip_spaces(p))) {
        struct hub_arg a = {p, ""};
        char *end = word_end(p, true);
        bool has_value = *end == '=';

        p = cut(end);
        if (has_value && *p == '"') {
            a.value = ++p;
            if (!(p = strchr(p, '"')))
                return false;
            p = cut(p);
        } else if (has_value) {
            a.value = p;
            p = cut(word_end(p, false));
        }
        if (line->args < HUB_ARGS_MAX)
            line->arg[line->args++] = a;
    }
    return true;
}

const char *hub_arg(const struct hub_line *line, const char *name)
{
    for (int i = 0; i < line->args; i++)
        if (strcmp(line->arg[i].name, name) == 0)
            return line->arg[i].value;
    return NULL;
}

/* ------------------------------------------------------------------- positions -- */

static const char letters[] = "bBwW";

void hub_position_format(const struct board *b, char out[HUB_POSITION_MAX])
{
    out[0] = b->turn == BLACK ? 'B' : 'W';
    for (int n = 1; n <= 32; n++) {
        squares at = squares_of(square_from_number(n));
        int side = b->side[BLACK] & at ? 0 : 2;

        out[n] = board_empty(b) & at ? 'e' : letters[side + ((b->kings & at) != 0)];
    }
    out[33] = 0;
}

const char *hub_position_parse(const char *text, struct board *out)
{
    struct board b = {.turn = *text == 'W' ? WHITE : BLACK};

    if (strlen(text) != 33)
        return "a position is a letter for the side to move and 32 for the squares";
    if (*text != 'W' && *text != 'B')
        return "the side to move is W or B";
    for (int n = 1; n <= 32; n++) {
        const char *at = strchr(letters, text[n]);
        squares bit = squares_of(square_from_number(n));

        if (text[n] == 'e')
            continue;
        if (!at)
            return "a square is one of e, b, B, w, W";
        b.side[at - letters >= 2] |= bit;
        if ((at - letters) & 1)
            b.kings |= bit;
    }
    if (!board_valid(&b) || !b.side[side_other(b.turn)])
        return "no such position can arise in a game";
    *out = b;
    return NULL;
}

/* ----------------------------------------------------------------------- moves -- */

void hub_move_format(const struct move *m, char out[HUB_MOVE_MAX])
{
    int n = snprintf(out, HUB_MOVE_MAX, "%d%c%d", square_number(m->from), m->jumps ? 'x' : '-',
                     square_number(m->to));

    for (squares c = m->captured; c; c &= c - 1)
        n += snprintf(out + n, HUB_MOVE_MAX - (size_t)n, "x%d", square_number(square_first(c)));
}

/* The numbers in "15x22x18"; at most `max`, -1 if it is something else. */
static int numbers_read(const char *text, size_t length, int *number, int max)
{
    int n = 0;

    for (size_t i = 0; i < length; n++) {
        if (n == max || (n > 0 && text[i] != 'x' && text[i] != '-'))
            return -1;
        i += n > 0;
        number[n] = 0;
        if (i >= length || text[i] < '0' || text[i] > '9')
            return -1;
        while (i < length && text[i] >= '0' && text[i] <= '9' && number[n] <= 32)
            number[n] = number[n] * 10 + text[i++] - '0';
        if (number[n] < 1 || number[n] > 32)
            return -1;
    }
    return n;
}

const char *hub_move_parse(const char *text, size_t length, const struct board *b, struct move *out)
{
    int number[MOVE_JUMPS_MAX + 2], n = numbers_read(text, length, number, MOVE_JUMPS_MAX + 2);
    squares captured = 0;
    struct move_list legal;

    if (n < 2)
        return "a move is numbers of squares, as in 11-15 or 15x22x18";
    for (int i = 2; i < n; i++)
        captured |= squares_of(square_from_number(number[i]));
    moves_generate(b, &legal);
    for (int i = 0; i < legal.count; i++) {
        const struct move *m = &legal.move[i];

        if (square_number(m->from) == number[0] && square_number(m->to) == number[1] &&
            m->captured == captured) {
            *out = *m;
            return NULL;
        }
    }
    return move_parse(text, length, &legal, out, NULL) ? NULL : "not a legal move";
}
