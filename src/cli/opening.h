/* SPDX-License-Identifier: MIT
 *
 * opening.h -- positions given by the user: a FEN, or moves from the start.
 *
 * Functions print one line on standard error when they fail and return EXIT_BAD. */
#ifndef KELSO_CLI_OPENING_H
#define KELSO_CLI_OPENING_H

#include "core/board.h"

enum { OPENING_PLIES_MAX = 256 };

/* "10-14 22-18 12-16" or a FEN; "-" reads a FEN from standard input. */
int opening_position(const char *text, struct board *out);

/* Play moves from *line on; line[0..*plies] are the positions on the way, at most
 * OPENING_PLIES_MAX moves.  `what` names the moves in messages. */
int opening_line(const char *what, const char *moves, struct board *line, int *plies);

#endif
