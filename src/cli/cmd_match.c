/* SPDX-License-Identifier: MIT
 *
 * kelso match: engine against engine from the three-move openings, each start twice with colours
 * reversed.
 *
 * Threads take pairs of games from one counter; each has contestants of its own. */
#include "cli/command.h"
#include "cli/players.h"
#include "cli/starts.h"
#include "play/contestant.h"
#include "report/json.h"
#include "cli/longjob.h"
#include "play/tally.h"
#include "report/term.h"
#include "base/crew.h"
#include "core/notation.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { REPORT_PAIRS = 50 };

struct match_args {
    struct player_args player;
    const char *a, *b, *pdn, *sprt;
    int games, jobs, seed, plies, progress;
    double time;
    int depth;
    uint64_t nodes;
    bool ballots, barred, play_out, json;
};

static const struct option_spec options[] = {
    {"a", OPTION_TEXT, offsetof(struct match_args, a), "A", "the first contestant"},
    {"b", OPTION_TEXT, offsetof(struct match_args, b), "B", "the second contestant"},
    {"games", OPTION_INT, offsetof(struct match_args, games), "N",
     "play N games (two for each opening)", .min = 2, .max = 1000000},
    {"time", OPTION_DURATION, offsetof(struct match_args, time), "T",
     "think for T per move (0.1s)"},
    {"depth", OPTION_INT, offsetof(struct match_args, depth), "N", "... to depth N", .min = 1,
     .max = SEARCH_DEPTH_MAX},
    {"nodes", OPTION_COUNT, offsetof(struct match_args, nodes), "N", "... or N positions"},
    {"jobs", OPTION_INT, offsetof(struct match_args, jobs), "N", "play N games at once (1)",
     .min = 1, .max = CREW_MAX},
    {"sprt", OPTION_TEXT, offsetof(struct match_args, sprt), "ELO0:ELO1",
     "stop when it is clear which difference is nearer"},
    {"pdn", OPTION_TEXT, offsetof(struct match_args, pdn), "FILE", "write the games"},
    {"seed", OPTION_INT, offsetof(struct match_args, seed), "N",
     "shuffle the openings with seed N (1)"},
    {"plies", OPTION_INT, offsetof(struct match_args, plies), "N",
     "N random plies after each opening (0, then 2)", .min = 0, .max = STARTS_RANDOM_MAX},
    {"play-out", OPTION_FLAG, offsetof(struct match_args, play_out), NULL,
     "play on when the tables know the result"},
    {"barred", OPTION_FLAG, offsetof(struct match_args, barred), NULL,
     "play all 174 openings of the deck, including the 18 barred ones"},
    {"ballots", OPTION_FLAG, offsetof(struct match_args, ballots), NULL,
     "list the openings and play nothing"},
    {"dir", OPTION_TEXT, offsetof(struct match_args, player.dir), "DIR", "where the tables are"},
    {"no-tables", OPTION_FLAG, offsetof(struct match_args, player.no_tables), NULL,
     "play without tables"},
    OPTION_PROGRESS(struct match_args),
    OPTION_JSON(struct match_args),
    {0}};

struct match {
    const struct match_args *args;
    struct contestant_spec spec[2]; /* A, B */
    struct tables *tables;          /* NULL: none */
    bool sprt;
    double elo0, elo1;
    const atomic_bool *stop;
    struct progress *progress;
    _Atomic uint64_t *done;
    atomic_bool decided;  /* by the sequential test */
    pthread_mutex_t lock; /* guards all below */
    struct starts starts;
    struct tally tally;
    FILE *pdn;
    bool failed;
};

/* ---------------------------------------------------------------------------- games -- */

/* The result by the tables, if they know. */
static enum game_state tables_state(const struct match *m, const struct game *g)
{
    const struct board *b = game_now(g);
    enum value v;

    if (!m->tables || m->args->play_out ||
        squares_count(b->side[BLACK] | b->side[WHITE]) > PIECES_MAX ||
        tables_value(m->tables, b, &v, NULL))
        return GAME_ON;
    if (v == VALUE_DRAW)
        return GAME_DRAWN;
    return game_won_by(v == VALUE_WIN ? b->turn : side_other(b->turn));
}

