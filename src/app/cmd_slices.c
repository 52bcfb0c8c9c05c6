/* SPDX-License-Identifier: MIT
 *
 * kelso slices: what there is to build, in which order, and what is built. */
#include "app/command.h"
#include "app/database.h"
#include "app/json.h"
#include "app/term.h"

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

struct row {
    int number;
    struct slice slice;
    uint64_t values; /* both sides to move */
    uint64_t blocks;
    uint64_t bytes[KINDS]; /* 0: not built */
};

/* A directory that is not there has no tables; a damaged table counts as not built. */
static void row_fill(struct row *r, struct catalog *c)
{
    int sides = slice_symmetric(r->slice) ? 1 : 2;
    struct layout l;

    if (layout_create(&l, r->slice) == 0) {
        r->values = l.positions * (uint64_t)sides;
        r->blocks = l.blocks;
        layout_free(&l);
    }
    for (int k = 0; c && k < KINDS; k++) {
        const struct table *t;

        if (catalog_has(c, r->slice, (enum kind)k) &&
            catalog_table(c, r->slice, (enum kind)k, &t, NULL) == STATUS_OK)
            r->bytes[k] = table_size(t);
    }
}

static void row_text(const struct row *r)
{
    struct slice need[SLICE_CODES];
    int n = slice_successors(r->slice, need);
    char name[SLICE_NAME_MAX], count[FORMAT_MAX];

    printf("%4d  %-10s %16s ", r->number, slice_name(r->slice, name),
           format_count(r->values, count));
    for (int k = 0; k < KINDS; k++)
        printf(" %s", r->bytes[k] ? kind_name((enum kind)k) : "-  ");
    printf("  ");
    for (int i = 0; i < n; i++)
        printf(" %s", slice_name(need[i], name));
    putchar('\n');
}

static void row_json(const struct row *r)
{
    struct slice need[SLICE_CODES];
    int n = slice_successors(r->slice, need);
    struct json j = json_open(stdout);
    char name[SLICE_NAME_MAX];

    json_object(&j, NULL);
    json_int(&j, "number", r->number);
    json_text(&j, "slice", slice_name(r->slice, name));
    json_uint(&j, "values", r->values);
    json_uint(&j, "blocks", r->blocks);
    json_object(&j, "bytes");
    for (int k = 0; k < KINDS; k++)
        if (r->bytes[k])
            json_uint(&j, kind_name((enum kind)k), r->bytes[k]);
    json_end(&j);
    json_array(&j, "needs");
    for (int i = 0; i < n; i++)
        json_text(&j, NULL, slice_name(need[i], name));
    json_end(&j);
    json_end(&j);
}

static int run(int argc, char **argv)
{
    struct slices_args args = {.pieces = 5};
    struct slice list[SLICE_CODES];
    struct catalog *c = NULL;
    char path[TABLE_PATH_MAX], count[FORMAT_MAX];
    uint64_t values = 0;
    int n;

    if (options_parse(&command_slices, argc, argv, &args) < 0)
        return EXIT_BAD;
    if (catalog_default_dir(args.dir, path, sizeof path))
        catalog_open(&c, path, NULL);
    n = slice_order(args.pieces, PIECES_MAX, list);
    if (!args.json)
        printf("   #  slice               values   built        leads to\n");
    for (int i = 0; i < n; i++) {
        struct row r = {.number = i + 1, .slice = list[i]};

        row_fill(&r, c);
        values += r.values;
        (args.json ? row_json : row_text)(&r);
    }
    if (!args.json)
        printf("%d slices, %s values (a value is a position with one side to move)\n", n,
               format_count(values, count));
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
            "are built.\n",
    .options = options,
    .run = run,
};
