/* SPDX-License-Identifier: MIT
 *
 * kelso stats: counts and records of each slice. */
#include "cli/command.h"
#include "cli/database.h"
#include "report/objects.h"
#include "report/term.h"

#include <inttypes.h>
#include <stdio.h>

struct stats_args {
    const char *dir, *slice;
    bool csv, json;
};

static const struct option_spec options[] = {
    {"slice", OPTION_TEXT, offsetof(struct stats_args, slice), "SLICE",
     "only this one, such as 3K1C-2K1C"},
    {"csv", OPTION_FLAG, offsetof(struct stats_args, csv), NULL, "answer in CSV"},
    OPTION_DIR(struct stats_args),
    OPTION_JSON(struct stats_args),
    {0}};

/* ------------------------------------------------------------------ formats -- */

static void csv_head(void)
{
    printf("bk,bm,wk,wm,stm,positions,wins,losses,draws");
    for (int i = 0; i < SURVEY_COLUMNS; i++)
        printf(",%s", survey_columns[i].name);
    for (int i = 0; i < SURVEY_COLUMNS; i++)
        printf(",%s_fen", survey_columns[i].name);
    putchar('\n');
}

static void csv_row(const struct survey_count *r)
{
    const struct table_counts *c = survey_all(r);
    struct slice s = r->black_white;
    char fen[FEN_TEXT_MAX];

    printf("%d,%d,%d,%d,%c,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, s.kings, s.men,
           s.opp_kings, s.opp_men, r->turn == BLACK ? 'B' : 'W', survey_positions(r),
           c->count[VALUE_WIN], c->count[VALUE_LOSS], c->count[VALUE_DRAW]);
    for (int i = 0; i < SURVEY_COLUMNS; i++) {
        const struct table_record *record = survey_record(r, &survey_columns[i]);

        putchar(',');
        if (record)
            printf("%d", record->plies);
    }
    for (int i = 0; i < SURVEY_COLUMNS; i++) {
        const struct table_record *record = survey_record(r, &survey_columns[i]);

        putchar(',');
        if (record)
            printf("\"%s\"", survey_fen(r, record, fen));
    }
    putchar('\n');
}

enum { LAST = 6 }; /* of the pairs of columns in a row */

static void text_head(void)
{
    printf("black      white      to move        positions       wins     losses      draws"
           "   dtw w/l    (quiet)    dtc w/l    (quiet)\n");
}

static void text_plies(const struct survey_count *r, int i)
{
    const struct table_record *win = survey_record(r, &survey_columns[i]);
    const struct table_record *loss = survey_record(r, &survey_columns[i + 1]);
    char text[2][16] = {"-", "-"};

    if (win)
        snprintf(text[0], sizeof text[0], "%d", win->plies);
    if (loss)
        snprintf(text[1], sizeof text[1], "%d", loss->plies);
    printf("  %4s/%-*s", text[0], i == LAST ? 0 : 4, text[1]);
}

static void text_row(const struct survey_count *r)
{
    const struct table_counts *c = survey_all(r);
    double all = (double)survey_positions(r);
    struct slice s = r->black_white;
    char name[SLICE_NAME_MAX], count[FORMAT_MAX], *white;

    slice_name(s, name);
    for (white = name; *white != '-'; white++)
        ;
    *white++ = 0;
    printf("%-10s %-10s %-7s %16s", name, white, side_name(r->turn),
           format_count((uint64_t)all, count));
    printf("  %8.3f%%  %8.3f%%  %8.3f%%", 100 * (double)c->count[VALUE_WIN] / all,
           100 * (double)c->count[VALUE_LOSS] / all, 100 * (double)c->count[VALUE_DRAW] / all);
    text_plies(r, 0);
    text_plies(r, 4);
    text_plies(r, 2);
    text_plies(r, LAST);
    putchar('\n');
}

/* --------------------------------------------------------------------- rows -- */

