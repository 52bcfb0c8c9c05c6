/* SPDX-License-Identifier: MIT
 *
 * kelso engine: play for another program, by the Hub protocol on standard input and output,
 * or by DamExchange over TCP.
 *
 * While a search runs on its own thread, this one keeps reading: stop, ping and ponder-hit are
 * answered at once.  The search thread sends `done`. */
#include "base/parse.h"
#include "play/clock.h"
#include "cli/command.h"
#include "cli/longjob.h"
#include "play/dxp.h"
#include "play/game.h"
#include "play/hub.h"
#include "cli/players.h"
#include "core/movegen.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct engine_args {
    struct player_args player;
    struct dxp_args dxp;
};

static const struct option_spec dxp_options[] = {
    {"dxp", OPTION_TEXT, offsetof(struct dxp_args, address), "HOST:PORT", "play by DXP over TCP"},
    {"call", OPTION_FLAG, offsetof(struct dxp_args, call), NULL,
     "call the address and ask for games (default: wait there)"},
    {"games", OPTION_INT, offsetof(struct dxp_args, games), "N", "ask for N games (2)", .min = 1,
     .max = 1000},
    {"minutes", OPTION_INT, offsetof(struct dxp_args, minutes), "N", "ask for N minutes (5) ...",
     .min = 1, .max = 999},
    {"moves", OPTION_INT, offsetof(struct dxp_args, moves), "N", "... for N moves (75)", .min = 1,
     .max = 300},
    {"think", OPTION_DURATION, offsetof(struct dxp_args, think), "T",
     "take T for each move, regardless of the clock"},
    {"patience", OPTION_DURATION, offsetof(struct dxp_args, patience), "T",
     "give up on a silent peer after T (twice the time of the game)"},
    {0}};

static const struct option_spec options[] = {OPTIONS_OF(struct engine_args, player, player_options),
                                             OPTIONS_OF(struct engine_args, dxp, dxp_options),
                                             {0}};

struct engine {
    struct player_args args;
    struct player player; /* open after init */
    bool ready;
    struct game game, draft;    /* draft: while a position is read */
    struct search_limits level; /* as last told */
    struct clock clock;
    struct search_limits limits; /* of the current search */
    struct search_result result;
    pthread_t thread;
    bool refused; /* the last `pos` was: there is nothing to search */
    bool searching, pondering;
    atomic_bool stop, silent; /* silent: no `done` for this one */
    pthread_mutex_t output;
    pthread_mutex_t ponder; /* guards these two, and the setting of stop */
    pthread_cond_t ponder_over;
    bool wait;                     /* the current search ponders: set before it begins */
    bool ponder_waits, ponder_hit; /* the search has ended and waits for ponder-hit; it came */
};

/* --------------------------------------------------------------------- output -- */

__attribute__((format(printf, 2, 3))) static void say(struct engine *e, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    pthread_mutex_lock(&e->output);
    vprintf(format, list);
    putchar('\n');
    fflush(stdout);
    pthread_mutex_unlock(&e->output);
    va_end(list);
}

static void complain(struct engine *e, const char *what, const char *about)
{
    char text[200];
    size_t n = 0;

    for (; *about && n < 80; about++)
        text[n++] = *about >= ' ' && *about <= '~' && *about != '"' ? *about : '?';
    text[n] = 0;
    say(e, "error message=\"%s: %s\"", what, text);
}

/* -------------------------------------------------------------------- searching -- */

/* In men.  As in other engines of the protocol, 99.xx is a win seen to its end (100 minus a
 * hundredth per ply) and 89.xx one by the tables. */
static double men(int score)
{
    double sign = score < 0 ? -1 : 1;

    if (score_has_distance(score))
        return sign * (100 - 0.01 * score_plies(score));
    if (score_is_certain(score))
        return sign * 89;
    return score_clamp(score, 80 * SCORE_MAN) / (double)SCORE_MAN;
}

static void say_info(void *context, const struct search_result *r)
{
    struct engine *e = context;
    char pv[SEARCH_PV_MAX * HUB_MOVE_MAX];
    size_t n = 0;

    pv[0] = 0;
    for (int i = 0; i < r->line[0].plies; i++) {
        char move[HUB_MOVE_MAX];

        hub_move_format(&r->line[0].pv[i], move);
        n += (size_t)sprintf(pv + n, "%s%s", i ? " " : "", move);
    }
    say(e, "info depth=%d score=%.2f nodes=%llu time=%.3f nps=%.1f pv=\"%s\"", r->depth,
        men(r->line[0].score), (unsigned long long)r->nodes, r->seconds,
        r->seconds > 0 ? (double)r->nodes / r->seconds / 1e6 : 0, pv);
}

