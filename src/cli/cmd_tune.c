/* SPDX-License-Identifier: MIT
 *
 * kelso tune: make samples by self-play, and train the evaluation on them. */
#include "base/files.h"
#include "base/machine.h"
#include "cli/command.h"
#include "cli/longjob.h"
#include "cli/players.h"
#include "report/term.h"
#include "tune/selfplay.h"
#include "tune/train.h"

#include <stdlib.h>

struct tune_args {
    struct player_args player;
    const char *data, *out, *network, *start;
    int games, seed, epochs, trust, exact, progress;
    uint64_t nodes;
};

static const struct option_spec options[] = {
    {"data", OPTION_TEXT, offsetof(struct tune_args, data), "DIR", "the samples"},
    {"games", OPTION_INT, offsetof(struct tune_args, games), "N",
     "play until there are samples of N games", .min = 1, .max = 100000000},
    {"nodes", OPTION_COUNT, offsetof(struct tune_args, nodes), "N", "positions per move (1000)"},
    {"seed", OPTION_INT, offsetof(struct tune_args, seed), "N", "seed of games and training (1)"},
    {"network", OPTION_TEXT, offsetof(struct tune_args, network), "FILE",
     "play with this network instead of the one in the program"},
    {"out", OPTION_TEXT, offsetof(struct tune_args, out), "FILE",
     "train, and write the network to FILE"},
    {"start", OPTION_TEXT, offsetof(struct tune_args, start), "FILE",
     "start from the weights of this network, with smaller steps"},
    {"epochs", OPTION_INT, offsetof(struct tune_args, epochs), "N", "passes over the samples (10)",
     .min = 1, .max = 1000},
    {"trust", OPTION_INT, offsetof(struct tune_args, trust), "PERCENT",
     "per cent of the game's share of the target that is the search's score (70)", .min = 0,
     .max = 100},
    {"exact", OPTION_INT, offsetof(struct tune_args, exact), "PERCENT",
     "per cent of the target that is the tables' value, if known (50)", .min = 0, .max = 100},
    {"dir", OPTION_TEXT, offsetof(struct tune_args, player.dir), "DIR", "where the tables are"},
    {"no-tables", OPTION_FLAG, offsetof(struct tune_args, player.no_tables), NULL,
     "train without tables"},
    {"threads", OPTION_INT, offsetof(struct tune_args, player.threads), "N", "use N threads (all)",
     .min = 1, .max = SEARCH_THREADS_MAX},
    OPTION_PROGRESS(struct tune_args),
    {0}};

/* ------------------------------------------------------------------------ playing -- */

static int play(const struct tune_args *args, const struct tables *tables,
                const struct network *network)
{
    int portions = (args->games + SELFPLAY_PORTION - 1) / SELFPLAY_PORTION;
    struct selfplay p = {.dir = args->data,
                         .portions = portions,
                         .threads = args->player.threads,
                         .nodes = args->nodes,
                         .seed = (uint64_t)args->seed,
                         .tables = tables,
                         .network = network};
    struct longjob job;
    struct error e;
    uint64_t made;
    enum status rc;

    p.stop = longjob_begin(&job, args->progress, "playing", "games",
                           (uint64_t)portions * SELFPLAY_PORTION);
    p.done = &job.done;
    rc = selfplay_run(&p, &made, &e);
    longjob_end(&job);
    printf("%llu samples added to %s\n", (unsigned long long)made, args->data);
    if (rc == STATUS_INTERRUPTED)
        return app_error("stopped; run the same command to continue");
    return rc ? app_error("%s", e.text) : EXIT_DONE;
}

static int make(const struct tune_args *args)
{
    struct network network = {0};
    struct tables *tables;
    struct error e;
    int status = players_tables(&tables, &args->player);

    if (status)
        return status;
    if (args->network && network_read(&network, args->network, &e))
        status = app_error("%s", e.text);
    else
        status = play(args, tables, args->network ? &network : NULL);
    network_close(&network);
    tables_close(&tables);
    return status;
}

/* ----------------------------------------------------------------------- training -- */

struct teaching {
    struct longjob job;
    struct train_report last;
};

static void report(void *context, const struct train_report *r)
{
    struct teaching *t = context;

    t->last = *r;
    printf("epoch %d: loss %.5f, held out %.5f\n", r->epoch, r->trained, r->held_out);
    fflush(stdout);
}

