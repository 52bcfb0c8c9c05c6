/* SPDX-License-Identifier: MIT
 *
 * kelso verify: check the endgame tables by the rules of the game. */
#include "base/clock.h"
#include "cli/command.h"
#include "cli/database.h"
#include "report/json.h"
#include "base/machine.h"
#include "cli/longjob.h"
#include "report/term.h"
#include "core/notation.h"
#include "base/crew.h"
#include "base/files.h"
#include "db/manifest.h"
#include "db/verify.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct verify_args {
    const char *dir, *slice, *sample, *manifest;
    int seed, threads, faults, progress;
    uint64_t cache;
    bool json;
};

static const struct option_spec options[] = {
    {"slice", OPTION_TEXT, offsetof(struct verify_args, slice), "SLICE",
     "only this one, such as 3K1C-2K1C"},
    {"sample", OPTION_TEXT, offsetof(struct verify_args, sample), "FRACTION",
     "check only this fraction of the positions, such as 0.01"},
    {"manifest", OPTION_TEXT, offsetof(struct verify_args, manifest), "FILE",
     "only compare the files with the digests of 'kelso manifest'"},
    {"seed", OPTION_INT, offsetof(struct verify_args, seed), "N", "choose another sample (0)"},
    {"faults", OPTION_INT, offsetof(struct verify_args, faults), "N", "stop after N faults (20)",
     .min = 1, .max = 1000000},
    OPTION_DIR(struct verify_args),
    {"threads", OPTION_INT, offsetof(struct verify_args, threads), "T", "use T threads (all cores)",
     .min = 1, .max = CREW_MAX},
    OPTION_CACHE(struct verify_args),
    OPTION_WAS("memory", "cache"),
    OPTION_PROGRESS(struct verify_args),
    OPTION_JSON(struct verify_args),
    {0}};

/* ---------------------------------------------------------------- reporting -- */

struct verify_show {
    struct longjob job;
    bool json;
};

static void show_begin(void *context, struct slice s)
{
    struct verify_show *show = context;
    char name[SLICE_NAME_MAX];

    progress_label(&show->job.progress, "%s", slice_name(s, name));
}

static void json_outcome(struct json *j, const char *key, struct outcome o, enum kind kind)
{
    static const char *const name[] = {"loss", "draw", "win"};

    json_object(j, key);
    json_text(j, "value", name[o.value]);
    if (kind != KIND_WLD && o.value != VALUE_DRAW)
        json_int(j, "plies", o.plies);
    json_end(j);
}

static void fault_json(const struct verify_fault *f)
{
    struct json j = json_open(stdout);
    char text[FEN_TEXT_MAX];

    json_object(&j, NULL);
    json_text(&j, "fault", f->text);
    if (f->has_position) {
        json_text(&j, "slice", slice_name(f->slice, text));
        json_text(&j, "kind", kind_name(f->kind));
        json_uint(&j, "index", f->index);
        fen_format(&f->board, text);
        json_text(&j, "fen", text);
        json_outcome(&j, "stored", f->stored, f->kind);
        json_outcome(&j, "expected", f->expected, f->kind);
    }
    json_end(&j);
    fflush(stdout);
}

static void show_fault(void *context, const struct verify_fault *f)
{
    struct verify_show *show = context;

    if (show->json)
        fault_json(f);
    else if (show->job.progress.mode == PROGRESS_NONE)
        printf("%s\n", f->text);
    else
        progress_note(&show->job.progress, "%s", f->text);
}

static void show_end(const struct verify_show *show, const struct verify_result *r, double seconds)
{
    char count[FORMAT_MAX], took[FORMAT_MAX];

    if (show->json) {
        struct json j = json_open(stdout);

        json_object(&j, NULL);
        json_int(&j, "tables", r->tables);
        json_int(&j, "flat", r->flat);
        json_int(&j, "quick", r->quick);
        json_uint(&j, "checked", r->checked);
        json_int(&j, "faults", r->faults);
        json_real(&j, "seconds", seconds);
        json_end(&j);
        return;
    }
    printf("%d tables, ", r->tables);
    if (r->flat)
        printf("%d flat file%s, ", r->flat, r->flat == 1 ? "" : "s");
    if (r->quick)
        printf("%d quick file%s, ", r->quick, r->quick == 1 ? "" : "s");
    printf("%s values computed again in %s: ", format_count(r->checked, count),
           format_duration(seconds, took));
    if (r->faults)
        printf("%d fault%s\n", r->faults, r->faults == 1 ? "" : "s");
    else
        printf("no fault\n");
}

/* --------------------------------------------------------------------- run -- */

