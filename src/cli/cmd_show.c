/* SPDX-License-Identifier: MIT
 *
 * kelso show: draw a position. */
#include "cli/command.h"
#include "report/diagram.h"
#include "report/draw.h"
#include "cli/input.h"
#include "report/json.h"
#include "core/movegen.h"
#include "core/notation.h"

struct show_args {
    bool numbers, flip, svg, json;
};

static const struct option_spec options[] = {
    {"numbers", OPTION_FLAG, offsetof(struct show_args, numbers), NULL, "number the squares"},
    {"flip", OPTION_FLAG, offsetof(struct show_args, flip), NULL, "put Black at the bottom"},
    {"svg", OPTION_FLAG, offsetof(struct show_args, svg), NULL, "a numbered picture for documents"},
    OPTION_JSON(struct show_args),
    {0}};

static void json_squares(struct json *j, const char *key, squares set)
{
    json_array(j, key);
    for (; set; set &= set - 1)
        json_int(j, NULL, square_number(square_first(set)));
    json_end(j);
}

static void show_json(const struct board *b, const char *fen)
{
    struct json j = json_open(stdout);

    json_object(&j, NULL);
    json_text(&j, "fen", fen);
    json_text(&j, "turn", b->turn == BLACK ? "black" : "white");
    json_squares(&j, "black_men", board_men(b, BLACK));
    json_squares(&j, "black_kings", board_kings(b, BLACK));
    json_squares(&j, "white_men", board_men(b, WHITE));
    json_squares(&j, "white_kings", board_kings(b, WHITE));
    json_int(&j, "moves", moves_count(b));
    json_end(&j);
}

static int run(int argc, char **argv)
{
    struct show_args args = {0};
    struct draw_style style = draw_style_for(stdout);
    struct board b;
    char fen[FEN_TEXT_MAX];
    int n = options_parse(&command_show, argc, argv, &args);

    if (n < 0 || input_position(n ? argv[0] : NULL, &b) != EXIT_DONE)
        return EXIT_BAD;
    fen_format(&b, fen);
    if (args.json) {
        show_json(&b, fen);
        return EXIT_DONE;
    }
    if (args.svg) {
        diagram_write(stdout, &b, args.flip, fen);
        return EXIT_DONE;
    }
    style.numbers = args.numbers;
    style.flip = args.flip;
    draw_board(stdout, &b, style);
    printf("  %s to move%s\n  %s\n", side_name(b.turn),
           moves_count(&b) ? "" : ", without a move: lost", fen);
    return EXIT_DONE;
}

const struct command command_show = {
    .name = "show",
    .summary = "draw a position",
    .usage = "[FEN]",
    .help = "Draws the position given as FEN (B:W21-32:B1-12), or the start of the game.\n"
            "FEN may be - to read it from standard input.\n"
            "\n"
            "  kelso show 'W:W12,17,K19:B1,2,K10' --svg > position.svg\n",
    .options = options,
    .operands_max = 1,
    .run = run,
};
