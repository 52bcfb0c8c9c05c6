/* SPDX-License-Identifier: MIT
 *
 * kelso unpack: decode the win/loss/draw tables once, for all readers. */
#include "base/clock.h"
#include "cli/command.h"
#include "cli/database.h"
#include "report/json.h"
#include "cli/longjob.h"
#include "cli/profiling.h"
#include "base/machine.h"
#include "report/term.h"
#include "db/unpack.h"

#include <inttypes.h>
#include <string.h>

struct unpack_args {
    const char *dir, *slice, *form, *profile;
    uint64_t memory;
    int pieces, max_side, threads, progress;
    bool remove, json;
};

static const struct option_spec options[] = {
    {"pieces", OPTION_INT, offsetof(struct unpack_args, pieces), "N",
     "tables of at most N pieces (all)", .min = 2, .max = PIECES_MAX},
    {"max-side", OPTION_INT, offsetof(struct unpack_args, max_side), "M",
     "of these, at most M pieces on each side", .min = 1, .max = PIECES_MAX},
    {"slice", OPTION_TEXT, offsetof(struct unpack_args, slice), "SLICE",
     "only this one, such as 3K1C-2K1C"},
    {"form", OPTION_TEXT, offsetof(struct unpack_args, form), "FORM",
     "flat: 2 bits per position; quick: run lengths, a fifth of that or less (flat)"},
    {"profile", OPTION_TEXT, offsetof(struct unpack_args, profile), "FILE",
     "choose slices and forms by a profile of `kelso solve --profile`"},
    {"memory", OPTION_SIZE, offsetof(struct unpack_args, memory), "SIZE",
     "with --profile: memory that the files may take"},
    {"remove", OPTION_FLAG, offsetof(struct unpack_args, remove), NULL,
     "delete the files, of both forms unless --form is given"},
    OPTION_DIR(struct unpack_args),
    {"threads", OPTION_INT, offsetof(struct unpack_args, threads), "T", "use T threads (all cores)",
     .min = 1, .max = CREW_MAX},
    OPTION_PROGRESS(struct unpack_args),
    OPTION_JSON(struct unpack_args),
    {0}};

static const char *const form_names[UNPACK_FORMS] = {"flat", "quick"};

/* ------------------------------------------------------------------- reporting -- */

struct unpack_show {
    struct longjob job;
    bool json;
    enum unpack_form form;
    int made, there;
    uint64_t pages, values, size, occupied; /* pages: of those that were made */
};

static void show_begin(void *context, struct slice s)
{
    struct unpack_show *show = context;
    char name[SLICE_NAME_MAX];

    progress_label(&show->job.progress, "unpacking %s", slice_name(s, name));
}

static void report_json(const struct unpack_report *r, const char *name)
{
    struct json j = json_open(stdout);

    json_object(&j, NULL);
    json_text(&j, "slice", name);
    json_text(&j, "form", form_names[r->form]);
    json_bool(&j, "made", r->made);
    if (r->wrong)
        json_text(&j, "wrong", r->wrong);
    json_uint(&j, "pages", r->pages);
    json_uint(&j, "values", r->values);
    json_uint(&j, "bytes", r->size);
    json_uint(&j, "occupied", r->occupied);
    json_end(&j);
    fflush(stdout);
}

static void show_report(void *context, const struct unpack_report *r)
{
    struct unpack_show *show = context;
    char name[SLICE_NAME_MAX];

    show->made += r->made;
    show->there += !r->made;
    show->pages += r->made ? r->pages : 0;
    show->values += r->values;
    show->size += r->size;
    show->occupied += r->occupied;
    slice_name(r->slice, name);
    if (show->json) {
        report_json(r, name);
        return;
    }
    if (r->wrong && show->job.progress.mode == PROGRESS_NONE)
        printf("made again: %s\n", r->wrong);
    else if (r->wrong)
        progress_note(&show->job.progress, "made again: %s", r->wrong);
    if (r->made && show->job.progress.mode != PROGRESS_BAR)
        progress_note(&show->job.progress, "%-10s %9" PRIu64 " pages %13" PRIu64 " bytes on disk",
                      name, r->pages, r->occupied);
}

static void show_end(const struct unpack_show *show, double seconds)
{
    char pages[FORMAT_MAX], took[FORMAT_MAX], rate[FORMAT_MAX], occupied[FORMAT_MAX],
        size[FORMAT_MAX];

    if (show->made)
        printf("%d slice%s unpacked (%d were there), %s pages in %s (%s pages/s)\n", show->made,
               show->made == 1 ? "" : "s", show->there, format_count(show->pages, pages),
               format_duration(seconds, took), format_short((double)show->pages / seconds, rate));
    else
        printf("nothing to do: all %d %s files are there and good\n", show->there,
               form_names[show->form]);
    if (show->form == UNPACK_QUICK)
        printf("%s bytes, %.3f bits per position\n", format_count(show->size, size),
               8 * (double)show->size / (double)show->values);
    else
        printf("%s bytes on disk (%s with holes), %.4f per position\n",
               format_count(show->occupied, occupied), format_count(show->size, size),
               (double)show->occupied / (double)show->values);
}

static void removed_show(bool as_json, int files, uint64_t freed)
{
    char count[FORMAT_MAX];

    if (as_json) {
        struct json j = json_open(stdout);

        json_object(&j, NULL);
        json_int(&j, "removed", files);
        json_uint(&j, "bytes", freed);
        json_end(&j);
        return;
    }
    printf("%d file%s removed, %s bytes\n", files, files == 1 ? "" : "s",
           format_count(freed, count));
}

