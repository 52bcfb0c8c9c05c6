/* SPDX-License-Identifier: MIT
 *
 * kelso bench: search a fixed list of positions and count.
 *
 * With one thread the number of nodes is the same on every machine: it changes when the
 * search changes, and commits quote it. */
#include "cli/command.h"
#include "cli/input.h"
#include "cli/longjob.h"
#include "report/json.h"
#include "report/term.h"
#include "core/notation.h"
#include "search/search.h"

#include <string.h>

struct bench_args {
    int depth, progress;
    uint64_t hash;
    bool json;
};

static const struct option_spec options[] = {
    {"depth", OPTION_INT, offsetof(struct bench_args, depth), "N", "search to depth N (15)",
     .min = 1, .max = SEARCH_DEPTH_MAX},
    {"hash", OPTION_MEMORY, offsetof(struct bench_args, hash), "MiB",
     "size of the transposition table (16)", .unit = 1 << 20},
    OPTION_PROGRESS(struct bench_args),
    OPTION_JSON(struct bench_args),
    {0}};

/* Openings, middle games and endings. */
static const char *const positions[] = {
    "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
    "W:W17,21,22,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,10,12,13,15",
    "B:W18,19,21,22,25,26,27,28,30,31,32:B1,2,3,5,6,7,8,9,10,12,14",
    "W:W13,17,20,22,25,26,27,29,30,32:B2,3,4,5,6,8,10,11,12,15",
    "B:W13,19,20,22,25,27,30,32:B3,5,6,8,10,11,12,14",
    "W:W10,13,21,22,27,28,32:B1,3,6,12,15,19,20",
    "B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29",
    "W:WK6,K14,21,30:BK18,K23,12,28",
};

enum { POSITIONS = sizeof positions / sizeof *positions };

struct bench_sum {
    uint64_t nodes, cuts, first_cuts;
    double seconds;
};

static int search_all(struct search *s, const struct search_limits *limits, struct longjob *job,
                      struct bench_sum *sum)
{
    for (int i = 0; i < POSITIONS; i++) {
        struct search_result r;
        struct error e;
        struct board b;

        if (!fen_parse(positions[i], strlen(positions[i]), &b, NULL))
            return app_error("bench: position %d is wrong", i + 1);
        search_clear(s);
        if (search_run(s, &b, NULL, 0, limits, &r, &e))
            return app_error("bench: %s", e.text);
        if (atomic_load(limits->stop))
            return app_error("stopped");
        atomic_fetch_add(&job->done, 1);
        sum->nodes += r.nodes;
        sum->cuts += r.cuts;
        sum->first_cuts += r.first_cuts;
        sum->seconds += r.seconds;
    }
    return EXIT_DONE;
}

static void answer(const struct bench_args *args, const struct bench_sum *sum)
{
    double first = sum->cuts ? (double)sum->first_cuts / (double)sum->cuts : 0;
    char count[FORMAT_MAX], rate[FORMAT_MAX];
    struct json j = json_open(stdout);

    if (!args->json) {
        printf(
            "bench: %s nodes  (depth %d, %.2f s, %s nodes/s, %.1f %% of cuts by the first move)\n",
            format_count(sum->nodes, count), args->depth, sum->seconds,
            format_short((double)sum->nodes / sum->seconds, rate), 100 * first);
        return;
    }
    json_object(&j, NULL);
    json_int(&j, "depth", args->depth);
    json_uint(&j, "nodes", sum->nodes);
    json_real(&j, "seconds", sum->seconds);
    json_real(&j, "nodes_per_second", (double)sum->nodes / sum->seconds);
    json_real(&j, "first_move_cuts", first);
    json_end(&j);
}

static int run(int argc, char **argv)
{
    struct bench_args args = {.depth = 15, .hash = 16 << 20};
    struct search *s;
    struct error e;
    struct bench_sum sum = {0};
    struct search_limits limits = {0};
    struct longjob job;
    int status;

    if (options_parse(&command_bench, argc, argv, &args) < 0)
        return EXIT_BAD;
    if (search_open(&s, &(struct search_options){.hash = args.hash}, &e))
        return app_error("bench: %s", e.text);
    limits.depth = args.depth;
    limits.stop = longjob_begin(&job, args.progress, "searching", "positions", POSITIONS);
    status = search_all(s, &limits, &job, &sum);
    longjob_end(&job);
    search_close(&s);
    if (!status)
        answer(&args, &sum);
    return status;
}

const struct command command_bench = {
    .name = "bench",
    .summary = "count the nodes of a fixed search",
    .usage = "",
    .help = "Searches a few fixed positions with one thread and without tables, each to the same\n"
            "depth with an empty transposition table.  The number of nodes is the same on every\n"
            "machine; the speed is not.\n"
            "\n"
            "  kelso bench\n"
            "  kelso bench --depth 10 --json\n",
    .options = options,
    .run = run,
};
