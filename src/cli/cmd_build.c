/* SPDX-License-Identifier: MIT
 *
 * kelso build: make the endgame tables. */
#include "cli/command.h"
#include "report/json.h"
#include "cli/longjob.h"
#include "base/machine.h"
#include "report/term.h"
#include "db/build.h"
#include "db/catalog.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct build_args {
    int pieces, max_side, threads, isa;
    const char *kinds, *slice, *dir, *scratch;
    uint64_t memory;
    int progress;
    bool json;
};

static const struct option_spec options[] = {
    {"pieces", OPTION_INT, offsetof(struct build_args, pieces), "N",
     "all slices of at most N pieces (5)", .min = 2, .max = BUILD_PIECES_MAX},
    {"max-side", OPTION_INT, offsetof(struct build_args, max_side), "M",
     "of these, at most M pieces a side", .min = 1, .max = PIECES_MAX},
    {"slice", OPTION_TEXT, offsetof(struct build_args, slice), "SLICE",
     "only this one, as 3K1C-2K1C, and what it needs"},
    {"kinds", OPTION_TEXT, offsetof(struct build_args, kinds), "LIST",
     "of wld, dtc, dtw (all three); wld is always made"},
    {"dir", OPTION_TEXT, offsetof(struct build_args, dir), "DIR", "where the tables are"},
    {"threads", OPTION_INT, offsetof(struct build_args, threads), "T", "use T threads (all cores)",
     .min = 1, .max = CREW_MAX},
    {"memory", OPTION_SIZE, offsetof(struct build_args, memory), "SIZE",
     "stay within SIZE (three quarters of the machine's)"},
    {"scratch", OPTION_TEXT, offsetof(struct build_args, scratch), "DIR",
     "keep tables that memory has no room for in DIR"},
    {"isa", OPTION_CHOICE, offsetof(struct build_args, isa), "SET",
     "instruction set: auto, plain, avx2 or avx512", .choices = "auto|plain|avx2|avx512"},
    OPTION_PROGRESS(struct build_args),
    OPTION_JSON(struct build_args),
    {0}};

static bool kinds_parse(const char *text, bool kind[KINDS])
{
    char list[64], *save = NULL;

    if (strlen(text) >= sizeof list)
        return false;
    strcpy(list, text);
    for (char *word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
        int k = 0;

        while (k < KINDS && strcmp(word, kind_name((enum kind)k)) != 0)
            k++;
        if (k == KINDS)
            return false;
        kind[k] = true;
    }
    return kind[KIND_WLD] || kind[KIND_DTC] || kind[KIND_DTW];
}

/* ------------------------------------------------------------------- reporting -- */

struct show {
    struct longjob job;
    bool json;
    int built, there;
    uint64_t values, bytes[KINDS], decoded, unpacked;
    double seconds, cpu_seconds;
};

static void show_begin(void *context, struct slice s, const char *step)
{
    struct show *show = context;
    char name[SLICE_NAME_MAX];

    progress_label(&show->job.progress, "%s %s", slice_name(s, name), step);
}

static void report_json(const struct build_report *r, const char *name)
{
    struct json j = json_open(stdout);

    json_object(&j, NULL);
    json_text(&j, "slice", name);
    json_int(&j, "number", r->number);
    json_int(&j, "of", r->of);
    json_bool(&j, "built", r->built);
    json_uint(&j, "values", r->values);
    json_real(&j, "seconds", r->seconds);
    json_real(&j, "cpu_seconds", r->cpu_seconds);
    json_uint(&j, "decoded", r->decoded);
    json_uint(&j, "unpacked", r->unpacked);
    for (int k = 0; k < KINDS; k++)
        if (r->bytes[k])
            json_uint(&j, kind_name((enum kind)k), r->bytes[k]);
    json_end(&j);
    fflush(stdout);
}

static void show_report(void *context, const struct build_report *r)
{
    struct show *show = context;
    char name[SLICE_NAME_MAX];
    uint64_t bytes = 0;

    slice_name(r->slice, name);
    show->built += r->built;
    show->there += !r->built;
    for (int k = 0; k < KINDS; k++) {
        show->bytes[k] += r->bytes[k];
        bytes += r->bytes[k];
    }
    if (r->built) {
        show->values += r->values;
        show->decoded += r->decoded;
        show->unpacked += r->unpacked;
        show->seconds += r->seconds;
        show->cpu_seconds += r->cpu_seconds;
        if (show->job.progress.mode != PROGRESS_BAR)
            progress_note(&show->job.progress,
                          "%3d/%d %-10s %12" PRIu64 " values %8.2f s %7.1f M/s %10" PRIu64 " bytes",
                          r->number, r->of, name, r->values, r->seconds,
                          (double)r->values / r->seconds / 1e6, bytes);
    }
    if (show->json)
        report_json(r, name);
}

