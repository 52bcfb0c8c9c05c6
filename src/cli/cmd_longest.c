/* SPDX-License-Identifier: MIT
 *
 * kelso longest: the record positions of the tables, with their lines. */
#include "cli/answers.h"
#include "cli/command.h"
#include "cli/database.h"
#include "report/listing.h"
#include "report/objects.h"

#include <stdlib.h>

struct longest_args {
    const char *slice;
    struct answers_args from;
    int kind;
    bool quiet, lines, json;
};

static const struct option_spec options[] = {
    {"slice", OPTION_TEXT, offsetof(struct longest_args, slice), "SLICE",
     "only this one, such as 3K1C-2K1C, with its lines"},
    {"kind", OPTION_CHOICE, offsetof(struct longest_args, kind), "KIND",
     "the longest by dtw (to the end of the game) or dtc (to the next conversion)",
     .choices = "dtw|dtc"},
    {"quiet", OPTION_FLAG, offsetof(struct longest_args, quiet), NULL,
     "only positions in which the side to move has no capture"},
    {"lines", OPTION_FLAG, offsetof(struct longest_args, lines), NULL,
     "with the line of each record"},
    OPTIONS_OF(struct longest_args, from, answers_options),
    OPTION_WAS("memory", "cache"),
    OPTION_JSON(struct longest_args),
    {0}};

static const enum kind kinds[] = {KIND_DTW, KIND_DTC}; /* as --kind lists them */

struct longest_run {
    const struct longest_args *args;
    struct answers from;
    enum kind kind;
    bool lines;
    struct line *line;
    int records;
    bool said; /* the error has been printed */
};

/* ------------------------------------------------------------------- printing -- */

static void print_text(struct longest_run *job, const struct survey_longest *f)
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

/* -------------------------------------------------------------------- records -- */

/* Errors are printed here, where the position is known; the status ends the walk. */
static enum status found_print(void *context, const struct survey_longest *f)
{
    struct longest_run *job = context;
    struct json j = json_open(stdout);
    struct error e;
    enum status rc;

    job->records++;
    if (job->lines && (rc = line_play(&job->from.source, &f->board, job->kind, job->line, &e))) {
        answers_error(&f->board, &e);
        job->said = true;
        return rc;
    }
    if (job->args->json)
        object_longest(&j, NULL, f, job->lines ? job->line : NULL);
    else
        print_text(job, f);
    return STATUS_OK;
}

static int slice_print(struct longest_run *job, struct slice s)
{
    struct error e;

    if (!survey_longest(tables_catalog(job->from.tables), s, job->kind, job->args->quiet,
                        found_print, job, &e))
        return EXIT_DONE;
    return job->said ? EXIT_BAD : app_error("%s", e.text);
}

static int all_print(struct longest_run *job)
{
    struct slice list[SLICE_CODES];
    int n = slice_order(PIECES_MAX, PIECES_MAX, list), status = EXIT_DONE;

    for (int i = 0; i < n && !status; i++)
        if (catalog_has(tables_catalog(job->from.tables), list[i], job->kind))
            status = slice_print(job, list[i]);
    if (!status && !job->records)
        status = app_error("%s: no %s tables", tables_dir(job->from.tables), kind_name(job->kind));
    return status;
}

static int run(int argc, char **argv)
{
    struct longest_args args = {0};
    struct longest_run job = {.args = &args};
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
        status = args.slice ? slice_print(&job, slice) : all_print(&job);
    free(job.line);
    answers_close(&job.from);
    return status;
}

const struct command command_longest = {
    .name = "longest",
    .summary = "the longest wins and losses of the tables, with their lines",
    .usage = "",
    .help = "Prints for each slice, with either side to move, a position with the longest win and\n"
            "one with the longest loss: the pieces (those of the side to move first), the plies,\n"
            "and the position with Black to move.  With --slice or --lines each is followed by\n"
            "the game under perfect play.\n"
            "\n"
            "  kelso longest --quiet\n"
            "  kelso longest --slice 2K1C-1K --kind dtc\n",
    .options = options,
    .run = run,
};
