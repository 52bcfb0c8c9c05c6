/* SPDX-License-Identifier: MIT */
#include "report/listing.h"

#include "core/movegen.h"

enum { PAIRS_A_LINE = 4, PAIR_WIDTH = 16 };

struct listing listing_open(FILE *out, enum side first)
{
    return (struct listing){.out = out, .plies = first == WHITE ? -1 : 0};
}

/* The number of the next pair, in its column. */
static void begin_pair(struct listing *l)
{
    if (l->column == PAIRS_A_LINE) {
        fputc('\n', l->out);
        l->column = 0;
    } else if (l->column) {
        fprintf(l->out, "%*s", l->width < PAIR_WIDTH ? PAIR_WIDTH - l->width : 1, "");
    }
    l->width = 0;
    fprintf(l->out, "%4d.", l->plies / 2 + 1);
    l->column++;
}

void listing_move(struct listing *l, const struct board *b, const struct move *m, int note)
{
    char text[MOVE_TEXT_MAX];
    struct move_list legal;

    if (l->plies < 0) {
        l->plies = 0;
        begin_pair(l);
        l->width += fprintf(l->out, " ...");
        l->plies = 1;
    }
    if (l->plies % 2 == 0)
        begin_pair(l);
    moves_generate(b, &legal);
    move_format(m, &legal, l->style, text);
    l->width += fprintf(l->out, " %s", text);
    if (note)
        l->width += fprintf(l->out, "[%d]", note);
    l->plies++;
}

void listing_close(struct listing *l)
{
    if (l->column)
        fputc('\n', l->out);
    l->column = 0;
}
