/* SPDX-License-Identifier: MIT
 *
 * The public functions of the solver and of proofs. */
#include "solver/solver.h"

#include "api/watched.h"
#include "base/crew.h"
#include "proof/check.h"
#include "proof/estimate.h"
#include "proof/extract.h"
#include "proof/solve.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t memory_usual = UINT64_C(256) << 20;
static const double line_patience = 60; /* seconds to ask again what the search has forgotten */

struct kelso_solver {
    const struct tables *tables;
    struct dfpn *dfpn;
    struct watched watched; /* its `stop` is that of the dfpn */
    bool asked;             /* board and solution are of the last call */
    struct board board;
    struct dfpn_limits limits;
    struct solution solution;
};

bool resources_good(const kelso_resources *r)
{
    for (int i = 0; r && i < 5; i++)
        if (r->reserved[i])
            return false;
    return !r || r->threads >= 0;
}

bool limits_good(const kelso_limits *l)
{
    return l && l->seconds >= 0 && l->depth >= 0 && (l->seconds > 0 || l->nodes || l->depth);
}

kelso_status kelso_solver_open(kelso_solver **solver, kelso_tables *tables,
                               const kelso_resources *r, kelso_error *error)
{
    struct dfpn_options o = {.memory = r && r->memory ? r->memory : memory_usual,
                             .threads = crew_size(r && r->threads ? r->threads : 1),
                             .knobs = dfpn_default};
    struct error e;
    enum status rc;

    *solver = NULL;
    if (!tables || !resources_good(r))
        return public_fail(error, KELSO_BAD_INPUT, "resources: threads or reserved, or no tables");
    if (!(*solver = calloc(1, sizeof **solver)))
        return public_fail(error, KELSO_NO_MEMORY, "not enough memory for a solver");
    (*solver)->tables = o.tables = public_tables(tables);
    o.stop = &(*solver)->watched.stop;
    if ((rc = dfpn_open(&(*solver)->dfpn, &o, &e)))
        kelso_solver_close(solver);
    return public_report(error, rc, &e);
}

void kelso_solver_close(kelso_solver **solver)
{
    if (!*solver)
        return;
    dfpn_close(&(*solver)->dfpn);
    free(*solver);
    *solver = NULL;
}

static enum status solve_job(struct watched *w, struct error *e)
{
    kelso_solver *s = w->arg;
    struct solve_hint hint = {
        bounds_unknown, estimate_material(&s->board, s->board.turn), {false, false}};
    enum status rc = solve_position(s->dfpn, &s->board, hint, s->limits, &s->solution, e);

    if (rc || !atomic_load(&w->stop) || bounds_closed(s->solution.bounds))
        return rc;
    return error_set(e, STATUS_INTERRUPTED, "cancelled");
}

kelso_status kelso_solver_solve(kelso_solver *s, const kelso_position *position,
                                const kelso_limits *limits, kelso_progress *progress, void *context,
                                kelso_solution *solution, kelso_error *error)
{
    struct board b;
    kelso_status rc = public_board(position, &b, error);

    if (rc)
        return rc;
    if (!limits_good(limits) || limits->depth)
        return public_fail(error, KELSO_BAD_INPUT, "limits: seconds or nodes, and no depth");
    if (!s->asked || !board_equal(&b, &s->board))
        dfpn_clear(s->dfpn);
    s->board = b;
    s->asked = true;
    s->limits = (struct dfpn_limits){limits->seconds, limits->nodes};
    s->solution = (struct solution){.bounds = bounds_unknown};
    s->watched.job = solve_job;
    s->watched.arg = s;
    s->watched.seconds = limits->seconds;
    atomic_store(&s->watched.stop, false);
    rc = watched_run(&s->watched, progress, context, error);
    *solution = (kelso_solution){(kelso_value)s->solution.bounds.lower,
                                 (kelso_value)s->solution.bounds.upper, s->solution.work.nodes,
                                 s->solution.work.probes, s->solution.work.seconds};
    return rc;
}

kelso_status kelso_solver_line(kelso_solver *s, kelso_move *moves, int room, int *count,
                               kelso_error *error)
{
    struct move line[SOLVE_LINE_MAX];
    struct bounds b = s->solution.bounds;

    *count = 0;
    if (!s->asked || !bounds_closed(b))
        return public_fail(error, KELSO_MISSING, "no position has been solved");
    atomic_store(&s->watched.stop, false);
    *count = solve_line(s->dfpn, s->tables, &s->board, b.lower, line);
    for (int i = 0; i < *count && i < room; i++)
        moves[i] = public_move(&line[i]);
    if (*count > room)
        return public_fail(error, KELSO_NO_ROOM, "the line takes %d moves, there is room for %d",
                           *count, room);
    return KELSO_OK;
}

kelso_status kelso_solver_write_proof(kelso_solver *s, const char *path, kelso_error *error)
{
    struct certificate c = {0};
    struct error e;
    enum status rc;

    if (!s->asked || !bounds_known(s->solution.bounds))
        return public_fail(error, KELSO_MISSING, "nothing is known about a position yet");
    atomic_store(&s->watched.stop, false);
    if (!(rc = extract_certificate(s->dfpn, s->tables, &s->board, s->solution.bounds,
                                   (struct extract_limits){.search = {line_patience, 0}}, &c, &e)))
        rc = certificate_write(&c, path, &e);
    certificate_free(&c);
    return public_report(error, rc == STATUS_MISMATCH ? STATUS_MISSING : rc, &e);
}

kelso_status kelso_proof_check(kelso_tables *tables, const char *path, kelso_position *position,
                               kelso_value *lower, kelso_value *upper, kelso_error *error)
{
    struct certificate c = {0};
    struct check_result checked;
    struct error e;
    enum status rc = certificate_read(&c, path, &e);

    if (rc == STATUS_MISSING) /* of the file: no table */
        rc = STATUS_IO;
    if (!rc && !(rc = check_certificate(
                     &c, &(struct check_options){.tables = public_tables(tables)}, &checked, &e))) {
        *position = public_position(&c.root);
        *lower = (kelso_value)c.lower;
        *upper = (kelso_value)c.upper;
    }
    certificate_free(&c);
    return public_report(error, rc, &e);
}
