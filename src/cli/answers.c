/* SPDX-License-Identifier: MIT */
#include "cli/answers.h"

#include "cli/command.h"
#include "cli/database.h"
#include "cli/longjob.h"
#include "cli/machine.h"
#include "report/term.h"
#include "core/notation.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PAGES_DEFAULT = 256 << 20 };

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

/* With --on-demand a directory that is not there is no obstacle. */
static bool directory_is_missing(const char *dir)
{
    char path[TABLE_PATH_MAX];

    dir = catalog_default_dir(dir, path, sizeof path);
    return !dir || access(dir, F_OK) != 0;
}

int answers_open(struct answers *a, const struct answers_args *args)
{
    uint64_t pages = args->memory && !args->on_demand ? args->memory : PAGES_DEFAULT;
    struct error e;

    *a = (struct answers){.args = *args, .source = {no_outcome, NULL}};
    if (args->on_demand && directory_is_missing(args->dir))
        return EXIT_DONE;
    if (database_open(args->dir, &a->catalog))
        return EXIT_BAD;
    if (probe_open(&a->probe, a->catalog, pages, &e)) {
        answers_close(a);
        return app_error("%s", e.text);
    }
    answers_reset(a);
    return EXIT_DONE;
}

void answers_close(struct answers *a)
{
    ondemand_close(&a->ending);
    probe_close(&a->probe);
    catalog_close(&a->catalog);
}

void answers_reset(struct answers *a)
{
    ondemand_close(&a->ending);
    a->source = a->probe ? source_from_probe(a->probe) : (struct source){no_outcome, NULL};
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

enum status ending_plan(struct ondemand **o, const struct board *b, unsigned want, int threads,
                        uint64_t memory, struct error *e)
{
    bool conversions = (want & WANT_DTC) != 0;
    enum status rc = ondemand_open(o, b, conversions, e);

    if (rc || !conversions || !(want & WANT_DTW) || ondemand_bytes(*o, threads) <= memory)
        return rc;
    ondemand_close(o);
    return ondemand_open(o, b, false, e);
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
    if (ending_plan(&a->ending, b, want, threads, memory, &e))
        return answers_error(b, &e);
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

/* ----------------------------------------------------------------------- words -- */

const char *value_name(enum value v)
{
    return v == VALUE_WIN ? "win" : v == VALUE_DRAW ? "draw" : "loss";
}

const char *outcome_text(struct outcome o, enum kind kind, char text[OUTCOME_TEXT_MAX])
{
    const char *verb = o.value == VALUE_WIN ? "wins" : o.value == VALUE_DRAW ? "draws" : "loses";

    if (o.value == VALUE_DRAW || kind == KIND_WLD)
        return verb;
    snprintf(text, OUTCOME_TEXT_MAX, "%s in %d", verb, o.plies);
    return text;
}

void json_plies(struct json *j, const char *key, const struct verdict *v, enum kind kind)
{
    if (v->known[kind] && v->value != VALUE_DRAW)
        json_int(j, key, v->of[kind].plies);
    else
        json_null(j, key);
}

int answers_error(const struct board *b, const struct error *e)
{
    char fen[FEN_TEXT_MAX];

    fen_format(b, fen);
    return app_error("%s: %s", fen, e->text);
}
