/* SPDX-License-Identifier: MIT
 *
 * kelso moves: the legal moves of a position. */
#include "app/command.h"
#include "app/input.h"
#include "app/json.h"
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

static void json_path(struct json *j, const struct move *m)
{
    json_array(j, "path");
    json_int(j, NULL, square_number(m->from));
    for (int i = 0; i + 1 < m->jumps; i++)
        json_int(j, NULL, square_number(m->via[i]));
    json_int(j, NULL, square_number(m->to));
    json_end(j);
}

static void json_move(struct json *j, const struct board *b, const struct move *m, const char *text)
{
    struct board after = board_after(b, m);
    char fen[FEN_TEXT_MAX];

    fen_format(&after, fen);
    json_object(j, NULL);
    json_text(j, "move", text);
    json_path(j, m);
    json_array(j, "captured");
    for (squares set = m->captured; set; set &= set - 1)
        json_int(j, NULL, square_number(square_first(set)));
    json_end(j);
    json_bool(j, "crowns", m->crowns);
    json_text(j, "fen", fen);
    json_end(j);
}

static void answer_json(const struct board *b, const struct move_list *list, enum move_style style)
{
    struct json j = json_open(stdout);
    char text[MOVE_TEXT_MAX], fen[FEN_TEXT_MAX];

    fen_format(b, fen);
    json_object(&j, NULL);
    json_text(&j, "fen", fen);
    json_array(&j, "moves");
    for (int i = 0; i < list->count; i++) {
        move_format(&list->move[i], list, style, text);
        json_move(&j, b, &list->move[i], text);
    }
    json_end(&j);
    json_end(&j);
}

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
    moves_generate(&b, &list);
    if (args.json) {
        answer_json(&b, &list, style);
        return EXIT_DONE;
    }
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
    .help = "Writes the legal moves of FEN (or of the start, or of the FEN on standard input\n"
            "if it is -), one to a line; nothing if there is none: the side to move has lost.\n"
            "A capture is written by its ends, 1x17, or by its whole path, 1x10x17, where the\n"
            "ends would fit more than one.\n",
    .options = options,
    .operands_max = 1,
    .run = run,
};
