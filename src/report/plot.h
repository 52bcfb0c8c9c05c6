/* SPDX-License-Identifier: MIT
 *
 * plot.h -- a plot of curves over plies, as SVG.
 *
 * One thread; the stream belongs to the caller. */
#ifndef KELSO_REPORT_PLOT_H
#define KELSO_REPORT_PLOT_H

#include <stdio.h>

struct plot_curve {
    const char *name;
    int count;
    const int *y; /* y[i] belongs to x = i */
};

struct plot {
    const char *title, *x, *y; /* what the axes are called */
    int curves;
    const struct plot_curve *curve;
};

void plot_write(const struct plot *p, FILE *out);

#endif
