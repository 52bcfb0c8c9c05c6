/* SPDX-License-Identifier: MIT
 *
 * kelso solve: prove the value of positions, by a search down into the tables. */
#include "base/parse.h"
#include "cli/answers.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/input.h"
#include "cli/longjob.h"
#include "base/machine.h"
#include "cli/output.h"
#include "cli/profiling.h"
#include "report/term.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "base/crew.h"
#include "proof/estimate.h"
#include "proof/extract.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct solve_args {
    const char *dir, *tree, *knobs, *profile;
    double time;
    uint64_t memory, cache, nodes;
    int threads, pieces, progress;
    bool json, cpu, warm;
};

static const struct option_spec options[] = {
    {"time", OPTION_DURATION, offsetof(struct solve_args, time), "TIME",
     "time for each position (60s)"},
    {"cpu", OPTION_FLAG, offsetof(struct solve_args, cpu), NULL, "count processor time instead"},
    {"nodes", OPTION_COUNT, offsetof(struct solve_args, nodes), "N",
     "expand at most N positions each (no limit)"},
    {"threads", OPTION_INT, offsetof(struct solve_args, threads), "T", "use T threads (all cores)",
     .min = 1, .max = CREW_MAX},
    {"memory", OPTION_MEMORY, offsetof(struct solve_args, memory), "SIZE",
     "memory for the search (1G)"},
    OPTION_CACHE(struct solve_args),
    OPTION_WAS("pages", "cache"),
    {"pieces", OPTION_INT, offsetof(struct solve_args, pieces), "N",
     "use tables of at most N pieces (all)", .min = 1, .max = PIECES_MAX},
    {"tree", OPTION_TEXT, offsetof(struct solve_args, tree), "FILE",
     "write the proof, for `kelso proof check` (one position only)"},
    {"profile", OPTION_TEXT, offsetof(struct solve_args, profile), "FILE",
     "count the lookups in each table, for `kelso unpack --profile` (-: only print them)"},
    {"knobs", OPTION_TEXT, offsetof(struct solve_args, knobs), "LIST",
     "for experiments: parameters of the search, such as slack=100,patience=100"},
    OPTION_WARM(struct solve_args),
    OPTION_DIR(struct solve_args),
    OPTION_PROGRESS(struct solve_args),
    OPTION_JSON(struct solve_args),
    {0}};

enum { LINE_TEXT_MAX = SOLVE_LINE_MAX * MOVE_TEXT_MAX };

struct solver {
    struct solve_args args;
    struct tables *tables;
    struct dfpn *dfpn;
    struct profile *profile; /* NULL: not wanted */
    struct longjob job;
    const atomic_bool *stop;
};

/* -------------------------------------------------------------------- opening -- */

static const struct knob {
    const char *name;
    size_t offset; /* of an int */
} knobs[] = {{"slack", offsetof(struct dfpn_knobs, slack)},
             {"patience", offsetof(struct dfpn_knobs, patience)},
             {"sum", offsetof(struct dfpn_knobs, sum)}};

enum { KNOBS = sizeof knobs / sizeof *knobs };

/* One "name=number" of the list. */
static int knob_set(struct dfpn_knobs *k, const char *text, size_t length)
{
    char number[16];

    for (int i = 0; i < KNOBS; i++) {
        size_t n = strlen(knobs[i].name);

        if (length <= n || length - n > sizeof number || strncmp(text, knobs[i].name, n) ||
            text[n] != '=')
            continue;
        snprintf(number, sizeof number, "%.*s", (int)(length - n - 1), text + n + 1);
        if (parse_int(number, 0, 100000, (int *)((char *)k + knobs[i].offset)))
            return EXIT_DONE;
    }
    return app_error(
        "solve: --knobs expects slack, patience or sum with a number, such as slack=25, "
        "found '%.*s'",
        (int)length, text);
}

static int knobs_parse(const char *text, struct dfpn_knobs *k)
{
    while (text && *text) {
        size_t length = strcspn(text, ",");

        if (knob_set(k, text, length))
            return EXIT_BAD;
        text += length + (text[length] == ',');
    }
    return EXIT_DONE;
}

static int solver_open(struct solver *s)
{
    struct solve_args *a = &s->args;
    struct dfpn_options o = {.memory = a->memory ? a->memory : UINT64_C(1) << 30,
                             .threads = a->threads ? a->threads : threads_default(),
                             .knobs = dfpn_default,
                             .cpu_time = a->cpu,
                             .done = &s->job.done};
    struct tables_options t = {
        .dir = a->dir, .cache = a->cache, .pieces = a->pieces, .without_flat = a->profile};
    struct error e;

    if (knobs_parse(a->knobs, &o.knobs))
        return EXIT_BAD;
    if (a->profile && !(s->profile = calloc(1, sizeof *s->profile)))
        return app_error("not enough memory");
    if (s->profile)
        s->profile->clock = a->cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    if (tables_open(&s->tables, &t, &e))
        return app_error("%s", e.text);
    if (a->warm && database_warm(s->tables, a->progress))
        return EXIT_BAD;
    o.tables = s->tables;
    s->stop = longjob_begin(&s->job, a->progress, "solving", "positions", 0);
    o.stop = s->stop;
    return dfpn_open(&s->dfpn, &o, &e) ? app_error("%s", e.text) : EXIT_DONE;
}

