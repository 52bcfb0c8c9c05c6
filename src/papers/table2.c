/* SPDX-License-Identifier: MIT
 *
 * Trice and Dodgen: Table 2. */
#include "papers/papers.h"

#include "report/outcomes.h"

#include <stdio.h>
#include <string.h>

/* --------------------------------------------------------------------- Table 2 -- */

/* Of seven pieces the paper has 4 against 3 only. */
static int table2_side(int pieces)
{
    return pieces == 7 ? 4 : pieces;
}

struct table2 {
    struct paper_run *run;
    struct tables *tables;
    int pieces;        /* that are there */
    double seconds[8]; /* to build up to so many pieces */
};

static enum status longest(struct table2 *t, struct slice s, int *win, int *loss,
                           uint64_t *positions, struct error *e)
{
    *win = *loss = 0;
    for (int side = 0; side < 2; side++) {
        struct slice mover = side ? slice_flip(s) : s;
        const struct table_stats *stats;
        const struct table *table;
        enum status rc = catalog_table(tables_catalog(t->tables), mover, KIND_DTW, &table, e);

        if (rc)
            return rc;
        stats = table_stats(table, !slice_equal(mover, slice_canonical(mover)));
        *positions = stats->all.count[0] + stats->all.count[1] + stats->all.count[2];
        if (stats->quiet.longest[VALUE_WIN].plies > *win)
            *win = stats->quiet.longest[VALUE_WIN].plies;
        if (stats->quiet.longest[VALUE_LOSS].plies > *loss)
            *loss = stats->quiet.longest[VALUE_LOSS].plies;
    }
    return STATUS_OK;
}

/* bk,bm,wk,wm,positions,win,loss,printed,"example": win and loss as they are, `printed` where the
 * print differs. */
static enum status table2_row(void *context, const char *line, struct error *e)
{
    struct table2 *t = context;
    char item[SLICE_NAME_MAX], printed[64], right[64], found[64], misprint[24] = "";
    unsigned bk, bm, wk, wm;
    unsigned long long positions;
    int win, loss, found_win, found_loss, used = 0;
    uint64_t found_positions;
    struct slice s;
    enum status rc;

    if (sscanf(line, "%u,%u,%u,%u,%llu,%n", &bk, &bm, &wk, &wm, &positions, &used) != 5 || !used)
        return STATUS_OK; /* the heading */
    s = (struct slice){(uint8_t)bk, (uint8_t)bm, (uint8_t)wk, (uint8_t)wm};
    slice_name(s, item);
    if (sscanf(line + used, "%d,%d,%15[0-9/]", &win, &loss, misprint) < 2)
        return error_set(e, STATUS_FORMAT, "table2.csv: not a row: %.60s", line);
    snprintf(right, sizeof right, "%llu positions, %d/%d", positions, win, loss);
    if (!*misprint)
        snprintf(misprint, sizeof misprint, "%d/%d", win, loss);
    snprintf(printed, sizeof printed, "%llu positions, %s", positions, misprint);
    if (slice_pieces(s) > t->pieces) {
        paper_skip(t->run, item, printed, t->seconds[slice_pieces(s)]);
        return STATUS_OK;
    }
    if ((rc = longest(t, s, &found_win, &found_loss, &found_positions, e)))
        return rc;
    snprintf(found, sizeof found, "%llu positions, %d/%d", (unsigned long long)found_positions,
             found_win, found_loss);
    if (strcmp(printed, right) != 0 && strcmp(found, right) == 0)
        paper_report(t->run, item, printed, found, ROW_ERRATUM, "witnesses in docs/errata.md");
    else
        paper_compare(t->run, item, printed, found);
    return STATUS_OK;
}

enum status paper_table2(struct paper_run *r, struct error *e)
{
    struct table2 t = {.run = r};
    enum status rc = STATUS_OK;

    for (int pieces = 2; pieces <= 7; pieces++) {
        t.seconds[pieces] = paper_tables_seconds(r, pieces, table2_side(pieces), KIND_DTW);
        if (t.seconds[pieces] <= r->upto)
            t.pieces = pieces;
    }
    if (t.pieces)
        rc = paper_open_tables(r, t.pieces, table2_side(t.pieces), KIND_DTW, &t.tables, e);
    if (!rc)
        rc = paper_lines("/data/table2.csv", table2_row, &t, e);
    tables_close(&t.tables);
    return rc;
}
