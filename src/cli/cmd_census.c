/* SPDX-License-Identifier: MIT
 *
 * kelso census: the unique positions after each ply. */
#include "base/clock.h"
#include "cli/command.h"
#include "report/json.h"
#include "cli/longjob.h"
#include "report/term.h"
#include "base/crew.h"
#include "games/census.h"

#include <inttypes.h>
#include <stdlib.h>

struct census_args {
    int plies, threads, count, progress;
    uint64_t memory;
    const char *dir;
    bool keep, json;
};

static const struct option_spec options[] = {
    {"plies", OPTION_INT, offsetof(struct census_args, plies), "N", "count up to this ply (10)",
     .min = 0, .max = CENSUS_PLIES_MAX},
    {"count", OPTION_CHOICE, offsetof(struct census_args, count), "HOW",
     "plain (default), or bryant: as in his Table 1", .choices = "plain|bryant"},
    {"dir", OPTION_TEXT, offsetof(struct census_args, dir), "DIR",
     "keep the plies in files here, and resume from them"},
    {"keep", OPTION_FLAG, offsetof(struct census_args, keep), NULL,
     "keep the last ply too, instead of only counting it"},
    {"memory", OPTION_SIZE, offsetof(struct census_args, memory), "SIZE",
     "memory for all threads together (1G)"},
    {"threads", OPTION_INT, offsetof(struct census_args, threads), "N", "use N threads (1)",
     .min = 1, .max = CREW_MAX},
    OPTION_PROGRESS(struct census_args),
    OPTION_JSON(struct census_args),
    {0}};

struct census_watch {
    struct longjob job;
    int ply;
    double begun, seconds[CENSUS_PLIES_MAX + 1];
};

static bool watch_report(void *context, const struct census_report *r)
{
    struct census_watch *w = context;
    char label[PROGRESS_LABEL_MAX];

    if (r->ply != w->ply) {
        snprintf(label, sizeof label, "ply %d", r->ply);
        longjob_stage(&w->job, label, "positions", r->size);
        w->ply = r->ply;
    }
    atomic_store(&w->job.done, r->expanded);
    w->seconds[r->ply] = clock_seconds() - w->begun;
    if (r->rows_done == r->rows)
        w->begun = clock_seconds();
    return true;
}

static void answer_text(const struct census *c, const struct census_watch *w)
{
    char count[FORMAT_MAX], time[FORMAT_MAX];

    printf(" ply  unique positions   ratio     time\n");
    for (int i = 1; i <= c->plies; i++) {
        printf("%4d %17s", i, format_count(c->count[i], count));
        printf("%8.2f", c->count[i - 1] ? (double)c->count[i] / (double)c->count[i - 1] : 0.0);
        if (w->seconds[i] > 0)
            printf(" %8s", format_duration(w->seconds[i], time));
        putchar('\n');
    }
}

static void answer_json(const struct census *c, const struct census_args *args,
                        const struct census_watch *w)
{
    struct json j = json_open(stdout);

    json_object(&j, NULL);
    json_text(&j, "count", args->count == CENSUS_BRYANT ? "bryant" : "plain");
    json_array(&j, "plies");
    for (int i = 0; i <= c->plies; i++) {
        json_object(&j, NULL);
        json_int(&j, "ply", i);
        json_uint(&j, "positions", c->count[i]);
        json_uint(&j, "bytes", c->kept[i] ? c->ply[i].bytes : 0);
        json_real(&j, "seconds", w->seconds[i]);
        json_end(&j);
    }
    json_end(&j);
    json_uint(&j, "spill_bytes", c->spill_peak);
    json_end(&j);
}

static int count(const struct census_args *args)
{
    struct census_watch *watch = calloc(1, sizeof *watch);
    struct census *census = malloc(sizeof *census);
    struct error e = {0};
    struct census_options o = {.plies = args->plies,
                               .counting = (enum census_counting)args->count,
                               .dir = args->dir,
                               .keep_last = args->keep,
                               .memory = args->memory,
                               .threads = args->threads,
                               .report = watch_report,
                               .context = watch};
    int status = EXIT_DONE;

    if (!watch || !census) {
        free(watch);
        free(census);
        return app_error("census: not enough memory");
    }
    longjob_begin_loose(
        &watch->job, args->progress,
        args->dir ? "stopped; run the same command to continue after the last complete ply"
                  : "stopped");
    watch->begun = clock_seconds();
    if (census_run(census, &o, &e) != STATUS_OK)
        status = EXIT_BAD;
    longjob_end(&watch->job);
    if (status != EXIT_DONE)
        app_error("census: %s", e.text);
    else if (args->json)
        answer_json(census, args, watch);
    else
        answer_text(census, watch);
    census_close(census);
    free(census);
    free(watch);
    return status;
}

static int run(int argc, char **argv)
{
    struct census_args args = {.plies = 10, .threads = 1};

    if (options_parse(&command_census, argc, argv, &args) < 0)
        return EXIT_BAD;
    return count(&args);
}

const struct command command_census = {
    .name = "census",
    .summary = "count the unique positions after each ply",
    .usage = "",
    .help = "Counts, for each ply, the positions that can arise from the start for the first\n"
            "time.  With --count bryant a position and its colour-flipped twin count as one, and\n"
            "both are compared with all earlier plies, as in Table 1 of Bryant's study.  Without\n"
            "--dir everything is kept in memory, about two bytes per position.  With --dir every\n"
            "ply but the last is kept in a file, and a run that was stopped resumes after the\n"
            "last complete ply.\n"
            "\n"
            "  kelso census --plies 10\n"
            "  kelso census --plies 12 --count bryant --dir census --threads 2\n",
    .options = options,
    .run = run,
};
