/* SPDX-License-Identifier: MIT
 *
 * kelso slices: what there is to build, in which order, and what is built. */
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
    uint64_t values;
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
    if (job->json)
        object_slice(&j, NULL, r);
    else
        row_text(r);
    return STATUS_OK;
}

static int run(int argc, char **argv)
{
    struct slices_args args = {.pieces = 5};
    struct slices_list job = {0};
    struct catalog *c = NULL;
    char path[TABLE_PATH_MAX], count[FORMAT_MAX];

    if (options_parse(&command_slices, argc, argv, &args) < 0)
        return EXIT_BAD;
    if (catalog_default_dir(args.dir, path, sizeof path))
        catalog_open(&c, path, NULL); /* a directory that is not there has no tables */
    job.json = args.json;
    if (!args.json)
        printf("   #  slice                values  built         leads to\n");
    survey_slices(c, args.pieces, row_print, &job);
    if (!args.json)
        printf("%d slices, %s values (a value is a position with one side to move)\n", job.slices,
               format_count(job.values, count));
    catalog_close(&c);
    return EXIT_DONE;
}

const struct command command_slices = {
    .name = "slices",
    .summary = "list the slices of the endgame tables in build order",
    .usage = "",
    .help = "A slice is what each side has: 3K1C-2K1C is three kings and a man against two\n"
            "kings and a man, with either side to move.  Each is listed after all that its\n"
            "moves can lead to, with the number of its values and the kinds of tables that\n"
            "are built.\n"
            "\n"
            "  kelso slices --pieces 4\n",
    .options = options,
    .run = run,
};