static void solver_close(struct solver *s)
{
    if (s->stop)
        longjob_end(&s->job);
    dfpn_close(&s->dfpn);
    tables_close(&s->tables);
    free(s->profile);
}

/* ------------------------------------------------------------------ reporting -- */

/* The best line as text, blanks between the moves. */
static const char *line_text(const struct solver *s, const struct board *b, struct bounds bounds,
                             char text[LINE_TEXT_MAX])
{
    struct move line[SOLVE_LINE_MAX];
    struct board at = *b;
    size_t length = 0;
    int n = bounds_closed(bounds) ? solve_line(s->dfpn, s->tables, b, bounds.lower, line) : 0;

    text[0] = '\0';
    for (int i = 0; i < n; i++) {
        struct move_list legal;

        if (i)
            text[length++] = ' ';
        moves_generate(&at, &legal);
        length += move_format(&line[i], &legal, MOVE_NUMBERS, text + length);
        at = board_after(&at, &line[i]);
    }
    return text;
}

static void print_json(const struct solver *solver, const struct board *b, const struct solution *s,
                       int64_t claims)
{
    struct json j = json_open(stdout);
    char fen[FEN_TEXT_MAX], line[LINE_TEXT_MAX];

    fen_format(b, fen);
    json_object(&j, NULL);
    json_text(&j, "fen", fen);
    json_text(&j, "value", bounds_closed(s->bounds) ? value_name(s->bounds.lower) : NULL);
    json_text(&j, "lower", value_name(s->bounds.lower));
    json_text(&j, "upper", value_name(s->bounds.upper));
    json_uint(&j, "nodes", s->work.nodes);
    json_uint(&j, "moves", s->work.moves);
    json_uint(&j, "probes", s->work.probes);
    json_uint(&j, "checks", s->work.checks);
    json_uint(&j, "checked", s->work.checked);
    json_real(&j, "time", s->work.seconds);
    json_text(&j, "line", line_text(solver, b, s->bounds, line));
    if (claims >= 0)
        json_uint(&j, "claims", (uint64_t)claims);
    else
        json_null(&j, "claims");
    json_end(&j);
}

static void print_text(const struct solver *solver, const struct board *b, const struct solution *s,
                       int64_t claims)
{
    char line[LINE_TEXT_MAX];
    char fen[FEN_TEXT_MAX], nodes[FORMAT_MAX], probes[FORMAT_MAX], time[FORMAT_MAX];

    fen_format(b, fen);
    printf("%s\n  %s for %s\n", fen, bounds_name(s->bounds), side_name(b->turn));
    printf("  %s positions expanded, %s probes, %s\n", format_count(s->work.nodes, nodes),
           format_count(s->work.probes, probes), format_duration(s->work.seconds, time));
    if (*line_text(solver, b, s->bounds, line))
        printf("  %s\n", line);
    if (claims >= 0)
        printf("  %s: %s %s\n", solver->args.tree ? solver->args.tree : "proof",
               format_count((uint64_t)claims, nodes), plural((uint64_t)claims, "claim", "claims"));
    else if (solver->args.tree)
        printf("  nothing is proven: %s is not written\n", solver->args.tree);
}

/* ------------------------------------------------------------------------ run -- */

/* The proof of the result: its size, and the file of --tree.  If only the size is wanted and
 * the table has lost too much, or it takes longer than the search did, there is none (-1).  What an
 * interrupted search has found is still written. */
static int proof_take(struct solver *s, const struct board *b, const struct solution *found,
                      int64_t *claims)
{
    const atomic_bool *stop = atomic_load(s->stop) ? NULL : s->stop;
    struct extract_limits size_only = {.seconds = 1 + found->work.seconds, .stop = stop};
    struct extract_limits whole = {.search = {s->args.time > 0 ? s->args.time : 60, 0},
                                   .stop = stop};
    struct certificate c = {0};
    struct error e;
    enum status rc = extract_certificate(s->dfpn, s->tables, b, found->bounds,
                                         s->args.tree ? whole : size_only, &c, &e);

    *claims = rc ? -1 : (int64_t)c.claims;
    if (!rc && s->args.tree)
        rc = certificate_write(&c, s->args.tree, &e);
    certificate_free(&c);
    return rc && s->args.tree ? app_error("%s", e.text) : EXIT_DONE;
}

/* After an interrupt, do not compute the size of the proof. */
static bool proof_wanted(const struct solver *s)
{
    return s->args.tree || !atomic_load(s->stop);
}

