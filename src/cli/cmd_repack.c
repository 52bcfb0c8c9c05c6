/* SPDX-License-Identifier: MIT
 *
 * kelso repack: rewrite tables in another form. */
#include "base/machine.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/longjob.h"
#include "db/repack.h"
#include "report/json.h"
#include "report/term.h"

#include <inttypes.h>
#include <stdio.h>

struct repack_args {
    const char *dir, *slice;
    int pieces, part, threads, progress;
    bool dense, json;
};

static const struct option_spec options[] = {
    {"pieces", OPTION_INT, offsetof(struct repack_args, pieces), "N",
     "tables of at most N pieces (all)", .min = 2, .max = PIECES_MAX},
    {"slice", OPTION_TEXT, offsetof(struct repack_args, slice), "SLICE",
     "only this one, such as 3K1C-2K1C"},
    {"dense", OPTION_FLAG, offsetof(struct repack_args, dense), NULL,
     "without parts: smaller files, for transport"},
    {"part", OPTION_INT, offsetof(struct repack_args, part), "P",
     "parts of P positions: 512, 1024, 2048 (the default) or 4096", .min = TABLE_PART_MIN,
     .max = TABLE_PART_MAX},
    OPTION_DIR(struct repack_args),
    {"threads", OPTION_INT, offsetof(struct repack_args, threads), "T", "use T threads (all cores)",
     .min = 1, .max = CREW_MAX},
    OPTION_PROGRESS(struct repack_args),
    OPTION_JSON(struct repack_args),
    {0}};

struct repack_show {
    struct longjob job;
    bool json;
    int made, there;
    uint64_t before, after; /* of those that were made */
};

static void show_begin(void *context, struct slice s)
{
    struct repack_show *show = context;
    char name[SLICE_NAME_MAX];

    progress_label(&show->job.progress, "repacking %s", slice_name(s, name));
}

static void show_report(void *context, const struct repack_report *r)
{
    struct repack_show *show = context;
    char name[SLICE_NAME_MAX];

    show->made += r->made;
    show->there += !r->made;
    show->before += r->made ? r->before : 0;
    show->after += r->made ? r->after : 0;
    slice_name(r->slice, name);
    if (show->json) {
        struct json j = json_open(stdout);

        json_object(&j, NULL);
        json_text(&j, "slice", name);
        json_text(&j, "kind", kind_name(r->kind));
        json_bool(&j, "made", r->made);
        json_uint(&j, "values", r->values);
        json_uint(&j, "before", r->before);
        json_uint(&j, "bytes", r->after);
        json_end(&j);
        fflush(stdout);
    } else if (r->made && show->job.progress.mode != PROGRESS_BAR) {
        progress_note(&show->job.progress,
                      "%-10s %s %14" PRIu64 " bytes, were %" PRIu64 "; %.1f positions per byte",
                      name, kind_name(r->kind), r->after, r->before,
                      (double)r->values / (double)r->after);
    }
}

static int repack_with(struct catalog *c, struct repack_options *o, const struct repack_args *args)
{
    struct repack_show show = {.json = args->json};
    char before[FORMAT_MAX], after[FORMAT_MAX];
    struct error e = {0};
    uint64_t pages;
    enum status rc;

    if (repack_work(c, o, &pages, &e))
        return app_error("%s", e.text);
    o->stop = longjob_begin(&show.job, args->progress, "repacking", "pages", pages);
    o->done = &show.job.done;
    o->begin = show_begin;
    o->report = show_report;
    o->context = &show;
    rc = repack_run(c, o, &e);
    longjob_end(&show.job);
    if (rc == STATUS_INTERRUPTED)
        return app_error("stopped; run the same command to continue");
    if (rc)
        return app_error("%s", e.text);
    if (!show.made && !show.there)
        return app_error("%s: %s", catalog_dir(c), args->slice ? "no such table" : "no tables");
    if (!args->json && show.made)
        printf("%d table%s repacked (%d were in that form), %s bytes, were %s\n", show.made,
               show.made == 1 ? "" : "s", show.there, format_count(show.after, after),
               format_count(show.before, before));
    else if (!args->json)
        printf("nothing to do: all %d tables are in that form\n", show.there);
    return EXIT_DONE;
}

static int run(int argc, char **argv)
{
    struct repack_args args = {.pieces = PIECES_MAX, .part = TABLE_PART};
    struct repack_options o = {0};
    char dir[TABLE_PATH_MAX];
    struct slice slice;
    struct catalog *c;
    struct error e;
    int rc;

    if (options_parse(&command_repack, argc, argv, &args) < 0)
        return EXIT_BAD;
    if (args.slice && database_slice(args.slice, &slice))
        return EXIT_BAD;
    o.slice = args.slice ? &slice : NULL;
    o.pieces = args.pieces;
    o.part = args.dense ? TABLE_PAGE : (uint32_t)args.part;
    o.threads = args.threads ? args.threads : threads_default();
    if (!repack_part_good(o.part))
        return app_error("--part is 512, 1024, 2048 or 4096, not %d", args.part);
    if (database_open(args.dir, &c)) /* is there such a directory? */
        return EXIT_BAD;
    snprintf(dir, sizeof dir, "%s", catalog_dir(c));
    catalog_close(&c);
    if (catalog_open_to_build(&c, dir, &e))
        return app_error("%s", e.text);
    rc = repack_with(c, &o, &args);
    catalog_close(&c);
    return rc;
}

const struct command command_repack = {
    .name = "repack",
    .summary = "rewrite tables in another form without rebuilding them",
    .usage = "",
    .help = "Win/loss/draw tables are divided into parts of 2048 positions, each compressed\n"
            "independently, so that one value is found in about ten microseconds.  Tables made\n"
            "before parts existed can still be read; repack rewrites them with parts.  With\n"
            "--dense it does the opposite: files without parts are a tenth to a quarter smaller,\n"
            "and finding a single value takes several times as long.\n"
            "\n"
            "The files are the same, byte for byte, as those of 'kelso build'.  Distances of an\n"
            "earlier version are rewritten on the way.  Stop it at any time and run the same\n"
            "command to continue.  The flat files of a rewritten table have to be made again\n"
            "(kelso unpack).\n"
            "\n"
            "    kelso repack --dir tables\n"
            "    kelso repack --dir tables --slice 4K-3K --dense\n",
    .options = options,
    .run = run,
};
