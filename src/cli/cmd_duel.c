/* SPDX-License-Identifier: MIT
 *
 * kelso duel: can a search that knows win, loss and draw win a long ending against perfect
 * defence?
 *
 * The experiment of section 3.3 of the perfect-play paper.  The strong side searches and may ask
 * the tables for values, not for distances; the weak side plays the move that loses latest.
 * Distances show after each ply how far away the win is. */
#include "cli/answers.h"
#include "cli/command.h"
#include "play/game.h"
#include "cli/input.h"
#include "report/listing.h"
#include "cli/longjob.h"
#include "cli/output.h"
#include "play/player.h"
#include "report/scores.h"
#include "report/plot.h"
#include "report/term.h"
#include "core/movegen.h"
#include "core/notation.h"

#include <stdlib.h>
#include <string.h>

enum { DUELS_MAX = 8, PLIES_DEFAULT = 500 };

struct duel_args {
    struct answers_args from;
    int strong, weak, depth, plies;
    double time;
    uint64_t nodes, hash;
    const char *svg, *pdn;
    bool json;
};

static const struct option_spec options[] = {
    {"strong", OPTION_CHOICE, offsetof(struct duel_args, strong), "KIND",
     "what the winning side knows (wld)", .choices = "wld|dtc|dtw"},
    {"weak", OPTION_CHOICE, offsetof(struct duel_args, weak), "KIND",
     "what the losing side knows (dtw)", .choices = "dtw|dtc|wld"},
    {"time", OPTION_DURATION, offsetof(struct duel_args, time), "T", "search for T per move (1s)"},
    {"depth", OPTION_INT, offsetof(struct duel_args, depth), "N", "... or to depth N", .min = 1,
     .max = SEARCH_DEPTH_MAX},
    {"nodes", OPTION_COUNT, offsetof(struct duel_args, nodes), "N", "... or N positions"},
    {"plies", OPTION_INT, offsetof(struct duel_args, plies), "N", "end after N plies (500)",
     .min = 1, .max = GAME_PLIES_MAX - 1},
    {"hash", OPTION_MEMORY, offsetof(struct duel_args, hash), "MiB",
     "size of the transposition table (64)", .unit = 1 << 20},
    {"svg", OPTION_TEXT, offsetof(struct duel_args, svg), "FILE", "plot the distance over plies"},
    {"pdn", OPTION_TEXT, offsetof(struct duel_args, pdn), "FILE", "write the games"},
    OPTIONS_OF(struct duel_args, from, answers_options),
    OPTIONS_OF(struct duel_args, from, ondemand_options),
    OPTION_JSON(struct duel_args),
    {0}};

static const enum kind strong_kinds[] = {KIND_WLD, KIND_DTC, KIND_DTW};
static const enum kind weak_kinds[] = {KIND_DTW, KIND_DTC, KIND_WLD};

enum duel_end { DUEL_WON, DUEL_THROWN_AWAY, DUEL_REPEATED, DUEL_CAPPED };

static const char *const end_words[] = {"won", "the win was thrown away",
                                        "drawn: the same position for the third time",
                                        "not won within the allowed plies"};

struct duel {
    const struct duel_args *args;
    struct answers *from;
    struct search *search;
    struct game game;
    enum side strong;
    int distance[GAME_PLIES_MAX + 1]; /* to the end of the game, of board[i] */
    int depth_sum, searched;
    enum duel_end end;
    const atomic_bool *stop;
    struct search_result result;
};

/* --------------------------------------------------------------------------- playing -- */

static enum status outcome_of(const struct duel *d, enum kind kind, struct outcome *o,
                              struct error *e)
{
    const struct source *s = &d->from->source;

    return s->outcome(s->context, game_now(&d->game), kind, o, e);
}

/* The best move by a kind of table. */
static enum status table_move(struct duel *d, enum kind kind, struct move *out, struct error *e)
{
    unsigned want = kind == KIND_DTW ? WANT_DTW : kind == KIND_DTC ? WANT_DTC : WANT_WLD;
    struct answer *a = malloc(sizeof *a);
    enum status rc;

