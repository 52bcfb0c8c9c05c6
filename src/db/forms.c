/* SPDX-License-Identifier: MIT */
#include "db/forms.h"
#include "db/flat.h"
#include "db/quick.h"

/* Rough figures: the first follows bench_cold (bench/README.md), the others are not measured. */
static const double quick_probe_time = 0.4e-6;  /* seconds more than a decoded page */
static const double quick_chapter_time = 50e-6; /* for a chapter */
static const double flat_page_time = 5e-6;      /* for a page */

const char *form_name(enum form f)
{
    static const char *const names[FORMS] = {"compressed", "quick", "flat"};

    return names[f];
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The size of the quick file.  If there is none, an estimate: with 6 to 8 pieces it is 2.0 to 2.5
 * times the table, and more for small tables, because of the descriptions of its groups. */
static enum status quick_size(struct catalog *c, const struct table *t, uint64_t pages,
                              struct form_costs *out, struct error *e)
{
    uint64_t groups = pages * TABLE_PAGE / QUICK_GROUP;
    uint64_t guess = table_size(t) / 4 * 9 + groups * QUICK_GROUP_BYTES / 2;
    struct quick *quick = NULL;
    struct error why;
    enum status rc = quick_open(&quick, catalog_dir(c), t, &why);

    if (rc == STATUS_NO_MEMORY || rc == STATUS_IO)
        return error_pass(e, &why);
    out->estimated = rc != STATUS_OK; /* a damaged one is made again */
    out->bytes[FORM_QUICK] = rc ? least(guess, out->bytes[FORM_FLAT]) : quick_bytes(quick);
    quick_close(&quick);
    return STATUS_OK;
}

enum status form_costs(struct catalog *c, const struct profile_line *line, struct form_costs *out,
                       struct error *e)
{
    const struct table *t;
    uint64_t pages, chapters;
    enum status rc;

    *out = (struct form_costs){.slice = line->slice};
    if (!catalog_has(c, line->slice, KIND_WLD))
        return error_set(e, STATUS_MISSING, "%s: no such table", catalog_dir(c));
    if ((rc = catalog_table(c, line->slice, KIND_WLD, &t, e)))
        return rc;
    pages = table_pages(t, 0) + (slice_symmetric(line->slice) ? 0 : table_pages(t, 1));
    chapters = pages / QUICK_CHAPTER_PAGES + 1;
    out->bytes[FORM_FLAT] = pages * FLAT_PAGE_BYTES;
    if ((rc = quick_size(c, t, pages, out, e)))
        return rc;
    out->bytes[FORM_COMPRESSED] =
        table_size(t) +
        least(least(line->decodes, pages * TABLE_PAGE) * table_part(t) / 4, out->bytes[FORM_FLAT]);
    out->saves[FORM_QUICK] = line->seconds - (double)line->probes * quick_probe_time -
                             (double)least(line->decodes, chapters) * quick_chapter_time;
    out->saves[FORM_FLAT] = line->seconds - (double)least(line->decodes, pages) * flat_page_time;
    return STATUS_OK;
}

/* -------------------------------------------------------------------- choosing -- */

/* The share of the given memory that a form takes: a compressed table takes none. */
static uint64_t form_bytes(const struct form_costs *c, enum form f)
{
    return f == FORM_COMPRESSED ? 0 : c->bytes[f];
}

/* What the step from the current form to f saves per byte; 0 if it does not pay or does not
 * fit. */
static double step_worth(const struct form_costs *c, enum form f, uint64_t left)
{
    uint64_t now = form_bytes(c, c->chosen), then = form_bytes(c, f);
    double saves = c->saves[f] - c->saves[c->chosen];

    if (f <= c->chosen || saves <= 0 || (then > now && then - now > left))
        return 0;
    return saves / (then > now ? (double)(then - now) : 1);
}

double form_worth(const struct form_costs *c)
{
    return c->chosen == FORM_COMPRESSED ? 0 : c->saves[c->chosen] / (double)c->bytes[c->chosen];
}

uint64_t forms_choose(struct form_costs *costs, int n, uint64_t memory)
{
    uint64_t taken = 0;

    for (int i = 0; i < n; i++)
        costs[i].chosen = FORM_COMPRESSED;
    for (;;) {
        struct form_costs *best = NULL;
        enum form to = FORM_COMPRESSED;
        double most = 0;

        for (int i = 0; i < n; i++)
            for (int f = FORM_QUICK; f < FORMS; f++) {
                double worth = step_worth(&costs[i], (enum form)f, memory - taken);

                if (worth > most || (best && worth == most && worth > 0 &&
                                     slice_code(costs[i].slice) < slice_code(best->slice))) {
                    most = worth;
                    best = &costs[i];
                    to = (enum form)f;
                }
            }
        if (!best)
            return taken;
        taken = taken - form_bytes(best, best->chosen) + form_bytes(best, to);
        best->chosen = to;
    }
}
