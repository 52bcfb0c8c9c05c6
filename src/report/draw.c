/* SPDX-License-Identifier: MIT */
#include "report/draw.h"

#include "report/term.h"

struct draw_style draw_style_for(FILE *out)
{
    bool colour = term_colour(out);

    return (struct draw_style){.colour = colour, .discs = colour && term_utf8()};
}

int draw_number_at(int row, int column, bool flip)
{
    int r = flip ? 7 - row : row, c = flip ? 7 - column : column;

    return (r + c) % 2 ? 4 * r + c / 2 + 1 : 0;
}

static const char *piece_at(const struct board *b, squares bit, const struct draw_style *style)
{
    bool king = (b->kings & bit) != 0;

    if (style->discs && ((b->side[BLACK] | b->side[WHITE]) & bit))
        return king ? "\u265b" : "\u25cf";
    if (b->side[BLACK] & bit)
        return king ? "B" : "b";
    if (b->side[WHITE] & bit)
        return king ? "W" : "w";
    return style->colour ? " " : ".";
}

static void draw_square(FILE *out, const struct board *b, int number,
                        const struct draw_style *style)
{
    squares bit = number ? squares_of(square_from_number(number)) : 0;
    const char *piece = number ? piece_at(b, bit, style) : " ";

    if (style->colour)
        fprintf(out, "\033[48;5;%dm\033[38;5;%dm", number ? 65 : 223,
                b->side[BLACK] & bit ? 16 : 231);
    if (!style->numbers)
        fprintf(out, " %s%s", piece, style->colour ? " " : "");
    else if (number)
        fprintf(out, " %s%-2d ", piece, number);
    else
        fputs("     ", out);
}

static void draw_edge(FILE *out, const struct draw_style *style)
{
    if (style->colour)
        return;
    fputs("  +", out);
    for (int i = 0; i < (style->numbers ? 41 : 17); i++)
        putc('-', out);
    fputs("+\n", out);
}

void draw_board(FILE *out, const struct board *b, struct draw_style style)
{
    draw_edge(out, &style);
    for (int row = 0; row < 8; row++) {
        fputs(style.colour ? "  " : "  |", out);
        for (int column = 0; column < 8; column++)
            draw_square(out, b, draw_number_at(row, column, style.flip), &style);
        fputs(style.colour ? "\033[0m\n" : " |\n", out);
    }
    draw_edge(out, &style);
}
