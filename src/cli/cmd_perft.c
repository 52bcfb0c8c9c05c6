/* SPDX-License-Identifier: MIT
 *
 * kelso perft: count the move paths of a given length.
 *
 * The tree is cut a few plies below the root; the threads take the positions there
 * from one counter, so that they all end at about the same time. */
#include "base/clock.h"
#include "base/parse.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/longjob.h"
#include "report/json.h"
#include "report/term.h"
#include "base/crew.h"
#include "core/movegen.h"
#include "core/notation.h"
#include "core/perft.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SPLIT_PLIES = 4, SUBTREE_PLIES = 9, TASKS_MAX = 200000, DEPTH_MAX = 40 };

struct perft_args {
    const char *fen;
    int threads, progress;
    uint64_t hash;
    bool divide, json;
};

static const struct option_spec options[] = {
    {"fen", OPTION_TEXT, offsetof(struct perft_args, fen), "FEN", "start from this position"},
    {"divide", OPTION_FLAG, offsetof(struct perft_args, divide), NULL,
     "count each first move separately"},
    {"threads", OPTION_INT, offsetof(struct perft_args, threads), "N", "use N threads (1)",
     .min = 1, .max = CREW_MAX},
    {"hash", OPTION_MEMORY, offsetof(struct perft_args, hash), "MiB",
     "keep counts in a table of this size (0)", .unit = 1 << 20},
    OPTION_PROGRESS(struct perft_args),
    OPTION_JSON(struct perft_args),
    {0}};

/* One position near the root, counted by the thread that takes it. */
struct perft_task {
    struct board board;
    int root; /* which first move leads here */
    uint64_t count;
};

struct perft_run {
    struct move_list root;
    struct perft_task *task;
    size_t tasks;
    int depth; /* left below each task */
    _Atomic size_t next;
    struct perft_hash table, *hash;
    struct longjob watch;
};

static void work(void *context, int id)
{
    struct perft_run *job = context;

    (void)id;
    for (size_t i; (i = atomic_fetch_add(&job->next, 1)) < job->tasks;) {
        job->task[i].count = perft(&job->task[i].board, job->depth, job->hash);
        atomic_fetch_add(&job->watch.done, 1);
    }
}

/* Write the positions `plies` below b from *out on. */
static struct perft_task *split(const struct board *b, int plies, int root, struct perft_task *out)
{
    struct move_list list;

    if (plies == 0) {
        *out++ = (struct perft_task){.board = *b, .root = root};
        return out;
    }
    moves_generate(b, &list);
    for (int i = 0; i < list.count; i++) {
        struct board next = board_after(b, &list.move[i]);
        out = split(&next, plies - 1, root < 0 ? i : root, out);
    }
    return out;
}

static bool job_split(struct perft_run *job, const struct board *b, int depth)
{
    int plies = depth < SPLIT_PLIES ? depth : SPLIT_PLIES;
    uint64_t n = perft(b, plies, NULL), more;

    /* Small subtrees, so that progress does not wait for long. */
    while (depth - plies > SUBTREE_PLIES && (more = perft(b, plies + 1, NULL)) <= TASKS_MAX) {
        n = more;
        plies++;
    }
    moves_generate(b, &job->root);
    job->depth = depth - plies;
    job->tasks = n;
    job->task = malloc((n ? n : 1) * sizeof *job->task);
    return job->task && split(b, plies, -1, job->task) == job->task + n;
}

static bool job_hash(struct perft_run *job, uint64_t bytes)
{
    if (bytes < sizeof(struct perft_entry))
        return true;
    job->table.entry = malloc(bytes);
    job->hash = &job->table;
    return job->table.entry && perft_hash_init(&job->table, job->table.entry, bytes);
}

static uint64_t job_count(const struct perft_run *job, int root)
{
    uint64_t n = 0;

    for (size_t i = 0; i < job->tasks; i++)
        if (root < 0 || job->task[i].root == root)
            n += job->task[i].count;
    return n;
}

static void answer_text(const struct perft_run *job, const struct perft_args *args, int depth,
                        double seconds)
{
    char count[FORMAT_MAX], rate[FORMAT_MAX], move[MOVE_TEXT_MAX];
    uint64_t total = job_count(job, -1);

    for (int i = 0; args->divide && i < job->root.count; i++) {
        move_format(&job->root.move[i], &job->root, MOVE_NUMBERS, move);
        printf("%-8s %s\n", move, format_count(job_count(job, i), count));
    }
    printf("perft %d = %s  (%.2f s, %s nodes/s)\n", depth, format_count(total, count), seconds,
           format_short((double)total / seconds, rate));
}

static void answer_json(const struct perft_run *job, const struct perft_args *args, int depth,
                        double seconds)
{
    struct json j = json_open(stdout);
    char move[MOVE_TEXT_MAX];
    uint64_t total = job_count(job, -1);

    json_object(&j, NULL);
    json_int(&j, "depth", depth);
    json_uint(&j, "nodes", total);
    json_real(&j, "seconds", seconds);
    json_real(&j, "nodes_per_second", (double)total / seconds);
    json_int(&j, "threads", args->threads);
    if (args->divide) {
        json_object(&j, "divide");
        for (int i = 0; i < job->root.count; i++) {
            move_format(&job->root.move[i], &job->root, MOVE_NUMBERS, move);
            json_uint(&j, move, job_count(job, i));
        }
        json_end(&j);
    }
    json_end(&j);
}

static int count(const struct board *b, int depth, const struct perft_args *args)
{
    struct perft_run job = {0};
    double started = clock_seconds();
    int status = EXIT_DONE;

    if (!job_split(&job, b, depth) || !job_hash(&job, args->hash)) {
        status = app_error("perft: not enough memory");
    } else {
        longjob_begin_loose(&job.watch, args->progress, "stopped"); /* there is nothing to keep */
        longjob_stage(&job.watch, "counting", "subtrees", job.tasks);
        crew_share(args->threads, work, &job);
        longjob_end(&job.watch);
        (args->json ? answer_json : answer_text)(&job, args, depth, clock_seconds() - started);
    }
    free(job.table.entry);
    free(job.task);
    return status;
}

static int run(int argc, char **argv)
{
    struct perft_args args = {.threads = 1};
    struct board b;
    int depth;

    if (options_parse(&command_perft, argc, argv, &args) < 0)
        return EXIT_BAD;
    if (!parse_int(argv[0], 0, DEPTH_MAX, &depth))
        return app_error("perft: expected a depth from 0 to %d, found '%s'", DEPTH_MAX, argv[0]);
    if (input_position(args.fen, &b) != EXIT_DONE)
        return EXIT_BAD;
    return count(&b, depth, &args);
}

const struct command command_perft = {
    .name = "perft",
    .summary = "count the move paths of a given length",
    .usage = "DEPTH",
    .help = "Counts the paths of DEPTH plies from the start or from --fen.  Each capture path\n"
            "counts as a separate move.  The last ply is counted without being played.\n"
            "\n"
            "  kelso perft 10\n"
            "  kelso perft 8 --fen 'B:WK9,K21,12:BK4,1,8,10' --divide --threads 2 --hash 64\n",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