/* ------------------------------------------------------------------------- run -- */

/* Those of the form that was given, else of all. */
static int remove_with(struct catalog *c, struct unpack_options *o, const struct unpack_args *args)
{
    int first = args->form ? (int)o->form : 0, last = args->form ? first : UNPACK_FORMS - 1;
    int files = 0;
    uint64_t freed = 0;

    for (int form = first; form <= last; form++) {
        struct error e;
        uint64_t bytes;
        int count;

        o->form = (enum unpack_form)form;
        if (unpack_remove(c, o, &count, &bytes, &e))
            return app_error("%s", e.text);
        files += count;
        freed += bytes;
    }
    removed_show(args->json, files, freed);
    return EXIT_DONE;
}

static int unpack_with(struct catalog *c, struct unpack_options *o, const struct unpack_args *args)
{
    struct unpack_show show = {.json = args->json, .form = o->form};
    double started = clock_seconds();
    struct error e = {0};
    uint64_t pages;
    enum status rc;

    if (unpack_work(c, o, &pages, &e))
        return app_error("%s", e.text);
    if (!pages)
        return app_error("%s: %s", catalog_dir(c), args->slice ? "no such table" : "no tables");
    o->stop = longjob_begin(&show.job, args->progress, "unpacking", "pages", pages);
    o->done = &show.job.done;
    o->begin = show_begin;
    o->report = show_report;
    o->context = &show;
    rc = unpack_run(c, o, &e);
    longjob_end(&show.job);
    if (rc == STATUS_INTERRUPTED)
        return app_error("stopped; run the same command to continue");
    if (rc)
        return app_error("%s", e.text);
    if (!args->json)
        show_end(&show, clock_seconds() - started);
    return EXIT_DONE;
}

static int form_parse(const char *text, enum unpack_form *form)
{
    *form = UNPACK_FLAT;
    for (int i = 0; text && i < UNPACK_FORMS; i++)
        if (strcmp(text, form_names[i]) == 0) {
            *form = (enum unpack_form)i;
            return EXIT_DONE;
        }
    return text ? app_error("--form: expected flat or quick, found '%s'", text) : EXIT_DONE;
}

/* --profile stands alone with --memory. */
static int profile_check(const struct unpack_args *args)
{
    if (args->profile && !args->memory)
        return app_error("--profile: give --memory, too");
    if (args->memory && !args->profile)
        return app_error("--memory: give --profile, too");
    if (args->profile && (args->slice || args->form || args->remove || args->pieces != PIECES_MAX ||
                          args->max_side != PIECES_MAX))
        return app_error("--profile chooses slices and forms: do not give these as well");
    return EXIT_DONE;
}

static int run(int argc, char **argv)
{
    struct unpack_args args = {.pieces = PIECES_MAX, .max_side = PIECES_MAX};
    struct unpack_options o = {0};
    struct slice slice;
    struct catalog *c;
    int rc;

    if (options_parse(&command_unpack, argc, argv, &args) < 0 || profile_check(&args))
        return EXIT_BAD;
    if ((args.slice && database_slice(args.slice, &slice)) || form_parse(args.form, &o.form))
        return EXIT_BAD;
    o.slice = args.slice ? &slice : NULL;
    o.pieces = args.pieces;
    o.max_side = args.max_side;
    o.threads = args.threads ? args.threads : threads_default();
    if (database_open(args.dir, &c))
        return EXIT_BAD;
    rc = args.profile
             ? profile_unpack(c, args.profile, args.memory, o.threads, args.progress, args.json)
         : args.remove ? remove_with(c, &o, &args)
                       : unpack_with(c, &o, &args);
    catalog_close(&c);
    return rc;
}

const struct command command_unpack = {
    .name = "unpack",
    .summary = "decode the win/loss/draw tables once, for every process",
    .usage = "",
    .help = "Writes SLICE.flat beside each SLICE.wld: the same values at 2 bits each, about 0.15\n"
            "bytes per position.  Every command that uses tables finds these files and reads\n"
            "pages from them, so it starts at full speed.  Pages stay in memory, in addition to\n"
            "--cache, as long as they take at most half of the machine's memory.  Pages of a\n"
            "single value are holes that take no disk space.\n"
            "\n"
            "--form quick writes SLICE.quick instead: run lengths, 0.02 to 0.5 bits per position,\n"
            "for tables that are too large to be flat.  A value is found there in less than a\n"
            "microsecond without decoding a page; the files share that half of the memory.  If a\n"
            "slice has both files, the flat one is used if there is room for it.\n"
            "\n"
            "Existing files are read and checked; a file that is missing, damaged or made from\n"
            "another table is made (again).  Stop it at any time and run the same command to\n"
            "continue.  The files may be deleted at any time, even while they are in use:\n"
            "--remove.\n"
            "\n"
            "--profile FILE chooses the files that save most time within --memory, by the counts\n"
            "of `kelso solve --profile FILE`, and makes them: quick, or flat if that saves more.\n"
            "Other files are left alone.\n"
            "\n"
            "    kelso unpack --pieces 6\n"
            "    kelso unpack --form quick --slice 2K2C-2K1C\n"
            "    kelso unpack --profile use.txt --memory 4G\n"
            "    kelso solve --pieces 6 FEN\n"
            "    kelso unpack --remove\n",
    .options = options,
    .run = run,
};