static void say_done(struct engine *e)
{
    const struct search_line *line = &e->result.line[0];
    char move[HUB_MOVE_MAX], ponder[HUB_MOVE_MAX];

    hub_move_format(&line->pv[0], move);
    if (line->plies > 1) {
        hub_move_format(&line->pv[1], ponder);
        say(e, "done move=%s ponder=%s", move, ponder);
    } else {
        say(e, "done move=%s", move);
    }
}

/* A search on the opponent's time that has ended by itself sends nothing until ponder-hit or stop
 * arrives. */
static void wait_for_word(struct engine *e)
{
    pthread_mutex_lock(&e->ponder);
    e->ponder_waits = true;
    while (!atomic_load(&e->stop) && !e->ponder_hit)
        pthread_cond_wait(&e->ponder_over, &e->ponder);
    e->ponder_waits = false;
    pthread_mutex_unlock(&e->ponder);
}

static void *think(void *context)
{
    struct engine *e = context;
    struct error error;
    enum status rc = search_run(e->player.search, game_now(&e->game), e->game.board, e->game.plies,
                                &e->limits, &e->result, &error);

    if (rc)
        complain(e, "search", error.text);
    if (e->result.depth == 0 && e->result.lines)
        say_info(e, &e->result);
    if (e->wait)
        wait_for_word(e);
    if (e->result.lines && !atomic_load(&e->silent))
        say_done(e);
    return NULL;
}

static void search_end(struct engine *e)
{
    if (!e->searching)
        return;
    pthread_mutex_lock(&e->ponder);
    atomic_store(&e->stop, true);
    pthread_cond_broadcast(&e->ponder_over);
    pthread_mutex_unlock(&e->ponder);
    pthread_join(e->thread, NULL);
    e->searching = e->pondering = false;
}

static void search_begin(struct engine *e, bool ponder)
{
    struct search_limits timed = e->level;

    search_end(e);
    if (e->refused) {
        complain(e, "go", "the last position was refused");
        return;
    }
    if (moves_count(game_now(&e->game)) == 0) {
        complain(e, "go", "no legal move in this position");
        return;
    }
    if (e->clock.time > 0)
        clock_limits(&e->clock, &timed);
    if (ponder)
        timed = (struct search_limits){0};
    timed.stop = &e->stop;
    e->limits = timed;
    e->wait = ponder;
    e->ponder_hit = false;
    atomic_store(&e->stop, false);
    atomic_store(&e->silent, false);
    search_on_report(e->player.search, say_info, e);
    e->pondering = ponder;
    e->searching = pthread_create(&e->thread, NULL, think, e) == 0;
    if (!e->searching)
        complain(e, "go", "no thread to search with");
}

/* --------------------------------------------------------------------- commands -- */

static int wrong_usage(struct engine *e, const char *what, const char *about)
{
    complain(e, what, about);
    return 0;
}

static int on_hub(struct engine *e, const struct hub_line *line)
{
    (void)line;
    say(e, "id name=Kelso version=%s author=\"the kelso project\"", KELSO_VERSION);
    say(e, "param name=variant value=english type=enum values=\"english\"");
    say(e, "param name=threads value=%d type=int min=1 max=%d",
        e->args.threads ? e->args.threads : 1, SEARCH_THREADS_MAX);
    say(e, "param name=hash value=%llu type=int min=1 max=65536",
        (unsigned long long)(e->args.hash ? e->args.hash : SEARCH_HASH_DEFAULT) >> 20);
    say(e, "param name=tables value=%s type=bool", e->args.no_tables ? "false" : "true");
    say(e, "param name=ponder value=false type=bool");
    say(e, "wait");
    return 0;
}

