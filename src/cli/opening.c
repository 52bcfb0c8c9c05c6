/* SPDX-License-Identifier: MIT */
#include "cli/opening.h"

#include "cli/command.h"
#include "cli/input.h"
#include "core/movegen.h"
#include "core/notation.h"

#include <string.h>

int opening_line(const char *what, const char *moves, struct board *line, int *plies)
{
    const char *at = moves;

    for (*plies = 0; *(at += strspn(at, " ,\t")); ++*plies) {
        size_t length = strcspn(at, " ,\t");
        struct move_list list;
        struct text_error error;
        struct move m;

        if (*plies == OPENING_PLIES_MAX)
            return app_error("%s: more than %d moves", what, OPENING_PLIES_MAX);
        moves_generate(&line[*plies], &list);
        if (!move_parse(at, length, &list, &m, &error))
            return app_error("%s, column %zu: %s", what, (size_t)(at - moves) + error.at + 1,
                             error.what);
        line[*plies + 1] = board_after(&line[*plies], &m);
        at += length;
    }
    return EXIT_DONE;
}

int opening_position(const char *text, struct board *out)
{
    struct board line[OPENING_PLIES_MAX + 1] = {board_start};
    int plies;

    if (strchr(text, ':') || strcmp(text, "-") == 0)
        return input_position(text, out);
    if (opening_line("opening", text, line, &plies))
        return EXIT_BAD;
    *out = line[plies];
    return EXIT_DONE;
}
