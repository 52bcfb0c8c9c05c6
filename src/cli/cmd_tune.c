/* SPDX-License-Identifier: MIT
 *
 * kelso tune: make samples by self-play, and fit the evaluation to them. */
#include "cli/command.h"
#include "cli/players.h"
#include "tune/fit.h"
#include "cli/longjob.h"
#include "base/machine.h"
#include "report/term.h"

struct tune_args {
    struct player_args player;
    const char *data, *out;
    int games, seed, epochs, trust, progress;
    uint64_t nodes;
    bool plain;
};

static const struct option_spec options[] = {
    {"data", OPTION_TEXT, offsetof(struct tune_args, data), "FILE", "the samples"},
    {"games", OPTION_INT, offsetof(struct tune_args, games), "N",
     "play N games and add their positions to the samples", .min = 1, .max = 10000000},
    {"nodes", OPTION_COUNT, offsetof(struct tune_args, nodes), "N", "positions a move (1000)"},
    {"seed", OPTION_INT, offsetof(struct tune_args, seed), "N", "for openings and order (1)"},
    {"out", OPTION_TEXT, offsetof(struct tune_args, out), "FILE",
     "fit, and write the weights there as C"},
    {"epochs", OPTION_INT, offsetof(struct tune_args, epochs), "N", "go N times through (12)",
     .min = 1, .max = 1000},
    {"trust", OPTION_INT, offsetof(struct tune_args, trust), "PERCENT",
     "how much of the target is the search's score (75)", .min = 0, .max = 100},
    {"plain", OPTION_FLAG, offsetof(struct tune_args, plain), NULL,
     "fit the features alone, no patterns"},
    {"dir", OPTION_TEXT, offsetof(struct tune_args, player.dir), "DIR", "where the tables are"},
    {"no-tables", OPTION_FLAG, offsetof(struct tune_args, player.no_tables), NULL,
     "do without tables"},
    {"threads", OPTION_INT, offsetof(struct tune_args, player.threads), "N",
     "play with N threads (all)", .min = 1, .max = SEARCH_THREADS_MAX},
    OPTION_PROGRESS(struct tune_args),
    {0}};

static int make(const struct tune_args *args)
{
    struct samples samples = {0};
    struct longjob job;
    struct tables *tables;
    struct samples_play play = {.games = args->games,
                                .threads = args->player.threads,
                                .nodes = args->nodes,
                                .seed = (uint64_t)args->seed};
    struct error e;
    enum status rc;

    if (players_tables(&tables, &args->player))
        return EXIT_BAD;
    play.tables = tables;
    play.stop = longjob_begin(&job, args->progress, "playing", "games", (uint64_t)args->games);
    play.done = &job.done;
    rc = samples_make(&play, &samples, &e);
    longjob_end(&job);
    if (!rc)
        rc = samples_append(&samples, args->data, &e);
    if (!rc)
        printf("%zu samples added to %s\n", samples.count, args->data);
    samples_free(&samples);
    tables_close(&tables);
    return rc ? app_error("%s", e.text) : EXIT_DONE;
}

static int fit(const struct tune_args *args)
{
    struct samples samples = {0};
    struct fit_report report;
    struct eval_weights w;
    struct longjob job;
    struct fit_options o = {.epochs = args->epochs,
                            .pull = 1e-3,
                            .trust = args->trust / 100.0,
                            .plain = args->plain,
                            .seed = (uint64_t)args->seed};
    struct error e;
    enum status rc = samples_read(&samples, args->data, &e);

    if (!rc) {
        o.stop = longjob_begin(&job, args->progress, "fitting", "samples",
                               (uint64_t)args->epochs * samples.count);
        o.done = &job.done;
        rc = fit_weights(&samples, &o, &w, &report, &e);
        longjob_end(&job);
    }
    if (!rc)
        rc = weights_write(&w, args->out, &e);
    if (!rc)
        printf("%zu samples; loss on those held out %.5f, before %.5f; %s written\n", samples.count,
               report.after, report.before, args->out);
    samples_free(&samples);
    return rc ? app_error("%s", e.text) : EXIT_DONE;
}

static int run(int argc, char **argv)
{
    struct tune_args args = {
        .nodes = 1000, .seed = 1, .epochs = 12, .trust = 75, .player.threads = threads_default()};
    int status = EXIT_DONE;

    if (options_parse(&command_tune, argc, argv, &args) < 0)
        return EXIT_BAD;
    if (!args.data || (!args.games && !args.out))
        return app_error("tune: expected --data FILE and --games N, --out FILE or both");
    if (args.games)
        status = make(&args);
    if (!status && args.out)
        status = fit(&args);
    return status;
}

const struct command command_tune = {
    .name = "tune",
    .summary = "fit the evaluation to games of its own",
    .usage = "",
    .help = "With --games, plays games against itself from random openings and adds their quiet\n"
            "positions to the samples in --data, each with the result of its game, the score of\n"
            "the search and, where tables know it, its value.  With --out, fits the weights of\n"
            "the evaluation to the samples by logistic regression and writes them as C source.\n"
            "\n"
            "  kelso tune --games 20000 --data samples.bin\n"
            "  kelso tune --data samples.bin --out src/search/weights.c\n",
    .options = options,
    .run = run,
};
