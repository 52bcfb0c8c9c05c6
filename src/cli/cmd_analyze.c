/* SPDX-License-Identifier: MIT
 *
 * kelso analyze: find the best move and the value of a position, and the mistakes of a game. */
#include "play/annotate.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/longjob.h"
#include "cli/players.h"
#include "report/scores.h"
#include "report/term.h"
#include "core/notation.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct analyze_args {
    struct player_args player;
    double time;
    int depth, multipv, progress;
    uint64_t nodes;
    bool json;
};

static const struct option_spec options[] = {
    {"time", OPTION_DURATION, offsetof(struct analyze_args, time), "T",
     "search for T (2s if no limit is given)"},
    {"depth", OPTION_INT, offsetof(struct analyze_args, depth), "N", "search to depth N", .min = 1,
     .max = SEARCH_DEPTH_MAX},
    {"nodes", OPTION_COUNT, offsetof(struct analyze_args, nodes), "N", "stop after N positions"},
    {"multipv", OPTION_INT, offsetof(struct analyze_args, multipv), "K", "show the K best moves",
     .min = 1, .max = SEARCH_LINES_MAX},
    OPTIONS_OF(struct analyze_args, player, player_options),
    OPTION_PROGRESS(struct analyze_args),
    OPTION_JSON(struct analyze_args),
    {0}};

struct analysis {
    const struct analyze_args *args;
    const struct board *board;
};

static void print_result(const struct analysis *a, const struct search_result *r)
{
    char score[SCORE_TEXT_MAX], nodes[FORMAT_MAX];

    for (int i = 0; i < r->lines; i++) {
        printf("%3d  %7.2f s  %8s  %10s ", r->depth, r->seconds,
               format_short((double)r->nodes, nodes), score_text(&r->line[i], score));
        pv_print(stdout, a->board, &r->line[i]);
        putchar('\n');
    }
    fflush(stdout);
}

static void report(void *context, const struct search_result *r)
{
    print_result(context, r);
}

static struct search_limits limits_from(const struct analyze_args *args, const atomic_bool *stop)
{
    struct search_limits l = {.seconds = args->time,
                              .depth = args->depth,
                              .nodes = args->nodes,
                              .lines = args->multipv,
                              .stop = stop};

    if (!l.seconds && !l.depth && !l.nodes)
        l.seconds = 2;
    return l;
}

static int analyze_position(struct player *p, const struct board *b,
                            const struct analyze_args *args)
{
    struct analysis a = {args, b};
    struct json j = json_open(stdout);
    struct search_result *r = malloc(sizeof *r);
    struct search_limits limits;
    struct longjob job;
    struct error e;
    enum status rc;

    if (!r)
        return app_error("not enough memory");
    limits = limits_from(args, longjob_begin(&job, PROGRESS_NONE, "", "", 0));
    if (!args->json)
        search_on_report(p->search, report, &a);
    rc = search_run(p->search, b, NULL, 0, &limits, r, &e);
    longjob_end(&job);
    if (!rc && args->json)
        json_search(&j, b, r);
    else if (!rc && r->lines == 0)
        printf("no legal move: %s has lost\n", side_name(b->turn));
    else if (!rc && r->depth == 0)
        print_result(&a, r);
    free(r);
    if (rc)
        return app_error("analyze: %s", e.text);
    return atomic_load(limits.stop) ? EXIT_INTERRUPTED : EXIT_DONE;
}

/* The games being annotated. */
struct session {
    struct longjob job;
    const char *path;
};

static void game_begins(void *context, const struct record *r)
{
    struct session *s = context;
    char label[40];

    snprintf(label, sizeof label, "game %d", r->number);
    longjob_stage(&s->job, label, "moves", (uint64_t)r->plies);
}

static void game_wrong(void *context, const struct record *r)
{
    struct session *s = context;

    progress_erase(&s->job.progress);
    input_wrong_game(s->path, r);
}

static int analyze_games(struct player *p, const char *path, const struct analyze_args *args)
{
    struct session s = {.path = path};
    struct annotate_options o = {.search = p->search,
                                 .json = args->json,
                                 .out = stdout,
                                 .context = &s,
                                 .begin = game_begins,
                                 .wrong = game_wrong,
                                 .done = &s.job.done};
    struct error e;
    enum status rc;
    char *bytes;
    size_t length;

    if (input_file(path, &bytes, &length))
        return EXIT_BAD;
    /* On a terminal the moves themselves show the progress. */
    o.limits = limits_from(args, longjob_begin(&s.job, isatty(1) ? PROGRESS_NONE : args->progress,
                                               "reading", "moves", 0));
    rc = annotate_games(input_name(path), bytes, length, &o, &e);
    longjob_end(&s.job);
    free(bytes);
    if (rc == STATUS_INTERRUPTED)
        return EXIT_INTERRUPTED;
    if (rc && rc != STATUS_FORMAT) /* already reported, game by game */
        app_error("analyze: %s", e.text);
    return rc ? EXIT_BAD : EXIT_DONE;
}

static int run(int argc, char **argv)
{
    struct analyze_args args = {0};
    int n = options_parse(&command_analyze, argc, argv, &args), status;
    bool games = n > 0 && access(argv[0], F_OK) == 0;
    struct player p;
    struct board b;

    if (n > 0 && !games && strcmp(argv[0], "-") != 0 && !strchr(argv[0], ':'))
        return app_error("analyze: '%s' is neither a FEN nor a file", argv[0]);
    if (n < 0 || (!games && input_position(n ? argv[0] : NULL, &b)) ||
        players_open(&p, &args.player))
        return EXIT_BAD;
    status = games ? analyze_games(&p, argv[0], &args) : analyze_position(&p, &b, &args);
    player_close(&p);
    return status;
}

const struct command command_analyze = {
    .name = "analyze",
    .summary = "search for the best move; annotate a game",
    .usage = "[FEN|FILE]",
    .help =
        "Searches FEN, or the start of the game, and prints a line after each depth: depth,\n"
        "time, positions searched, the value of the position for the side to move, and the\n"
        "best line.  A man is worth 1.00.  'win', 'loss' and 'draw' are proven, by the tables\n"
        "or because the search has seen the end of the game ('win in 23' plies).\n"
        "\n"
        "With FILE (PDN, or a list of moves), searches each position of each game within the\n"
        "limits and writes the games as PDN: each move with its value for the side that made\n"
        "it, bad moves marked $2 and blunders $4, with the better move, and a summary for each\n"
        "side at the end.  The tags, comments, variations and the result of a game are kept.\n"
        "Moves are written as they are judged; after Ctrl-C the rest of the game is written\n"
        "without values (exit status 130).  A game with an error is written up to the error,\n"
        "which is reported, and the next game follows.\n"
        "\n"
        "  kelso analyze --time 10\n"
        "  kelso analyze 'B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29' --depth 20 --json\n"
        "  kelso analyze game.pdn --depth 15\n",
    .options = options,
    .operands_max = 1,
    .run = run,
};