static int on_set_param(struct engine *e, const struct hub_line *line)
{
    const char *name = hub_arg(line, "name"), *value = hub_arg(line, "value");
    int n;

    if (!name || !value)
        return wrong_usage(e, "set-param", "expected name= and value=");
    if (strcmp(name, "variant") == 0) {
        if (strcmp(value, "english") != 0)
            complain(e, "variant: expected english, found", value);
    } else if (strcmp(name, "threads") == 0) {
        if (parse_int(value, 1, SEARCH_THREADS_MAX, &n))
            e->args.threads = n;
        else
            complain(e, "threads: expected a number from 1 to 64, found", value);
    } else if (strcmp(name, "hash") == 0) {
        if (parse_int(value, 1, 65536, &n))
            e->args.hash = (uint64_t)n << 20;
        else
            complain(e, "hash: expected MiB from 1 to 65536, found", value);
    } else if (strcmp(name, "tables") == 0) {
        e->args.no_tables = strcmp(value, "false") == 0;
    } else if (strcmp(name, "ponder") == 0) {
        ; /* it ponders when told to, by `go ponder` */
    } else {
        complain(e, "set-param: no such parameter", name);
    }
    return 0;
}

/* 0, or an exit status. */
static int get_ready(struct engine *e)
{
    if (e->ready)
        return EXIT_DONE;
    if (players_open(&e->player, &e->args)) {
        complain(e, "init", "cannot open the tables or the memory; see standard error");
        return EXIT_BAD;
    }
    e->ready = true;
    return EXIT_DONE;
}

static int on_init(struct engine *e, const struct hub_line *line)
{
    (void)line;
    search_end(e);
    if (e->ready)
        player_close(&e->player);
    e->ready = false;
    if (get_ready(e))
        return EXIT_BAD;
    say(e, "ready");
    return 0;
}

static int on_new_game(struct engine *e, const struct hub_line *line)
{
    (void)line;
    search_end(e);
    if (e->ready)
        search_clear(e->player.search);
    return 0;
}

static int on_pos(struct engine *e, const struct hub_line *line)
{
    const char *text = hub_arg(line, "pos"), *moves = hub_arg(line, "moves"), *wrong;
    struct board b = board_start;

    search_end(e);
    e->refused = true;
    if (text && (wrong = hub_position_parse(text, &b)))
        return wrong_usage(e, wrong, text);
    game_begin(&e->draft, &b);
    for (moves = moves ? moves : ""; *(moves += strspn(moves, " "));) {
        size_t n = strcspn(moves, " ");
        struct move m;

        if ((wrong = hub_move_parse(moves, n, game_now(&e->draft), &m)))
            return wrong_usage(e, wrong, moves);
        if (!game_push(&e->draft, &m))
            return wrong_usage(e, "pos", "too many moves");
        moves += n;
    }
    e->game = e->draft;
    e->refused = false;
    return 0;
}

/* A real number; -1 if there is none, after a complaint if it is wrong. */
static double number_of(struct engine *e, const struct hub_line *line, const char *name)
{
    const char *text = hub_arg(line, name);
    char *end;
    double x;

    if (!text)
        return -1;
    x = strtod(text, &end);
    if (end != text && !*end && isfinite(x) && fabs(x) < 1e15)
        return x;
    complain(e, "level: expected a number, found", text);
    return -1;
}

static const double AT_ONCE = 0.001; /* seconds: the time for one move at hand */

static int on_level(struct engine *e, const struct hub_line *line)
{
    double depth = number_of(e, line, "depth"), each = number_of(e, line, "move-time");
    double nodes = number_of(e, line, "nodes"), time = number_of(e, line, "time");
    double moves = number_of(e, line, "moves"), inc = number_of(e, line, "inc");

    e->level = (struct search_limits){0};
    e->clock = (struct clock){0};
    if (depth >= 1)
        e->level.depth = depth < SEARCH_DEPTH_MAX ? (int)depth : SEARCH_DEPTH_MAX;
    if (nodes >= 1)
        e->level.nodes = (uint64_t)nodes;
    if (hub_arg(line, "move-time"))
        e->level.seconds = each > AT_ONCE ? each : AT_ONCE;
    if (hub_arg(line, "time") && time <= 0) { /* some programs subtract the increment first */
        e->level.seconds = AT_ONCE;
    } else if (time > 0) {
        e->clock = (struct clock){time, inc > 0 ? inc : 0, 0};
        e->clock.moves = moves > 0 && moves < 1000 ? (int)moves : 0;
    }
    return 0;
}

static int on_go(struct engine *e, const struct hub_line *line)
{
    if (get_ready(e))
        return EXIT_BAD;
    search_begin(e, hub_arg(line, "ponder") != NULL);
    return 0;
}

static int on_stop(struct engine *e, const struct hub_line *line)
{
    (void)line;
    search_end(e);
    return 0;
}