    if (!a)
        return error_set(e, STATUS_NO_MEMORY, "not enough memory");
    if (!(rc = answer_position(&d->from->source, game_now(&d->game), want, a, e)) &&
        !(rc = answer_rank(a, kind, e)))
        *out = a->move[0].move;
    free(a);
    return rc;
}

static enum status search_move(struct duel *d, struct move *out, struct error *e)
{
    struct search_limits limits = {.seconds = d->args->time,
                                   .depth = d->args->depth,
                                   .nodes = d->args->nodes,
                                   .stop = d->stop};
    enum status rc = search_run(d->search, game_now(&d->game), d->game.board, d->game.plies,
                                &limits, &d->result, e);

    if (rc)
        return rc;
    *out = d->result.line[0].pv[0];
    d->depth_sum += d->result.depth;
    d->searched++;
    return STATUS_OK;
}

static enum status choose(struct duel *d, struct move *out, struct error *e)
{
    bool strong = game_now(&d->game)->turn == d->strong;
    enum kind kind = strong ? strong_kinds[d->args->strong] : weak_kinds[d->args->weak];

    return kind == KIND_WLD ? search_move(d, out, e) : table_move(d, kind, out, e);
}

static bool third_time(const struct game *g)
{
    int seen = 0;

    for (int i = 0; i <= g->plies; i++)
        seen += board_equal(&g->board[i], game_now(g));
    return seen >= 3;
}

/* Is the duel over?  Notes the distance on the way. */
static bool over(struct duel *d, struct error *e, enum status *rc)
{
    const struct board *now = game_now(&d->game);
    struct outcome o;

    if ((*rc = outcome_of(d, KIND_DTW, &o, e)))
        return true;
    d->distance[d->game.plies] = o.plies;
    if (moves_count(now) == 0)
        d->end = DUEL_WON;
    else if (o.value != (now->turn == d->strong ? VALUE_WIN : VALUE_LOSS))
        d->end = DUEL_THROWN_AWAY;
    else if (third_time(&d->game))
        d->end = DUEL_REPEATED;
    else if (d->game.plies == d->args->plies)
        d->end = DUEL_CAPPED;
    else
        return false;
    return true;
}

static enum status duel_play(struct duel *d, const struct board *start, _Atomic uint64_t *done,
                             struct error *e)
{
    enum status rc = STATUS_OK;
    struct outcome o;
    struct move m;

    game_begin(&d->game, start);
    if ((rc = outcome_of(d, KIND_DTW, &o, e)))
        return rc;
    if (o.value == VALUE_DRAW)
        return error_set(e, STATUS_POSITION, "the position is drawn: nobody is winning");
    d->strong = o.value == VALUE_WIN ? start->turn : side_other(start->turn);
    search_clear(d->search);
    while (!over(d, e, &rc) && !(rc = choose(d, &m, e)) && !atomic_load(d->stop)) {
        game_push(&d->game, &m);
        atomic_fetch_add(done, 1);
    }
    if (!rc && atomic_load(d->stop))
        rc = error_set(e, STATUS_INTERRUPTED, "interrupted");
    return rc;
}

/* --------------------------------------------------------------------------- telling -- */

/* The closest the strong side came to the win, and when. */
static int closest(const struct duel *d, int *ply)
{
    int best = d->distance[0];

    *ply = 0;
    for (int i = 0; i <= d->game.plies; i++)
        if (d->distance[i] < best && (d->end != DUEL_THROWN_AWAY || i < d->game.plies)) {
            best = d->distance[i];
            *ply = i;
        }
    return best;
}

/* Plies given away by the move of ply i, as the paper counts them. */
static int slip_at(const struct duel *d, int i)
{
    return d->game.board[i].turn == d->strong ? d->distance[i + 1] - d->distance[i] + 1 : 0;
}

