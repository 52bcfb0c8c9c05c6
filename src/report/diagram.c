/* SPDX-License-Identifier: MIT */
#include "report/diagram.h"

#include "report/draw.h"

enum { MARGIN = 2, SQUARE = 40, SIZE = 8 * SQUARE + 2 * MARGIN, MAN = 14 };

static void write_square(FILE *out, int x, int y, int number)
{
    fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", x, y, SQUARE,
            SQUARE, number ? "#7d8f69" : "#f0e6cf");
    if (number)
        fprintf(out,
                "<text x=\"%d\" y=\"%d\" font-family=\"sans-serif\" font-size=\"9\" "
                "fill=\"#22301a\">%d</text>\n",
                x + 2, y + 10, number);
}

/* A disc; a king is two, one on the other, with a ring. */
static void write_piece(FILE *out, int x, int y, bool black, bool king)
{
    const char *fill = black ? "#1d1d1d" : "#fbfaf5", *edge = black ? "#000" : "#777";
    int cx = x + SQUARE / 2, cy = y + SQUARE / 2 + (king ? 2 : 0);

    fprintf(out,
            "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"%s\" stroke=\"%s\" stroke-width=\"2\"/>\n",
            cx, cy, MAN, fill, edge);
    if (!king)
        return;
    fprintf(out,
            "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"%s\" stroke=\"%s\" stroke-width=\"2\"/>\n",
            cx, cy - 4, MAN, fill, edge);
    fprintf(out,
            "<circle cx=\"%d\" cy=\"%d\" r=\"6\" fill=\"none\" stroke=\"#c9a227\" "
            "stroke-width=\"3\"/>\n",
            cx, cy - 4);
}

void diagram_write(FILE *out, const struct board *b, bool flip, const char *title)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" role=\"img\">\n<title>%s</title>\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#3b2f2a\"/>\n",
            SIZE, SIZE, SIZE, SIZE, title, SIZE, SIZE);
    for (int i = 0; i < 64; i++) {
        int x = MARGIN + i % 8 * SQUARE, y = MARGIN + i / 8 * SQUARE;
        int number = draw_number_at(i / 8, i % 8, flip);
        squares bit = number ? squares_of(square_from_number(number)) : 0;

        write_square(out, x, y, number);
        if ((b->side[BLACK] | b->side[WHITE]) & bit)
            write_piece(out, x, y, b->side[BLACK] & bit, b->kings & bit);
    }
    fputs("</svg>\n", out);
}
