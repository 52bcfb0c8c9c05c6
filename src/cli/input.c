/* SPDX-License-Identifier: MIT */
#include "cli/input.h"

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

/* Read to the end into a growing buffer: pipes do not tell their size. */
static int read_all(FILE *f, const char *name, char **bytes, size_t *length)
{
    size_t capacity = 1 << 16, n = 0;
    char *buffer = malloc(capacity);

    while (buffer && (n += fread(buffer + n, 1, capacity - n, f)) == capacity) {
        char *larger = realloc(buffer, capacity *= 2);

        if (!larger)
            free(buffer);
        buffer = larger;
    }
    if (!buffer)
        return app_error("%s: not enough memory", name);
    if (ferror(f)) {
        free(buffer);
        return app_error("%s: %s", name, strerror(errno));
    }
    *bytes = buffer;
    *length = n;
    return EXIT_DONE;
}

int input_file(const char *path, char **bytes, size_t *length)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *f = standard ? stdin : fopen(path, "rb");
    int status;

    if (!f)
        return app_error("%s: %s", path, strerror(errno));
    status = read_all(f, input_name(path), bytes, length);
    if (!standard)
        fclose(f);
    return status;
}
