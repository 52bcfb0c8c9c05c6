/* SPDX-License-Identifier: MIT */
#include "app/input.h"

#include "app/command.h"
#include "core/notation.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { FEN_BYTES_MAX = 4096 };

static int parse_position(const char *text, size_t length, struct board *out)
{
    struct text_error error;

    if (fen_parse(text, length, out, &error))
        return EXIT_DONE;
    return app_error("FEN, column %zu: %s", error.at + 1, error.what);
}

int input_position(const char *argument, struct board *out)
{
    char text[FEN_BYTES_MAX + 1];
    size_t length;

    if (!argument) {
        *out = board_start;
        return EXIT_DONE;
    }
    if (strcmp(argument, "-") != 0)
        return parse_position(argument, strlen(argument), out);
    length = fread(text, 1, sizeof text, stdin);
    if (ferror(stdin))
        return app_error("standard input: %s", strerror(errno));
    if (length > FEN_BYTES_MAX)
        return app_error("standard input: expected a FEN, found more than %d bytes", FEN_BYTES_MAX);
    return parse_position(text, length, out);
}
