/* SPDX-License-Identifier: MIT
 *
 * Schaeffer et al.: the number of positions, and the machinery of proofs on a small one. */
#include "papers/ending.h"

#include "db/tables.h"
#include "proof/check.h"
#include "proof/extract.h"
#include "proof/solve.h"
#include "report/outcomes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- positions -- */

typedef unsigned __int128 wide;

enum { SQUARES = 32, FIRST_ROW = 4, MIDDLE = 24, ARMY = 12 };

static wide choose(int n, int k)
{
    wide c = 1;

    if (k < 0 || k > n)
        return 0;
    for (int i = 1; i <= k; i++)
        c = c * (wide)(n - k + i) / (wide)i;
    return c;
}

/* Black's men stand on squares 1-28, White's on 5-32: count by Black's men on the first row. */
static wide men_placements(int black, int white)
{
    wide n = 0;

    for (int first = 0; first <= black && first <= FIRST_ROW; first++)
        n += choose(FIRST_ROW, first) * choose(MIDDLE, black - first) *
             choose(SQUARES - FIRST_ROW - (black - first), white);
    return n;
}

/* Positions without regard to the side to move, either side possibly without pieces. */
static wide positions_of(int pieces)
{
    wide n = 0;

    for (int bm = 0; bm <= pieces; bm++)
        for (int wm = 0; bm + wm <= pieces; wm++)
            for (int bk = 0; bm + wm + bk <= pieces; bk++) {
                int wk = pieces - bm - wm - bk, free = SQUARES - bm - wm;

                if (bm + bk <= ARMY && wm + wk <= ARMY)
                    n += men_placements(bm, wm) * choose(free, bk) * choose(free - bk, wk);
            }
    return n;
}

static const char *wide_text(wide n, char out[48])
{
    char *at = out + 47;

    *at = 0;
    do
        *--at = (char)('0' + (int)(n % 10));
    while ((n /= 10));
    return at;
}

static enum status positions_row(void *context, const char *line, struct error *e)
{
    char item[32], printed[64], buffer[48];
    int pieces;

    (void)e;
    if (sscanf(line, "%d,%63s", &pieces, printed) != 2)
        return STATUS_OK; /* the heading */
    snprintf(item, sizeof item, "%d pieces", pieces);
    paper_compare(context, item, printed, wide_text(positions_of(pieces), buffer));
    return STATUS_OK;
}

enum status paper_positions(struct paper_run *r, struct error *e)
{
    return paper_lines("/data/chinook_table1.csv", positions_row, r, e);
}

/* ----------------------------------------------------------------------- proof -- */

/* Five pieces, solved with tables of three: the tree branches for both sides. */
static const char proof_fen[] = "B:W9,23:B7,15,16";
enum { PROOF_PIECES = 3 };
static const struct dfpn_limits proof_limits = {.seconds = 600};

static enum status truth(const struct board *b, struct paper_run *r, enum value *v, struct error *e)
{
    struct ondemand *o;
    struct outcome out;
    enum status rc = ondemand_open(&o, b, false, e);

    if (rc)
        return rc;
    if (!(rc = ondemand_solve(o, r->threads, r->memory, r->stop, NULL, e)) &&
        !(rc = ondemand_outcome(o, b, KIND_DTW, &out, e)))
        *v = out.value;
    ondemand_close(&o);
    return rc;
}

enum status paper_certificate(struct paper_run *r, const struct certificate *c,
                              const struct tables *t, struct error *e)
{
    struct check_result checked;
    struct check_options o = {.tables = t, .stop = r->stop};
    enum status rc = check_certificate(c, &o, &checked, e);
    char note[ROW_TEXT_MAX], found[ROW_TEXT_MAX] = "stands";
    bool all;

    if (rc && rc != STATUS_MISMATCH && rc != STATUS_MISSING)
        return rc;
    if (rc) {
        snprintf(found, sizeof found, "%.180s", e->text);
        paper_compare(r, "its certificate, checked claim by claim", "stands", found);
        return STATUS_OK;
    }
    snprintf(note, sizeof note, "%zu claims", (size_t)c->claims);
    paper_report(r, "its certificate, checked claim by claim", "stands", found, ROW_AGREES, note);
    all = checked.claims == c->claims;
    snprintf(note, sizeof note, "%llu moves, %llu of them into the tables",
             (unsigned long long)checked.moves, (unsigned long long)checked.probes);
    paper_report(r, "what the checker examined", "every claim",
                 all ? "every claim" : "not every claim", all ? ROW_AGREES : ROW_DIFFERS, note);
    return STATUS_OK;
}

