/* SPDX-License-Identifier: MIT */
#include "cli/answers.h"

#include "cli/command.h"
#include "cli/database.h"
#include "cli/longjob.h"
#include "base/machine.h"
#include "report/term.h"
#include "core/notation.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct option_spec answers_options[] = {
    OPTION_DIR(struct answers_args), OPTION_CACHE(struct answers_args), {0}};

const struct option_spec ondemand_options[] = {
    {"on-demand", OPTION_FLAG, offsetof(struct answers_args, on_demand), NULL,
     "if tables are missing, solve the positions that can be reached"},
    {"memory", OPTION_SIZE, offsetof(struct answers_args, memory), "SIZE",
     "memory for solving on demand (three quarters of the machine's)"},
    OPTION_PROGRESS(struct answers_args),
    {0}};

static enum status ending_outcome(void *context, const struct board *b, enum kind kind,
                                  struct outcome *o, struct error *e)
{
    return ondemand_outcome(context, b, kind, o, e);
}

static enum status no_outcome(void *context, const struct board *b, enum kind kind,
                              struct outcome *o, struct error *e)
{
    (void)context, (void)b, (void)kind, (void)o;
    return error_set(e, STATUS_MISSING, "there are no tables");
}

int answers_open(struct answers *a, const struct answers_args *args)
{
    struct tables_options o = {.dir = args->dir, .cache = args->cache};
    struct error e;

    *a = (struct answers){.args = *args, .source = {no_outcome, NULL}};
    if (args->on_demand && !tables_exist(args->dir)) /* works without a directory */
        return EXIT_DONE;
    if (tables_open(&a->tables, &o, &e))
        return app_error("%s", e.text);
    answers_reset(a);
    return EXIT_DONE;
}

void answers_close(struct answers *a)
{
    ondemand_close(&a->ending);
    tables_close(&a->tables);
}

void answers_reset(struct answers *a)
{
    ondemand_close(&a->ending);
    a->source = a->tables ? source_from_tables(a->tables) : (struct source){no_outcome, NULL};
}

/* ------------------------------------------------------------------- on demand -- */

static void say_plan(const struct answers *a, struct longjob *job, int threads)
{
    char count[FORMAT_MAX];

    if (a->args.progress != PROGRESS_NONE)
        progress_note(&job->progress, "solving %s values in %.2f GiB of memory",
                      format_count(ondemand_values(a->ending), count),
                      (double)ondemand_bytes(a->ending, threads) / (1 << 30));
}

int answers_refuse(const struct answers *a, const struct board *b, const struct error *why)
{
    struct error e = *why;

    if (!a->args.on_demand && why->status == STATUS_MISSING && strstr(why->text, "no table "))
        snprintf(e.text, sizeof e.text, "%.400s; --on-demand solves it without", why->text);
    return answers_error(b, &e);
}

int answers_solve(struct answers *a, const struct board *b, unsigned want, const struct error *why)
{
    int threads = threads_default();
    uint64_t memory = a->args.memory ? a->args.memory : memory_default();
    const atomic_bool *stop;
    struct longjob job;
    struct error e;
    enum status rc;

    if (!a->args.on_demand || why->status != STATUS_MISSING)
        return answers_refuse(a, b, why);
    ondemand_close(&a->ending);
    if (ondemand_plan(&a->ending, b, want, memory, NULL, &e))
        return answers_error(b, &e);
    threads = ondemand_threads(a->ending, threads, memory);
    stop = longjob_begin(&job, a->args.progress, "solving", "values", ondemand_work(a->ending));
    say_plan(a, &job, threads);
    rc = ondemand_solve(a->ending, threads, memory, stop, &job.done, &e);
    longjob_end(&job);
    if (rc)
        return answers_error(b, &e);
    a->source = (struct source){ending_outcome, a->ending};
    return EXIT_DONE;
}

int answers_position(struct answers *a, const struct board *b, unsigned want, struct answer *out)
{
    struct error e;
    int status;

    answers_reset(a);
    if (!answer_position(&a->source, b, want, out, &e))
        return EXIT_DONE;
    status = answers_solve(a, b, want, &e);
    if (!status && answer_position(&a->source, b, want, out, &e))
        status = answers_error(b, &e);
    return status;
}

int answers_error(const struct board *b, const struct error *e)
{
    char fen[FEN_TEXT_MAX];

    fen_format(b, fen);
    return app_error("%s: %s", fen, e->text);
}
