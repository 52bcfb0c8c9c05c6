/* SPDX-License-Identifier: MIT
 *
 * diagram.h -- the board as a picture for documents: SVG, numbered, White at the bottom. */
#ifndef KELSO_REPORT_DIAGRAM_H
#define KELSO_REPORT_DIAGRAM_H

#include "core/board.h"

#include <stdio.h>

/* `flip`: Black at the bottom.  `title` must need no escapes in XML. */
void diagram_write(FILE *out, const struct board *b, bool flip, const char *title);

#endif
