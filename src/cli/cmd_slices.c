/* SPDX-License-Identifier: MIT
 *
 * kelso slices: list the slices in build order, and which are built. */
#include "cli/command.h"
#include "cli/database.h"
#include "report/objects.h"
#include "report/term.h"

#include <stdio.h>

struct slices_args {
    int pieces;
    const char *dir;
    bool json;
};

static const struct option_spec options[] = {
    {"pieces", OPTION_INT, offsetof(struct slices_args, pieces), "N",
     "slices of at most N pieces (5)", .min = 2, .max = PIECES_MAX},
    OPTION_DIR(struct slices_args),
    OPTION_JSON(struct slices_args),
    {0}};

struct slices_list {
    bool json;
    int slices;
    uint64_t values, by_pieces[PIECES_MAX + 1];
};

static void row_text(const struct survey_slice *r)
{
    struct slice need[SLICE_CODES];
    int n = slice_successors(r->slice, need);
    char name[SLICE_NAME_MAX], count[FORMAT_MAX];

    printf("%4d  %-10s %16s ", r->number, slice_name(r->slice, name),
           format_count(r->values, count));
    for (int k = 0; k < KINDS; k++)
        printf(" %s", r->bytes[k] ? kind_name((enum kind)k) : "-  ");
    for (int i = 0; i < n; i++)
        printf("%s%s", i ? " " : "   ", slice_name(need[i], name));
    putchar('\n');
}

static enum status row_print(void *context, const struct survey_slice *r)
{
    struct json j = json_open(stdout);
    struct slices_list *job = context;

    job->slices++;
    job->values += r->values;
    job->by_pieces[slice_pieces(r->slice)] += r->values;
    if (job->json)
        object_slice(&j, NULL, r);
    else
        row_text(r);
    return STATUS_OK;
}

/* A value is a position with a side to move and colours counted once: as many as positions with
 * colours and without a side to move. */
static void totals_print(const struct slices_list *job, int pieces)
{
    char count[FORMAT_MAX];

    printf("%d slices, %s values (a value is a position with one side to move)\n", job->slices,
           format_count(job->values, count));
    printf("\npieces              values   one colour only            together  published 2007\n");
    for (int p = 2; p <= pieces; p++) {
        uint64_t together = job->by_pieces[p] + survey_one_sided(p);

        printf("%6d  %18s", p, format_count(job->by_pieces[p], count));
        printf(" %17s", format_count(survey_one_sided(p), count));
        printf(" %19s  %s\n", format_count(together, count),
               together == survey_published(p) ? "equal" : "DIFFERENT");
    }
}

static int run(int argc, char **argv)
{
    struct slices_args args = {.pieces = 5};
    struct slices_list job = {0};
    struct catalog *c = NULL;
    char path[TABLE_PATH_MAX];

    if (options_parse(&command_slices, argc, argv, &args) < 0)
        return EXIT_BAD;
    if (catalog_default_dir(args.dir, path, sizeof path))
        catalog_open(&c, path, NULL); /* a missing directory has no tables */
    job.json = args.json;
    if (!args.json)
        printf("   #  slice                values  built         leads to\n");
    survey_slices(c, args.pieces, row_print, &job);
    if (!args.json)
        totals_print(&job, args.pieces);
    catalog_close(&c);
    return EXIT_DONE;
}

const struct command command_slices = {
    .name = "slices",
    .summary = "list the slices of the endgame tables in build order",
    .usage = "",
    .help = "A slice is the material of both sides: 3K1C-2K1C is three kings and a man against\n"
            "two kings and a man, with either side to move.  Each slice is listed after all\n"
            "slices that its moves can lead to, with the number of its values and the kinds of\n"
            "tables that are built.  The totals by number of pieces, including positions with\n"
            "pieces of one colour only, are compared with those that Schaeffer et al. published\n"
            "in 2007.\n"
            "\n"
            "  kelso slices --pieces 4\n",
    .options = options,
    .run = run,
};