static int solve_board(struct solver *s, const struct board *b)
{
    struct solve_hint hint = {bounds_unknown, estimate_material(b, b->turn)};
    struct dfpn_limits limits = {s->args.time > 0 ? s->args.time : 60, s->args.nodes};
    struct solution found;
    int64_t claims = -1;
    enum status rc;
    struct error e;

    dfpn_clear(s->dfpn);
    longjob_stage(&s->job, "solving", "positions", 0);
    if (!s->args.cpu)
        progress_limit(&s->job.progress, limits.seconds);
    tables_profile(s->tables, s->profile); /* of the search alone, without the line and the proof */
    rc = solve_position(s->dfpn, b, hint, limits, &found, &e);
    tables_profile(s->tables, NULL);
    if (rc)
        return answers_error(b, &e);
    if (bounds_known(found.bounds) && proof_wanted(s) && proof_take(s, b, &found, &claims))
        return EXIT_BAD;
    if (s->args.json)
        print_json(s, b, &found, claims);
    else
        print_text(s, b, &found, claims);
    fflush(stdout);
    return bounds_closed(found.bounds) ? EXIT_DONE : EXIT_NO;
}

/* One position per line; empty lines and those that begin with # are skipped. */
static int solve_lines(struct solver *s)
{
    char *line = NULL;
    size_t room = 0, number = 0, mark;
    ssize_t length;
    int status = EXIT_DONE;

    while (!atomic_load(s->stop) && (length = getline(&line, &room, stdin)) >= 0) {
        struct text_error where;
        struct board b;
        int one;

        mark = number++ ? 0 : input_mark(line, (size_t)length);
        if (line[mark] == '#' || mark + strspn(line + mark, " \t\r\n") == (size_t)length)
            continue;
        if (!fen_parse(line + mark, (size_t)length - mark, &b, &where))
            one = app_error("standard input, line %zu, column %zu: %s", number, where.at + 1,
                            where.what);
        else
            one = solve_board(s, &b);
        status = one > status ? one : status;
    }
    free(line);
    return ferror(stdin) ? app_error("standard input: %s", strerror(errno)) : status;
}

static int solve_all(struct solver *s, int n, char **argv)
{
    bool lines = n == 0 || (n == 1 && strcmp(argv[0], "-") == 0);
    int status = EXIT_DONE;

    if (s->args.tree && (lines || n != 1)) /* each of several would replace the one before */
        return app_error(
            "solve: --tree writes one proof: give one FEN, not lines of standard input");
    if (lines)
        return solve_lines(s);
    for (int i = 0; i < n && !atomic_load(s->stop); i++) {
        struct board b;
        int one = input_position(argv[i], &b) ? EXIT_BAD : solve_board(s, &b);

        status = one > status ? one : status;
    }
    return status;
}

/* The profile of all positions, to its file and to standard output. */
static int profile_report(struct solver *s, int status)
{
    const char *file = profile_file(s->args.profile);
    struct profile_line lines[SLICE_CODES];
    int n = profile_lines(s->profile, lines);
    struct error e;

    if (profile_show(lines, n, tables_catalog(s->tables), s->args.json))
        return EXIT_BAD;
    if (file && profile_write(file, lines, n, &e))
        return app_error("%s", e.text);
    return status;
}

static int run(int argc, char **argv)
{
    struct solver s = {0};
    int n = options_parse(&command_solve, argc, argv, &s.args), status;

    if (n < 0 || output_check_plain(s.args.tree) ||
        output_check_plain(profile_file(s.args.profile)))
        return EXIT_BAD;
    status = solver_open(&s);
    if (!status)
        status = solve_all(&s, n, argv);
    if (s.profile && s.dfpn) /* even if one of the positions was bad */
        status = profile_report(&s, status);
    solver_close(&s);
    return status;
}

const struct command command_solve = {
    .name = "solve",
    .summary = "prove the value of positions, by a search down into the tables",
    .usage = "[FEN...]",
    .help = "Proves whether the side to move wins, draws or loses: each FEN given, or one per\n"
            "line of standard input.  The search (df-pn) asks two questions, is it a win and is\n"
            "it a loss, and follows the moves down to positions that the tables know; a repeated\n"
            "position is a win for neither side.  If time runs out first, it prints the bounds\n"
            "found so far: 'draw or win', 'loss or draw', 'unknown'.  The size of a proof is the\n"
            "number of claims that --tree would write.\n"
            "\n"
            "  kelso solve 'B:W18,24,27,28,K10:B3,7,12,16,K22' --time 10s\n"
            "  kelso solve --json --pieces 6 < positions.txt\n"
            "  kelso solve 'W:WK2,20,24,28:B8,11,12,K23' --tree win.proof\n"
            "  kelso solve --profile use.txt --time 5s < positions.txt\n"
            "\n"
            "--profile counts the values that the searches look up, by slice, and the time spent\n"
            "on decoding pages of the tables (with --cpu, processor time); flat and quick files\n"
            "are not used.  It prints what each form of a table would take and save, and writes\n"
            "FILE, from which `kelso unpack --profile FILE --memory SIZE` chooses the forms to\n"
            "make.\n"
            "\n"
            "Empty lines of standard input and lines that begin with # are skipped.  With --json,\n"
            "prints one object per position, each on one line.  The exit status is 0 if all\n"
            "values were found, 1 if some are open, 2 for errors.\n",
    .options = options,
    .operands_max = INT_MAX,
    .run = run,
};
