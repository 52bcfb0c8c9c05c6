/* SPDX-License-Identifier: MIT
 *
 * kelso shortest: all complete games of a given length.
 *
 * 1. compute the graph of games by one of two methods   (compute_search, compute_bfs)
 * 2. count games, finals and blocks                     (lines_count)
 * 3. answer: a summary, and a listing on request        (answer_text, answer_json) */
#include "base/clock.h"
#include "cli/command.h"
#include "cli/input.h"
#include "report/json.h"
#include "cli/longjob.h"
#include "report/term.h"
#include "base/crew.h"
#include "core/notation.h"
#include "core/pdn_writer.h"
#include "games/deep.h"
#include "games/shortest.h"
#include "games/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum method { METHOD_SEARCH, METHOD_BFS };
enum listing { LIST_NONE, LIST_GAMES, LIST_TREE, LIST_COMPRESSED, LIST_FINALS, LIST_PDN };
enum { PLIES_MAX = 30 };

/* Deep blocks (games/deep.h): left out; found with all other games, by bfs; or found by a separate
 * search, with separate figures. */
enum deep { DEEP_LEFT_OUT, DEEP_WITH_ALL, DEEP_APART };

struct shortest_args {
    int plies, method, list, threads, progress;
    uint64_t memory;
    const char *dir, *fen;
    bool deep, algebraic, json;
};

static const struct option_spec options[] = {
    {"plies", OPTION_INT, offsetof(struct shortest_args, plies), "N",
     "games of exactly N plies (20)", .min = 1, .max = PLIES_MAX},
    {"method", OPTION_CHOICE, offsetof(struct shortest_args, method), "HOW",
     "search (default): bounded, little memory; bfs: trace back through a census",
     .choices = "search|bfs"},
    {"deep", OPTION_FLAG, offsetof(struct shortest_args, deep), NULL,
     "search: also find blocks with a piece on the home edge"},
    {"list", OPTION_CHOICE, offsetof(struct shortest_args, list), "WHAT",
     "none (default), games, tree, compressed, finals, pdn",
     .choices = "none|games|tree|compressed|finals|pdn"},
    {"algebraic", OPTION_FLAG, offsetof(struct shortest_args, algebraic), NULL,
     "write squares as a1, not as 4"},
    {"fen", OPTION_TEXT, offsetof(struct shortest_args, fen), "FEN", "start from this position"},
    {"dir", OPTION_TEXT, offsetof(struct shortest_args, dir), "DIR",
     "bfs: keep the census (--count bryant) in files here"},
    {"memory", OPTION_SIZE, offsetof(struct shortest_args, memory), "SIZE",
     "memory for all threads together (2G)"},
    {"threads", OPTION_INT, offsetof(struct shortest_args, threads), "N", "use N threads (1)",
     .min = 1, .max = CREW_MAX},
    OPTION_PROGRESS(struct shortest_args),
    OPTION_JSON(struct shortest_args),
    {0}};

struct shortest_job {
    const struct shortest_args *args;
    struct board start;
    struct longjob watch;
    int stage; /* of the progress; -1 before the first */
    struct lines lines;
    struct lines_counts counts;
    uint64_t shorter; /* games (bfs: positions) that end earlier, except those found apart */
    enum deep deep;
    int deep_shortest;  /* apart: plies of the first; -1: none */
    uint64_t deep_ends; /* apart: final positions */
    uint64_t deep_seen; /* apart: positions examined */
    double seconds;
    size_t number; /* while listing */
    enum move_style style;
    struct json json;
};

/* ---------------------------------------------------------------- progress -- */

static void stage(struct shortest_job *job, int number, const char *what, uint64_t total)
{
    char label[PROGRESS_LABEL_MAX];

    if (number == job->stage)
        return;
    job->stage = number;
    snprintf(label, sizeof label, "%s, ply %d", what, number);
    longjob_stage(&job->watch, label, "positions", total);
}

static bool search_progress(void *context, const struct shortest_report *r)
{
    struct shortest_job *job = context;

    if (job->stage < 0)
        stage(job, 0, "search", 0);
    if (r->wall)
        progress_label(&job->watch.progress, "wall, level %d of %d", r->ply, r->plies);
    else
        progress_label(&job->watch.progress, "%s, ply %d of %d", r->back ? "back" : "forward",
                       r->ply, r->plies);
    if (!r->wall && !r->back)
        atomic_fetch_add(&job->watch.done, r->positions);
    return true;
}

static bool scan_progress(void *context, int ply, uint64_t done, uint64_t size)
{
    struct shortest_job *job = context;

    stage(job, ply, "scanning", size);
    atomic_store(&job->watch.done, done);
    return true;
}