/* Play one game; `black` is A (0) or B (1).  GAME_ON: it was broken off. */
static enum game_state play_game(struct match *m, struct contestant *side[2],
                                 const struct start *start, int black, struct game *g)
{
    struct contestant *player[2] = {side[black], side[!black]};
    enum game_state state = GAME_ON;

    game_begin(g, &board_start);
    for (int i = 0; i < start->plies; i++)
        game_push(g, &start->move[i]);
    for (int i = 0; i < 2; i++)
        if (!contestant_begin(player[i], g, (enum side)i)) {
            app_error("%s does not begin a game", m->spec[i == BLACK ? black : !black].name);
            return GAME_ON;
        }
    while (!atomic_load(m->stop) && (state = game_state(g, NULL)) == GAME_ON &&
           (state = tables_state(m, g)) == GAME_ON) {
        enum side us = game_now(g)->turn;
        const char *why = "";
        struct move move;

        if (!contestant_move(player[us], g, &move, &why)) {
            app_error("%s: %s", m->spec[us == BLACK ? black : !black].name, why);
            break;
        }
        game_push(g, &move);
    }
    for (int i = 0; i < 2; i++)
        contestant_end(player[i], state);
    return state;
}

static int half_points_of_a(enum game_state state, int black)
{
    if (state == GAME_DRAWN)
        return 1;
    return (state == GAME_BLACK_WINS) == (black == 0) ? 2 : 0;
}

static void write_game(struct match *m, const struct game *g, int pair, int black,
                       enum game_state state)
{
    const struct opening *o = openings_of_game(&m->starts.openings, g->board, g->plies);
    char title[OPENING_TITLE_MAX], round[32], name[2][2 * CONTESTANT_TEXT_MAX];
    struct game_tags tags = {.event = "kelso match",
                             .black = pdn_tag_escape(m->spec[black].name, name[0], sizeof name[0]),
                             .white = pdn_tag_escape(m->spec[!black].name, name[1], sizeof name[1]),
                             .round = round,
                             .opening = o ? opening_title(o, title) : NULL};

    snprintf(round, sizeof round, "%d.%d", pair + 1, black + 1);
    game_write_pdn(g, &tags, game_result(state), NULL, NULL, m->pdn);
}

static void tally_line(const struct match *m, char *out, size_t size)
{
    const struct tally *t = &m->tally;
    double elo, error;
    int n = snprintf(out, size, "%d games: +%d =%d -%d, %.1f %%", tally_games(t), t->wins, t->draws,
                     t->losses, 100 * tally_score(t));

    if (tally_elo(t, &elo, &error))
        n += snprintf(out + n, size - (size_t)n, ", Elo %+.1f +- %.1f", elo, error);
    if (m->sprt)
        snprintf(out + n, size - (size_t)n, ", LLR %.2f [%g, %g]", tally_llr(t, m->elo0, m->elo1),
                 m->elo0, m->elo1);
}

static void pair_finished(struct match *m, const struct game g[2], int pair,
                          const enum game_state state[2])
{
    int points[2], pairs;
    char line[200];

    pthread_mutex_lock(&m->lock);
    for (int i = 0; i < 2; i++) {
        points[i] = half_points_of_a(state[i], i);
        tally_game(&m->tally, points[i]);
        if (m->pdn)
            write_game(m, &g[i], pair, i, state[i]);
    }
    tally_pair(&m->tally, points[0], points[1]);
    pairs = tally_games(&m->tally) / 2;
    tally_line(m, line, sizeof line);
    if (m->sprt && tally_sprt(&m->tally, m->elo0, m->elo1) != SPRT_GO_ON)
        atomic_store(&m->decided, true);
    pthread_mutex_unlock(&m->lock);
    atomic_fetch_add(m->done, 2);
    if (pairs % REPORT_PAIRS == 0)
        progress_note(m->progress, "%s", line);
}

/* An interrupted pair does not count; the moves played are written. */
static void keep_broken(struct match *m, const struct game g[2], int pair,
                        const enum game_state state[2], int last)
{
    pthread_mutex_lock(&m->lock);
    for (int i = 0; m->pdn && i <= last; i++)
        write_game(m, &g[i], pair, i, state[i]);
    pthread_mutex_unlock(&m->lock);
}