static enum status row_print(void *context, const struct survey_count *r)
{
    const struct stats_args *args = context;
    struct json j = json_open(stdout);

    if (args->csv)
        csv_row(r);
    else if (args->json)
        object_count(&j, NULL, r);
    else
        text_row(r);
    return STATUS_OK;
}

/* ------------------------------------------------------------------- totals -- */

static void totals_print(const uint64_t total[PIECES_MAX + 1], const int missing[PIECES_MAX + 1])
{
    char count[FORMAT_MAX];

    printf("\npieces  positions, both colours   one colour only             together"
           "   Schaeffer et al.\n");
    for (int p = 2; p <= PIECES_MAX; p++) {
        uint64_t together = total[p] + survey_one_sided(p);

        if (!total[p])
            continue;
        printf("%6d  %23s", p, format_count(total[p], count));
        printf(" %17s", format_count(survey_one_sided(p), count));
        printf(" %20s", format_count(together, count));
        printf(" %18s", format_count(survey_published(p), count));
        if (missing[p])
            printf("  (%d slices are not built)\n", missing[p]);
        else
            printf("  %s\n", together == survey_published(p) ? "equal" : "DIFFERENT");
    }
}

static int all_print(struct catalog *c, const struct slice *only, struct stats_args *args)
{
    struct slice list[SLICE_CODES];
    int n = slice_order(PIECES_MAX, PIECES_MAX, list), missing[PIECES_MAX + 1] = {0}, printed = 0;
    uint64_t total[PIECES_MAX + 1] = {0};

    for (int i = 0; i < n; i++) {
        const struct table *table[KINDS];
        int pieces = slice_pieces(list[i]);
        struct error e;
        enum status rc;

        if (only && !slice_equal(slice_canonical(*only), list[i]))
            continue;
        if ((rc = survey_open(c, list[i], table, &e)) && rc != STATUS_MISSING)
            return app_error("%s", e.text);
        missing[pieces] += rc == STATUS_MISSING;
        if (rc == STATUS_MISSING)
            continue;
        survey_counts(list[i], table, row_print, args);
        total[pieces] +=
            table_layout(table[KIND_WLD], 0)->positions * (slice_symmetric(list[i]) ? 1 : 2);
        printed++;
    }
    if (!printed)
        return app_error("%s: %s", catalog_dir(c), only ? "no such table" : "no tables");
    if (!only && !args->csv && !args->json)
        totals_print(total, missing);
    return EXIT_DONE;
}

static int run(int argc, char **argv)
{
    struct stats_args args = {0};
    struct slice slice;
    struct catalog *c;
    int rc;

    if (options_parse(&command_stats, argc, argv, &args) < 0)
        return EXIT_BAD;
    if (args.slice && database_slice(args.slice, &slice))
        return EXIT_BAD;
    if (args.csv && args.json)
        return app_error("--csv or --json, not both");
    if (database_open(args.dir, &c))
        return EXIT_BAD;
    if (args.csv)
        csv_head();
    else if (!args.json)
        text_head();
    rc = all_print(c, args.slice ? &slice : NULL, &args);
    catalog_close(&c);
    return rc;
}

const struct command command_stats = {
    .name = "stats",
    .summary = "count wins, draws and losses, and show the longest ones",
    .usage = "",
    .help = "Prints one row for each slice, colours and side to move: positions, how many are\n"
            "won, lost and drawn for the side to move, and the longest win and loss, to the end\n"
            "of the game (dtw) and to the next conversion (dtc): over all positions, and over the\n"
            "quiet ones, in which the side to move has no capture.  CSV and JSON add an example\n"
            "of each.  The figures come from the headers of the tables; kelso verify recounts\n"
            "them.\n"
            "\n"
            "  kelso stats --slice 2K-2K\n"
            "  kelso stats --csv > stats.csv\n",
    .options = options,
    .run = run,
};
