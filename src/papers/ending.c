/* SPDX-License-Identifier: MIT */
#include "papers/ending.h"

#include "core/notation.h"
#include "report/outcomes.h"

#include <stdio.h>
#include <string.h>

enum status paper_board(const char *fen, size_t length, struct board *b, struct error *e)
{
    if (!fen_parse(fen, length, b, NULL))
        return error_set(e, STATUS_FORMAT, "%.*s: not a position", (int)length, fen);
    return STATUS_OK;
}

enum status paper_ending(struct paper_run *r, const char *label, const struct board *b,
                         double seconds, bool conversions, struct ondemand **o,
                         char why[ROW_TEXT_MAX], struct error *e)
{
    enum status rc;

    *o = NULL;
    if (seconds > r->upto) {
        paper_too_long(seconds, why);
        return STATUS_OK;
    }
    if ((rc = ondemand_open(o, b, conversions, e)))
        return rc;
    if (ondemand_bytes(*o, 1) > r->memory) {
        snprintf(why, ROW_TEXT_MAX, "%.1f GiB of memory: more than --memory",
                 (double)ondemand_bytes(*o, 1) / (1 << 30));
        ondemand_close(o);
        return STATUS_OK;
    }
    r->stage(r->context, label, "values", ondemand_work(*o));
    if ((rc = ondemand_solve(*o, r->threads, r->memory, r->stop, r->done, e)))
        ondemand_close(o);
    return rc;
}

enum status paper_after(const struct ondemand *o, const struct board *b, const struct move *m,
                        enum kind kind, struct outcome *out, struct error *e)
{
    struct board next = board_after(b, m);
    struct outcome after = outcome_lost;
    enum status rc = STATUS_OK;

    if (next.side[next.turn])
        rc = ondemand_outcome(o, &next, kind, &after, e);
    *out = kind == KIND_DTC && move_is_conversion(m) ? outcome_converting(after.value)
                                                     : outcome_before(after);
    return rc;
}

const char *paper_outcome(struct outcome o, char out[64])
{
    if (o.value == VALUE_DRAW)
        snprintf(out, 64, "draw");
    else
        snprintf(out, 64, "%s in %d", value_name(o.value), o.plies);
    return out;
}

static enum status step_take(const struct ondemand *o, const char *word, size_t n,
                             struct paper_step *s, struct error *e)
{
    struct move_list legal;
    enum status rc;

    moves_generate(&s->before, &legal);
    if (!move_parse(word, n, &legal, &s->move, NULL))
        return error_set(e, STATUS_FORMAT, "ply %d: '%.*s' is not a legal move", s->ply, (int)n,
                         word);
    if ((rc = ondemand_outcome(o, &s->before, KIND_DTW, &s->best, e)))
        return rc;
    return paper_after(o, &s->before, &s->move, KIND_DTW, &s->played, e);
}

/* The number of the note that the text goes on with, 0 for none. */
static int note_ahead(const char *text)
{
    int note = 0;

    text += strspn(text, " ,\n");
    sscanf(text, "^[%d]", &note);
    return note;
}

enum status paper_walk(const struct ondemand *o, const struct board *start, const char *text,
                       paper_step_visit *visit, void *context, int *plies, struct board *end,
                       struct error *e)
{
    enum status rc = STATUS_OK;

    *end = *start;
    for (*plies = 0; !rc && *(text += strspn(text, " ,\n"));) {
        size_t n = strcspn(text, " ,\n");
        struct paper_step s = {.before = *end, .ply = *plies + 1};

        if (*text < '0' || *text > '9') {
            text += n;
            continue;
        }
        if ((rc = step_take(o, text, n, &s, e)))
            return rc;
        text += n;
        s.note = note_ahead(text);
        if (visit)
            rc = visit(context, &s, e);
        *end = board_after(end, &s.move);
        ++*plies;
    }
    return rc;
}