static int verify_with(struct catalog *c, struct verify_options *o, const struct verify_args *args)
{
    struct verify_show show = {.json = args->json};
    struct verify_result result;
    struct error e = {0};
    double started = clock_seconds();
    enum status rc;

    o->stop = longjob_begin(&show.job, args->progress, "verifying", "positions", verify_work(c, o));
    o->done = &show.job.done;
    o->begin = show_begin;
    o->report = show_fault;
    o->context = &show;
    rc = verify_run(c, o, &result, &e);
    longjob_end(&show.job);
    if (rc && rc != STATUS_MISMATCH)
        return app_error("verify: %s", e.text);
    show_end(&show, &result, clock_seconds() - started);
    return rc ? EXIT_NO : EXIT_DONE;
}

/* One file against its line; false if they differ. */
static bool entry_check(struct catalog *c, const struct manifest_entry *m, char *why, size_t size)
{
    char found[SHA256_TEXT];
    struct error e;

    if (manifest_digest(c, m->name, found, &e))
        snprintf(why, size, "%s", e.text);
    else if (strcmp(found, m->sha256) != 0)
        snprintf(why, size, "%s: expected SHA-256 %s, found %s", m->name, m->sha256, found);
    else
        return true;
    return false;
}

static void manifest_show(bool as_json, int files, int faults)
{
    struct json j = json_open(stdout);

    if (!as_json) {
        printf("%d files compared: %d fault%s\n", files, faults, faults == 1 ? "" : "s");
        return;
    }
    json_object(&j, NULL);
    json_int(&j, "files", files);
    json_int(&j, "faults", faults);
    json_end(&j);
}

/* Every file that the manifest names. */
static int manifest_with(struct catalog *c, const struct verify_args *args)
{
    struct manifest m = {0};
    struct error e;
    uint8_t *text;
    size_t size;
    int faults = 0;
    enum status rc = file_read_all(args->manifest, &text, &size, &e);

    if (rc)
        return app_error("%s", e.text);
    rc = manifest_parse(&m, args->manifest, (const char *)text, &e);
    free(text);
    if (rc)
        return app_error("%s", e.text);
    for (int i = 0; i < m.count; i++) {
        struct verify_fault f = {.has_position = false};
        struct verify_show show = {.json = args->json, .job.progress.mode = PROGRESS_NONE};

        if (entry_check(c, &m.entry[i], f.text, sizeof f.text))
            continue;
        faults++;
        show_fault(&show, &f);
    }
    manifest_show(args->json, m.count, faults);
    manifest_free(&m);
    return faults ? EXIT_NO : EXIT_DONE;
}

static bool parse_fraction(const char *text, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return end != text && !*end && *out > 0 && *out <= 1;
}

static int run(int argc, char **argv)
{
    struct verify_args args = {.sample = "1", .faults = 20};
    struct verify_options o = {0};
    struct slice slice;
    struct catalog *c;
    int rc;

    if (options_parse(&command_verify, argc, argv, &args) < 0)
        return EXIT_BAD;
    if (!parse_fraction(args.sample, &o.fraction))
        return app_error("verify: --sample expects a number above 0, at most 1, found '%s'",
                         args.sample);
    if (args.slice && database_slice(args.slice, &slice))
        return EXIT_BAD;
    o.slice = args.slice ? &slice : NULL;
    o.seed = (uint64_t)args.seed;
    o.threads = args.threads ? args.threads : threads_default();
    o.cache = args.cache ? args.cache : tables_cache_default();
    o.faults_max = args.faults;
    if (database_open(args.dir, &c))
        return EXIT_BAD;
    if (args.manifest)
        rc = manifest_with(c, &args);
    else if (!verify_work(c, &o))
        rc = app_error("%s: %s", catalog_dir(c), args.slice ? "no such tables" : "no tables");
    else
        rc = verify_with(c, &o, &args);
    catalog_close(&c);
    return rc;
}

const struct command command_verify = {
    .name = "verify",
    .summary = "check the endgame tables by the rules of the game",
    .usage = "",
    .help = "Recomputes every stored value from the values of the positions that its moves lead\n"
            "to, recounts the statistics, and checks all checksums, MANIFEST, and the flat and\n"
            "quick files of 'kelso unpack', if there are any.  Each fault is one line: file, side\n"
            "to move, index, FEN, stored and expected value.  The exit status is 1 if there is\n"
            "any.\n"
            "\n"
            "Values that agree with each other are not proven to be draws: a missed win, together\n"
            "with everything that depends on it, would contradict nothing.  The tests of kelso\n"
            "therefore also solve the smallest slices in a different way.\n"
            "\n"
            "  kelso verify\n"
            "  kelso verify --slice 2K1C-1K\n"
            "  kelso verify --sample 0.01 --seed 7\n"
            "  kelso verify --manifest tables.sha256\n",
    .options = options,
    .run = run,
};
