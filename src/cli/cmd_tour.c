/* SPDX-License-Identifier: MIT
 *
 * kelso tour: what the program can do, in a few seconds. */
#include "base/clock.h"
#include "cli/command.h"
#include "report/draw.h"
#include "report/term.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "core/perft.h"

#include <inttypes.h>

static const struct option_spec options[] = {{0}};

static void show_start(void)
{
    struct draw_style style = draw_style_for(stdout);

    printf("The start of the game (kelso show --numbers):\n\n");
    style.numbers = true;
    draw_board(stdout, &board_start, style);
}

static void show_moves(void)
{
    struct move_list list;
    char text[MOVE_TEXT_MAX];

    moves_generate(&board_start, &list);
    printf("\nBlack moves first and has %d moves (kelso moves):", list.count);
    for (int i = 0; i < list.count; i++) {
        move_format(&list.move[i], &list, MOVE_NUMBERS, text);
        printf(" %s", text);
    }
    printf("\n");
}

/* The counts are the published ones; a wrong one means a broken program. */
static int show_perft(void)
{
    static const uint64_t published[] = {
        1, 7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680, 18391564, 85242128, 388623673};
    enum { DEPTH = sizeof published / sizeof *published - 1 };
    char count[FORMAT_MAX], rate[FORMAT_MAX];

    printf("\nGames by length (kelso perft %d), each move path counted:\n\n", DEPTH);
    for (int depth = 1; depth <= DEPTH; depth++) {
        double started = clock_seconds(), seconds;
        uint64_t n = perft(&board_start, depth, NULL);

        seconds = clock_seconds() - started;
        if (n != published[depth])
            return app_error("tour: perft %d is %" PRIu64 ", expected %" PRIu64, depth, n,
                             published[depth]);
        printf("  %2d  %14s", depth, format_count(n, count));
        if (seconds > 0.01)
            printf("  %6.2f s  %s nodes/s", seconds, format_short((double)n / seconds, rate));
        printf("\n");
        fflush(stdout);
    }
    return EXIT_DONE;
}

static int run(int argc, char **argv)
{
    int status;

    if (options_parse(&command_tour, argc, argv, NULL) < 0)
        return EXIT_BAD;
    printf("kelso %s: a solver of English draughts (8x8 checkers).\n\n", KELSO_VERSION);
    show_start();
    show_moves();
    if ((status = show_perft()) != EXIT_DONE)
        return status;
    printf("\n'kelso help' lists the commands.\n");
    return EXIT_DONE;
}

const struct command command_tour = {
    .name = "tour",
    .summary = "see what the program can do, in a few seconds",
    .usage = "",
    .help = "Draws the start of the game, lists its moves, and counts games by length, with the\n"
            "speed of the count. `make run` begins with it.\n"
            "\n"
            "  kelso tour\n",
    .options = options,
    .run = run,
};
