/* SPDX-License-Identifier: MIT */
#include "cli/profiling.h"
#include "cli/command.h"
#include "cli/longjob.h"
#include "db/flat.h"
#include "db/forms.h"
#include "db/unpack.h"
#include "report/json.h"
#include "report/term.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *profile_file(const char *option)
{
    return option && strcmp(option, "-") ? option : NULL;
}

/* --------------------------------------------------------------------- showing -- */

enum { ROWS = 30 }; /* of the table on the terminal */

static void row_json(struct json *j, const struct profile_line *l, const struct form_costs *c)
{
    char name[SLICE_NAME_MAX];

    json_object(j, NULL);
    json_text(j, "slice", slice_name(l->slice, name));
    json_uint(j, "probes", l->probes);
    json_uint(j, "decodes", l->decodes);
    json_real(j, "seconds", l->seconds);
    json_uint(j, "compressed_bytes", c->bytes[FORM_COMPRESSED]);
    json_uint(j, "quick_bytes", c->bytes[FORM_QUICK]);
    json_bool(j, "quick_estimated", c->estimated);
    json_real(j, "quick_saves", c->saves[FORM_QUICK]);
    json_uint(j, "flat_bytes", c->bytes[FORM_FLAT]);
    json_real(j, "flat_saves", c->saves[FORM_FLAT]);
    json_end(j);
}

static void row_text(const struct profile_line *l, const struct form_costs *c)
{
    char name[SLICE_NAME_MAX];

    printf("%-10s %12" PRIu64 " %10" PRIu64 " %9.3f %13" PRIu64 " %13" PRIu64 " %9.3f %13" PRIu64
           " %9.3f\n",
           slice_name(l->slice, name), l->probes, l->decodes, l->seconds, c->bytes[FORM_COMPRESSED],
           c->bytes[FORM_QUICK], c->saves[FORM_QUICK], c->bytes[FORM_FLAT], c->saves[FORM_FLAT]);
}

static struct profile_line lines_sum(const struct profile_line *lines, int n)
{
    struct profile_line sum = {0};

    for (int i = 0; i < n; i++) {
        sum.probes += lines[i].probes;
        sum.decodes += lines[i].decodes;
        sum.seconds += lines[i].seconds;
    }
    return sum;
}

static void show_json(const struct profile_line *lines, const struct form_costs *costs, int n)
{
    struct profile_line sum = lines_sum(lines, n);
    struct json j = json_open(stdout);

    json_object(&j, NULL);
    json_uint(&j, "probes", sum.probes);
    json_uint(&j, "decodes", sum.decodes);
    json_real(&j, "seconds", sum.seconds);
    json_array(&j, "slices");
    for (int i = 0; i < n; i++)
        row_json(&j, &lines[i], &costs[i]);
    json_end(&j);
    json_end(&j);
}

static void show_text(const struct profile_line *lines, const struct form_costs *costs, int n)
{
    struct profile_line sum = lines_sum(lines, n);
    char probes[FORMAT_MAX], decodes[FORMAT_MAX], took[FORMAT_MAX];

    printf("%-10s %12s %10s %9s %13s %13s %9s %13s %9s\n", "slice", "probes", "decodes", "seconds",
           "compressed", "quick", "saves", "flat", "saves");
    for (int i = 0; i < n && i < ROWS; i++)
        row_text(&lines[i], &costs[i]);
    if (n > ROWS)
        printf("... and %d more, which took less time\n", n - ROWS);
    printf("%s probes of %d %s, %s decodes, %s\n", format_count(sum.probes, probes), n,
           plural((uint64_t)n, "slice", "slices"), format_count(sum.decodes, decodes),
           format_duration(sum.seconds, took));
}

int profile_show(const struct profile_line *lines, int n, struct catalog *c, bool json)
{
    struct form_costs *costs = calloc((size_t)n + 1, sizeof *costs);
    enum status rc = STATUS_OK;
    struct error e;

    if (!costs)
        return app_error("not enough memory");
    for (int i = 0; i < n && !rc; i++)
        rc = form_costs(c, &lines[i], &costs[i], &e);
    if (!rc)
        (json ? show_json : show_text)(lines, costs, n);
    free(costs);
    return rc ? app_error("%s", e.text) : EXIT_DONE;
}

/* -------------------------------------------------------------------- unpacking -- */

struct chosen {
    struct catalog *catalog;
    struct form_costs *costs; /* of the slices that have a table */
    int n, missing;           /* slices without a table */
    double seconds;           /* of the whole profile */
    uint64_t memory, taken;
    double saves;
    int made[FORMS]; /* or found */
    int left_out;    /* chosen, but larger than estimated */
    struct unpack_options o;
    struct unpack_report last; /* of the slice that was just made */
    struct longjob job;
    bool json;
};

static void chosen_begin(void *context, struct slice s)
{
    struct chosen *k = context;
    char name[SLICE_NAME_MAX];

    progress_label(&k->job.progress, "unpacking %s", slice_name(s, name));
}

static void chosen_report(void *context, const struct unpack_report *r)
{
    ((struct chosen *)context)->last = *r;
}

static enum status chosen_read(struct chosen *k, const char *file, struct error *e)
{
    struct profile_line lines[SLICE_CODES];
    int n;
    enum status rc = profile_read(file, lines, &n, e);