static bool play_pair(struct match *m, struct contestant *side[2], int pair,
                      const struct start *start, struct game g[2])
{
    enum game_state state[2];

    for (int black = 0; black < 2; black++) {
        state[black] = play_game(m, side, start, black, &g[black]);
        if (state[black] == GAME_ON) {
            keep_broken(m, g, pair, state, black);
            return false;
        }
    }
    pair_finished(m, g, pair, state);
    return true;
}

/* The next pair: its number and start.  False if there is none; then *good tells whether that is
 * as it should be. */
static bool take_pair(struct match *m, int *pair, struct start *start, bool *good)
{
    struct error e;
    bool some;

    if (atomic_load(m->stop) || atomic_load(&m->decided))
        return false;
    pthread_mutex_lock(&m->lock);
    *pair = m->starts.next;
    if ((some = *pair < m->args->games / 2) && starts_take(&m->starts, start, &e)) {
        app_error("match: %s", e.text);
        *good = some = false;
    }
    pthread_mutex_unlock(&m->lock);
    return some;
}

static void work(void *context, int id)
{
    struct match *m = context;
    struct contestant *side[2] = {NULL};
    struct game *g = malloc(2 * sizeof *g);
    struct start start;
    struct error e;
    bool good = g != NULL;

    (void)id;
    for (int i = 0; i < 2 && good; i++)
        if (contestant_open(&side[i], &m->spec[i], m->tables, m->stop, &e)) {
            app_error("%s", e.text);
            good = false;
        }
    for (int pair; good && take_pair(m, &pair, &start, &good);)
        good = play_pair(m, side, pair, &start, g);
    pthread_mutex_lock(&m->lock);
    m->failed |= !good && !atomic_load(m->stop);
    pthread_mutex_unlock(&m->lock);
    contestant_close(&side[0]);
    contestant_close(&side[1]);
    free(g);
}

/* --------------------------------------------------------------------------- result -- */

static const char *verdict(const struct match *m)
{
    static const char *const words[] = {"undecided", "elo0", "elo1"};

    return words[tally_sprt(&m->tally, m->elo0, m->elo1)];
}

static void print_text(const struct match *m)
{
    const struct tally *t = &m->tally;
    char line[200];

    tally_line(m, line, sizeof line);
    printf("A: %s\nB: %s\n%s\n", m->spec[0].name, m->spec[1].name, line);
    printf("pairs by points of A: 0: %d  1/2: %d  1: %d  1 1/2: %d  2: %d\n", t->pairs[0],
           t->pairs[1], t->pairs[2], t->pairs[3], t->pairs[4]);
    if (m->sprt)
        printf("sprt: %s\n", verdict(m));
}

static void print_json(const struct match *m)
{
    struct json j = json_open(stdout);
    const struct tally *t = &m->tally;
    double elo, error;

    json_object(&j, NULL);
    json_text(&j, "a", m->spec[0].name);
    json_text(&j, "b", m->spec[1].name);
    json_int(&j, "games", tally_games(t));
    json_int(&j, "wins", t->wins);
    json_int(&j, "draws", t->draws);
    json_int(&j, "losses", t->losses);
    json_real(&j, "score", tally_score(t));
    if (tally_elo(t, &elo, &error)) {
        json_real(&j, "elo", elo);
        json_real(&j, "error", error);
    }
    json_array(&j, "pairs");
    for (int i = 0; i < 5; i++)
        json_int(&j, NULL, t->pairs[i]);
    json_end(&j);
    if (m->sprt) {
        json_real(&j, "llr", tally_llr(t, m->elo0, m->elo1));
        json_text(&j, "sprt", verdict(m));
    }
    json_end(&j);
}

static int print_ballots(const struct match *m, bool json)
{
    struct json j = json_open(stdout);
    char text[OPENING_TEXT_MAX];

    if (json)
        json_array(&j, NULL);
    for (int i = 0; i < OPENINGS; i++) {
        const struct opening *o = &m->starts.openings.opening[i];

        if (o->class == OPENING_BARRED && !m->args->barred)
            continue;
        if (json)
            json_text(&j, NULL, opening_moves_text(o->move, text));
        else
            printf("%3d  %s\n", o->number, opening_moves_text(o->move, text));
    }
    if (json)
        json_end(&j);
    else
        printf("%d openings of the deck of %d\n", m->starts.count, OPENINGS);
    return EXIT_DONE;
}

/* ------------------------------------------------------------------------------ run -- */