/* The checker must not accept the same claims for another value. */
static enum status report_refusal(struct paper_run *r, struct certificate *c,
                                  const struct tables *t, struct error *e)
{
    struct check_result checked;
    enum value lower = c->lower, upper = c->upper;
    enum status rc;

    c->lower = c->upper = lower == VALUE_LOSS ? VALUE_WIN : VALUE_LOSS;
    rc = check_certificate(c, &(struct check_options){.tables = t, .stop = r->stop}, &checked, e);
    c->lower = lower;
    c->upper = upper;
    if (rc && rc != STATUS_MISMATCH)
        return rc;
    paper_compare(r, "the same claims, for another value", "refused", rc ? "refused" : "accepted");
    return STATUS_OK;
}

static enum status report_certificate(struct paper_run *r, const struct tables *t,
                                      const struct board *b, struct bounds bounds, struct dfpn *d,
                                      bool refusal, struct error *e)
{
    struct extract_limits limits = {.search = proof_limits, .stop = r->stop};
    struct certificate c = {0};
    enum status rc = extract_certificate(d, t, b, bounds, limits, &c, e);

    if (!rc)
        rc = paper_certificate(r, &c, t, e);
    if (!rc && refusal)
        rc = report_refusal(r, &c, t, e);
    certificate_free(&c);
    return rc;
}

static const char *bounds_text(struct bounds b)
{
    return bounds_closed(b) ? value_name(b.lower) : "not solved";
}

static enum status proof_run(struct paper_run *r, const struct tables *t, struct dfpn *d,
                             struct error *e)
{
    struct solve_hint hint = {.bounds = bounds_unknown};
    struct solution s;
    struct board b;
    enum value v = VALUE_DRAW;
    enum status rc;

    if ((rc = paper_board(proof_fen, strlen(proof_fen), &b, e)) || (rc = truth(&b, r, &v, e)) ||
        (rc = solve_position(d, &b, hint, proof_limits, &s, e)))
        return rc;
    paper_compare(r, proof_fen, value_name(v), bounds_text(s.bounds));
    return report_certificate(r, t, &b, s.bounds, d, true, e);
}

/* Build the tables, open a solver, let it work. */
static enum status with_solver(struct paper_run *r, int pieces,
                               enum status (*work)(struct paper_run *, const struct tables *,
                                                   struct dfpn *, struct error *),
                               struct error *e)
{
    struct tables *t;
    struct dfpn *d;
    enum status rc = paper_open_tables(r, pieces, pieces, KIND_WLD, &t, e);

    if (rc)
        return rc;
    r->stage(r->context, "proving", "positions", 0);
    rc = dfpn_open(&d,
                   &(struct dfpn_options){.tables = t,
                                          .memory = 256 << 20,
                                          .threads = r->threads,
                                          .knobs = dfpn_default,
                                          .stop = r->stop,
                                          .done = r->done},
                   e);
    if (!rc) {
        rc = work(r, t, d, e);
        dfpn_close(&d);
    }
    tables_close(&t);
    return rc;
}

enum status paper_proof(struct paper_run *r, struct error *e)
{
    if (paper_skip(r, proof_fen, "", 20))
        return STATUS_OK;
    return with_solver(r, PROOF_PIECES, proof_run, e);
}

/* ---------------------------------------------------------------------- solver -- */

/* Figures of Trice and Dodgen that a search with tables of six pieces decides. */
static const struct {
    const char *item, *fen, *printed;
} solver_rows[] = {
    {"Figure 1, 12 pieces", "B:W13,21,22,23,28,29:B1,2,5,6,14,20", "win"},
    {"Fourth Position, 7 pieces", "B:WK31,K32,30:BK20,K22,K23,21", "win"},
};
enum { SOLVER_PIECES = 6, SOLVER_ROWS = sizeof solver_rows / sizeof *solver_rows };

static enum status solver_run(struct paper_run *r, const struct tables *t, struct dfpn *d,
                              struct error *e)
{
    struct solve_hint hint = {.bounds = bounds_unknown};
    enum status rc = STATUS_OK;

    for (int i = 0; !rc && i < SOLVER_ROWS; i++) {
        const char *fen = solver_rows[i].fen;
        struct solution s;
        struct board b;

        if ((rc = paper_board(fen, strlen(fen), &b, e)) ||
            (rc = solve_position(d, &b, hint, proof_limits, &s, e)))
            return rc;
        paper_compare(r, solver_rows[i].item, solver_rows[i].printed, bounds_text(s.bounds));
        if (bounds_closed(s.bounds))
            rc = report_certificate(r, t, &b, s.bounds, d, false, e);
    }
    return rc;
}

enum status paper_solver(struct paper_run *r, struct error *e)
{
    double seconds = paper_tables_seconds(r, SOLVER_PIECES, SOLVER_PIECES, KIND_WLD) + 10;

    if (seconds <= r->upto)
        return with_solver(r, SOLVER_PIECES, solver_run, e);
    for (int i = 0; i < SOLVER_ROWS; i++)
        paper_skip(r, solver_rows[i].item, solver_rows[i].printed, seconds);
    return STATUS_OK;
}