static bool census_progress(void *context, const struct census_report *r)
{
    struct shortest_job *job = context;

    stage(job, r->ply, "census", r->size);
    atomic_store(&job->watch.done, r->expanded);
    return true;
}

/* ------------------------------------------------------------------ search -- */

/* All shallow games of `plies` plies. */
static enum status shallow(struct shortest_job *job, int plies, struct lines *out, struct error *e)
{
    struct shortest_options o = {job->start, plies, search_progress, job};
    return shortest_shallow(&o, out, e);
}

static enum status count_shorter(struct shortest_job *job, struct error *e)
{
    enum status status = STATUS_OK;
    struct lines_counts counts;

    for (int plies = 1; status == STATUS_OK && plies < job->args->plies; plies++) {
        struct lines lines;

        if ((status = shallow(job, plies, &lines, e)) != STATUS_OK)
            break;
        if (!lines_count(&lines, &counts))
            status = error_no_memory(e);
        job->shorter += counts.games;
        lines_free(&lines);
    }
    return status;
}

static enum status add_deep(struct shortest_job *job, struct error *e)
{
    const struct shortest_args *args = job->args;
    struct deep_options o = {job->start,   args->plies,     args->threads,
                             args->memory, search_progress, job};
    struct deep_result deep;
    enum status status = deep_search(&o, &deep, e);

    if (status != STATUS_OK)
        return status;
    job->deep = DEEP_APART;
    job->deep_ends = deep.lines.at[args->plies].count;
    job->deep_seen = deep.positions;
    job->deep_shortest = deep.shortest;
    if (!lines_join(&job->lines, &deep.lines))
        status = error_no_memory(e);
    lines_free(&deep.lines);
    return status;
}

static enum status compute_search(struct shortest_job *job, struct error *e)
{
    enum status status = shallow(job, job->args->plies, &job->lines, e);

    if (status == STATUS_OK)
        status = count_shorter(job, e);
    if (status == STATUS_OK && job->args->deep)
        status = add_deep(job, e);
    return status;
}

/* --------------------------------------------------------------------- bfs -- */

static enum status compute_bfs(struct shortest_job *job, struct error *e)
{
    const struct shortest_args *args = job->args;
    struct census_options o = {.start = &job->start,
                               .plies = args->plies - 1,
                               .counting = CENSUS_BRYANT,
                               .dir = args->dir,
                               .keep_last = true,
                               .memory = args->memory,
                               .threads = args->threads,
                               .report = census_progress,
                               .context = job};
    struct trace_options t = {args->plies, job->start.turn, args->threads, scan_progress, job};
    struct census *census = malloc(sizeof *census);
    enum status status;

    if (!census)
        return error_no_memory(e);
    status = census_run(census, &o, e);
    job->stage = -1;
    if (status == STATUS_OK)
        status = trace_run(census, &t, &job->lines, &job->shorter, e);
    job->deep = DEEP_WITH_ALL;
    census_close(census);
    free(census);
    return status;
}

/* ----------------------------------------------------------------- listing -- */

/* 22-17, or in `style`; blanks of the same width if it is hidden. */
static void print_move(const struct shortest_job *job, const struct lines_game *line, int ply,
                       bool shown)
{
    char text[MOVE_TEXT_MAX];

    lines_move_format(&line->board[ply], &line->move[ply], job->style, text);
    printf("%s%*s", ply ? " " : "", (int)strlen(text), shown ? text : "");
}

static bool print_line(void *context, const struct lines_game *line)
{
    const struct shortest_job *job = context;
    bool whole = job->args->list == LIST_GAMES;
    char fen[FEN_TEXT_MAX];

    printf("%0*zu | ", job->counts.games < 1000 ? 3 : 7, line->number);
    for (int ply = 0; ply < line->plies; ply++)
        print_move(job, line, ply, whole || ply >= line->common);
    if (line->same_as) {
        printf(" (now same as %zu)\n", line->same_as);
        return true;
    }
    fen_format(&line->board[line->plies], fen);
    printf(" | %s\n", fen);
    return true;
}

static void print_finals(const struct shortest_job *job)
{
    const struct layer *ends = &job->lines.at[job->lines.plies];
    char fen[FEN_TEXT_MAX];

    for (size_t i = 0; i < ends->count; i++) {
        struct board b =
            placement_board(ends->placement[i], lines_turn(&job->lines, job->lines.plies));

        fen_format(&b, fen);
        puts(fen);
    }
}

static void pdn_out(void *context, const char *bytes, size_t length)
{
    (void)context;
    fwrite(bytes, 1, length, stdout);
}