static void show_end(const struct show *show, const char *dir)
{
    char count[FORMAT_MAX];

    if (show->json)
        return;
    if (!show->built) {
        printf("nothing to do: all %d slices are in %s\n", show->there, dir);
        return;
    }
    printf("%d slices built (%d were there), %s values in %.1f s (%.1f M/s; %.1f s of CPU)\n",
           show->built, show->there, format_count(show->values, count), show->seconds,
           (double)show->values / show->seconds / 1e6, show->cpu_seconds);
    for (int k = 0; k < KINDS; k++)
        if (show->bytes[k])
            printf("  %s  %14s bytes  %.4f a position\n", kind_name((enum kind)k),
                   format_count(show->bytes[k], count),
                   (double)show->bytes[k] / (double)show->values);
}

/* ------------------------------------------------------------------------ run -- */

static void scratch_tell(struct show *show, const struct build_plan *plan,
                         const struct build_options *o)
{
    if (o->scratch && show->job.progress.mode != PROGRESS_NONE)
        progress_note(&show->job.progress,
                      "scratch: at most %.1f GiB in %s, as a rule a quarter of that",
                      (double)build_scratch_most(plan, o) / (1 << 30), o->scratch);
}

static int build_with(const struct build_plan *plan, struct build_options *o,
                      const struct build_args *args)
{
    struct show show = {.json = args->json};
    struct error e = {0};
    enum status rc;

    o->stop = longjob_begin(&show.job, args->progress, "building", "values", build_work(plan, o));
    o->done = &show.job.done;
    o->report = show_report;
    o->begin = show_begin;
    o->context = &show;
    scratch_tell(&show, plan, o);
    rc = build_run(plan, o, &e);
    longjob_end(&show.job);
    if (rc == STATUS_INTERRUPTED)
        return app_error("stopped; run the same command to continue");
    if (rc)
        return app_error("%s", e.text);
    show_end(&show, o->dir);
    return EXIT_DONE;
}

static int run(int argc, char **argv)
{
    struct build_args args = {.pieces = 5, .max_side = PIECES_MAX, .kinds = "wld,dtc,dtw"};
    struct build_options o = {.isa = kernel_isa_best()};
    struct build_plan plan = {0};
    struct slice slice;
    struct error e;
    char dir[4096];
    int rc;

    if (options_parse(&command_build, argc, argv, &args) < 0)
        return EXIT_BAD;
    if (!kinds_parse(args.kinds, o.kind))
        return app_error("--kinds is a list of wld, dtc, dtw, not '%s'", args.kinds);
    if (args.slice && !slice_parse(args.slice, &slice))
        return app_error("'%s' is not a slice of at most %d pieces, such as 3K1C-2K1C", args.slice,
                         PIECES_MAX);
    if (args.isa && !kernel_get(KERNEL_TYPE_WLD, (enum kernel_isa)(args.isa - 1)))
        return app_error("this machine does not have that instruction set");
    if (args.isa)
        o.isa = (enum kernel_isa)(args.isa - 1);
    o.dir = catalog_default_dir(args.dir, dir, sizeof dir);
    if (!o.dir)
        return app_error("no directory: give --dir, or set KELSO_DB or HOME");
    o.scratch = args.scratch;
    o.threads = args.threads ? args.threads : threads_default();
    o.memory = args.memory ? args.memory : memory_default();
    if (args.slice ? build_plan_slice(&plan, slice, &e)
                   : build_plan_all(&plan, args.pieces, args.max_side, &e))
        return app_error("%s", e.text);
    rc = build_with(&plan, &o, &args);
    build_plan_free(&plan);
    return rc;
}

const struct command command_build = {
    .name = "build",
    .summary = "make the endgame tables",
    .usage = "",
    .help = "Solves every position of the slices asked for, smallest first, and writes one\n"
            "file per slice and kind: wld (win, loss or draw), dtc (plies to the next\n"
            "conversion) and dtw (plies to the end of the game).  Finished tables are kept:\n"
            "stop it at any time and run the same command to continue.\n"
            "\n"
            "A slice reads the tables that its moves lead to.  What memory has no room for is\n"
            "packed until it is wanted again: in memory, or in the directory given with\n"
            "--scratch, on a fast disk.  With --scratch a slice may be larger than memory: its\n"
            "tables are then files there, and it is solved in parts, of which a builder that is\n"
            "killed loses at most one.  How much the directory may come to hold is said at the\n"
            "beginning; it is empty in the end.\n"
            "\n"
            "The tables go to DIR, else $KELSO_DB, else ~/.local/share/kelso.\n"
            "\n"
            "  kelso build --pieces 4\n"
            "  kelso build --pieces 6 --kinds wld,dtw --threads 2 --memory 4G\n"
            "  kelso build --slice 2K1C-2K --dir tables\n"
            "  kelso build --pieces 8 --kinds wld --memory 12G --scratch /var/tmp/kelso\n",
    .options = options,
    .operands_min = 0,
    .operands_max = 0,
    .run = run,
};
