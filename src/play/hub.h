/* SPDX-License-Identifier: MIT
 *
 * hub.h -- the Hub protocol (version 2): lines, positions and moves.
 *
 * A line is a command and arguments, `pos pos=Bbb... moves="11-15 22-18"`.  A position is
 * the side to move and a letter for each square.  A capture names its ends, then the pieces
 * taken, `15x22x18`: not its path.  The variant is "english".
 *
 * (H1) hub_move_parse(hub_move_format(m)) leads to the same position as m.
 *
 * Functions on the caller's memory; safe on any thread. */
#ifndef KELSO_PLAY_HUB_H
#define KELSO_PLAY_HUB_H

#include "core/move.h"

#include <stddef.h>

enum {
    HUB_ARGS_MAX = 16,
    HUB_POSITION_MAX = 34, /* with its NUL */
    HUB_MOVE_MAX = 40,
    HUB_LINE_MAX = 1 << 16
};

struct hub_line {
    const char *command; /* "" for an empty line */
    int args;
    struct hub_arg {
        const char *name, *value; /* "" for a flag */
    } arg[HUB_ARGS_MAX];
};

/* Split a line in place; excess arguments are ignored.  False if a quote is not closed. */
bool hub_line_parse(char *text, struct hub_line *line);

/* The value of an argument, or NULL. */
const char *hub_arg(const struct hub_line *line, const char *name);

void hub_position_format(const struct board *b, char out[HUB_POSITION_MAX]);

/* NULL, or what is wrong. */
const char *hub_position_parse(const char *text, struct board *out);

void hub_move_format(const struct move *m, char out[HUB_MOVE_MAX]);

/* The move of b that `text` names, `length` bytes of it; NULL, or what is wrong.  A path as
 * people write it (15x22) is accepted too. */
const char *hub_move_parse(const char *text, size_t length, const struct board *b,
                           struct move *out);

#endif