static void print_text(const struct duel *d)
{
    struct listing out = listing_open(stdout, d->game.board[0].turn);
    int ply, near = closest(d, &ply), note = 0;
    char fen[FEN_TEXT_MAX];

    fen_format(&d->game.board[0], fen);
    printf("%s\n", fen);
    for (int i = 0; i < d->game.plies; i++)
        listing_move(&out, &d->game.board[i], &d->game.move[i], slip_at(d, i) > 0 ? ++note : 0);
    listing_close(&out);
    note = 0;
    for (int i = 0; i < d->game.plies; i++)
        if (slip_at(d, i) > 0)
            printf("[%d] gives away %d plies: %d left\n", ++note, slip_at(d, i),
                   d->distance[i + 1]);
    printf("%s after %d plies\n", end_words[d->end], d->game.plies);
    printf("distance: %d at the start, %d at the end, %d at ply %d at its closest\n",
           d->distance[0], d->distance[d->game.plies], near, ply);
    if (d->searched)
        printf("mean depth of search %.1f\n", (double)d->depth_sum / d->searched);
}

static void print_json(struct json *j, const struct duel *d)
{
    static const char *const ends[] = {"won", "thrown_away", "repeated", "capped"};
    int ply, near = closest(d, &ply);
    char fen[FEN_TEXT_MAX];

    fen_format(&d->game.board[0], fen);
    json_object(j, NULL);
    json_text(j, "fen", fen);
    json_text(j, "end", ends[d->end]);
    json_bool(j, "won", d->end == DUEL_WON);
    json_int(j, "plies", d->game.plies);
    json_int(j, "closest", near);
    json_int(j, "closest_ply", ply);
    json_real(j, "mean_depth", d->searched ? (double)d->depth_sum / d->searched : 0);
    json_array(j, "moves");
    for (int i = 0; i < d->game.plies; i++) {
        struct move_list legal;
        char text[MOVE_TEXT_MAX];

        moves_generate(&d->game.board[i], &legal);
        move_format(&d->game.move[i], &legal, MOVE_NUMBERS, text);
        json_text(j, NULL, text);
    }
    json_end(j);
    json_array(j, "distance");
    for (int i = 0; i <= d->game.plies; i++)
        json_int(j, NULL, d->distance[i]);
    json_end(j);
    json_end(j);
}

static const char *distance_comment(void *context, int ply, int *nag)
{
    static _Thread_local char text[32];
    const struct duel *d = context;

    *nag = 0;
    snprintf(text, sizeof text, "%d", d->distance[ply + 1]);
    return text;
}

static int write_pdn(struct duel *const *d, int n, const char *path)
{
    FILE *f = fopen(path, "w");

    if (!f)
        return app_error("duel: cannot write %s", path);
    for (int i = 0; i < n; i++) {
        struct game_tags tags = {.event = "kelso duel",
                                 .black = d[i]->strong == BLACK ? "strong" : "weak",
                                 .white = d[i]->strong == WHITE ? "strong" : "weak"};
        enum game_state state = d[i]->end == DUEL_WON ? game_won_by(d[i]->strong) : GAME_DRAWN;

        game_write_pdn(&d[i]->game, &tags, game_result(state), distance_comment, d[i], f);
    }
    return fclose(f) ? app_error("duel: cannot write %s", path) : EXIT_DONE;
}

static int write_svg(struct duel *const *d, int n, const char *path)
{
    struct plot_curve curve[DUELS_MAX];
    char name[DUELS_MAX][FEN_TEXT_MAX + 64];
    struct plot p = {"Plies to the end of the game, under perfect play from there on",
                     "plies played", "distance to win", n, curve};
    FILE *f = fopen(path, "w");

    if (!f)
        return app_error("duel: cannot write %s", path);
    for (int i = 0; i < n; i++) {
        char fen[FEN_TEXT_MAX];

        fen_format(&d[i]->game.board[0], fen);
        snprintf(name[i], sizeof name[i], "%s: %s", fen, d[i]->end == DUEL_WON ? "won" : "not won");
        curve[i] = (struct plot_curve){name[i], d[i]->game.plies + 1, d[i]->distance};
    }
    plot_write(&p, f);
    return fclose(f) ? app_error("duel: cannot write %s", path) : EXIT_DONE;
}

/* ------------------------------------------------------------------------------- run -- */

