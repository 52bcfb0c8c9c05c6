/* SPDX-License-Identifier: MIT
 *
 * kelso probe: the exact value of positions and of each move. */
#include "cli/answers.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/input.h"
#include "report/objects.h"
#include "report/progress.h"
#include "report/term.h"
#include "core/notation.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct probe_args {
    struct answers_args from;
    bool json;
};

static const struct option_spec options[] = {OPTIONS_OF(struct probe_args, from, answers_options),
                                             OPTIONS_OF(struct probe_args, from, ondemand_options),
                                             OPTION_JSON(struct probe_args),
                                             {0}};

/* ----------------------------------------------------------------------- text -- */

/* A number, "-" for a draw, "?" where the table is missing. */
static const char *plies_text(const struct verdict *v, enum kind kind, char text[16])
{
    if (v->value == VALUE_DRAW)
        return "-";
    if (!v->known[kind])
        return "?";
    snprintf(text, 16, "%d", v->of[kind].plies);
    return text;
}

static void print_tables(const struct answers *from, const struct board *b)
{
    struct slice list[64];
    int n = answer_slices(b, list, 64);
    char name[SLICE_NAME_MAX], count[FORMAT_MAX];

    if (from->ending) {
        printf("  answered on demand: %s values solved\n",
               format_count(ondemand_values(from->ending), count));
        return;
    }
    printf("  answered by ");
    for (int i = 0; i < n; i++) {
        printf("%s%s", i ? ", " : "", slice_name(slice_canonical(list[i]), name));
        for (int k = 0; k < KINDS; k++)
            if (catalog_has(tables_catalog(from->tables), list[i], (enum kind)k))
                printf(" %s", kind_name((enum kind)k));
    }
    printf("%s in %s\n", n ? "" : "the rules, no table", tables_dir(from->tables));
}

static void print_move(const struct answer *a, const struct ranked_move *m)
{
    char text[MOVE_TEXT_MAX], dtw[16], dtc[16];

    move_format(&m->move, &a->legal, MOVE_NUMBERS, text);
    printf("  %-12s %-5s %5s %5s\n", text, value_name(m->verdict.value),
           plies_text(&m->verdict, KIND_DTW, dtw), plies_text(&m->verdict, KIND_DTC, dtc));
}

static void print_text(const struct answers *from, const struct board *b, const struct answer *a)
{
    char fen[FEN_TEXT_MAX], dtw[16], dtc[16];

    fen_format(b, fen);
    printf("%s\n  %s for %s, dtw %s, dtc %s\n", fen, value_name(a->verdict.value),
           side_name(b->turn), plies_text(&a->verdict, KIND_DTW, dtw),
           plies_text(&a->verdict, KIND_DTC, dtc));
    print_tables(from, b);
    printf("  %-12s %-5s %5s %5s\n", a->legal.count ? "move" : "no move", "value", "dtw", "dtc");
    for (int i = 0; i < a->legal.count; i++)
        print_move(a, &a->move[i]);
}

/* ------------------------------------------------------------------------ run -- */

static int probe_board(struct answers *from, const struct board *b, bool json)
{
    struct json j = json_open(stdout);
    struct answer a;

    if (answers_position(from, b, WANT_DTC | WANT_DTW, &a))
        return EXIT_BAD;
    answer_rank_best(&a);
    if (json)
        object_position(&j, NULL, b, &a, NULL);
    else
        print_text(from, b, &a);
    fflush(stdout); /* the program that writes to our pipe may wait for the answer */
    return EXIT_DONE;
}

/* One position per line; empty lines and those that begin with # are skipped. */
static int probe_lines(struct answers *from, bool json)
{
    char *line = NULL;
    size_t room = 0, number = 0, mark;
    ssize_t length;
    int status = EXIT_DONE;

    while ((length = getline(&line, &room, stdin)) >= 0) {
        struct text_error where;
        struct board b;

        mark = number++ ? 0 : input_mark(line, (size_t)length);
        if (line[mark] == '#' || mark + strspn(line + mark, " \t\r\n") == (size_t)length)
            continue;
        if (!fen_parse(line + mark, (size_t)length - mark, &b, &where))
            status = app_error("standard input, line %zu, column %zu: %s", number, where.at + 1,
                               where.what);
        else if (probe_board(from, &b, json))
            status = EXIT_BAD;
    }
    free(line);
    return ferror(stdin) ? app_error("standard input: %s", strerror(errno)) : status;
}

static int run(int argc, char **argv)
{
    struct probe_args args = {0};
    struct answers from;
    int n = options_parse(&command_probe, argc, argv, &args), status = EXIT_DONE;

    if (n < 0 || answers_open(&from, &args.from))
        return EXIT_BAD;
    if (n == 0 || (n == 1 && strcmp(argv[0], "-") == 0))
        status = probe_lines(&from, args.json);
    else
        for (int i = 0; i < n; i++) {
            struct board b;

            if (input_position(argv[i], &b) || probe_board(&from, &b, args.json))
                status = EXIT_BAD;
        }
    answers_close(&from);
    return status;
}

const struct command command_probe = {
    .name = "probe",
    .summary = "the exact value of positions and of each move",
    .usage = "[FEN...]",
    .help = "Looks up positions in the tables: each FEN given, or one per line of standard\n"
            "input.  Prints whether the side to move wins, draws or loses, in how many plies the\n"
            "game ends (dtw) or converts (dtc), and the same for every legal move, best first,\n"
            "from the point of view of the side that makes it and counted from the given\n"
            "position.  '-' means that there is no distance, '?' that its table is missing.\n"
            "\n"
            "With --on-demand a position whose tables are missing is solved from scratch, in\n"
            "memory: only the placements of men that it can reach.\n"
            "\n"
            "Empty lines and lines that begin with # are skipped.  With --json, prints one object\n"
            "per position, each on one line.  For a position that cannot be answered there is one\n"
            "line on standard error; the others are still answered, and the exit status is 2.\n"
            "\n"
            "  kelso probe 'B:WK31:B25,K18'\n"
            "  kelso probe --json < positions.txt\n"
            "  kelso probe --on-demand 'B:WK1,30:BK20,K22,21'\n",
    .options = options,
    .operands_max = INT_MAX,
    .run = run,
};