static bool pdn_line(void *context, const struct lines_game *line)
{
    struct shortest_job *job = context;
    struct pdn_writer w = pdn_writer_open(pdn_out, NULL, job->style);
    struct pdn_game game = {.start = line->board[0]};
    struct pdn_event e = {.kind = PDN_GAME, .game = &game, .board = &game.start};
    const struct board *last = &line->board[line->plies]; /* no move there */
    enum pdn_result result = pdn_won_by(side_other(last->turn));
    struct move_list legal;

    game.tag[game.tags++] = pdn_tag_of("Result", pdn_result_text(result));
    w.begun = line->number > 1;
    pdn_writer_event(&w, &e);
    for (int ply = 0; ply < line->plies; ply++) {
        moves_generate(&line->board[ply], &legal);
        e = (struct pdn_event){.kind = PDN_MOVE,
                               .game = &game,
                               .board = &line->board[ply],
                               .move = &line->move[ply],
                               .legal = &legal,
                               .ply = ply};
        pdn_writer_event(&w, &e);
    }
    e = (struct pdn_event){
        .kind = PDN_RESULT, .game = &game, .board = last, .ply = line->plies, .result = result};
    pdn_writer_event(&w, &e);
    return true;
}

static void list(struct shortest_job *job)
{
    switch ((enum listing)job->args->list) {
    case LIST_NONE:
        break;
    case LIST_FINALS:
        print_finals(job);
        break;
    case LIST_PDN:
        lines_visit(&job->lines, false, pdn_line, job);
        break;
    default:
        lines_visit(&job->lines, job->args->list == LIST_COMPRESSED, print_line, job);
    }
}

/* ----------------------------------------------------------------- answers -- */

/* The games that begin with one move. */
static uint64_t games_after(const struct shortest_job *job, struct placement first)
{
    struct lines only = job->lines;
    struct lines_counts counts;

    if (!layer_has(&job->lines.at[1], first))
        return 0;
    only.at[1] = (struct layer){.placement = &first, .count = 1};
    return lines_count(&only, &counts) ? counts.games : 0;
}

static void print_first_moves(const struct shortest_job *job)
{
    struct successor next[MOVES_MAX];
    int n = board_successors(&job->start, next);
    char text[MOVE_TEXT_MAX], count[FORMAT_MAX];

    printf("by first move:");
    for (int i = 0; i < n; i++) {
        lines_move_format(&job->start, &next[i].move, job->style, text);
        printf(" %s %s%s", text, format_count(games_after(job, next[i].placement), count),
               i + 1 < n ? "," : "\n");
    }
}

static bool deep_comes_sooner(const struct shortest_job *job)
{
    return job->deep == DEEP_APART && job->deep_shortest >= 0 &&
           job->deep_shortest < job->args->plies;
}

static void answer_text(const struct shortest_job *job)
{
    const struct lines_counts *c = &job->counts;
    char games[FORMAT_MAX], a[FORMAT_MAX], b[FORMAT_MAX];

    printf("%s games of %d plies, %s final positions\n", format_count(c->games, games),
           job->args->plies, format_count(c->finals, a));
    printf("%s by capturing all, ", format_count(c->games - c->blocks, a));
    printf("%s by a block (%s final positions", format_count(c->blocks, a),
           format_count(c->final_blocks, b));
    printf("), %s of these without any capture\n", format_count(c->blocks_uncaptured, a));
    if (c->blocks)
        printf("largest block: %d pieces, in %s games\n", c->largest_block,
               format_count(c->largest_games, a));
    printf("games in which one side captures nothing: %s\n", format_count(c->one_sided, a));
    if (c->games)
        print_first_moves(job);
    printf("shorter games: %s%s\n", job->shorter || deep_comes_sooner(job) ? "some" : "none",
           job->deep == DEEP_LEFT_OUT ? " but for deep blocks, which were not looked for (--deep)"
                                      : "");
    if (job->deep == DEEP_APART)
        printf("deep blocks among the final positions: %s, from %s positions\n",
               format_count(job->deep_ends, a), format_count(job->deep_seen, b));
    printf("%.1f s\n", job->seconds);
}

static bool json_line(void *context, const struct lines_game *line)
{
    struct shortest_job *job = context;
    char text[MOVE_TEXT_MAX];

    json_array(&job->json, NULL);
    for (int ply = 0; ply < line->plies; ply++) {
        lines_move_format(&line->board[ply], &line->move[ply], job->style, text);
        json_text(&job->json, NULL, text);
    }
    json_end(&job->json);
    return true;
}

static void json_finals(struct shortest_job *job)
{
    const struct layer *ends = &job->lines.at[job->lines.plies];
    char fen[FEN_TEXT_MAX];

    json_array(&job->json, "final_positions");
    for (size_t i = 0; i < ends->count; i++) {
        struct board b =
            placement_board(ends->placement[i], lines_turn(&job->lines, job->lines.plies));

        fen_format(&b, fen);
        json_text(&job->json, NULL, fen);
    }
    json_end(&job->json);
}