static void play(struct match *m)
{
    struct longjob job;

    m->stop = longjob_begin(&job, m->args->progress, "playing", "games", (uint64_t)m->args->games);
    m->done = &job.done;
    m->progress = &job.progress;
    signal(SIGPIPE, SIG_IGN); /* a dead program is detected by the error of write() */
    crew_share(m->args->jobs, work, m);
    longjob_end(&job);
}

static int match_prepare(struct match *m, const struct match_args *args)
{
    struct search_limits limits = {
        .seconds = args->time, .depth = args->depth, .nodes = args->nodes};
    int used = 0;
    struct error e;

    if (!limits.seconds && !limits.depth && !limits.nodes)
        limits.seconds = 0.1;
    m->args = args;
    m->sprt = args->sprt != NULL;
    if (args->games % 2)
        return app_error("match: --games expects an even number, as each opening is played twice, "
                         "found %d",
                         args->games);
    if (args->sprt && (sscanf(args->sprt, "%lf:%lf%n", &m->elo0, &m->elo1, &used) != 2 ||
                       args->sprt[used] || m->elo0 >= m->elo1))
        return app_error("match: --sprt: expected two numbers, as in 0:10, found '%s'", args->sprt);
    if (contestant_parse(args->a ? args->a : "", &limits, &m->spec[0], &e) ||
        contestant_parse(args->b ? args->b : "", &limits, &m->spec[1], &e))
        return app_error("%s", e.text);
    if (starts_open(&m->starts, args->barred, args->plies, (uint64_t)args->seed, &e))
        return app_error("match: %s", e.text);
    return EXIT_DONE;
}

static int match_run(struct match *m, const struct match_args *args)
{
    int status = match_prepare(m, args);

    if (status || args->ballots)
        return status ? status : print_ballots(m, args->json);
    if (players_tables(&m->tables, &args->player))
        return EXIT_BAD;
    if (args->pdn && !(m->pdn = fopen(args->pdn, "w")))
        status = app_error("%s: cannot be written: %s", args->pdn, strerror(errno));
    if (!status) {
        play(m);
        if (!m->failed || tally_games(&m->tally) > 0)
            (args->json ? print_json : print_text)(m);
        status = m->failed ? EXIT_BAD : atomic_load(m->stop) ? EXIT_INTERRUPTED : EXIT_DONE;
    }
    if (m->pdn && fclose(m->pdn))
        status = app_error("match: cannot write %s", args->pdn);
    tables_close(&m->tables);
    return status;
}

static int run(int argc, char **argv)
{
    struct match_args args = {.games = 100, .jobs = 1, .seed = 1};
    struct match *m = calloc(1, sizeof *m);
    int status = EXIT_BAD;

    if (!m)
        return app_error("not enough memory");
    pthread_mutex_init(&m->lock, NULL);
    if (options_parse(&command_match, argc, argv, &args) >= 0)
        status = match_run(m, &args);
    starts_close(&m->starts);
    pthread_mutex_destroy(&m->lock);
    free(m);
    return status;
}

const struct command command_match = {
    .name = "match",
    .summary = "engine against engine",
    .usage = "",
    .help = "Plays a match over the three-move openings of the tournament deck (`kelso\n"
            "openings`), except the barred ones, each twice with colours reversed, and prints the\n"
            "score of A with its error (95 %, from pairs of games).  After the last opening it\n"
            "begins again, now with two random plies after each: no two pairs of games start from\n"
            "the same position.  Ctrl-C ends the match and keeps the games played so far (exit\n"
            "status 130).  A contestant is this program or another one, given as settings\n"
            "separated by commas:\n"
            "\n"
            "  nodes=20000              this program, 20,000 positions per move\n"
            "  time=0.1,hash=16         ... a tenth of a second per move, 16 MiB of memory\n"
            "  depth=8,tables=no        ... to depth 8, without tables\n"
            "  network=FILE             ... with another network for its evaluation\n"
            "  time=0.1,hub=COMMAND     a program that speaks Hub\n"
            "  dxp=HOST:PORT            a program that waits there for games by DXP\n"
            "\n"
            "  kelso match --a nodes=20000 --b nodes=10000 --games 200 --jobs 2\n"
            "  kelso match --b 'hub=./old-kelso engine' --games 1000 --sprt 0:10 --pdn games.pdn\n"
            "  kelso match --ballots\n",
    .options = options,
    .run = run,
};
