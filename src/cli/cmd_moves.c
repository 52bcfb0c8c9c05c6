/* SPDX-License-Identifier: MIT
 *
 * kelso moves: the legal moves of a position. */
#include "cli/command.h"
#include "cli/input.h"
#include "report/objects.h"
#include "core/movegen.h"
#include "core/notation.h"

struct moves_args {
    bool algebraic, json;
};

static const struct option_spec options[] = {{"algebraic", OPTION_FLAG,
                                              offsetof(struct moves_args, algebraic), NULL,
                                              "write squares as a1 to h8"},
                                             OPTION_JSON(struct moves_args),
                                             {0}};

static int run(int argc, char **argv)
{
    struct moves_args args = {0};
    struct move_list list;
    struct board b;
    char text[MOVE_TEXT_MAX];
    int n = options_parse(&command_moves, argc, argv, &args);
    enum move_style style = args.algebraic ? MOVE_ALGEBRAIC : MOVE_NUMBERS;

    if (n < 0 || input_position(n ? argv[0] : NULL, &b) != EXIT_DONE)
        return EXIT_BAD;
    if (args.json) {
        struct json j = json_open(stdout);

        object_moves(&j, NULL, &b, style);
        return EXIT_DONE;
    }
    moves_generate(&b, &list);
    for (int i = 0; i < list.count; i++) {
        move_format(&list.move[i], &list, style, text);
        puts(text);
    }
    return EXIT_DONE;
}

const struct command command_moves = {
    .name = "moves",
    .summary = "list the legal moves of a position",
    .usage = "[FEN]",
    .help = "Prints the legal moves of FEN (default: the start of the game; -: a FEN on standard\n"
            "input), one per line; nothing if there are none and the side to move has lost.  A\n"
            "capture is written by its ends, 1x17, or by its whole path, 1x10x17, if the ends are\n"
            "ambiguous.\n"
            "\n"
            "  kelso moves 'B:W6,7,14,15:B2'\n"
            "  echo 'W:WK30:B1' | kelso moves - --json\n",
    .options = options,
    .operands_max = 1,
    .run = run,
};