    if (rc)
        return rc;
    if (!(k->costs = calloc((size_t)n, sizeof *k->costs)))
        return error_no_memory(e);
    k->seconds = lines_sum(lines, n).seconds;
    for (int i = 0; i < n; i++) {
        rc = form_costs(k->catalog, &lines[i], &k->costs[k->n], e);
        if (rc && rc != STATUS_MISSING)
            return rc;
        k->n += rc == STATUS_OK;
        k->missing += rc == STATUS_MISSING;
    }
    return STATUS_OK;
}

/* Flat ones first, whose size is known; then those that save most per byte. */
static int chosen_compare(const void *a, const void *b)
{
    const struct form_costs *x = a, *y = b;

    if (x->chosen != y->chosen)
        return (int)y->chosen - (int)x->chosen;
    if (form_worth(x) != form_worth(y))
        return form_worth(x) > form_worth(y) ? -1 : 1;
    return slice_code(x->slice) - slice_code(y->slice);
}

static void chosen_show(const struct chosen *k, const struct form_costs *c, uint64_t bytes)
{
    char name[SLICE_NAME_MAX];

    slice_name(c->slice, name);
    if (k->json) {
        struct json j = json_open(stdout);

        json_object(&j, NULL);
        json_text(&j, "slice", name);
        json_text(&j, "form", form_name(c->chosen));
        json_bool(&j, "made", k->last.made);
        json_uint(&j, "bytes", bytes);
        json_real(&j, "saves", c->saves[c->chosen]);
        json_end(&j);
        fflush(stdout);
    } else {
        printf("%-10s %-6s %13" PRIu64 " bytes, saves %.3f s%s\n", name, form_name(c->chosen),
               bytes, c->saves[c->chosen], k->last.made ? "" : " (was there)");
    }
}

/* Make the file of a slice.  A quick file that turns out too large for the remaining memory is
 * deleted again, unless it existed before. */
static enum status chosen_make(struct chosen *k, const struct form_costs *c, struct error *e)
{
    uint64_t bytes = c->bytes[c->chosen], freed;
    enum status rc;
    int files;

    k->o.slice = &c->slice;
    k->o.form = c->chosen == FORM_FLAT ? UNPACK_FLAT : UNPACK_QUICK;
    if (bytes > k->memory - k->taken) {
        k->left_out++;
        return STATUS_OK;
    }
    if ((rc = unpack_run(k->catalog, &k->o, e)))
        return rc;
    if (c->chosen == FORM_QUICK)
        bytes = k->last.size;
    if (bytes > k->memory - k->taken) {
        k->left_out++;
        return k->last.made ? unpack_remove(k->catalog, &k->o, &files, &freed, e) : STATUS_OK;
    }
    k->taken += bytes;
    k->saves += c->saves[c->chosen];
    k->made[c->chosen]++;
    chosen_show(k, c, bytes);
    return STATUS_OK;
}

static enum status chosen_run(struct chosen *k, int progress, struct error *e)
{
    enum status rc = STATUS_OK;
    uint64_t work = 0;

    for (int i = 0; i < k->n; i++)
        if (k->costs[i].chosen != FORM_COMPRESSED)
            work += k->costs[i].bytes[FORM_FLAT] / FLAT_PAGE_BYTES;
    k->o.stop = longjob_begin(&k->job, progress, "unpacking", "pages", work);
    k->o.done = &k->job.done;
    k->o.begin = chosen_begin;
    k->o.report = chosen_report;
    k->o.context = k;
    for (int i = 0; i < k->n && !rc; i++)
        if (k->costs[i].chosen != FORM_COMPRESSED)
            rc = chosen_make(k, &k->costs[i], e);
    longjob_end(&k->job);
    return rc;
}

static void chosen_end(const struct chosen *k)
{
    char taken[FORMAT_MAX], memory[FORMAT_MAX];

    if (k->json) {
        struct json j = json_open(stdout);

        json_object(&j, NULL);
        json_int(&j, "flat", k->made[FORM_FLAT]);
        json_int(&j, "quick", k->made[FORM_QUICK]);
        json_int(&j, "left_out", k->left_out);
        json_int(&j, "missing", k->missing);
        json_uint(&j, "bytes", k->taken);
        json_uint(&j, "memory", k->memory);
        json_real(&j, "saves", k->saves);
        json_real(&j, "seconds", k->seconds);
        json_end(&j);
        return;
    }
    printf("%d flat and %d quick: %s of %s bytes; by the profile they save %.3f of %.3f s\n",
           k->made[FORM_FLAT], k->made[FORM_QUICK], format_count(k->taken, taken),
           format_count(k->memory, memory), k->saves, k->seconds);
    if (k->left_out)
        printf("%d left out: larger than estimated\n", k->left_out);
    if (k->missing)
        printf("%d %s of the profile %s no table here\n", k->missing,
               plural((uint64_t)k->missing, "slice", "slices"),
               plural((uint64_t)k->missing, "has", "have"));
}

int profile_unpack(struct catalog *c, const char *file, uint64_t memory, int threads, int progress,
                   bool json)
{
    struct chosen k = {.catalog = c, .memory = memory, .o = {.threads = threads}, .json = json};
    struct error e;
    enum status rc = chosen_read(&k, file, &e);

    if (!rc) {
        forms_choose(k.costs, k.n, memory);
        qsort(k.costs, (size_t)k.n, sizeof *k.costs, chosen_compare);
        rc = chosen_run(&k, progress, &e);
    }
    if (!rc)
        chosen_end(&k);
    free(k.costs);
    if (rc == STATUS_INTERRUPTED)
        return app_error("stopped; run the same command to continue");
    return rc ? app_error("%s", e.text) : EXIT_DONE;
}
