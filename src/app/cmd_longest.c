/* SPDX-License-Identifier: MIT
 *
 * kelso longest: the record positions of the tables, with their lines. */
#include "app/answers.h"
#include "app/command.h"
#include "app/database.h"
#include "app/listing.h"
#include "core/movegen.h"
#include "core/notation.h"

#include <stdlib.h>

struct longest_args {
    const char *slice;
    struct answers_args from;
    int kind;
    bool quiet, lines, json;
};

static const struct option_spec options[] = {
    {"slice", OPTION_TEXT, offsetof(struct longest_args, slice), "SLICE",
     "only this one, as 3K1C-2K1C, and with its lines"},
    {"kind", OPTION_CHOICE, offsetof(struct longest_args, kind), "KIND",
     "the longest by dtw (to the end of the game) or dtc (to the next conversion)",
     .choices = "dtw|dtc"},
    {"quiet", OPTION_FLAG, offsetof(struct longest_args, quiet), NULL,
     "only positions in which the side to move has no capture"},
    {"lines", OPTION_FLAG, offsetof(struct longest_args, lines), NULL,
     "with the line of each record"},
    OPTIONS_ANSWERS(struct longest_args, from),
    OPTION_JSON(struct longest_args),
    {0}};

static const enum kind kinds[] = {KIND_DTW, KIND_DTC}; /* as --kind lists them */

struct job {
    const struct longest_args *args;
    struct answers from;
    enum kind kind;
    bool lines;
    struct line *line;
    int records;
};

/* A longest win or loss, with Black to move. */
struct found {
    struct slice slice; /* the mover's pieces first */
    enum value value;
    int plies;
    struct board board;
};

/* ------------------------------------------------------------------- printing -- */

static void print_text(struct job *job, const struct found *f)
{
    struct listing out = listing_open(stdout, BLACK);
    char name[SLICE_NAME_MAX], fen[FEN_TEXT_MAX];

    fen_format(&f->board, fen);
    printf("%-10s %-4s %3d  %s\n", slice_name(f->slice, name), value_name(f->value), f->plies, fen);
    if (!job->lines)
        return;
    for (int i = 0; i < job->line->plies; i++)
        listing_move(&out, &job->line->ply[i].board, &job->line->ply[i].move, 0);
    listing_close(&out);
    putchar('\n');
}

static void print_json(struct job *job, const struct found *f)
{
    struct json j = json_open(stdout);
    char text[FEN_TEXT_MAX];

    json_object(&j, NULL);
    json_text(&j, "slice", slice_name(f->slice, text));
    json_text(&j, "kind", kind_name(job->kind));
    json_text(&j, "value", value_name(f->value));
    json_int(&j, "plies", f->plies);
    fen_format(&f->board, text);
    json_text(&j, "fen", text);
    if (job->lines) {
        json_array(&j, "moves");
        for (int i = 0; i < job->line->plies; i++) {
            struct move_list legal;

            moves_generate(&job->line->ply[i].board, &legal);
            move_format(&job->line->ply[i].move, &legal, MOVE_NUMBERS, text);
            json_text(&j, NULL, text);
        }
        json_end(&j);
    }
    json_end(&j);
}

/* -------------------------------------------------------------------- records -- */

static int found_print(struct job *job, const struct found *f)
{
    struct error e;

    job->records++;
    if (job->lines && line_play(&job->from.source, &f->board, job->kind, job->line, &e))
        return answers_error(&f->board, &e);
    if (job->args->json)
        print_json(job, f);
    else
        print_text(job, f);
    return EXIT_DONE;
}

/* The longest win and the longest loss of one mirror of a table. */
static int mirror_print(struct job *job, const struct table *t, int mirror)
{
    const struct table_stats *stats = table_stats(t, mirror);
    const struct table_counts *counts = job->args->quiet ? &stats->quiet : &stats->all;
    struct slice s = mirror ? slice_flip(table_slice(t)) : table_slice(t);
    int status = EXIT_DONE;

    for (int v = VALUE_WIN; v >= VALUE_LOSS && !status; v -= VALUE_WIN - VALUE_LOSS) {
        const struct table_record *r = &counts->longest[v];
        struct found f = {s, (enum value)v, r->plies, board_start};
        struct view view;

        if (r->plies < 0)
            continue;
        layout_view(table_layout(t, mirror), r->index, &view);
        f.board = view_board(&view, BLACK);
        status = found_print(job, &f);
    }
    return status;
}

static int slice_print(struct job *job, struct slice s)
{
    const struct table *t;
    struct error e;
    int status;

    if (catalog_table(job->from.catalog, s, job->kind, &t, &e))
        return app_error("%s", e.text);
    status = mirror_print(job, t, 0);
    if (!status && !slice_symmetric(s))
        status = mirror_print(job, t, 1);
    return status;
}

static int all_print(struct job *job)
{
    struct slice list[SLICE_CODES];
    int n = slice_order(PIECES_MAX, PIECES_MAX, list), status = EXIT_DONE;

    for (int i = 0; i < n && !status; i++)
        if (catalog_has(job->from.catalog, list[i], job->kind))
            status = slice_print(job, list[i]);
    if (!status && !job->records)
        status =
            app_error("%s: no %s tables", catalog_dir(job->from.catalog), kind_name(job->kind));
    return status;
}

static int run(int argc, char **argv)
{
    struct longest_args args = {0};
    struct job job = {.args = &args};
    struct slice slice;
    int status;

    if (options_parse(&command_longest, argc, argv, &args) < 0 ||
        (args.slice && database_slice(args.slice, &slice)) || answers_open(&job.from, &args.from))
        return EXIT_BAD;
    job.kind = kinds[args.kind];
    job.lines = args.lines || args.slice;
    job.line = malloc(sizeof *job.line);
    if (!job.line)
        status = app_error("not enough memory");
    else
        status = args.slice ? slice_print(&job, slice_canonical(slice)) : all_print(&job);
    free(job.line);
    answers_close(&job.from);
    return status;
}

const struct command command_longest = {
    .name = "longest",
    .summary = "the longest wins and losses of the tables, with their lines",
    .usage = "",
    .help = "Writes for each slice, with either side to move, a position with the longest win\n"
            "and one with the longest loss: the pieces (those of the side to move first), the\n"
            "plies, and the position with Black to move.  With --slice or --lines the game\n"
            "under perfect play follows each.\n",
    .options = options,
    .run = run,
};
