/* SPDX-License-Identifier: MIT */
#include "papers/papers.h"
#include "db/build.h"
#include "db/forecast.h"
#include "report/assets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MAX_BYTES = 8192 };

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static const char ppl[] = "Trice and Dodgen, The 7-piece perfect play lookup database (2003)";
static const char bryant[] = "Bryant, The shortest complete games of draughts";
static const char solved[] = "Schaeffer et al., Checkers is solved (2007)";
static const char solving[] = "Schaeffer et al., Solving checkers (2005)";

const struct paper_claim paper_claims[] = {
    {"table2", ppl, "Table 2: positions, longest win and longest loss of 98 slices", 1500, 12 * GIB,
     6 * GIB, paper_table2},
    {"listings", ppl,
     "Listings 1 to 8: perfect play, and where programs give plies away against it", 150,
     27 * GIB / 10, 0, paper_listings},
    {"figures", ppl,
     "Figures 1 to 9: the values of the positions, and what the text says about them", 180,
     27 * GIB / 10, 0, paper_figures},
    {"census", bryant, "Table 1: unique positions after each of 19 plies", 1000, 5 * GIB, 10 * GIB,
     paper_census},
    {"games", bryant, "the 247 games of 20 plies, 32 final positions, Table 4; none shorter", 10,
     256 * MIB, 0, paper_games},
    {"positions", solved, "Table 1: the number of positions with 1 to 24 pieces", 0.1, 1 * MIB, 0,
     paper_positions},
    {"proof", solving, "a proof that branches: found, exported, checked, and equal to the truth",
     20, 1 * GIB, 2 * MIB, paper_proof},
    {"solver", solving, "the solver on figures: twelve and seven pieces with tables of six", 60,
     2 * GIB, 30 * MIB, paper_solver},
    {0},
};

const struct paper_claim *paper_claim_find(const char *name)
{
    for (const struct paper_claim *c = paper_claims; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

void paper_report(struct paper_run *r, const char *item, const char *printed, const char *found,
                  enum row_mark mark, const char *note)
{
    struct paper_row row = {.mark = mark};

    snprintf(row.item, sizeof row.item, "%s", item);
    snprintf(row.printed, sizeof row.printed, "%s", printed);
    snprintf(row.found, sizeof row.found, "%s", found);
    snprintf(row.note, sizeof row.note, "%s", note);
    r->rows[mark]++;
    r->row(r->context, &row);
}

void paper_compare(struct paper_run *r, const char *item, const char *printed, const char *found)
{
    paper_report(r, item, printed, found, strcmp(printed, found) == 0 ? ROW_AGREES : ROW_DIFFERS,
                 "");
}

void paper_too_long(double seconds, char why[ROW_TEXT_MAX])
{
    snprintf(why, ROW_TEXT_MAX, "about %.0f s: more than --upto", seconds);
}

bool paper_skip(struct paper_run *r, const char *item, const char *printed, double seconds)
{
    char note[ROW_TEXT_MAX];

    if (seconds <= r->upto)
        return false;
    paper_too_long(seconds, note);
    paper_report(r, item, printed, "", ROW_SKIPPED, note);
    return true;
}

enum status paper_lines(const char *name, paper_line_visit *visit, void *context, struct error *e)
{
    const struct asset *a = asset_find(name);
    const char *at, *end, *stop;
    char line[LINE_MAX_BYTES];
    enum status rc = STATUS_OK;

    if (!a)
        return error_set(e, STATUS_MISSING, "%s is not in this program", name);
    at = (const char *)a->bytes;
    for (stop = at + a->length; at < stop && !rc; at = end + 1) {
        end = memchr(at, '\n', (size_t)(stop - at));
        end = end ? end : stop;
        if (end == at || *at == '#')
            continue;
        if ((size_t)(end - at) >= sizeof line)
            return error_set(e, STATUS_OVERFLOW, "%s: a line is too long", name);
        snprintf(line, sizeof line, "%.*s", (int)(end - at), at);
        rc = visit(context, line, e);
    }
    return rc;
}

double paper_tables_seconds(const struct paper_run *r, int pieces, int side, enum kind kind)
{
    struct build_options o = {.dir = r->dir,
                              .kind = {[KIND_WLD] = true, [KIND_DTW] = kind == KIND_DTW}};
    struct build_forecast f;
    struct build_plan plan;
    struct error e;

    if (build_plan_all(&plan, pieces, side, &e))
        return HUGE_VAL;
    forecast_build(&plan, &o, &f);
    build_plan_free(&plan);
    return f.cpu_seconds / r->threads;
}

enum status paper_open_tables(struct paper_run *r, int pieces, int side, enum kind kind,
                              struct tables **t, struct error *e)
{
    struct build_options o = {.dir = r->dir,
                              .kind = {[KIND_WLD] = true, [KIND_DTW] = kind == KIND_DTW},
                              .threads = r->threads,
                              .memory = r->memory,
                              .isa = kernel_isa_best(),
                              .stop = r->stop,
                              .done = r->done};
    struct build_plan plan;
    enum status rc = build_plan_all(&plan, pieces, side, e);

    *t = NULL;
    if (rc)
        return rc;
    r->stage(r->context, "building tables", "values", build_work(&plan, &o));
    rc = build_run(&plan, &o, e);
    build_plan_free(&plan);
    return rc ? rc : tables_open(t, &(struct tables_options){.dir = r->dir}, e);
}
