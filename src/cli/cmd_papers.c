/* SPDX-License-Identifier: MIT
 *
 * kelso papers: the published results, each as one command. */
#include "cli/command.h"
#include "cli/longjob.h"
#include "cli/nearest.h"
#include "base/machine.h"
#include "papers/papers.h"
#include "report/json.h"
#include "report/term.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct papers_args {
    const char *dir;
    double upto;
    uint64_t memory;
    int threads, progress;
    bool json, markdown;
};

static const struct option_spec options[] = {
    {"upto", OPTION_DURATION, offsetof(struct papers_args, upto), "T",
     "skip rows that take longer than T (1m)"},
    OPTION_DIR(struct papers_args),
    {"memory", OPTION_MEMORY, offsetof(struct papers_args, memory), "SIZE",
     "memory to use (three quarters of the machine's)"},
    {"threads", OPTION_INT, offsetof(struct papers_args, threads), "N",
     "use N threads (all processors)", .min = 1, .max = 256},
    {"markdown", OPTION_FLAG, offsetof(struct papers_args, markdown), NULL,
     "write the list as in docs/papers.md"},
    OPTION_PROGRESS(struct papers_args),
    OPTION_JSON(struct papers_args),
    {0}};

static const char *const marks[] = {"agrees", "erratum", "DIFFERS", "skipped"};

/* ------------------------------------------------------------------------ list -- */

static const char *cost_text(const struct paper_claim *c, char *out, size_t size)
{
    double memory = (double)c->memory / (1 << 30), disk = (double)c->disk / (1 << 30);

    snprintf(out, size, "%.0f s, %.1f GiB of memory%s", ceil(c->seconds),
             memory > 0.1 ? memory : 0.1, c->disk ? "" : ", no disk");
    if (c->disk)
        snprintf(out + strlen(out), size - strlen(out), ", %.1f GiB of disk",
                 disk > 0.1 ? disk : 0.1);
    return out;
}

static void list_json(const struct paper_claim *c)
{
    struct json j = json_open(stdout);

    json_object(&j, NULL);
    json_text(&j, "name", c->name);
    json_text(&j, "paper", c->paper);
    json_text(&j, "claim", c->what);
    json_real(&j, "seconds", c->seconds);
    json_uint(&j, "memory", c->memory);
    json_uint(&j, "disk", c->disk);
    json_end(&j);
}

static void list_markdown(void)
{
    char cost[128];

    printf("# The papers\n\n"
           "Published claims that kelso recomputes. `kelso papers run NAME` compares them row by "
           "row;\n"
           "`--upto T` skips rows that take longer. Costs are estimates for all rows on two idle "
           "processors.\n"
           "This page is made by `kelso papers --markdown`.\n"
           "\n"
           "| name | paper | claim | cost |\n|---|---|---|---|\n");
    for (const struct paper_claim *c = paper_claims; c->name; c++)
        printf("| `%s` | %s | %s | %s |\n", c->name, c->paper, c->what,
               cost_text(c, cost, sizeof cost));
    printf("\nKnown misprints, with witnesses, are in [errata.md](errata.md).\n");
}

static int list(const struct papers_args *args)
{
    const char *paper = "";
    char cost[128];

    if (args->markdown) {
        list_markdown();
        return EXIT_DONE;
    }
    for (const struct paper_claim *c = paper_claims; c->name; c++) {
        if (args->json) {
            list_json(c);
            continue;
        }
        if (strcmp(paper, c->paper) != 0)
            printf("%s%s\n", *paper ? "\n" : "", c->paper);
        paper = c->paper;
        printf("  %-10s %s\n             %s\n", c->name, c->what, cost_text(c, cost, sizeof cost));
    }
    return EXIT_DONE;
}

/* ------------------------------------------------------------------------- run -- */

struct papers_watch {
    const struct papers_args *args;
    const struct paper_claim *claim;
    struct longjob job;
};

