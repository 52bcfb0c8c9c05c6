/* SPDX-License-Identifier: MIT
 *
 * Endings solved on demand. */
#include "api/watched.h"
#include "base/crew.h"
#include "db/ondemand.h"

#include <stdlib.h>

struct kelso_ending {
    struct ondemand *ondemand;
    bool conversions, solved;
    bool cancelled; /* half solved, and of no use any more */
};

kelso_status kelso_ending_open(kelso_ending **ending, const kelso_position *position,
                               int conversions, kelso_error *error)
{
    struct error e;
    struct board b;
    enum status status;
    kelso_status rc = public_board(position, &b, error);

    *ending = NULL;
    if (rc)
        return rc;
    if (!(*ending = calloc(1, sizeof **ending)))
        return public_fail(error, KELSO_NO_MEMORY, "not enough memory for an ending");
    (*ending)->conversions = conversions != 0;
    if ((status = ondemand_open(&(*ending)->ondemand, &b, conversions != 0, &e))) {
        kelso_ending_close(ending);
        return public_report(error, status == STATUS_MISSING ? STATUS_POSITION : status, &e);
    }
    return KELSO_OK;
}

void kelso_ending_close(kelso_ending **ending)
{
    if (!*ending)
        return;
    ondemand_close(&(*ending)->ondemand);
    free(*ending);
    *ending = NULL;
}

uint64_t kelso_ending_values(const kelso_ending *ending)
{
    return ondemand_values(ending->ondemand);
}

uint64_t kelso_ending_bytes(const kelso_ending *ending, int threads)
{
    return ondemand_bytes(ending->ondemand, crew_size(threads));
}

struct request {
    struct ondemand *ondemand;
    int threads;
    uint64_t memory;
};

static enum status solve_job(struct watched *w, struct error *e)
{
    const struct request *r = w->arg;

    return ondemand_solve(r->ondemand, r->threads, r->memory, &w->stop, &w->done, e);
}

kelso_status kelso_ending_solve(kelso_ending *ending, int threads, uint64_t memory,
                                kelso_progress *progress, void *context, kelso_error *error)
{
    struct request r = {ending->ondemand, crew_size(threads), memory ? memory : UINT64_MAX};
    struct watched w = {.job = solve_job, .arg = &r, .work = ondemand_work(ending->ondemand)};
    kelso_status rc;

    if (ending->solved)
        return KELSO_OK;
    if (ending->cancelled)
        return public_fail(error, KELSO_CANCELLED, "the ending was cancelled earlier");
    rc = watched_run(&w, progress, context, error);
    ending->solved = rc == KELSO_OK;
    ending->cancelled = rc != KELSO_OK && atomic_load(&w.done) > 0;
    return rc;
}

kelso_status kelso_ending_probe(const kelso_ending *ending, const kelso_position *position,
                                kelso_kind kind, kelso_answer *answer, kelso_error *error)
{
    struct error e;
    struct outcome o;
    struct board b;
    enum status status;
    kelso_status rc = public_board(position, &b, error);

    if (rc)
        return rc;
    if (kind != KELSO_DTW && !(kind == KELSO_DTC && ending->conversions))
        return public_fail(error, KELSO_BAD_INPUT, "kind: the ending was not solved for it");
    if (!ending->solved)
        return public_fail(error, KELSO_MISSING, "the ending is not solved yet");
    if ((status = ondemand_outcome(ending->ondemand, &b, (enum kind)kind, &o, &e)))
        return public_report(error, status, &e);
    *answer = (kelso_answer){(kelso_value)o.value, public_plies(o)};
    return KELSO_OK;
}
