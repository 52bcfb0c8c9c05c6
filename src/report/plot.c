/* SPDX-License-Identifier: MIT */
#include "report/plot.h"

enum { WIDTH = 760, HEIGHT = 420, LEFT = 64, RIGHT = 20, TOP = 44, BOTTOM = 52, TICKS = 6 };

/* Colours that are distinguishable with any colour vision. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000", "#999999"};

/* The scale of an axis: 0 to end, in steps of `step`. */
struct scale {
    int end, step;
};

static struct scale scale_for(int most)
{
    static const int steps[] = {1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000};
    int step = steps[0];

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        step = steps[i];
        if (most <= step * TICKS)
            break;
    }
    return (struct scale){(most + step - 1) / step * step, step};
}

static double place_x(struct scale s, int x)
{
    return LEFT + (double)(WIDTH - LEFT - RIGHT) * x / (s.end ? s.end : 1);
}

static double place_y(struct scale s, int y)
{
    return HEIGHT - BOTTOM - (double)(HEIGHT - TOP - BOTTOM) * y / (s.end ? s.end : 1);
}

static void axes(const struct plot *p, struct scale x, struct scale y, FILE *out)
{
    for (int i = 0; i <= y.end; i += y.step)
        fprintf(out,
                "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='#ddd'/>"
                "<text x='%d' y='%.1f' text-anchor='end'>%d</text>\n",
                LEFT, place_y(y, i), WIDTH - RIGHT, place_y(y, i), LEFT - 8, place_y(y, i) + 4, i);
    for (int i = 0; i <= x.end; i += x.step)
        fprintf(out,
                "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='#444'/>"
                "<text x='%.1f' y='%d' text-anchor='middle'>%d</text>\n",
                place_x(x, i), HEIGHT - BOTTOM, place_x(x, i), HEIGHT - BOTTOM + 5, place_x(x, i),
                HEIGHT - BOTTOM + 20, i);
    fprintf(out, "<line x1='%d' y1='%d' x2='%d' y2='%d' stroke='#444'/>\n", LEFT, HEIGHT - BOTTOM,
            WIDTH - RIGHT, HEIGHT - BOTTOM);
    fprintf(out, "<text x='%d' y='20' font-weight='bold'>%s</text>\n", LEFT, p->title);
    fprintf(out, "<text x='%d' y='%d' text-anchor='middle'>%s</text>\n", (LEFT + WIDTH - RIGHT) / 2,
            HEIGHT - 12, p->x);
    fprintf(out, "<text transform='translate(16 %d) rotate(-90)' text-anchor='middle'>%s</text>\n",
            (TOP + HEIGHT - BOTTOM) / 2, p->y);
}

void plot_write(const struct plot *p, FILE *out)
{
    int most_x = 1, most_y = 1;
    struct scale x, y;

    for (int c = 0; c < p->curves; c++) {
        most_x = p->curve[c].count - 1 > most_x ? p->curve[c].count - 1 : most_x;
        for (int i = 0; i < p->curve[c].count; i++)
            most_y = p->curve[c].y[i] > most_y ? p->curve[c].y[i] : most_y;
    }
    x = scale_for(most_x);
    y = scale_for(most_y);
    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif' "
            "font-size='12'>\n<rect width='100%%' height='100%%' fill='white'/>\n",
            WIDTH, HEIGHT);
    axes(p, x, y, out);
    for (int c = 0; c < p->curves; c++) {
        const char *colour = colours[c % (sizeof colours / sizeof *colours)];

        fprintf(out, "<polyline fill='none' stroke='%s' stroke-width='1.6' points='", colour);
        for (int i = 0; i < p->curve[c].count; i++)
            fprintf(out, "%.1f,%.1f ", place_x(x, i), place_y(y, p->curve[c].y[i]));
        fprintf(out, "'/>\n<text x='%d' y='%d' text-anchor='end' fill='%s'>%s</text>\n",
                WIDTH - RIGHT - 8, TOP + 16 * c, colour, p->curve[c].name);
    }
    fprintf(out, "</svg>\n");
}