static void show_row(void *context, const struct paper_row *row)
{
    struct papers_watch *w = context;
    struct json j = json_open(stdout);

    progress_erase(&w->job.progress);
    if (w->args->json) {
        json_object(&j, NULL);
        json_text(&j, "name", w->claim->name);
        json_text(&j, "item", row->item);
        json_text(&j, "printed", row->printed);
        json_text(&j, "found", row->found);
        json_text(&j, "mark", row->mark == ROW_DIFFERS ? "differs" : marks[row->mark]);
        json_text(&j, "note", row->note);
        json_end(&j);
        return;
    }
    printf("  %-8s %-44s %s", marks[row->mark], row->item, row->printed);
    if (row->mark == ROW_ERRATUM || row->mark == ROW_DIFFERS)
        printf(" -> %s", row->found);
    printf("%s%s\n", *row->note ? "  # " : "", row->note);
    fflush(stdout);
}

static void show_stage(void *context, const char *label, const char *unit, uint64_t total)
{
    longjob_stage(&((struct papers_watch *)context)->job, label, unit, total);
}

static int run_claim(const struct paper_claim *c, const struct papers_args *args)
{
    struct papers_watch w = {.args = args, .claim = c};
    struct paper_run r = {.dir = args->dir,
                          .upto = args->upto,
                          .memory = args->memory ? args->memory : memory_default(),
                          .threads = args->threads ? args->threads : threads_default(),
                          .done = &w.job.done,
                          .stage = show_stage,
                          .row = show_row,
                          .context = &w};
    char cost[128];
    struct error e;
    enum status rc;

    if (!args->json)
        printf("%s: %s\n%s: all of it takes about %s; rows of more than %.0f s are left out\n",
               c->name, c->what, c->name, cost_text(c, cost, sizeof cost), args->upto);
    fflush(stdout);
    r.stop = longjob_begin(&w.job, args->progress, c->name, "rows", 0);
    rc = c->run(&r, &e);
    longjob_end(&w.job);
    if (rc)
        return app_error("%s: %s", c->name, e.text);
    if (!args->json)
        printf("%s: %d agree, %d known errata, %d differ, %d left out\n", c->name,
               r.rows[ROW_AGREES], r.rows[ROW_ERRATUM], r.rows[ROW_DIFFERS], r.rows[ROW_SKIPPED]);
    return r.rows[ROW_DIFFERS] ? EXIT_NO : EXIT_DONE;
}

static int run_all(char **names, int n, const struct papers_args *args)
{
    int status = EXIT_DONE;

    for (const struct paper_claim *c = paper_claims; c->name && status != EXIT_BAD; c++)
        for (int i = 0; i < n; i++)
            if (strcmp(names[i], c->name) == 0 || strcmp(names[i], "all") == 0) {
                int one = run_claim(c, args);

                status = one > status ? one : status;
                break;
            }
    return status;
}

static int no_claim(const char *name)
{
    struct nearest near = nearest_to(name);

    for (const struct paper_claim *c = paper_claims; c->name; c++)
        nearest_try(&near, c->name);
    if (near.name)
        return app_error("papers: no claim '%s'; did you mean '%s'?", name, near.name);
    return app_error("papers: no claim '%s'; 'kelso papers' lists them", name);
}

static int run(int argc, char **argv)
{
    struct papers_args args = {.upto = 60};
    char buffer[TABLE_PATH_MAX];
    int n = options_parse(&command_papers, argc, argv, &args);

    if (n < 0)
        return EXIT_BAD;
    if (n == 0)
        return list(&args);
    if (strcmp(argv[0], "run") != 0 || n < 2)
        return app_error("papers: expected 'run NAME...', or nothing for the list");
    for (int i = 1; i < n; i++)
        if (strcmp(argv[i], "all") != 0 && !paper_claim_find(argv[i]))
            return no_claim(argv[i]);
    if (!(args.dir = catalog_default_dir(args.dir, buffer, sizeof buffer)))
        return app_error("papers: no directory for tables; give --dir");
    return run_all(argv + 1, n - 1, &args);
}

const struct command command_papers = {
    .name = "papers",
    .summary = "published results, recomputed and compared row by row",
    .usage = "[run NAME...|all]",
    .help = "Lists what the papers claim and the cost of recomputing it.  'run' recomputes the\n"
            "named claims and compares the results with the printed ones, row by row: a row\n"
            "agrees, is a known erratum of the paper, or differs.  Rows that take longer than\n"
            "--upto are skipped.  Missing tables are built in --dir.  The exit status is 1 if any\n"
            "row differs.\n"
            "\n"
            "  kelso papers\n"
            "  kelso papers run positions games\n"
            "  kelso papers run all --upto 10m\n",
    .options = options,
    .operands_max = 32,
    .run = run,
};
