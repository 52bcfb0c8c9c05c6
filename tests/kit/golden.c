/* SPDX-License-Identifier: MIT */
#include "kit/golden.h"

#include "core/movegen.h"
#include "core/notation.h"

char *golden_read(const char *path, size_t *length)
{
    char *bytes;
    FILE *f;
    long n;

    if (!(f = fopen(path, "rb")))
        fail_msg("%s: cannot be read; run the tests from the top of the source", path);
    fseek(f, 0, SEEK_END);
    n = ftell(f);
    rewind(f);
    bytes = malloc((size_t)n + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)n, f), n);
    bytes[n] = '\0';
    fclose(f);
    if (length)
        *length = (size_t)n;
    return bytes;
}

int golden_each_game(const char *file,
                     void (*visit)(void *context, const char *name, const char *fen, char *moves),
                     void *context)
{
    char *bytes = golden_read(file, NULL), *rest = bytes, *line;
    int count = 0;

    while ((line = strsep(&rest, "\n"))) {
        char *fen = strstr(line, " | "), *moves = fen ? strstr(fen + 3, " | ") : NULL;

        if (line[0] == '#' || !moves)
            continue;
        *fen = *moves = '\0';
        visit(context, line, fen + 3, moves + 3);
        count++;
    }
    free(bytes);
    return count;
}

struct board golden_board(const char *fen)
{
    struct text_error error;
    struct board b;

    if (!fen_parse(fen, strlen(fen), &b, &error))
        fail_msg("%s: column %zu: %s", fen, error.at + 1, error.what);
    return b;
}

struct move golden_move(const struct board *b, const char *text)
{
    struct move_list list;
    struct text_error error;
    struct move m;

    moves_generate(b, &list);
    if (!move_parse(text, strlen(text), &list, &m, &error))
        fail_msg("%s", error.what);
    return m;
}