/* The strong side may ask for values: of the tables, or of the ending solved on demand. */
static enum status duel_open_search(struct duel *d, const struct board *start, struct error *e)
{
    struct search_options o = {.hash = d->args->hash, .no_distances = true};

    if (d->from->ending) {
        o.values = &d->from->source;
        o.values_pieces = squares_count(start->side[BLACK] | start->side[WHITE]);
    } else {
        o.tables = d->from->tables;
    }
    return search_open(&d->search, &o, e);
}

/* Get distances for all positions that can arise: from tables, or by solving the ending. */
static int duel_prepare(struct answers *from, const struct board *b, const struct duel_args *args)
{
    struct answer *a = malloc(sizeof *a);
    unsigned want = WANT_DTW;
    int status;

    if (!a)
        return app_error("not enough memory");
    if (strong_kinds[args->strong] == KIND_DTC || weak_kinds[args->weak] == KIND_DTC)
        want |= WANT_DTC;
    status = answers_position(from, b, want, a);
    if (!status && !a->verdict.known[KIND_DTW]) {
        a->missing[KIND_DTW].status = STATUS_MISSING;
        status = answers_solve(from, b, want, &a->missing[KIND_DTW]);
    }
    free(a);
    return status;
}

static int duel_run(struct duel *d, const struct board *start)
{
    struct longjob job;
    struct error e;
    enum status rc;

    if (duel_prepare(d->from, start, d->args))
        return EXIT_BAD;
    if ((rc = duel_open_search(d, start, &e)))
        return app_error("duel: %s", e.text);
    d->stop =
        longjob_begin(&job, d->args->from.progress, "playing", "plies", (uint64_t)d->args->plies);
    rc = duel_play(d, start, &job.done, &e);
    longjob_end(&job);
    search_close(&d->search);
    return rc ? answers_error(game_now(&d->game), &e) : EXIT_DONE;
}

static int duels_tell(struct duel *const *d, int n, const struct duel_args *args)
{
    struct json j = json_open(stdout);
    int status = EXIT_DONE;

    if (args->json)
        json_array(&j, NULL);
    for (int i = 0; i < n; i++) {
        if (args->json)
            print_json(&j, d[i]);
        else
            print_text(d[i]);
    }
    if (args->json)
        json_end(&j);
    if (args->svg)
        status = write_svg(d, n, args->svg);
    if (!status && args->pdn)
        status = write_pdn(d, n, args->pdn);
    return status;
}

static int run(int argc, char **argv)
{
    struct duel_args args = {.plies = PLIES_DEFAULT};
    struct duel *d[DUELS_MAX] = {NULL};
    struct answers from;
    int n = options_parse(&command_duel, argc, argv, &args), status = EXIT_DONE;

    if (n < 0 || output_check(args.svg) || output_check(args.pdn))
        return EXIT_BAD;
    if (!args.time && !args.depth && !args.nodes)
        args.time = 1;
    if (answers_open(&from, &args.from))
        return EXIT_BAD;
    for (int i = 0; i < n && !status; i++) {
        struct board b;

        if (!(d[i] = calloc(1, sizeof **d)))
            status = app_error("not enough memory");
        else if (!(status = input_position(argv[i], &b))) {
            d[i]->args = &args;
            d[i]->from = &from;
            status = duel_run(d[i], &b);
        }
    }
    if (!status)
        status = duels_tell(d, n, &args);
    for (int i = 0; i < n; i++)
        free(d[i]);
    answers_close(&from);
    return status;
}

const struct command command_duel = {
    .name = "duel",
    .summary = "a search against perfect defence",
    .usage = "FEN...",
    .help = "Plays out won positions: the strong side searches and knows only win, loss and draw\n"
            "from the tables; the weak side plays the move that loses latest.  Prints the moves,\n"
            "the plies that each gave away, and how close to the end the strong side came.  A\n"
            "position that occurs for the third time is a draw.\n"
            "\n"
            "  kelso duel 'B:WK16,K19,K32:BK7,K21,K27,28' --on-demand --time 5 --svg duel.svg\n",
    .options = options,
    .operands_min = 1,
    .operands_max = DUELS_MAX,
    .run = run,
};
