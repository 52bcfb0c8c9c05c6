/* SPDX-License-Identifier: MIT */
#include "cli/input.h"

#include "base/files.h"
#include "cli/command.h"
#include "core/notation.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEN_BYTES_MAX = 4096 };

size_t input_mark(const char *text, size_t length)
{
    return length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

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
    size_t length, mark;

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
    mark = input_mark(text, length);
    return parse_position(text + mark, length - mark, out);
}

const char *input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

int input_file(const char *path, char **bytes, size_t *length)
{
    bool standard = strcmp(path, "-") == 0;
    struct error e;
    enum status rc = standard
                         ? stream_read_all(stdin, input_name(path), (uint8_t **)bytes, length, &e)
                         : file_read_all(path, (uint8_t **)bytes, length, &e);

    return rc ? app_error("%s", e.text) : EXIT_DONE;
}

int input_wrong_game(const char *path, const struct record *r)
{
    return app_error("%s:%zu:%zu: game %d: %s", input_name(path), r->wrong.line, r->wrong.column,
                     r->number, r->why);
}
