/* SPDX-License-Identifier: MIT
 *
 * picture.h -- the first plies of a proof as an SVG, in the manner of figure 3 of the
 * 2007 paper: moves as lines, results for Black below.
 *
 * One thread; the stream belongs to the caller. */
#ifndef KELSO_REPORT_PICTURE_H
#define KELSO_REPORT_PICTURE_H

#include "proof/minimal.h"

#include <stdio.h>

/* One question of the root, if possible one that took more than a search; `plies` deep. */
void picture_draw(FILE *out, struct tree *t, uint32_t root, const struct minimal *m, int plies);

#endif
