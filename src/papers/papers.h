/* SPDX-License-Identifier: MIT
 *
 * papers.h -- published claims, and whether kelso finds the same.
 *
 * A claim is one published result: a table, a list, a figure.  Running it recomputes the result and
 * compares it with the printed one, row by row.  The printed figures are in data/ and inside the
 * program; no computation uses them.
 *
 * (P1) A row is marked ROW_AGREES only if the result equals the printed one.
 * (P2) A difference that is known and explained is ROW_ERRATUM, and its note names a witness; any
 *      other is ROW_DIFFERS.
 * (P3) A row that would take more time or memory than the limit is ROW_SKIPPED, never assumed.
 *
 * A claim is run by one thread, which starts others; rows come from that thread. */
#ifndef KELSO_PAPERS_PAPERS_H
#define KELSO_PAPERS_PAPERS_H

#include "base/status.h"
#include "db/tables.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum row_mark { ROW_AGREES, ROW_ERRATUM, ROW_DIFFERS, ROW_SKIPPED };

enum { ROW_TEXT_MAX = 200 };

struct paper_row {
    char item[ROW_TEXT_MAX];
    char printed[ROW_TEXT_MAX], found[ROW_TEXT_MAX];
    enum row_mark mark;
    char note[ROW_TEXT_MAX]; /* may be "" */
};

/* The settings of a run, and its callbacks. */
struct paper_run {
    const char *dir; /* of tables; missing ones are built there */
    double upto;     /* seconds: skip rows that are estimated to take longer */
    uint64_t memory;
    int threads;
    const atomic_bool *stop; /* may be NULL */
    _Atomic uint64_t *done;  /* of the stage */
    void (*stage)(void *context, const char *label, const char *unit, uint64_t total);
    void (*row)(void *context, const struct paper_row *row);
    void *context;
    int rows[ROW_SKIPPED + 1]; /* so far, by mark */
};

struct paper_claim {
    const char *name;  /* "table2" */
    const char *paper; /* authors and year */
    const char *what;  /* what is claimed, one line */
    double seconds;    /* estimate for all rows on two idle processors */
    uint64_t memory, disk;
    enum status (*run)(struct paper_run *r, struct error *e);
};

/* Ends with a claim without a name. */
extern const struct paper_claim paper_claims[];

/* NULL if there is none. */
const struct paper_claim *paper_claim_find(const char *name);

/* ------------------------------------------------------------- for the claims -- */

/* Compare and report: `found` and `printed` as texts. */
void paper_compare(struct paper_run *r, const char *item, const char *printed, const char *found);

/* Report a row with its mark. */
void paper_report(struct paper_run *r, const char *item, const char *printed, const char *found,
                  enum row_mark mark, const char *note);

/* Skip a row that is estimated to take this long; false if it is within the limit. */
bool paper_skip(struct paper_run *r, const char *item, const char *printed, double seconds);

/* The note of a row that takes too long. */
void paper_too_long(double seconds, char why[ROW_TEXT_MAX]);

/* The lines of a published list inside the program, without comments and empty lines.  Anything but
 * STATUS_OK ends the walk. */
typedef enum status paper_line_visit(void *context, const char *line, struct error *e);
enum status paper_lines(const char *name, paper_line_visit *visit, void *context, struct error *e);

/* Seconds to build what is missing of the tables of at most `pieces` pieces, at most `side` on each
 * side, of this kind. */
double paper_tables_seconds(const struct paper_run *r, int pieces, int side, enum kind kind);

/* Open the run's tables, after building those that are missing: every slice of at most `pieces`
 * pieces, at most `side` on each side, of this kind. */
enum status paper_open_tables(struct paper_run *r, int pieces, int side, enum kind kind,
                              struct tables **t, struct error *e);

/* Check a certificate and report a row that says whether it stands, or why not. */
struct certificate;
enum status paper_certificate(struct paper_run *r, const struct certificate *c,
                              const struct tables *t, struct error *e);

enum status paper_table2(struct paper_run *r, struct error *e);
enum status paper_listings(struct paper_run *r, struct error *e);
enum status paper_figures(struct paper_run *r, struct error *e);
enum status paper_census(struct paper_run *r, struct error *e);
enum status paper_games(struct paper_run *r, struct error *e);
enum status paper_positions(struct paper_run *r, struct error *e);
enum status paper_proof(struct paper_run *r, struct error *e);
enum status paper_solver(struct paper_run *r, struct error *e);

#endif