/* What pondering found is in the table: search again, with the clock. */
static int on_ponder_hit(struct engine *e, const struct hub_line *line)
{
    bool ended;

    (void)line;
    if (!e->pondering)
        return wrong_usage(e, "ponder-hit", "nothing is pondered on");
    pthread_mutex_lock(&e->ponder);
    ended = e->ponder_hit = e->ponder_waits;
    pthread_cond_broadcast(&e->ponder_over);
    pthread_mutex_unlock(&e->ponder);
    e->pondering = false;
    if (ended) /* its result is used */
        return 0;
    atomic_store(&e->silent, true);
    search_begin(e, false);
    return 0;
}

static int on_ping(struct engine *e, const struct hub_line *line)
{
    (void)line;
    say(e, "pong");
    return 0;
}

static const struct handler {
    const char *command;
    int (*run)(struct engine *e, const struct hub_line *line);
} handlers[] = {
    {"hub", on_hub},
    {"set-param", on_set_param},
    {"init", on_init},
    {"new-game", on_new_game},
    {"pos", on_pos},
    {"level", on_level},
    {"go", on_go},
    {"stop", on_stop},
    {"ponder-hit", on_ponder_hit},
    {"ping", on_ping},
};

/* Unknown commands are ignored, as the protocol requires: there may be newer ones. */
static int handle(struct engine *e, char *text, bool *quit)
{
    struct hub_line line;

    if (!hub_line_parse(text, &line))
        return wrong_usage(e, "a quote is not closed", line.command);
    *quit = strcmp(line.command, "quit") == 0;
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        if (strcmp(line.command, handlers[i].command) == 0)
            return handlers[i].run(e, &line);
    return 0;
}

static int serve_hub(const struct player_args *args)
{
    struct engine *e = calloc(1, sizeof *e);
    char *line = NULL;
    size_t size = 0;
    int status = EXIT_DONE;
    bool quit = false;

    if (!e)
        return app_error("not enough memory");
    e->args = *args;
    pthread_mutex_init(&e->output, NULL);
    pthread_mutex_init(&e->ponder, NULL);
    pthread_cond_init(&e->ponder_over, NULL);
    game_begin(&e->game, &board_start);
    while (!status && !quit && getline(&line, &size, stdin) >= 0)
        status = handle(e, line, &quit);
    search_end(e);
    if (e->ready)
        player_close(&e->player);
    pthread_cond_destroy(&e->ponder_over);
    pthread_mutex_destroy(&e->ponder);
    pthread_mutex_destroy(&e->output);
    free(line);
    free(e);
    return status;
}

/* ---------------------------------------------------------------------------- dxp -- */

static void print_news(void *context, enum dxp_news news, const char *line)
{
    char text[1000];

    (void)context;
    snprintf(text, sizeof text, "%s", line);
    fprintf(news == DXP_RESULT ? stdout : stderr, "%s\n", app_printable(text));
    fflush(stdout);
}

static int serve_dxp(const struct engine_args *args)
{
    struct player player;
    struct longjob job;
    struct error e;
    enum status rc;

    if (players_open(&player, &args->player))
        return EXIT_BAD;
    rc = dxp_serve(&args->dxp, &player, longjob_begin(&job, PROGRESS_NONE, "", "", 0), print_news,
                   NULL, &e);
    longjob_end(&job);
    player_close(&player);
    return rc ? app_error("%s", e.text) : EXIT_DONE;
}

static int run(int argc, char **argv)
{
    struct engine_args args = {.dxp = DXP_ARGS_DEFAULT};
    int n = options_parse(&command_engine, argc, argv, &args);

    if (n < 0)
        return EXIT_BAD;
    if (n > 0 && strcmp(argv[0], "hub") != 0)
        return app_error("engine: expected hub or nothing, found '%s'", argv[0]);
    return args.dxp.address ? serve_dxp(&args) : serve_hub(&args.player);
}

const struct command command_engine = {
    .name = "engine",
    .summary = "play for another program (Hub, DXP)",
    .usage = "[hub]",
    .help = "Speaks the Hub protocol, version 2, variant english, on standard input and output.\n"
            "`kelso engine hub` does the same, because other engines are started this way.  With\n"
            "--dxp, plays by the DamExchange protocol over TCP instead: waits at the given\n"
            "address or, with --call, calls it and asks for games.  See docs/engine.md.\n"
            "\n"
            "  kelso engine --threads 2 --hash 256\n"
            "  kelso engine --dxp 127.0.0.1:27531\n",
    .options = options,
    .operands_max = 1,
    .run = run,
};
