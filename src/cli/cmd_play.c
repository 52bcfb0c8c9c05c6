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
    const char *fen, *pdn, *opening, *game;
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
    {"game", OPTION_TEXT, offsetof(struct play_args, game), "FILE",
     "continue the first game of FILE, PDN or a list of moves"},
    {"pdn", OPTION_TEXT, offsetof(struct play_args, pdn), "FILE", "write the game at the end"},
    OPTIONS_OF(struct play_args, player, player_options),
    {0}};

struct sitting {
    const struct play_args *args;
    struct player player;
    struct game game;
    enum side person;
    struct openings openings;
    bool continued;   /* a game was read */
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

/* Search within the limits of the command line.  False after an error. */
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

/* Handle input that is not a move.  True if it was understood. */
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

/* Read a line.  False if the person has left, by the end of the input or Ctrl-C. */
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

struct typed {
    int moves;
    struct move first;
};

static void take_typed(void *context, const struct pdn_event *e)
{
    struct typed *typed = context;

    if (e->kind == PDN_MOVE && e->depth == 0 && !typed->moves++)
        typed->first = *e->move;
}

/* Read one move as in a file of games, where "1. 11-15!" is one too.  False: *why is said. */
static bool read_move(const struct sitting *t, struct move *m, struct text_error *why)
{
    struct pdn_reader reader = pdn_open(t->line, strlen(t->line));
    struct typed typed = {0};
    struct move_list legal;
    enum pdn_status status;

    reader.start = game_now(&t->game);
    status = pdn_next(&reader, take_typed, &typed, why);
    *m = typed.first;
    if (typed.moves > 1)
        return text_fail(why, 0, "one move at a time");
    if (typed.moves == 1)
        return status == PDN_GOOD;
    moves_generate(game_now(&t->game), &legal);
    return move_parse(t->line, strlen(t->line), &legal, m, why);
}

/* Ask until there is a move, or the person leaves. */
static void persons_turn(struct sitting *t)
{
    struct text_error error;
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
        if (read_move(t, &m, &error)) {
            game_push(&t->game, &m);
            return;
        }
        printf("%s ('help' lists what you can type)\n", error.what);
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

static enum status continue_game(void *context, const struct record *r, struct error *e)
{
    struct sitting *t = context;

    if (r->wrong.line)
        input_wrong_game(t->args->game, r);
    if (!r->plies)
        return STATUS_OK;
    if (r->plies >= GAME_PLIES_MAX)
        return error_set(e, STATUS_OVERFLOW, "the game has more than %d plies", GAME_PLIES_MAX - 1);
    game_begin(&t->game, &r->start);
    for (int i = 0; i < r->plies; i++)
        game_push(&t->game, &r->ply[i].move);
    t->continued = true;
    return STATUS_INTERRUPTED; /* one is enough */
}

/* The first game of the file; one with an error is continued from the position before it. */
static int begin_game(struct sitting *t)
{
    struct text_place where;
    struct error e = {0};
    size_t length;
    char *bytes;
    enum status rc;

    if (!t->args->game)
        return EXIT_DONE;
    if (t->args->fen || t->args->opening)
        return app_error("play: --game, --fen or --opening, not two of them");
    if (input_file(t->args->game, &bytes, &length))
        return EXIT_BAD;
    rc = record_read(bytes, length, NULL, continue_game, t, &where, &e);
    free(bytes);
    if (t->continued)
        return EXIT_DONE;
    return app_error("play: %s: %s", t->args->game,
                     rc && rc != STATUS_FORMAT ? e.text : "no moves found");
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
        else if (!begin_opening(t) && !begin_game(t))
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
    .help = "Plays a game in the terminal.  Type moves as 11-15 or 15x22; 'help' lists what else\n"
            "you can type.  Ctrl-C while the program thinks makes it move at once; at the prompt\n"
            "it leaves the game, which --pdn keeps.\n"
            "\n"
            "  kelso play --colour white --time 3\n"
            "  kelso play --opening 'single corner' --pdn game.pdn\n"
            "  kelso play --game game.pdn --colour white\n",
    .options = options,
    .run = run,
};