static int network_save(const struct network_weights *w, const char *path)
{
    size_t size;
    uint8_t *bytes = network_encode(w, &size);
    struct error e;
    int status = EXIT_DONE;

    if (!bytes)
        return app_error("not enough memory");
    if (file_replace(path, bytes, size, &e))
        status = app_error("%s", e.text);
    free(bytes);
    return status;
}

static int teach(const struct tune_args *args, const struct network_weights *start,
                 struct samples *samples, struct network_weights *w)
{
    struct teaching t = {0};
    struct train_options o = {.epochs = args->epochs,
                              .threads = args->player.threads,
                              .rate = start ? 3e-4 : 1e-3,
                              .start = start,
                              .trust = args->trust / 100.0,
                              .exact = args->exact / 100.0,
                              .seed = (uint64_t)args->seed,
                              .report = report,
                              .context = &t};
    struct error e;
    enum status rc;

    o.stop = longjob_begin(&t.job, args->progress, "training", "samples",
                           (uint64_t)args->epochs * samples->count);
    o.done = &t.job.done;
    rc = train_network(samples, &o, w, &e);
    longjob_end(&t.job);
    if (rc)
        return app_error("%s", e.text);
    if (t.last.epoch < args->epochs)
        return app_error("stopped; nothing is written");
    printf("%zu samples; loss on games held out %.5f, rounded %.5f\n", samples->count,
           t.last.held_out, t.last.quantised);
    return EXIT_DONE;
}

/* Read the samples, and look up those without a value in the tables. */
static int samples_open(const struct tune_args *args, struct samples *samples)
{
    struct tables *tables;
    struct error e;
    int status = players_tables(&tables, &args->player);

    if (!status && samples_read(samples, args->data, &e))
        status = app_error("%s", e.text);
    if (!status && samples->count == 0)
        status = app_error("%s: no samples; --games makes them", args->data);
    if (!status && tables && samples_value(samples, tables, &e))
        status = app_error("%s", e.text);
    tables_close(&tables);
    return status;
}

static int train(const struct tune_args *args)
{
    struct network_weights *w = aligned_alloc(64, sizeof *w);
    struct network start = {0};
    struct samples samples = {0};
    struct error e;
    int status = EXIT_DONE;

    if (!w)
        status = app_error("not enough memory");
    else if (args->start && network_read(&start, args->start, &e))
        status = app_error("%s", e.text);
    else
        status = samples_open(args, &samples);
    if (!status)
        status = teach(args, start.weights, &samples, w);
    if (!status)
        status = network_save(w, args->out);
    if (!status)
        printf("%s written\n", args->out);
    samples_free(&samples);
    network_close(&start);
    free(w);
    return status;
}

static int run(int argc, char **argv)
{
    struct tune_args args = {.nodes = 1000,
                             .seed = 1,
                             .epochs = 10,
                             .trust = 70,
                             .exact = 50,
                             .player.threads = threads_default()};
    int status = EXIT_DONE;

    if (options_parse(&command_tune, argc, argv, &args) < 0)
        return EXIT_BAD;
    if (!args.data || (!args.games && !args.out))
        return app_error("tune: expected --data DIR and --games N, --out FILE or both");
    if (args.games)
        status = make(&args);
    if (!status && args.out)
        status = train(&args);
    return status;
}

const struct command command_tune = {
    .name = "tune",
    .summary = "train the evaluation on games of its own",
    .usage = "",
    .help =
        "With --games, plays games against itself from random openings and writes their\n"
        "quiet positions, and some beside the games, to files in --data, each with the score\n"
        "of the search, the result of its game and, if the tables know it, its value.  Stop it\n"
        "at any time and run the same command to continue.  With --out, trains the network of\n"
        "the evaluation on all samples in --data and writes it; data/network.bin is the one in\n"
        "the program.  Samples without a value are looked up in the tables again.\n"
        "\n"
        "  kelso tune --games 100000 --data samples\n"
        "  kelso tune --data samples --out data/network.bin\n"
        "  kelso tune --data samples --start data/network.bin --epochs 3 --out new.bin\n"
        "  kelso match --a network=new.bin --nodes 10000 --games 400\n",
    .options = options,
    .run = run,
};
