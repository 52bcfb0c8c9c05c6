/* SPDX-License-Identifier: MIT
 *
 * kelso build: make the endgame tables. */
#include "cli/build_command.h"
#include "cli/command.h"
#include "report/json.h"
#include "cli/longjob.h"
#include "base/machine.h"
#include "report/term.h"
#include "db/build.h"
#include "db/catalog.h"
#include "db/forecast.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { STOP_PATIENCE = 300000 }; /* us */

struct build_args {
    int pieces, max_side, threads, isa;
    const char *kinds, *slice, *dir, *scratch;
    uint64_t memory;
    int progress;
    bool json, yes, dry_run;
};

static const struct option_spec options[] = {
    {"pieces", OPTION_INT, offsetof(struct build_args, pieces), "N",
     "all slices of at most N pieces (5)", .min = 2, .max = BUILD_PIECES_MAX},
    {"max-side", OPTION_INT, offsetof(struct build_args, max_side), "M",
     "of these, at most M pieces on each side", .min = 1, .max = PIECES_MAX},
    {"slice", OPTION_TEXT, offsetof(struct build_args, slice), "SLICE",
     "only this one, such as 3K1C-2K1C, and those it needs"},
    {"kinds", OPTION_TEXT, offsetof(struct build_args, kinds), "LIST",
     "any of wld, dtc, dtw (all three); wld is always built"},
    {"dir", OPTION_TEXT, offsetof(struct build_args, dir), "DIR", "where the tables are"},
    {"threads", OPTION_INT, offsetof(struct build_args, threads), "T", "use T threads (all cores)",
     .min = 1, .max = CREW_MAX},
    {"memory", OPTION_SIZE, offsetof(struct build_args, memory), "SIZE",
     "stay within SIZE (three quarters of the machine's)"},
    {"scratch", OPTION_TEXT, offsetof(struct build_args, scratch), "DIR",
     "keep tables that do not fit into memory in DIR"},
    {"isa", OPTION_CHOICE, offsetof(struct build_args, isa), "SET",
     "instruction set: auto, plain, avx2 or avx512", .choices = "auto|plain|avx2|avx512"},
    {"dry-run", OPTION_FLAG, offsetof(struct build_args, dry_run), NULL,
     "print what a build would take, and build nothing"},
    {"yes", OPTION_FLAG, offsetof(struct build_args, yes), NULL,
     "start even if it takes hours or most of the disk"},
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

struct build_show {
    struct longjob job;
    bool json;
    int built, there;
    uint64_t values, bytes[KINDS], decoded, unpacked;
    double seconds, cpu_seconds;
};

static void show_begin(void *context, struct slice s, const char *step)
{
    struct build_show *show = context;
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
    json_real(&j, "saving_seconds", r->saving);
    json_uint(&j, "decoded", r->decoded);
    json_uint(&j, "unpacked", r->unpacked);
    if (r->fetched || r->put) {
        json_uint(&j, "fetched", r->fetched);
        json_uint(&j, "put", r->put);
        json_uint(&j, "parts", r->parts);
        json_uint(&j, "parts_kept", r->parts_kept);
    }
    for (int k = 0; k < KINDS; k++)
        if (r->bytes[k])
            json_uint(&j, kind_name((enum kind)k), r->bytes[k]);
    json_end(&j);
    fflush(stdout);
}

static void show_report(void *context, const struct build_report *r)
{
    struct build_show *show = context;
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

static void show_end(const struct build_show *show, const char *dir)
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
            printf("  %s  %14s bytes  %.4f per position\n", kind_name((enum kind)k),
                   format_count(show->bytes[k], count),
                   (double)show->bytes[k] / (double)show->values);
}

/* -------------------------------------------------------------------- forecast -- */

struct outlook {
    struct build_forecast forecast;
    double seconds; /* on this machine, under its present load */
    uint64_t bytes, free;
};

enum { LONG_SECONDS = 3600, SHORT_SECONDS = 10 };

static struct outlook outlook_of(const struct build_plan *plan, const struct build_options *o)
{
    int processors = threads_default();
    struct outlook out = {.free = disk_free(o->dir)};

    forecast_build(plan, o, &out.forecast);
    out.bytes = forecast_bytes(&out.forecast);
    out.seconds = out.forecast.cpu_seconds;
    if (out.seconds > SHORT_SECONDS) /* worth measuring the speed of the machine */
        out.seconds *= forecast_pace();
    out.seconds /= o->threads < processors ? o->threads : processors;
    out.seconds /= team_ranks(o->team);
    return out;
}

/* "about 1.2 GB", from bytes. */
static const char *size_text(uint64_t bytes, char out[FORMAT_MAX])
{
    double n = (double)bytes;

    if (n >= 1e12)
        snprintf(out, FORMAT_MAX, "%.1f TB", n / 1e12);
    else if (n >= 1e9)
        snprintf(out, FORMAT_MAX, "%.1f GB", n / 1e9);
    else
        snprintf(out, FORMAT_MAX, "%.0f MB", n < 1e6 ? 1.0 : n / 1e6);
    return out;
}

static const char *outlook_text(const struct outlook *o, char *out, size_t size)
{
    char time[FORMAT_MAX], disk[FORMAT_MAX], free[FORMAT_MAX];
    int n;

    if (!o->forecast.slices) {
        snprintf(out, size, "nothing to build: all %d slices are there", o->forecast.there);
        return out;
    }
    n = snprintf(out, size, "%d %s to build (%d are there): about %s, %s of disk",
                 o->forecast.slices, plural((uint64_t)o->forecast.slices, "slice", "slices"),
                 o->forecast.there, format_duration(o->seconds < 1 ? 1 : o->seconds, time),
                 size_text(o->bytes, disk));

    if (o->free != UINT64_MAX)
        snprintf(out + n, size - (size_t)n, " (%s free)", size_text(o->free, free));
    return out;
}

static int outlook_print(const struct outlook *o, bool json)
{
    struct json j = json_open(stdout);
    char text[256];

    if (!json) {
        printf("%s\n", outlook_text(o, text, sizeof text));
        return EXIT_DONE;
    }
    json_object(&j, NULL);
    json_int(&j, "slices", o->forecast.slices);
    json_int(&j, "there", o->forecast.there);
    json_uint(&j, "values", o->forecast.values);
    json_real(&j, "seconds", o->seconds);
    json_uint(&j, "bytes", o->bytes);
    json_uint(&j, "free", o->free);
    json_end(&j);
    return EXIT_DONE;
}

/* An interactive user may not know how much work the request is. */
static int outlook_confirm(const struct outlook *o, const struct build_args *args)
{
    bool large = o->seconds > LONG_SECONDS || o->bytes > o->free / 2;
    char text[256];

    if (!large || args->yes || !isatty(STDIN_FILENO))
        return EXIT_DONE;
    return app_error("%s; give --yes to start", outlook_text(o, text, sizeof text));
}

/* ------------------------------------------------------------------------ run -- */

static void scratch_tell(struct build_show *show, const struct build_plan *plan,
                         const struct build_options *o)
{
    if (o->scratch && show->job.progress.mode != PROGRESS_NONE)
        progress_note(&show->job.progress,
                      "scratch: at most %.1f GiB in %s, usually a quarter of that",
                      (double)build_scratch_most(plan, o) / (1 << 30), o->scratch);
}

/* Rank 0 reports for all; the others report only their own failures.  A signal to all ranks stops
 * rank 0 too, which reports it. */
static int build_failed(const struct build_options *o, enum status rc, const struct error *e)
{
    const char *why =
        rc == STATUS_INTERRUPTED ? "stopped; run the same command to continue" : e->text;
    char host[64] = "";

    if (team_rank(o->team) == 0)
        return app_error("%s", why);
    if (rc == STATUS_INTERRUPTED)
        usleep(STOP_PATIENCE);
    gethostname(host, sizeof host - 1);
    return app_error("rank %d on %s: %s", o->team->rank, host, why);
}

/* Do all ranks build the same with the same program?  Sizes and order of messages follow from
 * the plan. */
static enum status team_agrees(const struct build_plan *plan, const struct build_options *o,
                               struct error *e)
{
    XXH64_hash_t all[TEAM_MAX] = {0}, sum;
    int rank = team_rank(o->team);
    enum status rc;

    sum = XXH64(KELSO_VERSION, sizeof KELSO_VERSION, sizeof(struct table_stats));
    sum = XXH64(plan->slice, (size_t)plan->count * sizeof *plan->slice, sum);
    all[rank] = XXH64(o->kind, sizeof o->kind, sum);
    rc = team_gather(o->team, all, sizeof *all, e);
    for (int r = 1; r < team_ranks(o->team) && !rc; r++)
        if (all[r] != all[0])
            rc = error_set(e, STATUS_MISMATCH,
                           "rank %d has other options or another version than rank 0", r);
    return rank == 0 ? rc : STATUS_OK;
}

static int build_with(const struct build_plan *plan, struct build_options *o,
                      const struct build_args *args, const char *outlook,
                      void (*watch)(struct team *team, const atomic_bool *stop))
{
    bool speaks = team_rank(o->team) == 0;
    struct build_show show = {.json = args->json};
    struct error e = {0};
    enum status rc;

    o->stop = longjob_begin(&show.job, speaks ? args->progress : PROGRESS_NONE, "building",
                            "values", build_work(plan, o));
    if (watch)
        watch(o->team, o->stop);
    o->done = &show.job.done;
    o->report = speaks ? show_report : NULL;
    o->begin = show_begin;
    o->context = &show;
    if (*outlook)
        progress_note(&show.job.progress, "%s", outlook);
    scratch_tell(&show, plan, o);
    rc = team_agrees(plan, o, &e);
    if (!rc)
        rc = build_run(plan, o, &e);
    longjob_end(&show.job);
    if (rc)
        return build_failed(o, rc, &e);
    if (speaks)
        show_end(&show, o->dir);
    return EXIT_DONE;
}

static int options_make(const struct build_args *args, int local_ranks, struct build_options *o,
                        char *dir, size_t size)
{
    int threads = threads_default() / local_ranks;

    if (!kinds_parse(args->kinds, o->kind))
        return app_error("--kinds is a list of wld, dtc, dtw, not '%s'", args->kinds);
    if (args->isa && !kernel_get(KERNEL_TYPE_WLD, (enum kernel_isa)(args->isa - 1)))
        return app_error("this machine does not have that instruction set");
    if (args->isa)
        o->isa = (enum kernel_isa)(args->isa - 1);
    o->dir = catalog_default_dir(args->dir, dir, size);
    if (!o->dir)
        return app_error("no directory: give --dir, or set KELSO_DB or HOME");
    o->scratch = args->scratch;
    o->threads = args->threads ? args->threads : threads > 1 ? threads : 1;
    o->memory = args->memory ? args->memory : memory_default() / (unsigned)local_ranks;
    return EXIT_DONE;
}

static int plan_make(const struct build_args *args, struct build_plan *plan)
{
    struct slice slice;
    struct error e;

    if (args->slice && !slice_parse(args->slice, &slice))
        return app_error("'%s' is not a slice of at most %d pieces, such as 3K1C-2K1C", args->slice,
                         PIECES_MAX);
    if (args->slice ? build_plan_slice(plan, slice, &e)
                    : build_plan_all(plan, args->pieces, args->max_side, &e))
        return app_error("%s", e.text);
    return EXIT_DONE;
}

/* Rank 0 estimates the build before it starts: *text is the estimate, if there is work, and *go
 * says whether to do it. */
static int build_consider(const struct build_plan *plan, const struct build_options *o,
                          const struct build_args *args, char *text, size_t size, bool *go)
{
    struct outlook outlook = outlook_of(plan, o);

    *go = !args->dry_run;
    if (args->dry_run)
        return outlook_print(&outlook, args->json);
    if (outlook.forecast.slices)
        outlook_text(&outlook, text, size);
    return outlook_confirm(&outlook, args);
}

int build_command(int argc, char **argv, struct team *team, int local_ranks,
                  void (*watch)(struct team *team, const atomic_bool *stop))
{
    struct build_args args = {.pieces = 5, .max_side = PIECES_MAX, .kinds = "wld,dtc,dtw"};
    struct build_options o = {.isa = kernel_isa_best(), .team = team};
    struct build_plan plan = {0};
    char dir[4096], text[256] = "";
    bool go = true;
    int rc = EXIT_DONE;

    if (team_rank(team) != 0 && (team_share(team, 0, &go, sizeof go, NULL) || !go))
        return go ? EXIT_BAD : EXIT_DONE;
    if (options_parse(&command_build, argc, argv, &args) < 0)
        return EXIT_BAD;
    rc = options_make(&args, local_ranks, &o, dir, sizeof dir);
    if (!rc)
        rc = plan_make(&args, &plan);
    if (!rc && team_rank(team) == 0) {
        rc = build_consider(&plan, &o, &args, text, sizeof text, &go);
        if (!rc && team_share(team, 0, &go, sizeof go, NULL))
            rc = EXIT_BAD;
    }
    if (!rc && go)
        rc = build_with(&plan, &o, &args, text, watch);
    build_plan_free(&plan);
    return rc;
}

static int run(int argc, char **argv)
{
    return build_command(argc, argv, NULL, 1, NULL);
}

const struct command command_build = {
    .name = "build",
    .summary = "make the endgame tables",
    .usage = "",
    .help = "Solves every position of the requested slices, smallest first, and writes one file\n"
            "per slice and kind: wld (win, loss or draw), dtc (plies to the next conversion) and\n"
            "dtw (plies to the end of the game).  Finished tables are kept: stop it at any time\n"
            "and run the same command to continue.\n"
            "\n"
            "To solve a slice, the builder reads the tables that its moves lead to.  Tables that\n"
            "do not fit into memory are packed until they are needed again, in memory or in the\n"
            "--scratch directory, which should be on a fast disk.  With --scratch a slice may be\n"
            "larger than memory: its tables are then files there, and it is solved in parts; a\n"
            "builder that is killed loses at most one part.  --memory includes the pages of these\n"
            "files that are in use; the system may cache more of them in memory that is free.\n"
            "The most that the directory can come to hold is printed at the start; it is empty\n"
            "at the end.  Give each build a directory of its own: the one that ends removes what\n"
            "another has left there to go on with.\n"
            "\n"
            "The builder first prints an estimate of the time and disk space it needs; --dry-run\n"
            "stops there.  On a terminal, a build of more than an hour, or of more than half of\n"
            "the free disk space, needs --yes.\n"
            "\n"
            "The tables go to DIR, else $KELSO_DB, else ~/.local/share/kelso.\n"
            "\n"
            "  kelso build --pieces 4\n"
            "  kelso build --pieces 6 --kinds wld,dtw --threads 2 --memory 4G\n"
            "  kelso build --pieces 7 --kinds wld --dry-run\n"
            "  kelso build --slice 2K1C-2K --dir tables\n"
            "  kelso build --pieces 8 --kinds wld --memory 12G --scratch /var/tmp/kelso\n",
    .options = options,
    .operands_min = 0,
    .operands_max = 0,
    .run = run,
};
