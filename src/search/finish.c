/* SPDX-License-Identifier: MIT */
#include "search/finish.h"

static enum status outcome_of(void *context, const struct board *b, enum kind kind,
                              struct outcome *o, struct error *e)
{
    return ondemand_outcome(context, b, kind, o, e);
}

struct source finish_source(const struct finish *f)
{
    return (struct source){outcome_of, f->ending};
}

void finish_clear(struct finish *f)
{
    ondemand_close(&f->ending);
    f->ending = NULL;
}

static bool has(const struct finish *f, const struct board *b)
{
    struct outcome o;

    return f->ending && ondemand_outcome(f->ending, b, KIND_DTW, &o, NULL) == STATUS_OK;
}

bool finish_solve(struct finish *f, const struct board *b, double seconds, const atomic_bool *stop)
{
    uint64_t values;

    if (has(f, b))
        return true;
    finish_clear(f);
    if (squares_count(b->side[BLACK] | b->side[WHITE]) > FINISH_PIECES ||
        ondemand_plan(&f->ending, b, WANT_DTW, FINISH_MEMORY, stop, NULL))
        return false;
    values = ondemand_values(f->ending);
    if (values > FINISH_VALUES || (seconds > 0 && (double)values > seconds * FINISH_RATE) ||
        ondemand_solve(f->ending, 1, FINISH_MEMORY, stop, NULL, NULL))
        finish_clear(f);
    return f->ending != NULL;
}
