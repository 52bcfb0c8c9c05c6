/* SPDX-License-Identifier: MIT
 *
 * kelso play: a game in the terminal against a person. */
#include "cli/command.h"
#include "report/draw.h"
#include "play/game.h"
#include "play/openings.h"
#include "cli/input.h"
#include "cli/longjob.h"
#include "cli/output.h"
#include "cli/players.h"
#include "report/scores.h"
#include "core/movegen.h"
#include "core/notation.h"

#include <stdlib.h>
#include <string.h>

struct play_args {
    struct player_args player;
    const char *fen, *pdn, *opening;
    int colour, depth;
    double time;
};

static const struct option_spec options[] = {
    {"colour", OPTION_CHOICE, offsetof(struct play_args, colour), "WHICH", "yours (black)",
     .choices = "black|white"},
    {"time", OPTION_DURATION, offsetof(struct play_args, time), "T",
     "time to think for each move (1s)"},
    {"opening", OPTION_TEXT, offsetof(struct play_args, opening), "BALLOT",
     "begin with a three-move ballot: its number, name or moves"},
    {"depth", OPTION_INT, offsetof(struct play_args, depth), "N", "... or to depth N", .min = 1,
     .max = SEARCH_DEPTH_MAX},
    {"fen", OPTION_TEXT, offsetof(struct play_args, fen), "FEN", "start from this position"},
    {"pdn", OPTION_TEXT, offsetof(struct play_args, pdn), "FILE", "write the game at the end"},
    OPTIONS_OF(struct play_args, player, player_options),
    {0}};

struct sitting {
    const struct play_args *args;
    struct player player;
    struct game game;
    enum side person;
    struct openings openings;
    bool over;        /* the person has left */
    bool interrupted; /* ... by Ctrl-C */
    struct search_result result;
    char *line;
    size_t size;
};

static void show(const struct sitting *t)
{
    struct draw_style style = draw_style_for(stdout);

    style.numbers = true;
    style.flip = t->person == BLACK;
    draw_board(stdout, game_now(&t->game), style);
}

static void say_moves(const struct sitting *t)
{
    struct move_list legal;
    char text[MOVE_TEXT_MAX];

    moves_generate(game_now(&t->game), &legal);
    printf("Moves:");
    for (int i = 0; i < legal.count; i++) {
        move_format(&legal.move[i], &legal, MOVE_NUMBERS, text);
        printf(" %s", text);
    }
    printf("\n");
}

/* Search, within what the command line allows.  False after an error. */
static bool think(struct sitting *t)
{
    struct search_limits limits = {.seconds = t->args->time, .depth = t->args->depth};
    struct longjob job;
    struct error e;
    enum status rc;

    limits.stop = longjob_begin(&job, PROGRESS_NONE, "", "", 0);
    rc = search_run(t->player.search, game_now(&t->game), t->game.board, t->game.plies, &limits,
                    &t->result, &e);
    longjob_end(&job);
    if (rc)
        app_error("play: %s", e.text);
    return rc == STATUS_OK;
}

static void say_hint(struct sitting *t)
{
    char score[SCORE_TEXT_MAX];

    if (!think(t))
        return;
    printf("Best for you (%s):", score_text(&t->result.line[0], score));
    pv_print(stdout, game_now(&t->game), &t->result.line[0]);
    printf("\n");
}

/* Back to the person's last turn. */
static void take_back(struct sitting *t)
{
    int back = t->game.plies - 1;

    while (back >= 0 && t->game.board[back].turn != t->person)
        back--;
    if (back < 0) {
        printf("There is nothing to take back.\n");
        return;
    }
    t->game.plies = back;
    show(t);
}

static void say_commands(void)
{
    printf("A move is its squares, as in 11-15 or 15x22.  Or:\n"
           "  moves  list your moves      hint   what the program would play\n"
           "  back   take a move back     board  show the board\n"
           "  fen    the position         quit   leave the game\n");
}

static void say_fen(const struct sitting *t)
{
    char fen[FEN_TEXT_MAX];

    fen_format(game_now(&t->game), fen);
    printf("%s\n", fen);
}

/* What the person typed, if it is no move.  True: understood. */
static bool command(struct sitting *t, const char *word)
{
    if (!strcmp(word, "moves"))
        say_moves(t);
    else if (!strcmp(word, "hint"))
        say_hint(t);
    else if (!strcmp(word, "back"))
        take_back(t);
    else if (!strcmp(word, "board"))
        show(t);
    else if (!strcmp(word, "fen"))
        say_fen(t);
    else if (!strcmp(word, "help") || !strcmp(word, "?"))
        say_commands();
    else if (!strcmp(word, "quit") || !strcmp(word, "exit"))
        t->over = true;
    else
        return false;
    return true;
}

/* What the person types.  False: they have left, by the end of the input or by Ctrl-C. */
static bool read_line(struct sitting *t)
{
    struct longjob job;
    const atomic_bool *stop;
    bool good;

    longjob_forget();
    stop = longjob_begin(&job, PROGRESS_NONE, "", "", 0);
    good = getline(&t->line, &t->size, stdin) >= 0;
    longjob_end(&job);
    t->interrupted = atomic_load(stop);
    longjob_forget();
    return good && !t->interrupted;
}