static void json_first_moves(struct shortest_job *job)
{
    struct successor next[MOVES_MAX];
    int n = board_successors(&job->start, next);
    char text[MOVE_TEXT_MAX];

    json_object(&job->json, "first_moves");
    for (int i = 0; i < n; i++) {
        lines_move_format(&job->start, &next[i].move, job->style, text);
        json_uint(&job->json, text, games_after(job, next[i].placement));
    }
    json_end(&job->json);
}

static void answer_json(struct shortest_job *job)
{
    const struct lines_counts *c = &job->counts;
    struct json *j = &job->json;

    *j = json_open(stdout);
    json_object(j, NULL);
    json_int(j, "plies", job->args->plies);
    json_text(j, "method", job->args->method == METHOD_BFS ? "bfs" : "search");
    json_uint(j, "games", c->games);
    json_uint(j, "finals", c->finals);
    json_uint(j, "blocks", c->blocks);
    json_uint(j, "final_blocks", c->final_blocks);
    json_uint(j, "blocks_without_capture", c->blocks_uncaptured);
    json_int(j, "largest_block", c->largest_block);
    json_uint(j, "largest_block_games", c->largest_games);
    json_uint(j, "one_sided", c->one_sided);
    json_uint(j, "shorter", job->shorter);
    json_bool(j, "deep_blocks_looked_for", job->deep != DEEP_LEFT_OUT);
    if (job->deep == DEEP_APART) {
        if (job->deep_shortest < 0)
            json_null(j, "deep_shortest");
        else
            json_int(j, "deep_shortest", job->deep_shortest);
        json_uint(j, "deep_blocks", job->deep_ends);
        json_uint(j, "deep_positions", job->deep_seen);
    }
    json_real(j, "seconds", job->seconds);
    json_first_moves(job);
    json_finals(job);
    if (job->args->list != LIST_NONE && job->args->list != LIST_FINALS) {
        json_array(j, "lines");
        lines_visit(&job->lines, false, json_line, job);
        json_end(j);
    }
    json_end(j);
}

/* --------------------------------------------------------------------- run -- */

static int compute(struct shortest_job *job)
{
    struct error e = {0};
    double begun = clock_seconds();
    enum status status;

    longjob_begin_loose(
        &job->watch, job->args->progress,
        job->args->dir && job->args->method == METHOD_BFS
            ? "stopped; run the same command to continue after the last complete ply"
            : "stopped");
    status = job->args->method == METHOD_BFS ? compute_bfs(job, &e) : compute_search(job, &e);
    if (status == STATUS_OK && !lines_count(&job->lines, &job->counts))
        status = error_no_memory(&e);
    longjob_end(&job->watch);
    job->seconds = clock_seconds() - begun;
    return status == STATUS_OK ? EXIT_DONE : app_error("shortest: %s", e.text);
}

static int run(int argc, char **argv)
{
    struct shortest_args args = {.plies = 20, .threads = 1};
    struct shortest_job job = {.args = &args, .stage = -1};
    int status;

    if (options_parse(&command_shortest, argc, argv, &args) < 0)
        return EXIT_BAD;
    if (args.method == METHOD_BFS && args.plies - 1 > CENSUS_PLIES_MAX)
        return app_error("shortest: --method bfs reaches %d plies at most", CENSUS_PLIES_MAX + 1);
    if (input_position(args.fen, &job.start) != EXIT_DONE)
        return EXIT_BAD;
    job.style = args.algebraic ? MOVE_ALGEBRAIC : MOVE_NUMBERS;
    status = compute(&job);
    if (status == EXIT_DONE && args.json)
        answer_json(&job);
    else if (status == EXIT_DONE && args.list != LIST_NONE)
        list(&job);
    else if (status == EXIT_DONE)
        answer_text(&job);
    lines_free(&job.lines);
    return status;
}

const struct command command_shortest = {
    .name = "shortest",
    .summary = "find all complete games of a given length",
    .usage = "",
    .help = "Finds every complete game of exactly --plies plies, and says whether shorter ones\n"
            "exist.  A game is a sequence of positions: capture routes with the same result count\n"
            "as one.  There are two methods, which share only the rules. `search` uses bounds and\n"
            "finds all games that end by capture or in a block without a piece on the loser's\n"
            "home edge; with --deep also the other blocks. `bfs` keeps all positions (see kelso\n"
            "census) and traces the games back; it is meant for the shortest games only.\n"
            "\n"
            "  kelso shortest --plies 20\n"
            "  kelso shortest --plies 20 --list games --algebraic\n"
            "  kelso shortest --plies 21 --deep --threads 2 --memory 8G\n",
    .options = options,
    .run = run,
};