/* Ask until there is a move, or the person leaves. */
static void persons_turn(struct sitting *t)
{
    struct text_error error;
    struct move_list legal;
    struct move m;

    while (!t->over && game_now(&t->game)->turn == t->person) {
        printf("%s> ", side_name(t->person));
        fflush(stdout);
        if (!read_line(t)) {
            printf("\n");
            t->over = true;
            return;
        }
        t->line[strcspn(t->line, "\r\n")] = 0;
        if (!*t->line || command(t, t->line))
            continue;
        moves_generate(game_now(&t->game), &legal);
        if (move_parse(t->line, strlen(t->line), &legal, &m, &error)) {
            game_push(&t->game, &m);
            return;
        }
        printf("%s ('help' tells what can be typed)\n", error.what);
    }
}

static bool programs_turn(struct sitting *t)
{
    char text[MOVE_TEXT_MAX], score[SCORE_TEXT_MAX];
    struct move_list legal;

    if (!think(t))
        return false;
    moves_generate(game_now(&t->game), &legal);
    move_format(&t->result.line[0].pv[0], &legal, MOVE_NUMBERS, text);
    printf("%s plays %s (%s)\n", side_name(game_now(&t->game)->turn), text,
           score_text(&t->result.line[0], score));
    game_push(&t->game, &t->result.line[0].pv[0]);
    show(t);
    return true;
}

static int write_pdn(const struct sitting *t, enum game_state state)
{
    const struct opening *o = openings_of_game(&t->openings, t->game.board, t->game.plies);
    char title[OPENING_TITLE_MAX];
    const char *us = "Kelso " KELSO_VERSION, *you = "you";
    struct game_tags tags = {.event = "kelso play",
                             .black = t->person == BLACK ? you : us,
                             .white = t->person == WHITE ? you : us,
                             .opening = o ? opening_title(o, title) : NULL};
    FILE *f = fopen(t->args->pdn, "w");

    if (!f)
        return app_error("play: cannot write %s", t->args->pdn);
    game_write_pdn(&t->game, &tags, game_result(state), NULL, NULL, f);
    return fclose(f) ? app_error("play: cannot write %s", t->args->pdn) : EXIT_DONE;
}

static int play(struct sitting *t)
{
    enum game_state state;
    const char *why = "";
    bool good = true;

    say_commands();
    show(t);
    while ((state = game_state(&t->game, &why)) == GAME_ON && !t->over && good) {
        if (game_now(&t->game)->turn == t->person)
            persons_turn(t);
        else
            good = programs_turn(t);
    }
    if (state == GAME_DRAWN)
        printf("Draw: %s.\n", why);
    else if (state != GAME_ON)
        printf("%s wins: %s.\n", side_name(state == GAME_BLACK_WINS ? BLACK : WHITE), why);
    if (t->args->pdn && write_pdn(t, state))
        return EXIT_BAD;
    return !good ? EXIT_BAD : t->interrupted ? EXIT_INTERRUPTED : EXIT_DONE;
}

/* The moves of the requested ballot. */
static int begin_opening(struct sitting *t)
{
    const struct opening *o;
    char title[OPENING_TITLE_MAX];

    if (!t->args->opening)
        return EXIT_DONE;
    if (t->args->fen)
        return app_error("play: --opening or --fen, not both");
    if (!(o = openings_find(&t->openings, t->args->opening)))
        return app_error("play: --opening: '%s' is not a ballot; see `kelso openings`",
                         t->args->opening);
    printf("Opening: %s.\n", opening_title(o, title));
    for (int i = 0; i < OPENING_PLIES; i++)
        game_push(&t->game, &o->move[i]);
    return EXIT_DONE;
}

static int run(int argc, char **argv)
{
    struct play_args args = {0};
    struct sitting *t = calloc(1, sizeof *t);
    struct board start;
    struct error e;
    int status = EXIT_BAD;

    if (!t)
        return app_error("not enough memory");
    if (options_parse(&command_play, argc, argv, &args) >= 0 && !output_check(args.pdn) &&
        !input_position(args.fen, &start) && !players_open(&t->player, &args.player)) {
        if (!args.time && !args.depth)
            args.time = 1;
        t->args = &args;
        t->person = args.colour ? WHITE : BLACK;
        game_begin(&t->game, &start);
        if (openings_read(&t->openings, &e))
            status = app_error("play: %s", e.text);
        else if (!begin_opening(t))
            status = play(t);
        player_close(&t->player);
    }
    free(t->line);
    free(t);
    return status;
}

const struct command command_play = {
    .name = "play",
    .summary = "play a game against the program",
    .usage = "",
    .help = "A game in the terminal.  Type moves as 11-15 or 15x22; 'help' lists what else can be\n"
            "typed.  Ctrl-C while it thinks makes it move at once; at the prompt it leaves the\n"
            "game, which --pdn keeps.\n"
            "\n"
            "  kelso play --colour white --time 3\n"
            "  kelso play --opening 'single corner' --pdn game.pdn\n",
    .options = options,
    .run = run,
};
